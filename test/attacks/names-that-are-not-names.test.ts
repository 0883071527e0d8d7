import { readdirSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import t from 'tap'
import { type RunningForge, startForge } from '../support/forge.ts'

const names = [
  '..',
  '.',
  '%2f',
  '-x',
  'a/b',
  'a\\b',
  'a\0b',
  'x'.repeat(300),
  '',
  ' ',
  'x.lock',
  'x.git',
  '.hidden',
  'ä',
  '~',
  'a b',
  'a\nb',
]

/** A path exactly as it stands here: URL would tidy `..` away. */
const rawStatus = (forge: RunningForge, target: string, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        port: forge.port,
        path: target,
        method,
        ca: forge.ca,
        servername: 'localhost',
        agent: false,
        headers: { authorization: `Bearer ${forge.token}` },
      },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    request.on('error', reject)
    request.end()
  })

t.test('no name leads out of the folder of repositories, and none makes a repository there', async (t) => {
  const forge = await startForge(t)
  for (const name of names) {
    const answer = await forge.ask('/api/v1/repos', { body: { name } })
    t.equal(answer.status, 400, `create ${JSON.stringify(name)}`)
    t.match(answer.text, /"code":"bad-request"/)
  }
  const targets = [
    '..',
    '%2e%2e',
    '%2f',
    '-x',
    'a%00b',
    '%2e%2e%2f%2e%2e',
    'x'.repeat(300),
    '..%5c..',
    '%ff',
    '%',
  ]
  for (const target of targets) {
    for (const url of [
      `/${target}.git/info/refs?service=git-upload-pack`,
      `/${target}/info/refs?service=git-upload-pack`,
      `/api/v1/repos/${target}`,
      `/repos/${target}`,
    ]) {
      const status = await rawStatus(forge, url)
      t.ok(status === 404 || status === 400, `${url}: ${status}`)
    }
  }
  t.same(readdirSync(path.join(forge.dataDir, 'repos')), [])
  t.equal((await forge.ask('/healthz')).status, 200, 'the forge lives')
})

t.test('the same names are no jobs, attempts, tokens or assets', async (t) => {
  const forge = await startForge(t)
  await forge.ask('/api/v1/repos', { body: { name: 'hello' } })
  for (const id of ['0', '-1', '01', '1e3', '9'.repeat(40), '..', '%00', 'NaN', '1.5', ' 1']) {
    const at = encodeURI(id).replaceAll('%25', '%')
    t.equal(await rawStatus(forge, `/api/v1/repos/hello/agent-jobs/${at}`), 404, `job ${id}`)
    t.equal(await rawStatus(forge, `/api/v1/tokens/${at}`, 'DELETE'), 404, `token ${id}`)
    t.equal(await rawStatus(forge, `/assets/${at}`), 404, `asset ${id}`)
  }
  for (const file of ['..%2f..%2fpackage.json', '%2e%2e/style.css', 'style.css%00', 'style.css/']) {
    t.equal(await rawStatus(forge, `/assets/${file}`), 404, file)
  }
  t.equal(await rawStatus(forge, '/assets/style.css'), 200)
})
