import { once } from 'node:events'
import https from 'node:https'
import t from 'tap'
import { createdToken } from '../../server/protocol/api.ts'
import { makeRepo, startForge, startJob } from '../support/forge.ts'

t.test('the stream of a job’s events ends for a token that is revoked', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const made = (await forge.ask('/api/v1/tokens', { body: { label: 'leaver' } })).read(createdToken)
  const request = https.get(`${forge.url}/api/v1/repos/hello/agent-jobs/${job.id}/events`, {
    ca: forge.ca,
    agent: false,
    headers: { authorization: `Bearer ${made.token}` },
  })
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  let text = ''
  response.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const ended = once(response, 'end')
  while (!text.includes('queued')) await once(response, 'data')
  t.equal((await forge.ask(`/api/v1/tokens/${made.id}`, { method: 'DELETE' })).status, 204)
  await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}/cancel`, { method: 'POST' })
  await ended
  t.notMatch(text, /cancelled/, 'it is not told what happens after')
})
