import { once } from 'node:events'
import https from 'node:https'
import t from 'tap'
import { type RunningForge, startForge } from '../support/forge.ts'

/** Announces a body, sends the beginning of it, and waits for an answer all the same. */
const promise = async (
  forge: RunningForge,
  path: string,
  bytes: number,
  headers: Record<string, string> = {},
): Promise<number> => {
  const request = https.request(`${forge.url}${path}`, {
    method: 'POST',
    ca: forge.ca,
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': bytes, ...headers },
  })
  request.on('error', () => undefined)
  request.write('{"name":"')
  const [response] = (await once(request, 'response')) as [{ statusCode?: number }]
  request.destroy()
  return response.statusCode ?? 0
}

t.test('a stranger is told no before the forge takes what the stranger sends', async (t) => {
  const forge = await startForge(t)
  const half = 400_000
  t.equal(await promise(forge, '/api/v1/repos', half), 401, 'no token')
  t.equal(await promise(forge, '/api/v1/repos', half, { authorization: 'Bearer x' }), 401, 'a wrong one')
  t.equal(await promise(forge, '/repos', half), 401, 'a form without a session')
  t.equal(await promise(forge, '/sign-in', half), 413, 'more than a token')
  t.equal(await promise(forge, '/nowhere', half), 404)
  const authorization = `Bearer ${forge.token}`
  t.equal(await promise(forge, '/api/v1/repos', 2 * half, { authorization }), 413, 'nobody sends so much')
})
