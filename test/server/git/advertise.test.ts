import { once } from 'node:events'
import http from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import t from 'tap'
import { openAdvertiser } from '../../../server/git/advertise.ts'
import type { GitChild } from '../../../server/git/child.ts'

/** A child that has more refs to tell until it is ended. */
const openEndless = (): { child: GitChild; isEnded: () => boolean } => {
  let told = false
  const refs = async function* (): AsyncGenerator<Buffer> {
    while (!told) yield Buffer.alloc(64 * 1024, 'r')
  }
  const stdout = Readable.from(refs(), { objectMode: false })
  const child: GitChild = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    fromHook: null,
    toHook: null,
    ended: once(stdout, 'close').then(() => null),
    end: () => {
      told = true
    },
  }
  return { child, isEnded: () => told }
}

t.test('refs are passed on as they are read, and no longer than somebody is there for them', async (t) => {
  const advertise = openAdvertiser()
  const { child, isEnded } = openEndless()
  const answered = Promise.withResolvers<void>()
  const server = http.createServer((request, response) => {
    advertise(request, response, 'upload-pack', 'sha1', async () => child).then(
      answered.resolve,
      answered.reject,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const request = http.get({ host: '127.0.0.1', port: address.port, path: '/x.git/info/refs', agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const [first] = (await once(response, 'data')) as [Buffer]
  t.equal(first.toString('latin1', 0, 35), '001e# service=git-upload-pack\n0000r')
  t.equal(isEnded(), false)
  response.destroy()
  await answered.promise
  t.equal(isEnded(), true)
})
