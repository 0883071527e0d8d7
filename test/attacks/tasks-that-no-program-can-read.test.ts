import t from 'tap'
import { makeRepo, startForge } from '../support/forge.ts'

t.test('a task that would reach a shell otherwise than it reads is refused', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  for (const task of ['echo shown\0; echo hidden', 'echo \ud800']) {
    const answer = await forge.ask('/api/v1/repos/hello/agent-jobs', { body: { task } })
    t.equal(answer.status, 400, JSON.stringify(task))
    t.match(answer.text, /a task is text/)
  }
})

const files: [string, string, RegExp][] = [
  ['a file of 10 MB', ' '.repeat(10_000_000), /larger than 64 KiB/],
  ['no JSON', '{', /is not JSON/],
  ['JSON thirty thousand levels deep', '['.repeat(30_000) + ']'.repeat(30_000), /cannot be used/],
  ['a command with a NUL', '{"setup":"true\\u0000false"}', /without NUL/],
  ['a path with a NUL', '{"test":{"command":"true","paths":["a\\u0000b"]}}', /without NUL|Invalid input/],
  ['a key that nobody knows', '{"sudo":true}', /Unrecognized key/],
  ['a prototype', '{"__proto__":{"image":"x"}}', /cannot be used/],
]

t.test('a .agent-workspace.json that cannot be is a 409 that says so, never a fault', async (t) => {
  const forge = await startForge(t)
  for (const [i, [what, text, why]] of files.entries()) {
    await makeRepo(t, forge, `r${i}`, { '.agent-workspace.json': text })
    const answer = await forge.ask(`/api/v1/repos/r${i}/agent-jobs`, { body: { task: 'true' } })
    t.equal(answer.status, 409, what)
    t.match(answer.text, why, what)
  }
})
