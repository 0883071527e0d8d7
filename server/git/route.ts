/** The URLs of git's smart HTTP, parsed once (gitprotocol-http). */
import { ForgeError } from '../errors.ts'
import { type RepoName, repoName } from '../protocol/ids.ts'

export type Service = 'upload-pack' | 'receive-pack'

/** `name`: the repository as the URL has it, with or without `.git`; its host parses it. */
export type GitRoute = Readonly<{ name: string; service: Service; action: 'advertise' | 'exchange' }>

const gitPath = /^\/(.+?)\/(info\/refs|git-[a-z-]+|HEAD|objects\/.*)$/

/** Whether a path belongs to git rather than to a page. */
export const isGitPath = (path: string): boolean =>
  /^\/[^/]+\.git(?:\/|$)/.test(path) || /\/(?:info\/refs|git-(?:upload|receive)-pack)$/.test(path)

const parseService = (name: string | null): Service | null => {
  if (name === 'git-upload-pack') return 'upload-pack'
  if (name === 'git-receive-pack') return 'receive-pack'
  return null
}

const noSuchRepository = () => new ForgeError('not-found', 'There is no such repository.')

/** The name of one of the forge's own repositories. Throws ForgeError. */
export const parseRepo = (name: string): RepoName => {
  const repo = repoName.safeParse(name.replace(/\.git$/, ''))
  if (!repo.success) throw noSuchRepository()
  return repo.data
}

/** What a request asks of git. Throws ForgeError for what smart HTTP does not know; nothing is served as a file. */
export const parseGitRoute = (method: string, url: string): GitRoute => {
  const { pathname, searchParams } = URL.parse(url, 'http://forge.invalid') ?? { pathname: '' }
  const [, name, action = ''] = gitPath.exec(pathname) ?? []
  if (name === undefined) throw noSuchRepository()
  if (action === 'info/refs') {
    if (method !== 'GET')
      throw new ForgeError('method-not-allowed', 'info/refs is read with GET.', { allow: 'GET' })
    const service = parseService(searchParams?.get('service') ?? null)
    if (!service)
      throw new ForgeError('not-found', 'This server speaks smart HTTP only; use git 1.6.6 or later.')
    return { name, service, action: 'advertise' }
  }
  const service = parseService(action)
  if (!service) throw new ForgeError('not-found', 'This server speaks smart HTTP only.')
  if (method !== 'POST')
    throw new ForgeError('method-not-allowed', `${action} is used with POST.`, { allow: 'POST' })
  return { name, service, action: 'exchange' }
}
