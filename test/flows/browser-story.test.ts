import path from 'node:path'
import t, { type Test } from 'tap'
import { openAlbum } from '../support/album.ts'
import { launchChromium, needsChromium } from '../support/chromium.ts'
import { collectComplaints } from '../support/complaints.ts'
import { needsEngine } from '../support/engine.ts'
import { startForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { secret, startTestRunner } from '../support/runner.ts'
import { watchPages } from '../support/sightings.ts'
import { tempFolder } from '../support/temp.ts'
import { commitTides, metresTask, unrulyTask } from '../support/tides.ts'

t.test('from signing in to a reviewed branch', { ...needsChromium, ...needsEngine }, async (t) => {
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
  const seen = await watchPages(page)
  const album = openAlbum('story')
  const work = tempFolder(t)
  const inWork = { cwd: work, ca: forge.caFile }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  const chapter = (name: string, tell: (t: Test) => Promise<void>) =>
    t.test(name, t.passing() ? {} : { skip: 'the story broke off before' }, tell)

  await chapter('a stranger signs in with the owner’s token', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await album.take(page, 'sign-in')
    await page.getByLabel('Token').fill(forge.token)
    await button('Sign in').click()
    await heading('No repository yet').waitFor()
    await album.take(page, 'no-repository')
  })

  await chapter('makes a repository and pushes to it', async () => {
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

  await chapter('starts a job from the form', async () => {
    await page.getByRole('link', { name: 'Agent jobs' }).click()
    await page.getByText('No job yet.').waitFor()
    await page.getByLabel('Task').fill(metresTask)
    await album.take(page, 'new-job')
    await button('Start job').click()
    await page.waitForURL('**/repos/tides/jobs/1')
  })

  await chapter('watches it in one page, which becomes the proposal’s by itself', async (t) => {
    const opened = 'page /repos/tides/jobs/1'
    await page.locator('[data-log]').getByText('rewriting src/height.js', { exact: true }).waitFor()
    await album.take(page, 'live')
    await heading('Your decision').waitFor()
    const story = [
      opened,
      'clone done',
      'agent running',
      'rewriting src/height.js',
      'rewriting src/report.js',
      'agent done',
      'push done',
      'verify running',
      opened,
    ]
    t.same(
      seen.filter((sight) => story.includes(sight)),
      story,
    )
  })

  await chapter('reads what is proposed', async (t) => {
    await page.locator('.file', { hasText: 'src/height.js' }).getByText('heightInMetres(before').waitFor()
    const tests = page.locator('.side', { has: heading('Verified tests') })
    t.equal(await tests.getByText('Passed.').count(), 2, 'the proposal’s tests and the base’s')
    await album.take(page, 'proposal')
    // The README's picture: `cp .screenshots/story/proposal.png docs/` makes it anew.
    const decision = await page.locator('#decide').boundingBox()
    const height = Math.ceil((decision?.y ?? 0) + (decision?.height ?? 0)) + 24
    await page.setViewportSize({ width: 1280, height })
    await page.screenshot({ path: path.join(album.folder, 'proposal.png') })
  })

  await chapter('is told why the default branch is not for this, and comes back', async () => {
    const other = await context.newPage()
    await other.goto('/repos/tides/jobs/1')
    await other.getByLabel('New branch').fill('main')
    await other.getByRole('button', { name: 'Approve to this branch' }).click()
    await other.getByText('main is the default branch.').waitFor()
    await album.take(other, 'refused')
    await other.getByRole('link', { name: 'Back to the page' }).click()
    await other.getByRole('heading', { name: 'Your decision' }).waitFor()
    await other.close()
  })

  await chapter('approves it onto a branch, which git then sees at exactly that commit', async (t) => {
    const reviewed = await page.locator('#decide .whole-id').textContent()
    await page.getByLabel('New branch').fill('metres')
    await button('Approve to this branch').click()
    await heading('Approved').waitFor()
    await album.take(page, 'approved')
    await git(['fetch', '-q', 'origin'], inWork)
    t.equal(await git(['rev-parse', 'origin/metres'], inWork), reviewed)
    t.match(await git(['show', 'origin/metres:src/report.js'], inWork), 'metres.toFixed(1)} metres')
  })

  await chapter('sends a second proposal back, with a reason', async (t) => {
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

  await chapter('deletes its refs, but not by Escape', async (t) => {
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

  await chapter('finds all of it again, and signs out', async (t) => {
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
