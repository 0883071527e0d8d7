/** One of everything that a page can be given. */
import type { AgentJob, Attempt, Repo, Token } from '../../server/protocol/api.ts'
import { agentAccess, agentJob, attempt, jobRecord, repo, token } from '../../server/protocol/api.ts'
import { type AuditEntry, auditEntry } from '../../server/protocol/audit.ts'
import { commitId, type Iso, jobId, repoName, toIso, tokenId } from '../../server/protocol/ids.ts'
import type { JobState } from '../../server/protocol/jobs.ts'
import { refName } from '../../server/protocol/refs.ts'
import { type JobEvent, type JobEventBody, jobEvent } from '../../server/protocol/runner.ts'
import type { DiffFile } from '../../views/file-diff.ts'
import type { JobDetails, JobPageData } from '../../views/job.ts'
import type { Proposal } from '../../views/proposal.ts'
import type { Person } from '../../views/viewer.ts'

export const now = Date.parse('2026-11-30T18:00:00.000Z')
const at = (secondsAgo: number): Iso => toIso(now - secondsAgo * 1000)

export const owner = tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6w8')
const jobToken = tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6w9')
export const labels = new Map([
  [owner, 'owner'],
  [jobToken, 'job 42'],
])
export const name = repoName.parse('paperboat')
export const job = jobId.parse(42)
export const base = commitId.parse('3f1c09a7d2be48c6915e0aa4472bd8f16c07e35d')
export const proposed = commitId.parse('9b04e7c1f28d63ae5510c7f94db2a86e3fd10b77')
export const main = refName.parse('refs/heads/main')
const digest = `sha256:${'5e0c71ab'.repeat(8)}`

export const person: Person = { kind: 'person', name: 'owner', csrf: 'csrf-of-this-session' }

export const repos: Repo[] = [
  { name: 'paperboat', defaultBranch: main, empty: false, refused: null },
  { name: 'lighthouse', defaultBranch: main, empty: false, refused: null },
  { name: 'sketches', defaultBranch: main, empty: true, refused: null },
  {
    name: 'attic',
    defaultBranch: null,
    empty: false,
    refused: 'Its config sets core.alternateRefsCommand, which runs programs. Remove that line.',
  },
].map((some) =>
  repo.parse({
    ...some,
    cloneUrl: `https://forge.example/${some.name}.git`,
    url: `https://forge.example/repos/${some.name}`,
  }),
)

const bodies: JobEventBody[] = [
  { type: 'step', step: 'clone', status: 'started' },
  { type: 'log', step: 'clone', stream: 'err', text: "Cloning into '/work/repo'...\n" },
  { type: 'step', step: 'clone', status: 'ended', exit: 0, ms: 412 },
  { type: 'step', step: 'setup', status: 'started' },
  { type: 'log', step: 'setup', stream: 'out', text: 'added 214 packages in 6s\n' },
  { type: 'step', step: 'setup', status: 'ended', exit: 0, ms: 6381 },
  { type: 'step', step: 'agent', status: 'started' },
  {
    type: 'log',
    step: 'agent',
    stream: 'out',
    text: '\u001b[1mRewriting imports\u001b[0m\n  src/fold.ts \u001b[32mchanged\u001b[0m\n  src/crease.ts \u001b[32mchanged\u001b[0m\n',
  },
  {
    type: 'log',
    step: 'agent',
    stream: 'err',
    text: '\u001b[33mwarn\u001b[0m src/legacy.ts was left alone\n',
  },
]

const rest = [
  { type: 'egress', host: 'telemetry.example.net', port: 443, allowed: false, why: 'not on the allow-list' },
  { type: 'egress', host: 'telemetry.example.net', port: 443, allowed: false, why: 'not on the allow-list' },
  { type: 'step', step: 'agent', status: 'ended', exit: 0, ms: 48_300 },
  { type: 'step', step: 'collect', status: 'started' },
  { type: 'step', step: 'collect', status: 'ended', exit: 0, ms: 903 },
  { type: 'step', step: 'push', status: 'started' },
  { type: 'step', step: 'push', status: 'ended', exit: 0, ms: 1204 },
  { type: 'step', step: 'verify', status: 'started' },
  { type: 'log', step: 'verify', stream: 'out', text: '118 passing\n' },
  { type: 'step', step: 'verify', status: 'ended', exit: 0, ms: 21_870 },
] satisfies JobEventBody[]

const asEvents = (all: readonly JobEventBody[]): JobEvent[] =>
  all.map((body, index) => jobEvent.parse({ ...body, seq: index + 1, at: at(120 - index) }))

export const runningEvents = asEvents(bodies)
export const allEvents = asEvents([...bodies, ...rest])

export const files: DiffFile[] = [
  {
    oldPath: 'src/fold.ts',
    newPath: 'src/fold.ts',
    status: 'modified',
    oldMode: '100644',
    newMode: '100644',
    binary: false,
    additions: 4,
    deletions: 3,
    truncated: null,
    hunks: [
      {
        header: 'export const fold = (sheet: Sheet) => {',
        oldStart: 1,
        newStart: 1,
        lines: [
          { kind: '-', text: "import { crease } from './crease'" },
          { kind: '-', text: "import { Sheet } from './sheet'" },
          { kind: '+', text: "import { crease } from './crease.ts'" },
          { kind: '+', text: "import type { Sheet } from './sheet.ts'" },
          { kind: ' ', text: '' },
          { kind: ' ', text: 'export const fold = (sheet: Sheet) => {' },
          { kind: ' ', text: '  const half = crease(sheet, sheet.width / 2)' },
        ],
      },
      {
        header: 'const unfold',
        oldStart: 40,
        newStart: 40,
        lines: [
          { kind: ' ', text: "  if (half.kind === 'torn') throw new TornSheet(half.at)" },
          { kind: '-', text: '  return half.left' },
          { kind: '+', text: '  // \u202e the sheet keeps its edge \u2066' },
          { kind: '+', text: '  return half.kept', noNewline: true },
        ],
      },
    ],
  },
  {
    oldPath: 'scripts/build.sh',
    newPath: 'scripts/build.sh',
    status: 'modified',
    oldMode: '100644',
    newMode: '100755',
    binary: false,
    additions: 0,
    deletions: 0,
    truncated: null,
    hunks: [],
  },
  {
    oldPath: 'docs/boat.md',
    newPath: 'docs/paper-boat.md',
    status: 'renamed',
    oldMode: '100644',
    newMode: '100644',
    binary: false,
    additions: 1,
    deletions: 0,
    truncated: null,
    hunks: [
      {
        header: '',
        oldStart: 3,
        newStart: 3,
        lines: [
          { kind: ' ', text: '# A boat' },
          {
            kind: '+',
            text: 'Fold along the dotted line, then turn the sheet over and fold the corners in until they meet in the middle of it.',
          },
        ],
      },
    ],
  },
  {
    oldPath: 'assets/boat.png',
    newPath: 'assets/boat.png',
    status: 'added',
    oldMode: null,
    newMode: '100644',
    binary: true,
    additions: 0,
    deletions: 0,
    truncated: null,
    hunks: [],
  },
  {
    oldPath: 'package-lock.json',
    newPath: 'package-lock.json',
    status: 'modified',
    oldMode: '100644',
    newMode: '100644',
    binary: false,
    additions: 5210,
    deletions: 4870,
    truncated: 'This file’s diff is larger than 1 MiB, so it is not shown. Fetch the proposal to read it.',
    hunks: [],
  },
]

export const proposal: Proposal = {
  commit: proposed,
  ref: refName.parse('refs/agents/42/r1'),
  commits: [
    {
      id: commitId.parse('77aa10c4e98b3d25f6610be2439cc7018f5ade93'),
      subject: 'Import modules by their file names',
      author: 'agent of job 42',
    },
    { id: proposed, subject: 'Keep the edge when a sheet is folded', author: 'agent of job 42' },
  ],
  diff: { files, truncated: null },
}

export const attemptOf = (state: JobState, over: Partial<Attempt> = {}): Attempt => ({
  ...attempt.parse({
    number: 1,
    state,
    reason: null,
    startedAt: at(180),
    endedAt: at(90),
    image: digest,
    containers: [
      { purpose: 'agent', id: 'c0ffee5a11ad'.repeat(5) },
      { purpose: 'verify', id: 'decade0fac75'.repeat(5) },
    ],
    tests: [
      { against: 'proposal', result: 'passed', why: null, exit: 0, ms: 12_400 },
      {
        against: 'base-tests',
        result: 'not-run',
        why: 'The base names no paths that hold tests.',
        exit: null,
        ms: 0,
      },
    ],
    used: { wallMs: 81_000, cpuMs: 64_200, peakBytes: 734_003_200, diskBytes: 41_943_040 },
    salvagedBytes: null,
  }),
  ...over,
})

const hasProposal = (state: JobState): boolean =>
  ['verifying', 'proposed', 'approved', 'rejected'].includes(state)

export const jobOf = (state: JobState, over: Partial<AgentJob> = {}): AgentJob => ({
  ...agentJob.parse({
    id: job,
    repo: name,
    agent: { kind: 'command', task: 'npx codemod' },
    task: 'npx codemod imports --extension .ts src\nnpm run format',
    state,
    reason: null,
    base: { ref: main, commit: base },
    requester: owner,
    createdAt: at(200),
    attempts: [],
    proposal: hasProposal(state)
      ? { attempt: 1, commit: proposed, ref: 'refs/agents/42/proposal', revision: 'refs/agents/42/r1' }
      : null,
    decision: null,
    url: 'https://forge.example/repos/paperboat/jobs/42',
  }),
  ...over,
})

export const access = agentAccess.parse({
  token: 'spb_job_01jdz3k8m2n4p6q8r0s2t4v6w8_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
  expires: at(-7200),
  commands: [
    'git clone --branch main https://forge.example/paperboat.git paperboat-job-42 && cd paperboat-job-42',
    "git add --all && git commit --message='Describe the change'",
    "git -c 'credential.helper=!echo username=job; echo password=$JOB_TOKEN; :' push origin HEAD:refs/agents/42/proposal",
  ],
})

const entries: AuditEntry[] = [
  {
    type: 'job-created',
    job,
    repo: name,
    requester: owner,
    agent: { kind: 'command', task: 'npx codemod' },
    provider: null,
    model: null,
    base: { ref: main, commit: base },
  },
  { type: 'attempt-intended', job, attempt: 1 },
  { type: 'container', job, attempt: 1, purpose: 'agent', id: 'c0ffee5a11ad'.repeat(5), image: digest },
  {
    type: 'push-intended',
    job,
    attempt: 1,
    repo: name,
    by: jobToken,
    updates: [{ ref: 'refs/agents/42/proposal', old: null, new: proposed }],
  },
  { type: 'push-done', job, intent: 104, moved: [{ ref: 'refs/agents/42/proposal', commit: proposed }] },
].map((entry, index) =>
  auditEntry.parse({
    ...entry,
    seq: 101 + index,
    at: at(200 - index * 20),
    prev: `${index}a`.repeat(32),
    hash: `${index + 1}a`.repeat(32),
  }),
)

export const detailsOf = (state: JobState, over: Partial<JobDetails> = {}): JobDetails => ({
  job: jobOf(state),
  attempt: attemptOf(state),
  events: allEvents,
  explanation: null,
  flags: [
    { text: 'becomes executable', path: 'scripts/build.sh' },
    { text: 'has invisible or direction-changing characters', path: 'src/fold.ts' },
    { text: 'changes what is installed', path: 'package-lock.json' },
  ],
  claims: ['118 passing'],
  targets: { suggestion: 'agents/job-42', fastForwards: [{ branch: 'next', old: base }] },
  audit: { entries, head: '5a'.repeat(32) },
  labels,
  localRunner: false,
  ...over,
})

export const pageOf = (details: JobDetails | null, over: Partial<JobPageData> = {}): JobPageData => ({
  viewer: details === null ? { kind: 'stranger' } : { ...person, details },
  flash: null,
  now,
  cloneUrl: 'https://forge.example/paperboat.git',
  repo: name,
  job,
  base: { ref: main, commit: base },
  proposal,
  ...over,
})

export const tokens: Token[] = [
  { id: owner, kind: 'personal', label: 'owner', scope: null, createdAt: at(864_000), revokedAt: null },
  {
    id: jobToken,
    kind: 'personal',
    label: 'old laptop',
    scope: null,
    createdAt: at(86_400 * 90),
    revokedAt: at(8000),
  },
  {
    id: tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6wa'),
    kind: 'job',
    label: 'job 42',
    scope: { repo: name, refs: 'refs/agents/42/*', expires: at(-600), capabilities: ['push:agent-ref'] },
    createdAt: at(60),
    revokedAt: null,
  },
].map((some) => token.parse(some))

export const records = [
  jobRecord.parse({
    job,
    repo: name,
    requester: owner,
    task: 'npx codemod imports --extension .ts src',
    provider: null,
    model: null,
    containers: ['c0ffee5a11ad'.repeat(5)],
    start: at(180),
    end: at(90),
    exitReason: 'proposed',
    tokenSpend: null,
    refsWritten: [{ ref: 'refs/agents/42/proposal', commit: proposed }],
    decision: null,
    approver: null,
  }),
]
