import t from 'tap'
import { toIso } from '../../server/protocol/ids.ts'
import { jobEvent } from '../../server/protocol/runner.ts'
import { jobPage } from '../../views/job.ts'
import { repositoryPage } from '../../views/repository.ts'
import * as sample from './samples.ts'

const secrets = [
  'TASK-TEXT',
  'LOG-LINE',
  'EGRESS-HOST',
  'CLAIM-TEXT',
  'FLAG-TEXT',
  'LABEL-TEXT',
  'SUGGESTED-BRANCH',
  'EXPLANATION-TEXT',
  'CONTAINER-ID',
  'AUDIT-HEAD',
  'csrf-of-this-session',
] as const

const details = sample.detailsOf('failed', {
  job: sample.jobOf('failed', { task: 'TASK-TEXT' }),
  attempt: sample.attemptOf('failed', { containers: [{ purpose: 'agent', id: 'CONTAINER-ID' }] }),
  events: [
    { type: 'log', step: 'agent', stream: 'out', text: 'LOG-LINE' },
    { type: 'egress', host: 'EGRESS-HOST', port: 1, allowed: false, why: '' },
  ].map((body, index) => jobEvent.parse({ ...body, seq: index + 1, at: toIso(sample.now) })),
  explanation: 'EXPLANATION-TEXT',
  claims: ['CLAIM-TEXT'],
  flags: [{ text: 'FLAG-TEXT', path: 'x' }],
  labels: new Map([[sample.owner, 'LABEL-TEXT']]),
  audit: { entries: [], head: 'AUDIT-HEAD' },
})

const proposed = {
  ...details,
  job: sample.jobOf('proposed', { task: 'TASK-TEXT' }),
  targets: { suggestion: 'SUGGESTED-BRANCH', fastForwards: [] },
}

t.test('every secret of a job is somewhere on the pages of a person', async (t) => {
  const pages = [details, proposed].map((details) => jobPage(sample.pageOf(details))).join('')
  for (const secret of secrets) t.ok(pages.includes(secret), secret)
})

t.test('a stranger sees refs and diff of a proposal, and no control', async (t) => {
  const page = jobPage(sample.pageOf(null))
  for (const seen of ['src/fold.ts', 'Keep the edge', sample.proposed, 'main'])
    t.ok(page.includes(seen), seen)
  for (const secret of secrets) t.notOk(page.includes(secret), secret)
  t.notMatch(
    page,
    /<form|<button class="(?!button small" type="button" data-copy)|data-live|Audit|Tokens|class="badge/,
  )
})

t.test('a stranger sees a repository without its controls', async (t) => {
  const [repo] = sample.repos
  if (!repo) throw new Error('no repository among the samples')
  const page = repositoryPage({
    viewer: { kind: 'stranger' },
    flash: null,
    repo,
    branches: [{ ref: sample.main, commit: sample.base }],
    proposals: [{ job: sample.job, commit: sample.proposed, about: null }],
  })
  t.match(page, /href="\/repos\/paperboat\/jobs\/42"/)
  t.notMatch(page, /<form|Delete|Agent jobs/)
})

t.test('a stranger comes back to the page after signing in', async (t) => {
  t.match(jobPage(sample.pageOf(null)), 'href="/sign-in?next=%2Frepos%2Fpaperboat%2Fjobs%2F42"')
})
