import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import path from 'node:path'
import type { Test } from 'tap'
import { type CommitId, commitId } from '../../server/protocol/ids.ts'
import { makeCertificate } from './certificate.ts'
import { git } from './git.ts'
import { serveGit } from './git-over-https.ts'
import { tempFolder } from './temp.ts'
import { listen } from './wire.ts'

/** A repository behind HTTPS, as a forge would serve it: whoever may read it, who has the token may push. */
export type Origin = {
  /** Folder of the bare repository `project.git`. */
  readonly root: string
  readonly bare: string
  readonly base: CommitId
  /** Without a slash at its end. */
  readonly url: string
  readonly ca: string
  /** Requests as `METHOD path`, in the order in which they came. */
  readonly requests: readonly string[]
}

export type OriginOptions = {
  readonly token?: string
  /** Decides before git is asked: a status ends the request, `hang-up` the connection, null lets git answer. */
  readonly intercept?: (request: IncomingMessage) => number | 'hang-up' | null
}

/** Files of the base commit by their names; what a name ends in `.sh` can be run. */
export const serveOrigin = async (
  t: Test,
  files: Readonly<Record<string, string>>,
  { token, intercept = () => null }: OriginOptions = {},
): Promise<Origin> => {
  const root = tempFolder(t)
  const bare = path.join(root, 'project.git')
  const base = await makeRepository(root, bare, files)
  const { key, cert } = makeCertificate(t, ['localhost'])
  const requests: string[] = []
  const answer = serveGit(root)
  const server = https.createServer({ key, cert }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const verdict = intercept(request) ?? authorize(request, token)
    if (verdict === 'hang-up') request.socket.destroy()
    else if (verdict === null) answer(request, response)
    else response.writeHead(verdict, { 'www-authenticate': 'Basic realm="test"' }).end()
  })
  const port = await listen(t, server)
  return { root, bare, base, url: `https://localhost:${port}`, ca: cert.toString(), requests }
}

const makeRepository = async (
  root: string,
  bare: string,
  files: Readonly<Record<string, string>>,
): Promise<CommitId> => {
  const tree = path.join(root, 'tree')
  mkdirSync(tree)
  await git(['init', '--quiet', '--initial-branch=main'], { cwd: tree })
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(tree, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 })
  }
  await git(['add', '--all'], { cwd: tree })
  await git(['commit', '--quiet', '--message=Base'], { cwd: tree })
  await git(['clone', '--quiet', '--bare', tree, bare], { cwd: root })
  await git(['config', 'uploadpack.allowAnySHA1InWant', 'true'], { cwd: bare })
  await git(['config', 'http.receivepack', 'true'], { cwd: bare })
  return commitId.parse(await git(['rev-parse', 'main'], { cwd: bare }))
}

const authorize = (request: IncomingMessage, token: string | undefined): 401 | null => {
  if (!request.url?.includes('git-receive-pack')) return null
  const given = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
  return token !== undefined && given.endsWith(`:${token}`) ? null : 401
}
