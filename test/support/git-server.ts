import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import type { Test } from 'tap'
import { GitServer, type GitServerOptions } from '../../server/git/git-server.ts'
import { git } from './git.ts'
import { tempFolder } from './temp.ts'

export type Served = Readonly<{ server: GitServer; folder: string; url: string; host: string }>

/** A server as code written for node-git-server makes it, behind a plain HTTP server of its own. */
export const serveGit = async (
  t: Test,
  options?: GitServerOptions,
  repoDir: (folder: string) => string | ((name?: string) => string) = (folder) => folder,
): Promise<Served> => {
  const folder = tempFolder(t)
  const server = new GitServer(repoDir(folder), options)
  const listening = http.createServer((request, response) => server.handle(request, response))
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  t.teardown(() => new Promise((closed) => listening.close(closed)))
  const address = listening.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { server, folder, url: `http://${host}`, host }
}

/** A work tree with one commit on the branch, and that commit. */
export const makeWork = async (t: Test, branch = 'main'): Promise<{ work: string; commit: string }> => {
  const work = tempFolder(t)
  await git(['init', '-q', '-b', branch], { cwd: work })
  writeFileSync(path.join(work, 'a.txt'), 'abcd')
  await git(['add', '-A'], { cwd: work })
  await git(['commit', '-qm', 'Begin'], { cwd: work })
  return { work, commit: await git(['rev-parse', 'HEAD'], { cwd: work }) }
}
