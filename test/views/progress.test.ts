import t from 'tap'
import { progressOf } from '../../views/progress.ts'
import { allEvents, runningEvents } from './samples.ts'

const statuses = (events: typeof allEvents, live: boolean): string =>
  progressOf(events, live)
    .map(({ step, status }) => `${step} ${status}`)
    .join(', ')

t.test('a live attempt has steps behind, at and before it', async (t) => {
  t.equal(
    statuses(runningEvents, true),
    'clone done, setup done, agent running, collect waiting, push waiting, verify waiting',
  )
})

t.test('a step that had not begun when a later one did was skipped', async (t) => {
  const withoutSetup = runningEvents.filter((event) => !('step' in event) || event.step !== 'setup')
  t.match(statuses(withoutSetup, true), 'clone done, setup skipped, agent running, collect waiting')
})

t.test('an attempt that ended in the middle failed there and skipped the rest', async (t) => {
  t.equal(
    statuses(runningEvents, false),
    'clone done, setup done, agent failed, collect skipped, push skipped, verify skipped',
  )
})

t.test('a finished attempt knows how long each step took', async (t) => {
  t.same(
    progressOf(allEvents, false).map(({ ms }) => ms),
    [412, 6381, 48_300, 903, 1204, 21_870],
  )
})
