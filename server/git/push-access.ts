/** Who may start a push, and which refs git shows and lets move for them. */
import type { Pusher } from '../../hooks/decide-push.ts'
import { ForgeError } from '../errors.ts'
import type { Identity } from '../identity/identity.ts'
import type { RepoName } from '../protocol/ids.ts'
import { agentRefs, jobFolder } from '../protocol/refs.ts'

/** Who may start a push at all; each ref is decided by the hook. 401 asks git for credentials, 403 ends it. */
export const mayPush = (identity: Identity, repo: RepoName): Pusher => {
  switch (identity.kind) {
    case 'anonymous':
      throw new ForgeError('not-signed-in', 'Pushing needs a token as password.')
    case 'person':
      return identity
    case 'job':
      if (identity.scope.repo === repo) return identity
      throw new ForgeError('forbidden', `This token is for ${identity.scope.repo}, not for ${repo}.`)
  }
}

/** git's client takes `refs/tags/refs/x`, and the like, for what a push to `refs/x` means. */
const lookAlikes = ['refs/refs', 'refs/heads/refs', 'refs/tags/refs', 'refs/remotes/refs']

/** A second fence inside git: a job sees and moves its own folder of refs, everybody else none of them. */
export const hiddenRefs = (pusher: Pusher): [string, string][] => {
  const folder = agentRefs.slice(0, -1)
  switch (pusher.kind) {
    case 'person':
      return [['receive.hideRefs', folder]]
    case 'job':
      return [
        ...[folder, ...lookAlikes].map((ref): [string, string] => ['receive.hideRefs', ref]),
        ['receive.hideRefs', `!${jobFolder(pusher.scope.job).slice(0, -1)}`],
      ]
  }
}
