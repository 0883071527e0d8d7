import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { delivery, deliveryDetails, webhook } from '../../../server/protocol/webhooks.ts'
import { startConsumer } from '../../support/consumer.ts'
import { makeRepo } from '../../support/forge.ts'
import { signIn } from './support/signed-in.ts'

t.test('a webhook is made, looked after and deleted', async (t) => {
  const { forge, spbgit } = await signIn(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  const consumer = await startConsumer(t)
  await makeRepo(t, forge)
  const made = await spbgit('webhook', 'create', consumer.url, '--repo', 'hello', '--events', 'push,create')
  t.equal(made.code, 0, made.stderr)
  t.match(made.stdout, /^[\w-]{43}\n$/, 'stdout holds the secret alone')
  t.match(made.stderr, 'Webhook 1 hears of hello: push, create.')
  await consumer.count(1)

  const secretFile = path.join(forge.dataDir, 'hook-secret')
  writeFileSync(secretFile, 'a secret of my own\n')
  const own = await spbgit('webhook', 'create', consumer.url, '--secret-file', secretFile)
  t.equal(own.stdout, 'a secret of my own\n')
  const unread = await spbgit('webhook', 'create', consumer.url, '--secret-file', `${secretFile}-of-none`)
  t.match(unread, { code: 2, stderr: 'given with --secret-file cannot be read' })
  const listed = await spbgit('webhook', 'list', '--json')
  t.match(z.array(webhook).parse(JSON.parse(listed.stdout)), [{ repo: 'hello' }, { repo: null }])
  t.notMatch(listed.stdout, /secret/)
  t.match(
    (await spbgit('webhook', 'list', 'hello')).stdout,
    new RegExp(`^1 +hello +push,create +${consumer.url}$`, 'm'),
  )

  t.equal((await spbgit('webhook', 'ping', '1')).code, 0)
  await consumer.count(3)
  const sent = async () =>
    z.array(delivery).parse(JSON.parse((await spbgit('webhook', 'deliveries', '1', '--json')).stdout))
  t.match(await sent(), [{ event: 'ping' }, { event: 'ping' }])
  t.match((await spbgit('webhook', 'deliveries', '1')).stdout, /^\d+ +(delivered|waiting) .*ping/m)
  const first = (await sent()).at(-1)?.id ?? 0
  t.match((await spbgit('webhook', 'show', '1', `${first}`)).stdout, /answered 200.*"hook_id":1/s)
  t.equal((await spbgit('webhook', 'redeliver', '1', `${first}`)).code, 0)
  await consumer.count(4)
  const shown = await spbgit('webhook', 'show', '1', `${first}`, '--json')
  const { guid } = deliveryDetails.parse(JSON.parse(shown.stdout))
  t.equal(consumer.taken.filter(({ headers }) => headers['x-github-delivery'] === guid).length, 2)

  t.equal((await spbgit('webhook', 'delete', '1')).code, 0)
  t.equal((await spbgit('webhook', 'delete', '1')).code, 1)
  t.match((await spbgit('webhook', 'deliveries', '1')).stderr, /There is no webhook 1/)
})

t.test('what is no webhook is refused before it is sent, or by the forge', async (t) => {
  const { spbgit } = await signIn(t)
  for (const wrong of [
    ['create', 'ftp://example.org'],
    ['create', 'https://user:word@example.org/'],
    ['create', 'https://example.org/', '--events', 'pull'],
    ['create', 'https://example.org/', '--repo', '../x'],
    ['ping', 'one'],
  ])
    t.equal((await spbgit('webhook', ...wrong)).code, 2, wrong.join(' '))
  const refused = await spbgit('webhook', 'create', 'http://127.0.0.1:1/')
  t.equal(refused.code, 1)
  t.match(refused.stderr, /WEBHOOK_HOSTS=127\.0\.0\.1/)
})
