import fc from 'fast-check'
import t from 'tap'
import { decidePush, type Push, type Pusher, type RefUpdate } from '../../hooks/decide-push.ts'
import { commitId, jobId, repoName, tokenId } from '../../server/protocol/ids.ts'
import { agentRefs, jobRefs, refName } from '../../server/protocol/refs.ts'

const repo = repoName.parse('hello')
const token = tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6w8')
const job = jobId.parse(42)
const now = Date.parse('2026-11-30T12:00:00.000Z')
const person: Pusher = { kind: 'person', token, person: 'owner', label: 'laptop' }
const jobWith = (scope: Partial<Extract<Pusher, { kind: 'job' }>['scope']> = {}): Pusher => ({
  kind: 'job',
  token,
  scope: { repo, job, refs: jobRefs(job), expires: now + 1, capabilities: ['push:agent-ref'], ...scope },
})

const commit = fc.stringMatching(/^[0-9a-f]{40}$/).map((hex) => commitId.parse(hex))
const ref = fc
  .oneof(
    fc.constantFrom(
      'refs/agents/42/proposal',
      'refs/agents/42/notes',
      'refs/agents/42/a/b',
      'refs/heads/main',
      'refs/agents/421/x',
    ),
    fc
      .tuple(
        fc.constantFrom('refs/agents/42/', 'refs/agents/4/', 'refs/heads/', 'refs/tags/'),
        fc.constantFrom('r', 'r1', 'r01', 'r99/x', 'R1', 'x', 'proposal', 'proposal/x'),
      )
      .map((parts) => parts.join('')),
    fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((tail) => `refs/agents/42/${tail}`)
      .filter((name) => refName.safeParse(name).success),
  )
  .map((name) => refName.parse(name))
const update: fc.Arbitrary<RefUpdate> = fc.record({
  ref,
  old: fc.option(commit),
  new: fc.option(commit, { freq: 8 }),
})
const updates = fc.array(update, { maxLength: 5 })

t.test('a job moves refs of its own folder only, none that the forge writes, and deletes none', async (t) => {
  let accepted = 0
  fc.assert(
    fc.property(updates, (updates) => {
      if (!decidePush({ pusher: jobWith(), repo, updates, now }).accept) return true
      accepted += 1
      return updates.every(
        ({ ref, new: target }) =>
          target !== null &&
          ref.startsWith('refs/agents/42/') &&
          !/^refs\/agents\/42\/r[0-9]+(\/|$)/.test(ref),
      )
    }),
    { numRuns: 2000 },
  )
  t.ok(accepted > 20, 'and the property was about pushes that were accepted, too')
})

t.test(
  'a person moves whatever lies outside the jobs’ folders, each ref once, and nothing in them',
  async () => {
    fc.assert(
      fc.property(updates, (updates) => {
        const { accept } = decidePush({ pusher: person, repo, updates, now })
        const refs = new Set(updates.map(({ ref }) => ref))
        const isWhole = refs.size > 0 && refs.size === updates.length
        return accept === (isWhole && [...refs].every((ref) => !ref.startsWith(agentRefs)))
      }),
    )
  },
)

const proposal: RefUpdate = {
  ref: refName.parse('refs/agents/42/proposal'),
  old: null,
  new: commitId.parse('ab'.repeat(20)),
}
const why = (push: Partial<Push>): string => {
  const verdict = decidePush({ pusher: jobWith(), repo, updates: [proposal], now, ...push })
  return verdict.accept ? 'accepted' : verdict.reason
}

t.test('a job’s token is good for one repository, until it expires, for what it may', async (t) => {
  t.equal(why({}), 'accepted')
  t.match(why({ repo: repoName.parse('other') }), /for hello, not for other/)
  t.match(why({ now: now + 1 }), /expired/)
  t.match(why({ pusher: jobWith({ capabilities: [] }) }), /may not push/)
})

t.test('one bad ref refuses the whole push, and the reason names it', async (t) => {
  const outside = { ...proposal, ref: refName.parse('refs/heads/main') }
  t.match(why({ updates: [proposal, outside] }), /^refs\/heads\/main: .*refs\/agents\/42\/\*/)
  t.match(why({ updates: [proposal, { ...proposal, new: null }] }), /deletes nothing/)
  t.match(
    why({ updates: [{ ...proposal, ref: refName.parse('refs/agents/42/r1') }] }),
    /written by the forge/,
  )
  t.match(why({ pusher: person }), /only a job writes/)
})

t.test('a push of nothing is refused, whoever it is', async (t) => {
  for (const pusher of [person, jobWith()]) t.match(why({ pusher, updates: [] }), /names no ref/)
})
