/** A question to `/api/v1` and its answer, parsed. */
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { apiError } from '../../../server/protocol/api.ts'
import { Failure } from '../failure.ts'
import type { Forge } from './address.ts'
import { type Question, readBody, send } from './send.ts'

const maxAnswerBytes = 16 * 1024 * 1024

/** The error of an answer that is not 2xx, in the forge's own words where it has some. */
const refusal = (forge: Forge, status: number, body: string): Failure => {
  if (status === 401) {
    return new Failure(
      'not-signed-in',
      `The forge does not accept your token. Run: spbgit login ${forge.url}`,
    )
  }
  if (status >= 300 && status < 400) {
    return new Failure('unexpected-answer', `${forge.url} is somewhere else now. Sign in at its new address.`)
  }
  const code = status >= 500 || status === 429 ? 'forge-failed' : 'refused'
  const known = apiError.safeParse(parseJson(body))
  if (!known.success) {
    return new Failure(code, `${forge.url} answered ${status}. Check that this is the address of a forge.`)
  }
  const { message, issues = [] } = known.data.error
  return new Failure(
    code,
    [message, ...issues.map((issue) => `${issue.path}: ${issue.message}`)].join('\n  '),
  )
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads JSON that must have this shape. */
export const parseAnswer = <T>(schema: z.ZodType<T>, forge: Forge, text: string): T => {
  const parsed = schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new Failure(
    'unexpected-answer',
    `${forge.url} answered in a shape that this spbgit does not know. Use one of the forge’s version.`,
    { cause: parsed.error },
  )
}

/** Sends with the token; an answer that is not 2xx is a Failure. */
export const open = async (
  forge: Forge,
  question: {
    method: Question['method']
    path: string
    accept: string
    headers?: Record<string, string>
  },
  json?: unknown,
  signal?: AbortSignal,
): Promise<IncomingMessage> => {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json))
  const response = await send(forge, {
    method: question.method,
    path: question.path,
    headers: {
      authorization: `Bearer ${forge.token}`,
      accept: question.accept,
      ...question.headers,
      ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
    },
    ...(body && { body }),
    ...(signal && { signal }),
  })
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return response
  throw refusal(forge, status, (await readBody(forge, response, maxAnswerBytes)).toString())
}

/** One question, one parsed answer. */
export const ask = async <T>(
  forge: Forge,
  schema: z.ZodType<T>,
  method: 'GET' | 'POST',
  path: string,
  json?: unknown,
): Promise<T> => {
  const response = await open(forge, { method, path, accept: 'application/json' }, json)
  return parseAnswer(schema, forge, (await readBody(forge, response, maxAnswerBytes)).toString())
}

/** A request whose answer holds nothing. */
export const tell = async (forge: Forge, method: Question['method'], path: string): Promise<void> => {
  const response = await open(forge, { method, path, accept: 'application/json' })
  await readBody(forge, response, maxAnswerBytes)
}
