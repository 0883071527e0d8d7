/** Which repository an event is from and who caused it, in GitHub's shapes. Pure. */
import { createHash } from 'node:crypto'
import type { RepoName } from '../protocol/ids.ts'
import type { RefName } from '../protocol/refs.ts'
import type { Sender } from './announcement.ts'
import type { RepositoryShape, UserShape } from './shapes.ts'

/** What all payloads of an event share. */
export type Origin = Readonly<{ repository: RepositoryShape; sender: UserShape }>

/** A number that stays the same for a name: names are what repositories and people have here. */
const numberOf = (name: string): number => createHash('sha256').update(name).digest().readUIntBE(0, 6)

/** Branches and tags as people and GitHub call them; any other ref by its whole name. */
export const shortName = (ref: RefName): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

const userShape = (login: string, type: UserShape['type'], page: string): UserShape => ({
  login,
  id: numberOf(login),
  type,
  site_admin: false,
  html_url: page,
})

export const senderShape = (sender: Sender, publicUrl: string): UserShape => {
  switch (sender.kind) {
    case 'person':
      return userShape(sender.name, 'User', publicUrl)
    case 'job':
      return userShape(`job-${sender.job}`, 'Bot', publicUrl)
  }
}

export const repositoryShape = (
  name: RepoName,
  defaultBranch: RefName | null,
  publicUrl: string,
): RepositoryShape => ({
  id: numberOf(name),
  name,
  full_name: name,
  private: false,
  visibility: 'public',
  description: null,
  fork: false,
  html_url: `${publicUrl}/repos/${name}`,
  url: `${publicUrl}/api/v1/repos/${name}`,
  clone_url: `${publicUrl}/${name}.git`,
  default_branch: defaultBranch === null ? '' : shortName(defaultBranch),
  owner: userShape('owner', 'User', publicUrl),
})
