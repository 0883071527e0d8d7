import t from 'tap'
import { createCourierTokens } from '../../../runner/jobs/courier-tokens.ts'

const never = new AbortController().signal

t.test('a token that was given before it is taken is there', async (t) => {
  const tokens = createCourierTokens()
  tokens.give('one')
  t.equal(await tokens.take(null, never), 'one')
})

t.test('taking waits for a token, and after a refusal for another one', async (t) => {
  const tokens = createCourierTokens()
  const first = tokens.take(null, never)
  tokens.give('one')
  t.equal(await first, 'one')
  const second = tokens.take('one', never)
  tokens.give('one')
  tokens.give('two')
  t.equal(await second, 'two')
})

t.test('waiting ends with the signal, and with its reason', async (t) => {
  const stop = new AbortController()
  const waiting = createCourierTokens().take(null, stop.signal)
  stop.abort(new Error('cancelled'))
  await t.rejects(waiting, { message: 'cancelled' })
})
