import { once } from 'node:events'
import { createServer } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import Koa, { type Middleware } from 'koa'
import pino from 'pino'
import t, { type Test } from 'tap'
import { ForgeError } from '../../../server/errors.ts'
import { errorBoundary } from '../../../server/http/error-boundary.ts'
import { openSessions } from '../../../server/identity/sessions.ts'
import { openStore } from '../store/open.ts'

/** A server of which every request ends in `handler`. */
const serve = async (t: Test, handler: Middleware) => {
  const { db, now } = await openStore(t)
  let logged = ''
  const log = pino({}, { write: (line: string) => (logged += line) })
  const app = new Koa()
  app.use(errorBoundary({ log, sessions: openSessions(db, now) }))
  app.use(bodyParser({ jsonLimit: '1kb' }))
  app.use(handler)
  const handle = app.callback()
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close').catch(() => undefined)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    ask: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init),
    logged: () => logged,
  }
}

const throwing = (t: Test, error: unknown) =>
  serve(t, () => {
    throw error
  })

t.test('what the forge says is told to the API as JSON and to a browser as a page', async (t) => {
  const { ask, logged } = await throwing(
    t,
    new ForgeError('branch-moved', 'It <moved>.', { issues: [{ path: 'a', message: 'b' }] }),
  )
  const api = await ask('/api/v1/x')
  t.equal(api.status, 409)
  t.same(await api.json(), {
    error: { code: 'branch-moved', message: 'It <moved>.', issues: [{ path: 'a', message: 'b' }] },
  })
  const page = await ask('/x')
  t.equal(page.status, 409)
  t.match(page.headers.get('content-type'), 'text/html')
  const html = await page.text()
  t.match(html, 'It &lt;moved&gt;.')
  t.equal(logged(), '')
})

t.test('a fault is logged, and none of it reaches the client', async (t) => {
  for (const error of [
    new Error('secret'),
    new TypeError('secret'),
    'secret',
    Object.assign(new Error('secret'), { status: 402 }),
    Object.assign(new Error('secret'), { status: 'x' }),
  ]) {
    const { ask, logged } = await throwing(t, error)
    const answer = await ask('/api/v1/x')
    t.equal(answer.status, 500)
    t.notMatch(await answer.text(), 'secret')
    t.match(logged(), 'secret')
  }
})

t.test('an address with nothing under it, and a method that it does not take, are said', async (t) => {
  const nothing = await serve(t, () => undefined)
  t.match(await (await nothing.ask('/api/v1/x')).json(), { error: { code: 'not-found' } })
  const method = await serve(t, (ctx) => {
    ctx.status = 405
  })
  const answer = await method.ask('/api/v1/x')
  t.equal(answer.status, 405)
  t.match(await answer.json(), { error: { code: 'method-not-allowed' } })
})

t.test('a body that cannot be read is the client’s fault', async (t) => {
  const { ask } = await serve(t, (ctx) => {
    ctx.body = 'fine'
  })
  const post = (body: string) =>
    ask('/api/v1/x', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  t.equal((await post('{')).status, 400)
  t.equal((await post('7')).status, 400)
  t.equal((await post(JSON.stringify('x'.repeat(2000)))).status, 413)
  t.equal((await post('{}')).status, 200)
})

t.test('whoever is not signed in is told how, and whoever asks too often is told when', async (t) => {
  const unsigned = await throwing(t, new ForgeError('not-signed-in', 'Sign in.'))
  t.match((await unsigned.ask('/api/v1/x')).headers.get('www-authenticate'), /^Bearer /)
  t.equal(
    (await unsigned.ask('/x')).headers.get('www-authenticate'),
    null,
    'a browser is not asked for a password',
  )
  const busy = await throwing(t, new ForgeError('too-many-requests', 'Slower.', { retryAfterSeconds: 7 }))
  t.equal((await busy.ask('/x')).headers.get('retry-after'), '7')
})
