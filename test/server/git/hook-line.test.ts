import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import t from 'tap'
import { answerHooks, type HookAnswer, type HookCall, parseHookCall } from '../../../server/git/hook-line.ts'

const token = '01jdz3k8m2n4p6q8r0s2t4v6w8'
const zero = '0'.repeat(40)
const a = 'a'.repeat(40)
const b = 'b'.repeat(40)
const head = (hook: string, quarantine = ''): string[] => [`${hook} ${token}`, `quarantine ${quarantine}`]

/** What a hook reads when it writes these chunks, and the calls that were seen. */
const converse = async (
  chunks: readonly (string | Buffer)[],
  answer: (call: HookCall) => Promise<HookAnswer>,
) => {
  const from = new PassThrough()
  const to = new PassThrough()
  const calls: HookCall[] = []
  const done = answerHooks(from, to, (call) => {
    calls.push(call)
    return answer(call)
  }).then(
    () => null,
    (error: unknown) => error,
  )
  const read = text(to)
  for (const chunk of chunks) from.write(chunk)
  from.end()
  return { fault: await done, answers: await read, calls }
}

const accept = async (): Promise<HookAnswer> => ({ say: [], ok: true })

t.test('a call names its hook, its token, its quarantine and what shall move', async (t) => {
  t.same(
    parseHookCall([
      ...head('pre-receive', '/r/objects/in coming'),
      'option ci.skip',
      'option ',
      `${zero} ${a} refs/heads/main`,
      `${a} ${zero} refs/heads/é`,
    ]),
    {
      hook: 'pre-receive',
      token,
      quarantine: '/r/objects/in coming',
      options: ['ci.skip', ''],
      input: `${zero} ${a} refs/heads/main\n${a} ${zero} refs/heads/é\n`,
      updates: [
        { ref: 'refs/heads/main', old: null, new: a },
        { ref: 'refs/heads/é', old: a, new: null },
      ],
    },
  )
  t.match(parseHookCall(head('post-receive')), { hook: 'post-receive', quarantine: null, updates: [] })
})

t.test('whatever is not exactly a call is no call', async (t) => {
  const [first = '', second = ''] = head('pre-receive')
  for (const lines of [
    [],
    [''],
    [first],
    ['update', second],
    [`${first} x`, second],
    ['pre-receive ', second],
    ['pre-receive not-a-token', second],
    [first, 'quarantine'],
    [first, second, `${zero} ${a}`],
    [first, second, `${zero} ${a} main`],
    [first, second, `${zero}  ${a} refs/heads/main`],
    [first, second, `0 ${a} refs/heads/main`],
    [first, second, `${zero} ${a} refs/heads/a b`],
    [first, second, `${zero} ${a.toUpperCase()} refs/heads/main`],
    [first, second, `${zero} ${a} refs/heads/main`, ''],
    [first, second, `${zero} ${a} refs/heads/main`, 'option late'],
    [first, 'option early', second],
    [first, second, 'option a', `${zero} ${a} refs/heads/main`, 'option b'],
  ])
    t.throws(() => parseHookCall(lines), JSON.stringify(lines))
})

/** A call as a hook writes it. */
const render = ({ hook, token, quarantine, options, updates }: HookCall): string =>
  [
    `${hook} ${token}`,
    `quarantine ${quarantine ?? ''}`,
    ...options.map((option) => `option ${option}`),
    ...updates.map((update) => `${update.old ?? zero} ${update.new ?? zero} ${update.ref}`),
  ].join('\n')

t.test('nothing that is read as a call means anything but what it says', async (t) => {
  const commit = fc.stringMatching(/^[1-9a-f][0-9a-f]{39}$/)
  const ref = fc.string({ unit: 'grapheme', minLength: 1 }).map((name) => `refs/heads/${name}`)
  const calls = fc
    .record({
      first: fc.constantFrom('pre-receive', 'post-receive').map((hook) => `${hook} ${token}`),
      quarantine: fc.constantFrom('', '/r/objects/tmp_objdir-incoming-x').map((at) => `quarantine ${at}`),
      options: fc.array(
        fc.stringMatching(/^[ -~]*$/).map((option) => `option ${option}`),
        { maxLength: 2 },
      ),
      updates: fc.array(
        fc
          .tuple(fc.option(commit), fc.option(commit), ref)
          .map((parts) => parts.map((part) => part ?? zero).join(' ')),
        { maxLength: 3 },
      ),
    })
    .map(({ first, quarantine, options, updates }) => [first, quarantine, ...options, ...updates].join('\n'))
  const read = (text: string): string | null => {
    try {
      return render(parseHookCall(text.split('\n')))
    } catch {
      return null
    }
  }
  let understood = 0
  fc.assert(
    fc.property(calls, fc.nat(), fc.string({ maxLength: 2 }), (call, at, change) => {
      if (read(call) === call) understood += 1
      const place = at % (call.length + 1)
      const changed = call.slice(0, place) + change + call.slice(place + 1)
      return [call, changed].every((text) => [text, null].includes(read(text)))
    }),
    { numRuns: 500 },
  )
  t.ok(understood > 50, 'most of them are calls')
})

t.test('a call is understood whatever chunks it comes in', async () => {
  const calls = [
    [...head('pre-receive', '/q'), `${zero} ${a} refs/heads/main`, `${a} ${b} refs/heads/ünï`],
    [...head('post-receive'), `${zero} ${a} refs/heads/main`],
  ]
  const bytes = Buffer.from(calls.map((lines) => `${lines.join('\n')}\n\n`).join(''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }), async (cuts) => {
      const at = [0, ...cuts.sort((x, y) => x - y), bytes.length]
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      const { answers, calls: seen, fault } = await converse(chunks, accept)
      if (answers !== 'ok\nok\n' || fault !== null) throw new Error(`${answers} ${String(fault)}`)
      if (JSON.stringify(seen) !== JSON.stringify(calls.map(parseHookCall))) throw new Error('read otherwise')
    }),
  )
})

const call = `${head('pre-receive').join('\n')}\n${zero} ${a} refs/heads/main\n\n`

t.test('the answer’s own lines cannot be mistaken for the answer', async (t) => {
  const { answers } = await converse([call], async () => ({ say: ['first\nok\nsecond', ''], ok: false }))
  t.equal(answers, 'say first\nsay ok\nsay second\nsay \nno\n')
})

t.test('a malformed call is refused once, and nothing is taken after it', async (t) => {
  const { answers, calls, fault } = await converse(['pre-receive nobody\n\n', call, call], accept)
  t.match(answers, /^say .*Nothing was changed\.\nno\n$/)
  t.same(calls, [])
  t.ok(fault)
})

t.test('what cannot be decided is refused once, and the fault is told', async (t) => {
  const { answers, calls, fault } = await converse([call + call], async () => {
    throw new Error('the disk is full')
  })
  t.match(answers, /^say .*Nothing was changed\.\nno\n$/)
  t.equal(calls.length, 1)
  t.match(fault, { message: 'the disk is full' })
})

t.test('when the refs have moved, nobody is told that nothing was changed', async (t) => {
  const { answers } = await converse(
    [`${head('post-receive').join('\n')}\n${zero} ${a} refs/heads/main\n\n`],
    async () => {
      throw new Error('the disk is full')
    },
  )
  t.match(answers, /^say the refs have moved.*\nno\n$/)
})

t.test('a call without an end is refused, and what follows is read and dropped', async (t) => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x')
  const { answers, calls } = await converse(
    Array.from({ length: 40 }, () => megabyte),
    accept,
  )
  t.match(answers, /^say .*\nno\n$/)
  t.same(calls, [])
})

t.test('a call with very many refs is understood', async (t) => {
  const lines = Array.from({ length: 200_000 }, (_, n) => `${zero} ${a} refs/heads/topic-${n}\n`)
  const whole = Buffer.from(`${head('pre-receive').join('\n')}\n${lines.join('')}\n`)
  const chunks = Array.from({ length: Math.ceil(whole.length / 4096) }, (_, n) =>
    whole.subarray(n * 4096, (n + 1) * 4096),
  )
  const { answers, calls } = await converse(chunks, accept)
  t.equal(answers, 'ok\n')
  t.equal(calls[0]?.updates.length, 200_000)
})

t.test('a line that closes in the middle of a call asks for nothing', async (t) => {
  const { answers, calls } = await converse([call.slice(0, -1)], accept)
  t.equal(answers, '')
  t.same(calls, [])
})

t.test('what is said before the answer stands before it, a line for each line', async (t) => {
  const from = new PassThrough()
  const to = new PassThrough()
  const done = answerHooks(from, to, async (_call, say) => {
    await say('first')
    await say('two\nok')
    return { say: ['last'], ok: true }
  })
  from.end(`${[...head('pre-receive'), `${zero} ${a} refs/heads/main`].join('\n')}\n\n`)
  t.equal(await text(to), 'say first\nsay two\nsay ok\nsay last\nok\n')
  await done
})

t.test('a hook that reads nothing holds back what is said, and its end lets go', async (t) => {
  const from = new PassThrough()
  const to = new PassThrough({ highWaterMark: 1024 })
  let said = 0
  const done = answerHooks(from, to, async (_call, say) => {
    for (; said < 1000; said += 1) await say('x'.repeat(100))
    return { say: [], ok: true }
  })
  from.end(`${[...head('pre-receive'), `${zero} ${a} refs/heads/main`].join('\n')}\n\n`)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  t.ok(said < 100, `${said} lines`)
  to.destroy()
  await done
  t.equal(said, 1000)
})
