import fc from 'fast-check'
import t from 'tap'
import { jobId, toIso } from '../../server/protocol/ids.ts'
import { refName } from '../../server/protocol/refs.ts'
import { jobEvent } from '../../server/protocol/runner.ts'
import { auditPage } from '../../views/audit.ts'
import { deliveryPage } from '../../views/delivery.ts'
import { errorPage } from '../../views/error.ts'
import { html } from '../../views/html.ts'
import { jobPage } from '../../views/job.ts'
import { jobsPage } from '../../views/jobs.ts'
import { repositoriesPage } from '../../views/repositories.ts'
import { repositoryPage } from '../../views/repository.ts'
import { signInPage } from '../../views/sign-in.ts'
import { tokensPage } from '../../views/tokens.ts'
import { webhookPage } from '../../views/webhook.ts'
import { webhooksPage } from '../../views/webhooks.ts'
import * as sample from './samples.ts'
import { shapeOf } from './tags.ts'
import { webhookSamples } from './webhook-samples.ts'

const { now } = sample

/** Every page with the text in every place that takes one. */
const pagesSaying = (text: string): Record<string, string> => {
  const person = { ...sample.person, name: text, csrf: text }
  const flash = { tone: 'bad', text } as const
  const ref = refName.parse(`refs/heads/${text}`)
  const labels = new Map([[sample.owner, text]])
  const events = [
    { type: 'log', step: 'agent', stream: 'out', text },
    { type: 'egress', host: text, port: 443, allowed: false, why: text },
  ].map((body, index) => jobEvent.parse({ ...body, seq: index + 1, at: toIso(now) }))
  const files = sample.files.map((file) => ({
    ...file,
    oldPath: text,
    newPath: text,
    oldMode: text,
    newMode: `${text}!`,
    truncated: text,
    hunks: file.hunks.map((hunk) => ({
      ...hunk,
      header: text,
      lines: hunk.lines.map((line) => ({ ...line, text })),
    })),
  }))
  const proposal = {
    ...sample.proposal,
    commits: sample.proposal.commits.map((commit) => ({ ...commit, subject: text, author: text })),
    diff: { files, truncated: text },
  }
  const details = sample.detailsOf('proposed', {
    job: sample.jobOf('proposed', { task: `${text}\n${text}` }),
    attempt: sample.attemptOf('proposed', {
      containers: [{ purpose: 'agent', id: text }],
      tests: [{ against: 'proposal', result: 'failed', why: text, exit: 1, ms: 1 }],
      salvagedBytes: 1,
    }),
    events,
    explanation: text,
    flags: [{ text, path: text }],
    claims: [text],
    targets: { suggestion: text, fastForwards: [{ branch: text, old: sample.base }] },
    labels,
  })
  const page = { cloneUrl: text, base: { ref, commit: sample.base }, proposal, flash }
  const repo = sample.repos.map((repo) => ({
    ...repo,
    cloneUrl: text,
    defaultBranch: ref,
    refused: text,
    empty: true,
  }))[0]
  if (!repo) throw new Error('no repository among the samples')
  const { webhook, delivery, deliveries } = webhookSamples(text)
  return {
    webhooks: webhooksPage({
      viewer: person,
      flash,
      now,
      repo: sample.name,
      webhooks: [webhook],
      next: text,
      draft: { url: text, events: ['push'], problem: text },
      created: { webhook, secret: text },
    }),
    webhook: webhookPage({ viewer: person, flash, now, webhook, deliveries, next: text }),
    delivery: deliveryPage({ viewer: person, flash, webhook, delivery }),
    signIn: signInPage({ csrf: text, next: text, problem: text }),
    error: errorPage({
      viewer: person,
      path: text,
      back: text,
      status: 409,
      code: text,
      message: text,
      issues: [{ path: text, message: text }],
    }),
    repositories: repositoriesPage({
      viewer: person,
      flash,
      repos: [repo],
      next: text,
      draft: { name: text, problem: text },
    }),
    repository: repositoryPage({
      viewer: person,
      flash,
      repo: { ...repo, refused: null },
      branches: [{ ref, commit: sample.base }],
      proposals: [{ job: jobId.parse(1), commit: sample.proposed, about: { task: text, state: 'proposed' } }],
    }),
    refused: repositoryPage({
      viewer: person,
      flash,
      repo,
      branches: [{ ref, commit: sample.base }],
      proposals: [],
    }),
    jobs: jobsPage({
      viewer: person,
      flash,
      now,
      repo: sample.name,
      branches: [text],
      jobs: [{ id: jobId.parse(1), state: 'failed', task: text, createdAt: toIso(now), requester: text }],
      next: text,
      localRunner: true,
      draft: { agent: 'command', task: text, base: text, problem: text },
    }),
    proposal: jobPage(sample.pageOf(details, { ...page, viewer: { ...person, details } })),
    stranger: jobPage(sample.pageOf(null, page)),
    live: jobPage(
      sample.pageOf(
        { ...details, job: sample.jobOf('running', { task: `${text}\n${text}` }) },
        { ...page, proposal: null },
      ),
    ),
    failed: jobPage(
      sample.pageOf(
        { ...details, job: sample.jobOf('failed', { task: `${text}\n${text}` }) },
        { ...page, proposal: null },
      ),
    ),
    tokens: tokensPage({
      viewer: person,
      flash,
      now,
      tokens: sample.tokens.map((token) => ({ ...token, label: text })),
      next: text,
      created: { label: text, token: text },
    }),
    audit: auditPage({
      viewer: person,
      flash,
      records: sample.records.map((record) => ({
        ...record,
        task: text,
        provider: text,
        model: text,
        containers: [text],
        exitReason: text,
        refsWritten: [{ ref, commit: sample.base }],
      })),
      next: text,
      labels,
      head: text,
    }),
  }
}

const plain = pagesSaying('x')

const mark = /<span class="hidden-char">U\+[0-9A-F]{4,6}<\/span>/g

t.test('no text changes the tags of a page, whatever it holds', async (t) => {
  const piece = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img/src=x/onerror=alert(1)>',
    "'onfocus='alert(1)'autofocus='",
    '</textarea><svg/onload=alert(1)>',
    '</title></pre></code>',
    '-->',
    '<!--',
    '&lt;',
    '&#60;script&#62;',
    '\u202e\u2066',
    '\u200b',
    '\u00ad',
    'javascript;alert(1)',
    'é🙂x',
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const text = `x${pieces.join('')}x`
      for (const [name, page] of Object.entries(pagesSaying(text)))
        t.same(shapeOf(page.replaceAll(mark, '')), shapeOf(plain[name] ?? ''), `${name}: ${text}`)
    }),
    { numRuns: 25 },
  )
})

t.test('a template leaves out what is nothing and refuses a promise', async (t) => {
  t.equal(
    html`<p>${null}${undefined}${false}${[html`<b>${0}</b>`, '<']}</p>`.toString(),
    '<p><b>0</b>&lt;</p>',
  )
  t.throws(() => html`${Promise.resolve('late') as never}`, /never a promise/)
})
