import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import t from 'tap'
import { attemptNumber, jobId } from '../../../server/protocol/ids.ts'
import {
  branchName,
  branchOf,
  isReservedRef,
  jobFolder,
  jobOfRef,
  jobRefs,
  proposalRef,
  refGlob,
  refInGlob,
  refName,
  revisionRef,
} from '../../../server/protocol/refs.ts'

const gitAccepts = (ref: string): boolean => spawnSync('git', ['check-ref-format', ref]).status === 0

const words = 'a B 0 / . .. .lock .LOCK @ @{ { ~ ^ : ? * [ ] \\ - lock heads/ agents/ refs/'.split(' ')
const pieces = words.concat(' ', '\t', '\n', '\x7f', '\x1f', 'é', '\u{1f600}', '\u200b')

/** Text made of the pieces that the rules are about. */
const nasty = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 })
  .map((parts) => `refs/${parts.join('')}`)

t.test('a full ref name is what git itself accepts', async (t) => {
  fc.assert(
    fc.property(nasty, (ref) => refName.safeParse(ref).success === gitAccepts(ref)),
    { numRuns: 400 },
  )
  for (const ref of [
    'refs/a',
    'refs/heads/@',
    'refs/heads/-x',
    'refs/heads/a.lock/b',
    'refs/heads/a.',
    'refs//a',
    'refs/heads/.a',
  ])
    t.equal(refName.safeParse(ref).success, gitAccepts(ref), ref)
})

t.test('what is no full name, holds a NUL, or is longer than a path can be is refused', async (t) => {
  for (const ref of [
    '',
    'refs',
    'refs/',
    'HEAD',
    'heads/main',
    'refs/heads/a\0b',
    `refs/heads/${'x'.repeat(1024)}`,
  ])
    t.notOk(refName.safeParse(ref).success, ref.slice(0, 20))
})

t.test('a branch is typed by its short name', async (t) => {
  t.equal(branchName.parse('topic/one'), 'refs/heads/topic/one')
  for (const bad of ['', '/', 'a..b', 'a b', '.x', 'x.lock']) t.notOk(branchName.safeParse(bad).success, bad)
  t.match(branchName.safeParse('a b').error?.issues, [
    { message: 'git does not take this name for a branch' },
  ])
  for (const other of ['-x', '@', 'HEAD', 'refs/heads/main', 'refs/x', 'a'.repeat(40), '0'.repeat(64)])
    t.notOk(branchName.safeParse(other).success, `git would not take ${other} for a branch`)
  for (const near of ['refs', 'HEAD/x', 'x-', 'a@b', 'a'.repeat(39)])
    t.ok(branchName.safeParse(near).success, near)
})

t.test('a scope names the folder of exactly one job', async (t) => {
  t.ok(refGlob.safeParse('refs/agents/7/*').success)
  for (const bad of [
    'refs/agents/*',
    'refs/agents/7/**',
    'refs/agents/7',
    'refs/agents/07/*',
    'refs/heads/*',
    'refs/agents/7/*\n',
    'refs/agents/7/x/*',
  ])
    t.notOk(refGlob.safeParse(bad).success, bad)
})

t.test('a folder holds its own refs and no neighbour’s', async (t) => {
  const glob = jobRefs(jobId.parse(4))
  t.ok(refInGlob(refName.parse('refs/agents/4/proposal'), glob))
  for (const other of [
    'refs/agents/42/proposal',
    'refs/agents/4x',
    'refs/agents/4',
    'refs/heads/refs/agents/4/x',
    'refs/agents/14/x',
  ])
    t.notOk(refInGlob(refName.parse(other), glob), other)
})

t.test('a ref lies in the folder of a job when its path does, and only then', async () => {
  const numbers = fc.constantFrom(1, 4, 14, 41, 42, 421)
  const folders = fc.constantFrom(
    'refs/agents/',
    'refs/agents',
    'refs/heads/refs/agents/',
    'refs/Agents/',
    'refs/',
  )
  const names = fc
    .tuple(folders, numbers, fc.constantFrom('/', '', 'x/'), fc.string({ unit: 'grapheme', maxLength: 6 }))
    .map((parts) => parts.join(''))
    .filter((name) => refName.safeParse(name).success)
  fc.assert(
    fc.property(names, numbers, (name, number) => {
      const [refs, agents, job, ...rest] = name.split('/')
      const inside = refs === 'refs' && agents === 'agents' && job === String(number) && rest.length > 0
      return refInGlob(refName.parse(name), jobRefs(jobId.parse(number))) === inside
    }),
    { numRuns: 1000 },
  )
})

t.test('a scope is the folder of one job and nothing that is written like it', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 14 }),
      fc.nat(20),
      fc.string({ maxLength: 2 }),
      (number, at, change) => {
        const glob = String(jobRefs(jobId.parse(number)))
        const changed = glob.slice(0, at) + change + glob.slice(at + 1)
        const [, digits] = /^refs\/agents\/(\d+)\/\*$/.exec(changed) ?? []
        const fits =
          digits !== undefined && changed === `refs/agents/${Number(digits)}/*` && Number(digits) > 0
        return refGlob.safeParse(changed).success === (fits && digits.length <= 15)
      },
    ),
    { numRuns: 1000 },
  )
})

t.test('what the forge writes is reserved, and so is what would be in its way', async (t) => {
  const id = jobId.parse(4)
  t.ok(isReservedRef(revisionRef(id, attemptNumber.parse(1))))
  t.ok(isReservedRef(revisionRef(id, attemptNumber.parse(10_000))))
  t.ok(isReservedRef(refName.parse('refs/agents/4/r1/in-the-way')))
  t.ok(isReservedRef(refName.parse('refs/agents/4/r01')))
  t.notOk(isReservedRef(proposalRef(id)))
  for (const free of ['refs/agents/4/r', 'refs/agents/4/r1x', 'refs/agents/4/notes/r1'])
    t.notOk(isReservedRef(refName.parse(free)), free)
})

t.test('a branch is shown by the name it was given by, and any other ref by its whole one', async (t) => {
  t.equal(branchOf(branchName.parse('fix/login')), 'fix/login')
  for (const ref of ['refs/tags/v1', 'refs/agents/1/proposal', 'refs/x/refs/heads/main'])
    t.equal(branchOf(refName.parse(ref)), ref)
})

t.test('the job of a ref is the one whose folder it lies in, and nobody else', async (t) => {
  const job = jobId.parse(42)
  for (const ref of [jobRefs(job), proposalRef(job), revisionRef(job, attemptNumber.parse(1))])
    t.equal(jobOfRef(ref), job)
  t.ok(proposalRef(job).startsWith(jobFolder(job)))
  for (const ref of [
    'refs/heads/42/x',
    'refs/agents/42',
    'refs/agents/042/x',
    'refs/agents/x/y',
    'x/refs/agents/42/y',
  ])
    t.equal(jobOfRef(ref), null, ref)
})
