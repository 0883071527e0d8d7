/** A git server inside your own HTTP server. Run it with: node mount-git-server.ts */
import http from 'node:http'
import { GitServer, type PushEvent } from 'agent-workspace'

const git = new GitServer('repositories', {
  // Asked on every request. Everybody may read; who pushes has to know the password.
  authenticate: async ({ type, user }) => {
    if (type === 'fetch') return
    const [, password] = await user()
    if (password !== process.env['PASSWORD']) throw new Error('This is not the password.')
  },
})

// One event a ref. The push moves only if each is accepted.
git.on('push', (push: PushEvent) => {
  push.log(`Thanks for ${push.branch}, ${push.username}.`)
  if (push.branch === 'release') push.reject(403, 'Nobody pushes to release.')
  else push.accept()
})

const server = http.createServer({ requestTimeout: 0 }, (request, response) => {
  if (request.url?.startsWith('/git/')) {
    request.url = request.url.slice('/git'.length)
    git.handle(request, response)
  } else response.end('My own site.\n')
})
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1', () => console.log('listening'))
