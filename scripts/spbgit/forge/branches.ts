/** Where a branch of a repository stands, asked over git's own protocol. */
import git from 'isomorphic-git'
import { type CommitId, commitId, type RepoName } from '../../../server/protocol/ids.ts'
import type { RefName } from '../../../server/protocol/refs.ts'
import { Failure } from '../failure.ts'
import type { Endpoint } from './address.ts'
import { gitHttp } from './git-http.ts'

/** The commit that the ref is at now; null: there is no such ref. Reading needs no token, so none is sent. */
export const readRef = async (endpoint: Endpoint, repo: RepoName, ref: RefName): Promise<CommitId | null> => {
  const url = `${endpoint.url}/${repo}.git`
  const refs = await git
    .listServerRefs({ http: gitHttp(endpoint), url, prefix: ref })
    .catch((error: unknown) => {
      if (error instanceof Failure) throw error
      throw new Failure('unexpected-answer', `${url} cannot be read as a git repository.`, { cause: error })
    })
  const found = refs.find((each) => each.ref === ref)
  return found === undefined ? null : commitId.parse(found.oid)
}
