import { EventEmitter, once } from 'node:events'
import type http from 'node:http'
import t from 'tap'
import type { JobState } from '../../../server/protocol/jobs.ts'
import type { JobEventBody } from '../../../server/protocol/runner.ts'
import { maxLines } from '../../../views/browser/log-lines.js'
import { jobPage } from '../../../views/job.ts'
import { needsChromium } from '../../support/chromium.ts'
import * as sample from '../samples.ts'
import { openSite } from './site.ts'

const events = sample.runningEvents
const lastSeq = events.length

const live = jobPage(
  sample.pageOf(
    sample.detailsOf('running', { events, attempt: sample.attemptOf('running', { tests: [] }) }),
    {
      proposal: null,
    },
  ),
)
const over = jobPage(sample.pageOf(sample.detailsOf('proposed')))

t.test('a live page', needsChromium, async (t) => {
  const streams = new EventEmitter()
  let ended = false
  const site = await openSite(t, (path) => {
    if (path.startsWith('/api/'))
      return (request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 10\n\n')
        streams.emit('open', request, response)
      }
    return ended ? over : live
  })

  const opened = async (): Promise<[http.IncomingMessage, http.ServerResponse]> => {
    return (await once(streams, 'open')) as [http.IncomingMessage, http.ServerResponse]
  }
  const say = (response: http.ServerResponse, seq: number, body: JobEventBody): void => {
    const data = JSON.stringify({ attempt: 1, seq, at: '2026-11-30T18:00:00.000Z', ...body })
    response.write(`event: job\nid: 1.${seq}\ndata: ${data}\n\n`)
  }
  const tell = (response: http.ServerResponse, state: JobState): void => {
    response.write(`event: state\ndata: ${JSON.stringify({ attempt: 1, state, reason: null })}\n\n`)
  }
  const log = (text: string): JobEventBody => ({ type: 'log', step: 'agent', stream: 'out', text })

  const first = opened()
  const page = await site.visit('/')
  const lines = page.locator('.log-line')
  let [request, response] = await first

  await t.test('asks for what came after the page was made', async (t) => {
    t.equal(request.url, `/api/v1/repos/paperboat/agent-jobs/42/events?after=1.${lastSeq}`)
    await page.getByText('Live', { exact: true }).waitFor()
  })

  await t.test('adds lines as they come, in their parts, with nothing hidden', async (t) => {
    const before = await lines.count()
    say(response, lastSeq, log('said already\n'))
    say(response, lastSeq + 1, log('\u001b[32mgreen\u001b[0m and <b>\u202e'))
    say(response, lastSeq + 2, log('bold</b>\n'))
    await page.getByText('green and <b>U+202Ebold</b>').waitFor()
    t.equal(await lines.count(), before + 1)
    t.equal(await lines.last().locator('.ansi-green').textContent(), 'green')
  })

  await t.test('moves the steps and the state', async (t) => {
    say(response, lastSeq + 3, { type: 'step', step: 'agent', status: 'ended', exit: 0, ms: 4200 })
    say(response, lastSeq + 4, { type: 'step', step: 'verify', status: 'started' })
    tell(response, 'verifying')
    await page.locator('[data-step=verify][data-status=running]').waitFor()
    t.equal(await page.locator('[data-step=agent]').textContent(), 'Agent 4.2 s')
    await page.getByText('Verifying', { exact: true }).waitFor()
    t.equal(await page.getByText('Running', { exact: true }).isVisible(), false)
  })

  await t.test('comes back after a cut, and repeats nothing', async (t) => {
    const again = opened()
    response.end()
    ;[request, response] = await again
    t.equal(request.headers['last-event-id'], `1.${lastSeq + 4}`)
    say(response, lastSeq + 2, log('once more\n'))
    say(response, lastSeq + 5, log('after the cut\n'))
    await page.getByText('after the cut').waitFor()
    t.equal(await page.getByText('once more').count(), 0)
  })

  await t.test('stays with the end of a long log, and stays bounded', async (t) => {
    say(response, lastSeq + 6, log('x\n'.repeat(4000)))
    say(response, lastSeq + 7, log(`${'y\n'.repeat(4000)}the end\n`))
    await page.getByText('the end').waitFor()
    t.equal(await lines.count(), maxLines)
    const atEnd = 'log.scrollHeight - log.scrollTop - log.clientHeight < 24'
    t.ok(await page.evaluate(`{ const log = document.querySelector('[data-log]'); ${atEnd} }`))
    await page.evaluate('document.querySelector("[data-log]").scrollTop = 0')
    await page.locator('[data-follow] input:not(:checked)').waitFor()
    say(response, lastSeq + 8, log('unseen\n'))
    await page.getByText('unseen').waitFor({ state: 'attached' })
    t.equal(
      await page.evaluate('document.querySelector("[data-log]").scrollTop'),
      0,
      'a reader is not pulled away',
    )
  })

  await t.test('becomes the proposal’s page at the end', async () => {
    ended = true
    tell(response, 'proposed')
    await page.getByRole('heading', { name: 'Your decision' }).waitFor()
  })

  t.same(site.complaints, [])
})

t.test('a page that waits for a push shows the proposal when it has come', needsChromium, async (t) => {
  const job = sample.jobOf('open', { agent: { kind: 'external' } })
  const attempt = sample.attemptOf('open', { tests: [], containers: [], used: null })
  const waiting = jobPage(
    sample.pageOf(sample.detailsOf('open', { job, attempt, events: [] }), { proposal: null }),
  )
  const streams = new EventEmitter()
  let pushed = false
  const site = await openSite(t, (path) => {
    if (path.startsWith('/api/'))
      return (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 10\n\n')
        streams.emit('open', response)
      }
    return pushed ? over : waiting
  })
  const opened = once(streams, 'open') as Promise<[http.ServerResponse]>
  const page = await site.visit('/')
  const [response] = await opened
  pushed = true
  response.write('event: state\ndata: {"attempt":1,"state":"proposed","reason":null}\n\n')
  await page.getByRole('heading', { name: 'Your decision' }).waitFor()
  t.same(site.complaints, [])
})
