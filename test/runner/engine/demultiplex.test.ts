import fc from 'fast-check'
import t from 'tap'
import { demultiplex, type Output } from '../../../runner/engine/demultiplex.ts'

const frame = ({ stream, bytes }: Output): Buffer => {
  const header = Buffer.alloc(8)
  header[0] = stream === 'out' ? 1 : 2
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

async function* inPieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

const joined = async (source: AsyncIterable<Output>): Promise<Record<Output['stream'], string>> => {
  const texts = { out: '', err: '' }
  for await (const { stream, bytes } of source) texts[stream] += bytes.toString('latin1')
  return texts
}

const outputs = fc.array(
  fc.record({
    stream: fc.constantFrom('out' as const, 'err' as const),
    bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  }),
)

t.test('what was framed comes out, wherever the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(outputs, fc.array(fc.nat()), async (list, cuts) => {
      const expected = { out: '', err: '' }
      for (const { stream, bytes } of list) expected[stream] += bytes.toString('latin1')
      const actual = await joined(demultiplex(inPieces(Buffer.concat(list.map(frame)), cuts)))
      return actual.out === expected.out && actual.err === expected.err
    }),
  )
})

t.test('whatever the bytes are, it ends or throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.array(fc.nat()), async (bytes, cuts) => {
      await joined(demultiplex(inPieces(Buffer.from(bytes), cuts))).catch((error: unknown) => {
        if (!(error instanceof Error) || !error.message.startsWith('The output of the engine')) throw error
      })
    }),
  )
})

t.test('a stream that ends within a header or a frame is an error', async (t) => {
  const whole = frame({ stream: 'out', bytes: Buffer.from('hello') })
  for (let length = 1; length < whole.length; length += 1)
    await t.rejects(joined(demultiplex(inPieces(whole.subarray(0, length), []))))
})

t.test('a frame of 4 GB is passed on as it comes, and the source is read no faster', async (t) => {
  const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
  let given = 0
  const endless = async function* (): AsyncGenerator<Buffer> {
    yield header
    for (;;) {
      given += 1
      yield Buffer.alloc(1024)
    }
  }
  let taken = 0
  for await (const { bytes } of demultiplex(endless())) {
    t.equal(bytes.length, 1024)
    taken += 1
    t.equal(given, taken)
    if (taken === 20) break
  }
})
