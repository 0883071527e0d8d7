import { Webhooks } from '@octokit/webhooks'
import t from 'tap'
import { createdWebhook } from '../../server/protocol/webhooks.ts'
import { startConsumer } from '../support/consumer.ts'
import { makeRepo, startForge } from '../support/forge.ts'

t.test('a push reaches a consumer, signed', async (t) => {
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  const consumer = await startConsumer(t)
  await forge.ask('/api/v1/repos', { body: { name: 'hello' } })
  const made = await forge.ask('/api/v1/webhooks', { body: { url: consumer.url, repo: 'hello' } })
  t.equal(made.status, 201, made.text)
  const { secret } = made.read(createdWebhook)
  const { base } = await makeRepo(t, forge)
  const push = await consumer.until(({ headers }) => headers['x-github-event'] === 'push')
  t.ok(await new Webhooks({ secret }).verify(push.body, push.headers['x-hub-signature-256'] ?? ''))
  t.match(JSON.parse(push.body), { ref: 'refs/heads/main', after: base, created: true })
  console.log(JSON.stringify(JSON.parse(push.body), null, 1))
})
