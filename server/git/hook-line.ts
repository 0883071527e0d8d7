/** The server's end of the hook line: what a hook says over fd 3, and the answer over fd 4. */
import type { Readable, Writable } from 'node:stream'
import type { RefUpdate } from '../../hooks/decide-push.ts'
import { commitId, type TokenId, tokenId } from '../protocol/ids.ts'
import { type RefName, refName } from '../protocol/refs.ts'
import { roomIn } from './room-in.ts'

/** What a hook asks: who pushes, where new objects wait, and what shall move or has moved. */
export type HookCall = Readonly<{
  hook: 'pre-receive' | 'post-receive'
  token: TokenId
  /** The quarantine folder; null when the push brings no objects, and after the push. */
  quarantine: string | null
  /** Push options; the hook before the refs move alone tells them. */
  options: readonly string[]
  updates: readonly RefUpdate[]
  /** The updates as git told them to the hook, for hooks behind it. */
  input: string
}>

export type HookAnswer = Readonly<{ say: readonly string[]; ok: boolean }>

/** Room for a mirror push with very many refs; more is refused. */
const maxLength = 32 * 1024 * 1024

const objectOrNone = (text: string) => (/^(?:0{40}|0{64})$/.test(text) ? null : commitId.parse(text))

/** A name that git would not take, which is the pusher's doing and no fault. The message is for the pusher. */
class BadRefName extends Error {}

/** git asks its hooks about names that it will not take afterwards. */
const parseRef = (text: string): RefName => {
  const ref = refName.safeParse(text)
  if (ref.success) return ref.data
  throw new BadRefName('the push names a ref as git-check-ref-format(1) allows none.')
}

const parseUpdate = (line: string): RefUpdate => {
  const [old = '', fresh = '', ...rest] = line.split(' ')
  return { ref: parseRef(rest.join(' ')), old: objectOrNone(old), new: objectOrNone(fresh) }
}

const optionMark = 'option '

/** Parses one call, the lines up to its blank line. Throws on anything that is not exactly the protocol. */
export const parseHookCall = (lines: readonly string[]): HookCall => {
  const [, hook, token] = /^(pre-receive|post-receive) (\S+)$/.exec(lines[0] ?? '') ?? []
  if (hook !== 'pre-receive' && hook !== 'post-receive') throw new Error('not a hook call')
  const [, quarantine] = /^quarantine (.*)$/.exec(lines[1] ?? '') ?? []
  if (quarantine === undefined) throw new Error('a hook call without its quarantine line')
  // An update begins with an object id, so none can be taken for an option.
  const options = lines.slice(2).filter((line) => line.startsWith(optionMark))
  const moves = lines.slice(2 + options.length)
  return {
    hook,
    token: tokenId.parse(token),
    quarantine: quarantine === '' ? null : quarantine,
    options: options.map((line) => line.slice(optionMark.length)),
    updates: moves.map(parseUpdate),
    input: moves.map((line) => `${line}\n`).join(''),
  }
}

/** Only a hook's own lines go to the pusher's terminal as lines; a newline inside would forge an answer. */
const sayLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => `say ${line}\n`)
    .join('')

const writeAnswer = (to: Writable, { say, ok }: HookAnswer): void => {
  to.write(`${say.map(sayLines).join('')}${ok ? 'ok' : 'no'}\n`)
}

/** Says something before the answer; resolves when there is room for more, or nobody reads any more. */
const sayTo = async (to: Writable, text: string): Promise<void> => {
  if (!to.destroyed && !to.write(sayLines(text))) await roomIn(to)
}

/** What the pusher reads when the forge itself fails, before the refs move or after. */
const failureAt: Readonly<Record<HookCall['hook'], HookAnswer>> = {
  'pre-receive': { say: ['the forge could not decide on this push. Nothing was changed.'], ok: false },
  'post-receive': { say: ['the refs have moved, but the forge could not write it down yet.'], ok: false },
}

const answerTo = (failure: unknown, hook: HookCall['hook']): HookAnswer =>
  failure instanceof BadRefName ? { say: [`refused: ${failure.message}`], ok: false } : failureAt[hook]

/** Two names that are no UTF-8 would be read as the same one. */
const openDecoder = () => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (bytes: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: true })
    } catch {
      throw new BadRefName('the push names a ref that is not UTF-8.')
    }
  }
}

/**
 * Answers every hook of one git child until its line closes. Whatever is malformed, too long, or makes `answer`
 * throw is refused, and closes the line: what comes after it is read and dropped. Rejects at the end with what it was,
 * unless it was a name that no ref can have.
 */
export const answerHooks = async (
  from: Readable,
  to: Writable,
  answer: (call: HookCall, say: (text: string) => Promise<void>) => Promise<HookAnswer>,
): Promise<void> => {
  let text = ''
  let afterNewline = false
  let failure: unknown = null
  let hook: HookCall['hook'] = 'pre-receive'
  const decode = openDecoder()
  for await (const bytes of from as AsyncIterable<Buffer>) {
    if (failure !== null) continue
    try {
      const chunk = decode(bytes)
      text += chunk
      // Only the new chunk is searched, so that a call of many chunks is not searched once for each.
      const isWhole = chunk.includes('\n\n') || (afterNewline && chunk.startsWith('\n'))
      afterNewline = chunk.endsWith('\n')
      for (let end = isWhole ? text.indexOf('\n\n') : -1; end >= 0; end = text.indexOf('\n\n')) {
        const call = parseHookCall(text.slice(0, end).split('\n'))
        text = text.slice(end + 2)
        hook = call.hook
        writeAnswer(to, await answer(call, (text) => sayTo(to, text)))
      }
      if (text.length > maxLength) throw new Error('a hook call without an end')
    } catch (error) {
      failure = error
      text = ''
      writeAnswer(to, answerTo(error, hook))
      to.end()
    }
  }
  to.end()
  if (failure !== null && !(failure instanceof BadRefName)) throw failure
}
