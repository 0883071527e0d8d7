import t from 'tap'
import { openAlbum } from '../support/album.ts'
import { launchChromium, needsChromium } from '../support/chromium.ts'
import { collectComplaints } from '../support/complaints.ts'
import { startConsumer } from '../support/consumer.ts'
import { makeRepo, startForge } from '../support/forge.ts'

t.test('a person makes a webhook, reads what came back, and sends it again', needsChromium, async (t) => {
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  const consumer = await startConsumer(t, (response, _delivered, count) => {
    response.statusCode = count === 2 ? 503 : 200
    response.end(count === 2 ? 'not yet' : 'thanks')
  })
  await makeRepo(t, forge)
  const browser = await launchChromium(t)
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: forge.url })
  const page = await context.newPage()
  const complaints = collectComplaints(page)
  const album = openAlbum('webhooks')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })

  await page.goto('/sign-in?next=/repos/hello')
  await page.getByLabel('Token').fill(forge.token)
  await button('Sign in').click()
  await page.getByRole('main').getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByLabel('Address').fill('http://10.0.0.1/hook')
  await button('Create webhook').click()
  await page.getByText('10.0.0.1 is on a private address').waitFor()
  await album.take(page, 'refused')
  await page.getByLabel('Address').fill(consumer.url)
  await page.getByRole('checkbox', { name: 'Proposals' }).uncheck()
  await button('Create webhook').click()
  await page.getByText('It signs every request. Copy it now').waitFor()
  await album.take(page, 'created')
  await consumer.count(1)

  await page.getByRole('list').getByRole('link', { name: consumer.url }).click()
  await link('ping').click()
  await page.getByText('Delivered').waitFor()
  await button('Redeliver').click()
  await page.getByText('It is on its way once more.').waitFor()
  await consumer.count(3)
  const guids = consumer.taken.map(({ headers }) => headers['x-github-delivery'])
  t.equal(new Set(guids).size, 1, 'the same delivery, also when it is tried again by itself')
  await page.reload()
  await page.getByRole('heading', { name: 'Attempt 2: 503' }).click()
  await page.getByLabel('Answer', { exact: true }).getByText('not yet').waitFor()
  await album.take(page, 'delivery')
  await link('Webhook 1').click()
  await button('Send a ping').click()
  await page.getByText('A ping is on its way.').waitFor()
  await consumer.count(4)
  await album.take(page, 'webhook')

  await page.getByText('Delete this webhook').click()
  await button('Delete webhook').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('The webhook is deleted.').waitFor()
  t.same(
    complaints.filter((what) => !/400/.test(what)),
    [],
    'nothing but what was refused on purpose',
  )
})
