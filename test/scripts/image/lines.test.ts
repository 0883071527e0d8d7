import { Readable } from 'node:stream'
import t from 'tap'
import { readProgress } from '../../../scripts/image/lines.ts'

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = []
  for await (const line of lines) collected.push(line)
  return collected
}

t.test('the words come out, across chunks, and what has none is left out', async (t) => {
  const body = Readable.from([
    '{"stream":"Step 1/2',
    ' : FROM a\\n"}\n\n{"aux":{"ID":"x"}}\n',
    '{"status":"done"}',
  ])
  t.same(await collect(readProgress(body)), ['Step 1/2 : FROM a', 'done'])
})

t.test('a failure in the middle is thrown, although the answer began well', async (t) => {
  const body = Readable.from(['{"stream":"Step 1/2"}\n{"error":"the command failed"}\n'])
  await t.rejects(collect(readProgress(body)), { message: 'the command failed' })
})
