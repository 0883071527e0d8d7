/** Jobs of agents elsewhere: how such an agent brings its work, and what the forge does not know of it. */
import type { AgentAccess } from '../server/protocol/api.ts'
import type { JobId, RepoName } from '../server/protocol/ids.ts'
import { jobRefs, proposalRef } from '../server/protocol/refs.ts'
import { copyBlock, copyLine } from './copy.ts'
import { type Html, html } from './html.ts'
import { layout } from './layout.ts'
import { moment } from './measure.ts'
import { paths } from './paths.ts'
import { firstLine } from './task.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'

export const externalNote: Html = html`<p class="note">This job’s agent works outside the forge. The forge does not watch it: there is no log, and nothing says what it could read, reach or run. All that is known is what it pushed.</p>`

/** The place of the log while nothing has been pushed. The script loads the page again when something has. */
export const awaitedPush = (
  repo: RepoName,
  job: JobId,
): Html => html`<section class="section" data-live="${paths.events(repo, job)}" data-after="">
<div class="section-head"><h2>Waiting for a push</h2><span class="connection" role="status" data-connection></span></div>
<p>The agent pushes what builds on this job’s commit to <code>${proposalRef(job)}</code>, with the job’s token as password. The token was shown when the job was opened. To make another:</p>
${copyLine(`spbgit token create agent --repo ${repo} --refs '${jobRefs(job)}' --expires 1h`)}
</section>`

export type OpenedData = {
  readonly viewer: Person
  readonly repo: RepoName
  readonly job: JobId
  readonly task: string
  readonly access: AgentAccess
}

/** The one page that shows the token of a job that was opened a moment ago. */
export const openedPage = ({ viewer, repo, job, task, access }: OpenedData): string =>
  layout({
    title: `Job ${job} is open`,
    path: paths.jobs(repo),
    crumbs: [
      { text: 'Repositories', href: paths.home },
      { text: repo, href: paths.repo(repo) },
      { text: 'Jobs', href: paths.jobs(repo) },
    ],
    viewer,
    flash: null,
    main: html`<header class="page-head"><h1>Job ${job} is open</h1><p>${visible(firstLine(task))}</p></header>
<section class="card new-token" role="status"><h2>Its token</h2><p>Copy it now: it is not shown again. It pushes to <code>${jobRefs(job)}</code> of ${repo} until ${moment(access.expires)}, and does nothing else.</p>${copyLine(access.token)}</section>
<section class="section"><h2>What the agent runs</h2><p>In a shell where <code>JOB_TOKEN</code> is the token:</p>${copyBlock(access.commands.join('\n'))}
<p class="hint">Until you decide, each further commit that it pushes is another attempt.</p></section>
<p><a class="button primary" href="${paths.job(repo, job)}">Go to the job</a></p>`,
  })
