import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { answerHooks } from '../../server/git/hook-line.ts'

const token = '01jdz3k8m2n4p6q8r0s2t4v6w8'
const line = `${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main\n`
type Hook = 'pre-receive' | 'post-receive'
const hooks: readonly Hook[] = ['pre-receive', 'post-receive']

const start = (hook: Hook, env: Record<string, string>, pipes: boolean): ChildProcess =>
  spawn(fileURLToPath(new URL(`../../hooks/${hook}`, import.meta.url)), [], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: pipes ? ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
  })

const quiet = (stream: Writable): Writable => stream.on('error', () => undefined)

/** Runs a hook against a server that answers with these chunks once it has heard the whole call. */
const run = async (
  hook: Hook,
  answer: readonly string[],
  env: Record<string, string> = { GIT_AUTH_TOKEN_ID: token },
  input = line,
) => {
  const child = start(hook, env, true)
  const fromHook = child.stdio[3] as Readable
  const toHook = quiet(child.stdio[4] as Writable)
  const output = Promise.all([text(child.stdio[1] as Readable), text(child.stdio[2] as Readable)])
  quiet(child.stdio[0] as Writable).end(input)
  let heard = ''
  for await (const chunk of fromHook.setEncoding('utf8') as AsyncIterable<string>) {
    heard += chunk
    if (heard.endsWith('\n\n')) break
  }
  for (const part of answer) {
    toHook.write(part)
    await new Promise(setImmediate)
  }
  toHook.end()
  const [out, err] = await output
  if (child.exitCode === null) await once(child, 'exit')
  return { code: child.exitCode, heard, out, err }
}

for (const hook of hooks) {
  t.test(`${hook} says who pushes and what, and does as it is told`, async (t) => {
    const { code, heard } = await run(hook, ['ok\n'])
    t.equal(code, 0)
    t.equal(heard, `${hook} ${token}\nquarantine \n${line}\n`)
    t.equal((await run(hook, ['no\n'])).code, 1)
  })

  t.test(`${hook} passes on what the server says, letter by letter`, async (t) => {
    const said = 'a\\nb  %s $(touch x) `id` \u001b[31m é '
    const { code, out, err } = await run(hook, ['say first\n', `say ${said}\n`, 'say \n', 'ok\n'])
    t.equal(code, 0)
    t.equal(hook === 'pre-receive' ? err : out, `first\n${said}\n\n`)
  })

  t.test(`${hook} understands an answer that comes in pieces`, async (t) => {
    t.match(await run(hook, ['sa', 'y hel', 'lo\no', 'k', '\n']), { code: 0 })
  })

  t.test(`${hook} takes nothing but a plain ok for one`, async (t) => {
    for (const answer of [
      '',
      'ok',
      'ok \n',
      ' ok\n',
      'OK\n',
      'okay\n',
      'say ok\n',
      '\n',
      'no\nok\n',
      'garbage\nok\n',
      'sayok\nok\n',
      '*\n',
    ])
      t.equal((await run(hook, [answer])).code, 1, JSON.stringify(answer))
  })

  t.test(`${hook} without the server’s pipes refuses`, async (t) => {
    const child = start(hook, { GIT_AUTH_TOKEN_ID: token }, false)
    quiet(child.stdio[0] as Writable).end(line)
    child.stdout?.resume()
    child.stderr?.resume()
    await once(child, 'close')
    t.not(child.exitCode, 0)
  })

  t.test(`${hook} without a token’s id refuses before it asks`, async (t) => {
    for (const env of [{}, { GIT_AUTH_TOKEN_ID: '' }])
      t.match(await run(hook, ['ok\n'], env), { code: 1, heard: '' })
  })

  t.test(`${hook} refuses when the server has gone`, async (t) => {
    const child = start(hook, { GIT_AUTH_TOKEN_ID: token }, true)
    ;(child.stdio[3] as Readable).destroy()
    quiet(child.stdio[4] as Writable).destroy()
    quiet(child.stdio[0] as Writable).end(line.repeat(10_000))
    child.stdout?.resume()
    child.stderr?.resume()
    await once(child, 'exit')
    t.not(child.exitCode, 0)
  })
}

t.test('pre-receive names the quarantine, with whatever is in its name', async (t) => {
  const { heard } = await run('pre-receive', ['ok\n'], {
    GIT_AUTH_TOKEN_ID: token,
    GIT_QUARANTINE_PATH: '/r/a b/%s\\n',
  })
  t.match(heard, 'quarantine /r/a b/%s\\n\n')
})

t.test('a script and the server understand each other about a push of many refs', async (t) => {
  const child = start('pre-receive', { GIT_AUTH_TOKEN_ID: token }, true)
  let seen = 0
  const done = answerHooks(
    child.stdio[3] as Readable,
    quiet(child.stdio[4] as Writable),
    async ({ updates }) => {
      seen = updates.length
      return { say: ['fine'], ok: true }
    },
  )
  const err = text(child.stdio[2] as Readable)
  child.stdout?.resume()
  const lines = Array.from({ length: 20_000 }, (_, n) => line.replace('main', `topic-${n}`))
  quiet(child.stdio[0] as Writable).end(lines.join(''))
  await done
  t.equal(await err, 'fine\n')
  t.equal(seen, 20_000)
  if (child.exitCode === null) await once(child, 'exit')
  t.equal(child.exitCode, 0)
})

t.test('pre-receive tells the push options, and refuses one that would say more', async (t) => {
  const options = (...values: string[]): Record<string, string> => ({
    GIT_AUTH_TOKEN_ID: token,
    GIT_PUSH_OPTION_COUNT: String(values.length),
    ...Object.fromEntries(values.map((value, index) => [`GIT_PUSH_OPTION_${index}`, value])),
  })
  const plain = ['ci.skip', '', '$(touch x) `id` %s \\n "', 'a  b']
  const { code, heard } = await run('pre-receive', ['ok\n'], options(...plain))
  t.equal(code, 0)
  const told = plain.map((value) => `option ${value}\n`).join('')
  t.equal(heard, `pre-receive ${token}\nquarantine \n${told}${line}\n`)

  const forged = `x\n${'0'.repeat(40)} ${'b'.repeat(40)} refs/heads/allowed\n\n`
  const refused = await run('pre-receive', ['ok\n'], options('a', forged))
  t.equal(refused.code, 1)
  t.match(refused.err, /one line/)
  t.notMatch(refused.heard, /allowed/)
})
