/** Every page in every state that looks different, by a name. */
import type { Decision } from '../../server/protocol/api.ts'
import { decision } from '../../server/protocol/api.ts'
import { jobId, repoName, toIso } from '../../server/protocol/ids.ts'
import type { JobState } from '../../server/protocol/jobs.ts'
import { auditPage } from '../../views/audit.ts'
import { deliveryPage } from '../../views/delivery.ts'
import { errorPage } from '../../views/error.ts'
import { openedPage } from '../../views/external.ts'
import { jobPage } from '../../views/job.ts'
import { jobsPage } from '../../views/jobs.ts'
import { repositoriesPage } from '../../views/repositories.ts'
import { repositoryPage } from '../../views/repository.ts'
import { signInPage } from '../../views/sign-in.ts'
import { tokensPage } from '../../views/tokens.ts'
import { webhookPage } from '../../views/webhook.ts'
import { webhooksPage } from '../../views/webhooks.ts'
import * as sample from './samples.ts'
import { webhookSamples } from './webhook-samples.ts'

const stranger = { kind: 'stranger' } as const
const { person, now } = sample
const [paperboat, , sketches, attic] = sample.repos
if (!paperboat || !sketches || !attic) throw new Error('the samples have lost a repository')

const decided = (verdict: Decision['verdict']): Decision =>
  decision.parse({
    verdict,
    commit: sample.proposed,
    branch: verdict === 'approved' ? 'refs/heads/agents/job-42' : null,
    reason: verdict === 'rejected' ? 'It touches the lock file,\nwhich nobody asked for.' : null,
    by: sample.owner,
    at: toIso(now),
  })

const jobRow = (id: number, state: JobState, task: string) => ({
  id: jobId.parse(id),
  state,
  task,
  createdAt: toIso(now - (50 - id) * 7_000_000),
  requester: 'owner',
})

const jobRows = [
  jobRow(50, 'open', 'Say hello in French'),
  jobRow(49, 'queued', 'npm audit fix'),
  jobRow(48, 'running', 'npx prettier --write .'),
  jobRow(42, 'proposed', 'npx codemod imports --extension .ts src\nnpm run format'),
  jobRow(41, 'approved', 'go fix ./...'),
  jobRow(40, 'rejected', 'sed -i s/teh/the/ $(git ls-files)'),
  jobRow(39, 'no-change', 'ruff check --fix'),
  jobRow(
    38,
    'failed',
    'cargo update && cargo test --workspace --all-features --locked -- --test-threads=1 --nocapture some_quite_long_name',
  ),
  jobRow(37, 'cancelled', 'sleep infinity'),
]

const jobs = {
  viewer: person,
  flash: null,
  now,
  repo: sample.name,
  branches: ['main', 'next'],
  jobs: jobRows,
  next: '37',
  localRunner: false,
  draft: null,
}

const noProposal = { proposal: null } as const
const failed = sample.detailsOf('failed', {
  job: sample.jobOf('failed', { reason: 'timeout' }),
  attempt: sample.attemptOf('failed', { tests: [], salvagedBytes: 48_211 }),
  events: sample.runningEvents,
  explanation: 'The agent ran past its time limit. Ask for less at once, or raise the limit.',
})

const { webhook, delivery, deliveries } = webhookSamples('https://ci.example.org/hooks/agent-workspace')
const webhooks = {
  viewer: person,
  flash: null,
  now,
  repo: sample.name,
  webhooks: [webhook],
  next: null,
  draft: null,
  created: null,
}

export const pages: Readonly<Record<string, () => string>> = {
  'sign-in': () => signInPage({ csrf: 'c', next: '/', problem: null }),
  'sign-in-failed': () => signInPage({ csrf: 'c', next: '/', problem: 'That token is not known here.' }),
  error: () =>
    errorPage({
      viewer: stranger,
      path: '/repos/x',
      back: null,
      status: 404,
      code: 'not-found',
      message: 'There is no such page, or it is not for you.',
      issues: [],
    }),
  'error-of-a-form': () =>
    errorPage({
      viewer: person,
      path: '/repos/paperboat/jobs/42',
      back: '/repos/paperboat/jobs/42',
      status: 409,
      code: 'branch-moved',
      message: 'next is at 3f1c09a7d2be now. Look at what changed there, then decide.',
      issues: [{ path: 'branch', message: 'is somewhere else' }],
    }),
  repositories: () =>
    repositoriesPage({ viewer: person, flash: null, repos: sample.repos, next: null, draft: null }),
  'repositories-stranger': () =>
    repositoriesPage({ viewer: stranger, flash: null, repos: sample.repos, next: 'sketches', draft: null }),
  'repositories-empty': () =>
    repositoriesPage({
      viewer: person,
      flash: null,
      repos: [],
      next: null,
      draft: { name: '..', problem: 'A name begins with a letter or a digit.' },
    }),
  'repositories-empty-stranger': () =>
    repositoriesPage({ viewer: stranger, flash: null, repos: [], next: null, draft: null }),
  repository: () =>
    repositoryPage({
      viewer: person,
      flash: { tone: 'good', text: 'The proposal of job 41 is on agents/job-41.' },
      repo: paperboat,
      branches: [{ ref: sample.main, commit: sample.base }],
      proposals: [
        { job: sample.job, commit: sample.proposed, about: { task: 'npx codemod', state: 'proposed' } },
      ],
    }),
  'repository-stranger': () =>
    repositoryPage({
      viewer: stranger,
      flash: null,
      repo: paperboat,
      branches: [{ ref: sample.main, commit: sample.base }],
      proposals: [{ job: sample.job, commit: sample.proposed, about: null }],
    }),
  'repository-empty': () =>
    repositoryPage({ viewer: person, flash: null, repo: sketches, branches: [], proposals: [] }),
  'repository-refused': () =>
    repositoryPage({ viewer: person, flash: null, repo: attic, branches: [], proposals: [] }),
  jobs: () => jobsPage(jobs),
  'jobs-local-runner': () => jobsPage({ ...jobs, localRunner: true }),
  'jobs-none': () => jobsPage({ ...jobs, jobs: [], next: null }),
  'jobs-no-commit': () =>
    jobsPage({ ...jobs, repo: repoName.parse('sketches'), branches: [], jobs: [], next: null }),
  'jobs-draft': () =>
    jobsPage({
      ...jobs,
      draft: {
        agent: 'external',
        task: '\nmake',
        base: 'next',
        problem: 'The branch next is gone. Choose another.',
      },
    }),
  'job-opened': () =>
    openedPage({
      viewer: person,
      repo: sample.name,
      job: jobId.parse(42),
      task: 'Say hello in French',
      access: sample.access,
    }),
  'job-open': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('open', {
          job: sample.jobOf('open', { agent: { kind: 'external' } }),
          events: [],
          attempt: sample.attemptOf('open', { used: null, image: null, containers: [], tests: [] }),
        }),
        noProposal,
      ),
    ),
  'job-proposed-elsewhere': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('proposed', {
          job: sample.jobOf('proposed', { agent: { kind: 'external' } }),
          events: [],
          claims: [],
          attempt: sample.attemptOf('proposed', { used: null, image: null, containers: [], tests: [] }),
        }),
      ),
    ),
  'job-queued': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('queued', {
          events: [],
          attempt: sample.attemptOf('queued', { used: null, image: null, containers: [], tests: [] }),
        }),
        noProposal,
      ),
    ),
  'job-running': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('running', {
          events: sample.runningEvents,
          attempt: sample.attemptOf('running', { used: null, tests: [] }),
        }),
        noProposal,
      ),
    ),
  'job-verifying': () => jobPage(sample.pageOf(sample.detailsOf('verifying'))),
  'job-proposed': () => jobPage(sample.pageOf(sample.detailsOf('proposed'))),
  'job-approved': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('approved', { job: sample.jobOf('approved', { decision: decided('approved') }) }),
      ),
    ),
  'job-rejected': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('rejected', { job: sample.jobOf('rejected', { decision: decided('rejected') }) }),
      ),
    ),
  'job-refs-deleted': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('rejected', { job: sample.jobOf('rejected', { decision: decided('rejected') }) }),
        noProposal,
      ),
    ),
  'job-no-change': () => jobPage(sample.pageOf(sample.detailsOf('no-change'), noProposal)),
  'job-failed': () => jobPage(sample.pageOf(failed, noProposal)),
  'job-cancelled': () =>
    jobPage(
      sample.pageOf(
        sample.detailsOf('cancelled', { explanation: 'A person cancelled the job.' }),
        noProposal,
      ),
    ),
  'job-local-runner': () =>
    jobPage(sample.pageOf(sample.detailsOf('proposed', { localRunner: true, events: [] }))),
  'job-stranger': () => jobPage(sample.pageOf(null)),
  'job-stranger-no-proposal': () => jobPage(sample.pageOf(null, noProposal)),
  tokens: () =>
    tokensPage({ viewer: person, flash: null, now, tokens: sample.tokens, next: null, created: null }),
  'tokens-created': () =>
    tokensPage({
      viewer: person,
      flash: null,
      now,
      tokens: sample.tokens,
      next: null,
      created: {
        label: 'laptop',
        token: 'spb_pat_01jdz3k8m2n4p6q8r0s2t4v6w8_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
      },
    }),
  audit: () =>
    auditPage({
      viewer: person,
      flash: null,
      records: sample.records,
      next: null,
      labels: sample.labels,
      head: '5a'.repeat(32),
    }),
  'audit-empty': () =>
    auditPage({ viewer: person, flash: null, records: [], next: null, labels: new Map(), head: null }),
  webhooks: () => webhooksPage(webhooks),
  'webhooks-of-all': () => webhooksPage({ ...webhooks, repo: null, next: '7' }),
  'webhooks-created': () =>
    webhooksPage({
      ...webhooks,
      created: { webhook, secret: 'Tk9mOYL6nwzRlYizSdwqGmjZzhQwhvDauCagIXg4JBo' },
    }),
  'webhooks-draft': () =>
    webhooksPage({
      ...webhooks,
      draft: { url: 'http://10.0.0.1/', events: ['push'], problem: '10.0.0.1 is on a private address.' },
    }),
  webhook: () => webhookPage({ viewer: person, flash: null, now, webhook, deliveries, next: '29' }),
  'webhook-none': () =>
    webhookPage({ viewer: person, flash: null, now, webhook, deliveries: [], next: null }),
  delivery: () => deliveryPage({ viewer: person, flash: null, webhook, delivery }),
  'delivery-none': () =>
    deliveryPage({ viewer: person, flash: null, webhook, delivery: { ...delivery, attempts: [] } }),
}
