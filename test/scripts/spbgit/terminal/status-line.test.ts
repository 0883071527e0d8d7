import t from 'tap'
import { createStatusLine, rowsOf, type Screen } from '../../../../scripts/spbgit/terminal/status-line.ts'

const makeScreen = (isTTY: boolean, size: { columns: number }) => {
  const written: string[] = []
  const screen: Screen = {
    isTTY,
    get columns() {
      return size.columns
    },
    write: (text) => written.push(text) > 0,
  }
  return { screen, take: () => written.splice(0).join('') }
}

t.test('a text replaces the one before, and one column stays free', async (t) => {
  const { screen, take } = makeScreen(true, { columns: 10 })
  const status = createStatusLine(screen, 'xterm')
  status.show('123456789')
  t.equal(take(), '123456789')
  status.show('0123456789')
  t.equal(take(), '\r\x1b[J01234567…')
})

t.test('hidden, it leaves an empty row, and comes back as it was', async (t) => {
  const { screen, take } = makeScreen(true, { columns: 80 })
  const status = createStatusLine(screen, 'xterm')
  status.hide()
  t.equal(take(), '', 'nothing was drawn yet')
  status.show('working')
  status.hide()
  status.hide()
  t.equal(take(), 'working\r\x1b[J')
  status.redraw()
  t.equal(take(), 'working')
})

t.test('made narrower, the terminal has wrapped the line, and all its rows are erased', async (t) => {
  const size = { columns: 40 }
  const { screen, take } = makeScreen(true, size)
  const status = createStatusLine(screen, 'xterm')
  status.show('x'.repeat(39))
  take()
  size.columns = 13
  status.hide()
  t.equal(take(), '\r\x1b[2A\x1b[J')
  t.strictSame([rowsOf(0, 10), rowsOf(10, 10), rowsOf(11, 10)], [1, 1, 2])
})

t.test('where no cursor can move, nothing is drawn', async (t) => {
  const pipe = makeScreen(false, { columns: 80 })
  const dumb = makeScreen(true, { columns: 80 })
  for (const status of [createStatusLine(pipe.screen, 'xterm'), createStatusLine(dumb.screen, 'dumb')]) {
    status.show('working')
    status.redraw()
    status.hide()
  }
  t.equal(pipe.take() + dumb.take(), '')
})
