import t from 'tap'
import { needsChromium } from '../../support/chromium.ts'
import { pages } from '../pages.ts'
import { openSite } from './site.ts'

const phone = { viewport: { width: 360, height: 740 } }

t.test('in a real browser', needsChromium, async (t) => {
  const site = await openSite(t, (path) => {
    // The stream of a live page: open, and silent.
    if (path.startsWith('/api/'))
      return (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    return pages[path.slice(1)]?.()
  })

  t.test('every page obeys the policy, and fits the width of a phone', async (t) => {
    const page = await site.visit('/error', phone)
    for (const name of Object.keys(pages)) {
      await page.goto(`${site.origin}/${name}`)
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      t.equal(wide, 0, `${name} does not scroll sideways`)
    }
    await page.context().close()
    t.same(site.complaints, [])
  })

  t.test('the first Tab leads to the content', async (t) => {
    const page = await site.visit('/job-proposed')
    await page.keyboard.press('Tab')
    t.equal(await page.locator(':focus').textContent(), 'Skip to content')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.context().close()
  })

  t.test('a line is copied as it stands', async (t) => {
    const page = await site.visit('/repository', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    t.equal(await page.evaluate('navigator.clipboard.readText()'), 'https://forge.example/paperboat.git')
    await page.context().close()
  })
})
