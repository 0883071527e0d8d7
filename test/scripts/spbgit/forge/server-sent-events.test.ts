import fc from 'fast-check'
import t from 'tap'
import {
  readEvents,
  type ServerSentEvent,
  serverSentEvents,
  streamStart,
} from '../../../../scripts/spbgit/forge/server-sent-events.ts'

async function* inPieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(from, end)
    from = end
  }
}

const gather = async (
  text: string,
  cuts: readonly number[] = [],
  lastId = '',
): Promise<ServerSentEvent[]> => {
  const events: ServerSentEvent[] = []
  for await (const event of serverSentEvents(inPieces(Buffer.from(text), cuts), lastId)) events.push(event)
  return events
}

const stream = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'data: {"a":1}',
        'data:é字👩',
        'data',
        'event: job',
        'id: 1.7',
        'id',
        ': ping',
        'retry: 9',
        '',
      ),
      fc.string(),
    ),
  )
  .chain((lines) =>
    fc
      .array(fc.constantFrom('\n', '\r', '\r\n'), { minLength: lines.length, maxLength: lines.length })
      .map((ends) => lines.map((line, at) => line + ends[at]).join('')),
  )

t.test('a stream means the same wherever it is cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat()), async (text, cuts) => {
      t.strictSame(await gather(text, cuts), await gather(text))
    }),
  )
})

t.test('a stream means the same when it comes byte by byte', async (t) => {
  const text = '\ufeffevent: job\r\nid: 1.1\r\ndata: é字\r\ndata:  two\r\n\r\n: ping\n\ndata: next\n\n'
  const bytes = Array.from({ length: Buffer.byteLength(text) }, (_, at) => at)
  const expected = [
    { event: 'job', id: '1.1', data: 'é字\n two' },
    { event: 'message', id: '1.1', data: 'next' },
  ]
  t.strictSame(await gather(text), expected)
  t.strictSame(await gather(text, bytes), expected)
  for (const cut of bytes) t.strictSame(await gather(text, [cut]), expected)
})

t.test('an id stays until another comes; one with a NUL is none', async (t) => {
  const events = await gather('id: 2\ndata\n\ndata: b\n\nid: 3\0\ndata: c\n\nid\ndata: d\n\n', [], '1')
  t.strictSame(
    events.map(({ id, data }) => [id, data]),
    [
      ['2', ''],
      ['2', 'b'],
      ['2', 'c'],
      ['', 'd'],
    ],
  )
})

t.test('what the end of the stream cuts off is no event', async (t) => {
  t.strictSame(await gather('data: whole\n\ndata: cut\n'), [{ event: 'message', id: '', data: 'whole' }])
})

t.test('an event that never ends is refused before it fills the memory', async (t) => {
  const line = `data: ${'x'.repeat(65_000)}\n`
  t.throws(
    () => {
      let { state } = readEvents(streamStart(''), '')
      for (let sent = 0; sent < 100; sent += 1) state = readEvents(state, line).state
    },
    { code: 'answer-too-large' },
  )
  t.throws(() => readEvents(streamStart(''), 'x'.repeat(2 ** 20 + 1)), { code: 'answer-too-large' })
})
