/** A proposal as git has it: public, like all that can be fetched. */
import type { CommitId } from '../server/protocol/ids.ts'
import type { RefName } from '../server/protocol/refs.ts'
import { type CommitSummary, commitList } from './commits.ts'
import { copyBlock } from './copy.ts'
import { diffView } from './diff.ts'
import type { Diff } from './file-diff.ts'
import { type Html, html } from './html.ts'

export type Proposal = {
  readonly commit: CommitId
  /** What to fetch: the revision's own ref, which never moves. */
  readonly ref: RefName
  readonly commits: readonly CommitSummary[]
  readonly diff: Diff
}

export const proposalView = ({ commits, diff }: Proposal): Html =>
  html`${commitList(commits)}${diffView(diff)}`

export const fetchHelp = ({ commit, ref }: Proposal, cloneUrl: string): Html =>
  html`<details class="section"><summary><h2>Look at it in your own clone</h2></summary>${copyBlock(`git fetch ${cloneUrl} ${ref}\ngit switch --detach ${commit}`)}</details>`
