import path from 'node:path'
import t from 'tap'
import { openAlbum } from '../support/album.ts'
import { launchChromium, needsChromium } from '../support/chromium.ts'
import { collectComplaints } from '../support/complaints.ts'
import { needsEngine } from '../support/engine.ts'
import { startForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { secret, startTestRunner } from '../support/runner.ts'
import { tempFolder } from '../support/temp.ts'
import { commitTides, metresTask, unrulyTask } from '../support/tides.ts'

t.test('from signing in to a reviewed branch', { ...needsChromium, ...needsEngine, bail: true }, async (t) => {
  const runner = await startTestRunner(t)
  const forge = await startForge(t, {
    WORKSPACE_CONTROLLER_URL: runner.url,
    WORKSPACE_CONTROLLER_SECRET: secret,
    LOCAL_RUNNER: 'for-trying-out',
  })
  const browser = await launchChromium(t)
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: forge.url })
  const page = await context.newPage()
  const complaints = collectComplaints(page)
  const album = openAlbum('story')
  const work = tempFolder(t)
  const inWork = { cwd: work, ca: forge.caFile }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })

  await t.test('a stranger signs in with the owner’s token', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await album.take(page, 'sign-in')
    await page.getByLabel('Token').fill(forge.token)
    await button('Sign in').click()
    await heading('No repository yet').waitFor()
    await album.take(page, 'no-repository')
  })

  await t.test('makes a repository and pushes to it', async () => {
    await page.getByLabel('New repository').fill('tides')
    await button('Create').click()
    await heading('Nothing has been pushed yet').waitFor()
    await album.take(page, 'empty-repository')
    await commitTides(work)
    await git(['remote', 'add', 'origin', forge.remote('tides', forge.token)], inWork)
    await git(['push', '-q', 'origin', 'main'], inWork)
    await page.reload()
    await heading('Branches').waitFor()
    await album.take(page, 'repository')
  })

  await t.test('starts a job from the form', async () => {
    await page.getByRole('link', { name: 'Agent jobs' }).click()
    await page.getByText('No job yet.').waitFor()
    await page.getByLabel('Task').fill(metresTask)
    await album.take(page, 'new-job')
    await button('Start job').click()
    await page.waitForURL('**/repos/tides/jobs/1')
  })

  await t.test('watches it in one page, which becomes the proposal’s by itself', async (t) => {
    await page.evaluate('window.opened = "once"')
    const log = page.locator('[data-log]')
    await log.getByText('rewriting src/height.js', { exact: true }).waitFor()
    await page.locator('[data-step=clone][data-status=done]').waitFor()
    await page.locator('[data-step=agent][data-status=running]').waitFor()
    await album.take(page, 'live')
    await log.getByText('rewriting src/report.js', { exact: true }).waitFor()
    t.equal(await page.evaluate('window.opened'), 'once', 'the page was not loaded again for that')
    await heading('Your decision').waitFor()
    t.equal(await page.evaluate('window.opened'), undefined)
  })

  await t.test('reads what is proposed', async (t) => {
    await page.locator('.file', { hasText: 'src/height.js' }).getByText('heightInMetres(before').waitFor()
    const tests = page.locator('.side', { has: heading('Verified tests') })
    t.equal(await tests.getByText('Passed.').count(), 2, 'the proposal’s tests and the base’s')
    await album.take(page, 'proposal')
    // The picture of the README: copied from here to docs/proposal.png.
    await page.screenshot({ path: path.join(album.folder, 'proposal.png') })
  })

  await t.test('approves it onto a branch, which git then sees at exactly that commit', async (t) => {
    const reviewed = await page.locator('#decide .whole-id').textContent()
    await page.getByLabel('New branch').fill('metres')
    await button('Approve to this branch').click()
    await heading('Approved').waitFor()
    await album.take(page, 'approved')
    await git(['fetch', '-q', 'origin'], inWork)
    t.equal(await git(['rev-parse', 'origin/metres'], inWork), reviewed)
    t.match(await git(['show', 'origin/metres:src/report.js'], inWork), 'metres.toFixed(1)} metres')
  })

  await t.test('sends a second proposal back, with a reason', async (t) => {
    await page.goto('/repos/tides/jobs')
    await page.getByLabel('Task').fill(unrulyTask)
    await button('Start job').click()
    await heading('Your decision').waitFor()
    await page.getByText('Failed.').first().waitFor()
    await album.take(page, 'unruly-proposal')
    await page.getByText('Reject it').click()
    await button('Reject').click()
    t.equal(await page.locator('textarea:invalid').count(), 1, 'without one it is not sent')
    await page.getByLabel('Reason').fill('Charts do not belong in here.\nAnd a test fails.')
    await album.take(page, 'rejecting')
    await button('Reject').click()
    await heading('Rejected').waitFor()
    t.equal(
      await page.locator('#decide .prose').textContent(),
      'Charts do not belong in here.\nAnd a test fails.',
    )
    for (const part of ['Log', 'How it ran', 'Audit trail']) await heading(part).click()
    await album.take(page, 'rejected')
  })

  await t.test('deletes its refs, but not by Escape', async (t) => {
    const refs = () => git(['ls-remote', 'origin', 'refs/agents/2/*'], inWork)
    await page.getByText('Delete the refs of this job').click()
    await button('Delete refs').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.waitFor()
    await album.take(page, 'dialog', 'window')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.match(await refs(), 'refs/agents/2/proposal')
    await button('Delete refs').click()
    await dialog.getByRole('button', { name: 'Delete refs' }).click()
    await page.getByText('The job’s refs are deleted.').waitFor()
    await album.take(page, 'deleted')
    t.equal(await refs(), '')
    t.equal(await page.locator('.file').count(), 0, 'nor does the page show what was in them')
  })

  await t.test('finds all of it again, and signs out', async (t) => {
    await page.goto('/repos/tides/jobs')
    await page.getByText('Give tide heights in metres').waitFor()
    await album.take(page, 'jobs')
    await page.getByRole('link', { name: 'tides', exact: true }).click()
    await page.getByText('metres', { exact: true }).waitFor()
    await album.take(page, 'repository-after')
    await page.getByRole('link', { name: 'Tokens' }).click()
    await heading('Tokens').waitFor()
    await album.take(page, 'tokens')
    await page.getByRole('link', { name: 'Audit' }).click()
    await heading('Audit').waitFor()
    await album.take(page, 'audit')
    await button('Sign out').click()
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.goto('/repos/tides/jobs/1')
    await heading('Proposal of job 1').waitFor()
    await album.take(page, 'stranger')
    t.equal(await page.getByText('Your decision').count(), 0)
  })

  t.same(complaints, [])
})
