import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { commitFile, makeRepo } from '../../support/forge.ts'
import { tryGit } from '../../support/git.ts'
import { signIn } from './support/signed-in.ts'
import { run } from './support/spbgit.ts'

t.test('what login prints makes a real git push to the forge, with its own certificate', async (t) => {
  const { forge, home, login } = await signIn(t)
  const { work } = await makeRepo(t, forge)
  const commands = login.stderr.split('\n').filter((line) => line.includes('git config'))
  t.equal(commands.length, 2, login.stderr)
  const env = { HOME: home, GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig') }
  const configured = spawnSync('sh', ['-e', '-c', commands.join('\n')], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  })
  t.equal(configured.status, 0, configured.stderr)

  await commitFile(work, 'a', 'a\n')
  const pushed = await tryGit(['push', forge.remote('hello'), 'HEAD:topic'], { cwd: work, env })
  t.equal(pushed.code, 0, pushed.err)

  await forge.ask(`/api/v1/tokens/${tokenIdOf(forge.token)}`, { method: 'DELETE' })
  const refused = await tryGit(['push', forge.remote('hello'), 'HEAD:later'], { cwd: work, env })
  t.match(refused.err, 'Authentication failed')
  t.equal((await run(t, home, ['logout'])).code, 0, 'git’s erase has not signed anybody out')
  t.notOk(existsSync(path.join(home, '.config', 'spbgit', `localhost_${forge.port}.pem`)))
})

const tokenIdOf = (text: string): string => text.split('_')[2] ?? ''

t.test('a token is told for exactly its forge, and for nothing that resembles it', async (t) => {
  const { forge, home } = await signIn(t)
  const host = `localhost:${forge.port}`
  const ask = (lines: readonly string[], operation = 'get') =>
    run(t, home, ['credential', operation], `${lines.join('\n')}\n\n`)

  const told = await ask(['capability[]=authtype', 'protocol=https', `host=${host}`, 'path=hello.git'])
  t.equal(told.code, 0)
  t.equal(told.stdout, `username=spbgit\npassword=${forge.token}\n`)
  t.equal((await ask(['protocol=https', `host=${host}`, 'username=spbgit'])).stdout, told.stdout)

  const others = [
    ['protocol=http', `host=${host}`],
    ['protocol=https', 'host=localhost'],
    ['protocol=https', `host=127.0.0.1:${forge.port}`],
    ['protocol=https', `host=${host}.example.org`],
    ['protocol=https', `host=example.org@${host}`],
    ['protocol=https', `host=${host}/`],
    ['protocol=https', `host=x${host}`],
    ['protocol=https', `host=${host}`, 'username=job'],
    [`host=${host}`],
    ['protocol=https', '', `host=${host}`],
    [],
  ]
  for (const lines of others) {
    const ran = await ask(lines)
    t.equal(ran.stdout, '', lines.join(' '))
    t.equal(ran.code, 0, lines.join(' '))
  }
  for (const operation of ['store', 'erase', 'something-new']) {
    const ran = await ask(['protocol=https', `host=${host}`, 'username=spbgit', 'password=x'], operation)
    t.same([ran.code, ran.stdout], [0, ''], operation)
  }
  t.equal((await ask(['protocol=https', `host=${host}`])).stdout, told.stdout, 'and nothing was forgotten')
})
