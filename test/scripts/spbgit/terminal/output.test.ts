import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { createOutput, safeJson } from '../../../../scripts/spbgit/terminal/output.ts'

const makeStream = (isTTY: boolean) =>
  Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 40 })

t.test('results go to stdout, messages to stderr, both clean', async (t) => {
  const [out, err] = [makeStream(false), makeStream(false)]
  const output = createOutput(out, err, 'xterm')
  output.line('result\x1b[2J')
  output.say('message\x1b]0;x\x07', 'red')
  output.status('not on a pipe')
  t.equal(out.read(), 'result\n')
  t.equal(err.read(), 'message\n')
  t.equal(output.columns, null)
})

t.test('on a terminal a line goes by above the status line', async (t) => {
  const [out, err] = [makeStream(true), makeStream(true)]
  const output = createOutput(out, err, 'xterm')
  output.status('working')
  err.read()
  output.line('result')
  t.equal(err.read(), '\r\x1b[Jworking')
  output.status(null)
  t.equal(err.read(), '\r\x1b[J')
  output.line('later')
  t.equal(err.read(), null, 'it does not come back')
  t.equal(output.columns, 40)
})

t.test('JSON on a terminal says the same and commands nothing', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = safeJson({ text })
      return (
        !/[\p{Cc}\u202e\u2066]/u.test(written) &&
        JSON.stringify(JSON.parse(written)) === JSON.stringify({ text })
      )
    }),
  )
  t.equal(safeJson('\x9b\u202e'), '"\\u009b\\u202e"')
})
