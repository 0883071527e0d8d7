import { execFileSync, spawn } from 'node:child_process'
import type http from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A folder with the bare repository `story.git` of one commit. */
export const makeRepository = (t: Test): string => {
  const dir = t.testdir({ story: { 'README.md': 'once upon a time\n' } })
  const work = join(dir, 'story')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'Begin')
  execFileSync('git', ['clone', '-q', '--bare', work, join(dir, 'story.git')])
  return dir
}

/** Answers with git's own `http-backend`, which is enough to clone from. */
export const serveGit =
  (root: string): http.RequestListener =>
  (request, response) => {
    const url = new URL(request.url ?? '/', 'https://localhost')
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      },
    })
    request.pipe(backend.stdin)
    const chunks: Buffer[] = []
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    backend.once('close', () => {
      const answer = Buffer.concat(chunks)
      const end = answer.indexOf('\r\n\r\n')
      for (const line of answer.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ')
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
        else response.setHeader(name, value)
      }
      response.end(answer.subarray(end + 4))
    })
  }
