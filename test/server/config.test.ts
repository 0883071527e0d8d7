import path from 'node:path'
import t from 'tap'
import { ConfigError, configKeys, parseConfig } from '../../server/config.ts'

const problemsOf = (env: Record<string, string>): string => {
  try {
    parseConfig(env)
    return ''
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

t.test('nothing need be set', async (t) => {
  const config = parseConfig({})
  t.match(config, {
    dataDir: path.resolve('data'),
    reposDir: path.resolve('data/repos'),
    listen: { host: '127.0.0.1', port: 8443 },
    publicUrl: 'https://localhost:8443',
    tls: { kind: 'self-signed' },
    ownerTokenFile: null,
    runner: null,
  })
  t.ok(Object.isFrozen(config))
})

t.test('what is set is taken, paths absolute and URLs without their slash', async (t) => {
  t.match(
    parseConfig({
      DATA_DIR: 'here',
      REPOS_DIR: '/srv/git',
      LISTEN: '[::1]:443',
      PUBLIC_URL: 'https://forge.example.org/',
      TLS: 'cert.pem,key.pem',
      WORKSPACE_CONTROLLER_URL: 'https://runner.example.org/',
      WORKSPACE_CONTROLLER_SECRET: 'sixteen letters!',
    }),
    {
      dataDir: path.resolve('here'),
      reposDir: '/srv/git',
      listen: { host: '::1', port: 443 },
      publicUrl: 'https://forge.example.org',
      tls: { kind: 'files', cert: 'cert.pem', key: 'key.pem' },
      runner: { url: 'https://runner.example.org', secret: 'sixteen letters!' },
    },
  )
  t.equal(parseConfig({ TLS: 'off', LISTEN: 'localhost:80' }).publicUrl, 'http://localhost:80')
})

t.test('every bad key is named, all at once', async (t) => {
  const message = problemsOf({ LISTEN: '8443', PUBLIC_URL: 'forge', TLS: 'on', DATA_DIR: '' })
  for (const key of ['LISTEN', 'PUBLIC_URL', 'TLS', 'DATA_DIR']) t.match(message, `\n  ${key}: `)
})

t.test('a value that cannot be meant is refused', async (t) => {
  for (const [key, values] of Object.entries({
    LISTEN: [
      '',
      'localhost',
      ':8443',
      'localhost:99999',
      '::1:80',
      'localhost:-1',
      'localhost:80a',
      'a:b:80',
    ],
    PUBLIC_URL: [
      '',
      'localhost:8443',
      'ftp://x',
      'https://x/a%20path',
      'https://x?q',
      'https://me@x',
      'https://:pw@x',
      'https://x#f',
    ],
    TLS: ['', 'yes', 'cert.pem', ',key.pem', 'cert.pem,', 'a,b,c'],
    WORKSPACE_CONTROLLER_URL: ['runner', 'unix:/x'],
    WORKSPACE_CONTROLLER_SECRET: ['', 'short'],
  }))
    for (const value of values) t.match(problemsOf({ [key]: value }), key, `${key}=${value}`)
})

t.test('a runner needs the secret that both share, and the secret is in no message', async (t) => {
  t.match(
    problemsOf({ WORKSPACE_CONTROLLER_URL: 'https://runner.example.org' }),
    'WORKSPACE_CONTROLLER_SECRET',
  )
  t.notMatch(problemsOf({ WORKSPACE_CONTROLLER_SECRET: 'too short', LISTEN: 'x' }), 'too short')
})

t.test('every key says what it is for', async (t) => {
  for (const [key, { description }] of Object.entries(configKeys.shape)) t.match(description, /\w/, key)
})
