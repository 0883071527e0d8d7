import t from 'tap'
import { needsChromium } from '../../support/chromium.ts'
import { pages } from '../pages.ts'
import { openSite } from './site.ts'

t.test('before what cannot be undone', needsChromium, async (t) => {
  const site = await openSite(t, (path) => pages[path.slice(1)]?.())
  const open = async (options = {}) => {
    const page = await site.visit('/repository', options)
    await page.getByText('Delete this repository').click()
    await page.getByLabel('to go on').fill('paperboat')
    return page
  }

  await t.test('a dialog asks, holds the focus, and Escape is no', async (t) => {
    const page = await open()
    const send = page.getByRole('button', { name: 'Delete repository' })
    await send.click()
    const dialog = page.getByRole('alertdialog', {
      name: 'Delete the repository paperboat and everything in it?',
    })
    await dialog.waitFor()
    t.equal(await page.locator(':focus').textContent(), 'Keep as it is', 'no is what Enter would press')
    for (let press = 0; press < 6; press++) {
      await page.keyboard.press('Tab')
      t.equal(
        await page.evaluate(
          'document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
        ),
        true,
        'nothing behind the dialog gets the focus',
      )
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.equal(await page.locator(':focus').textContent(), 'Delete repository', 'the focus comes back')
    t.equal(site.posts(), 0)
    await page.context().close()
  })

  await t.test('yes, by its own name, sends the form', async (t) => {
    const page = await open()
    await page.getByRole('button', { name: 'Delete repository' }).click()
    const posted = site.posted()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete repository' }).click()
    const { path, fields } = await posted
    t.equal(path, '/repos/paperboat/delete')
    t.same(Object.fromEntries(fields), {
      _csrf: 'csrf-of-this-session',
      confirm: 'paperboat',
      understood: 'yes',
    })
    await page.context().close()
  })

  await t.test('a form that is not filled in asks for that first', async (t) => {
    const before = site.posts()
    const page = await open()
    await page.getByLabel('to go on').fill('lighthouse')
    await page.getByRole('button', { name: 'Delete repository' }).click()
    t.equal(await page.getByRole('alertdialog').count(), 0)
    t.equal(site.posts(), before)
    await page.context().close()
  })

  await t.test('without JavaScript a box has to be ticked', async (t) => {
    const before = site.posts()
    const page = await open({ javaScriptEnabled: false })
    const send = page.getByRole('button', { name: 'Delete repository' })
    await send.click()
    t.equal(site.posts(), before)
    await page.getByLabel('I understand').check()
    const posted = site.posted()
    await send.click()
    t.equal((await posted).fields.get('understood'), 'yes')
    await page.context().close()
  })

  t.same(site.complaints, [])
})
