import tls from 'node:tls'
import t from 'tap'
import { commitFile, makeRepo, startForge } from '../support/forge.ts'
import { tryGit } from '../support/git.ts'

t.test('strangers who begin fetches and never go on do not hold up a push', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  await commitFile(work, 'new', 'new\n')
  const begin =
    'POST /hello.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n' +
    'Content-Type: application/x-git-upload-pack-request\r\n\r\n4\r\n0014\r\n'
  const sockets = await Promise.all(
    Array.from({ length: 64 }, () => {
      const to = { port: forge.port, host: '127.0.0.1', ca: forge.ca, servername: 'localhost' }
      return new Promise<tls.TLSSocket>((resolve) => {
        const socket = tls.connect(to, () => socket.write(begin, () => resolve(socket)))
        socket.on('error', () => undefined)
      })
    }),
  )
  const push = await tryGit(['push', forge.remote('hello', forge.token), 'HEAD:refs/heads/new'], {
    cwd: work,
    ca: forge.caFile,
  })
  t.equal(push.code, 0, push.err)
  for (const socket of sockets) socket.destroy()
})
