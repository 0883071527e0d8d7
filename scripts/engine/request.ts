import http from 'node:http'
import type { Readable } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { SetUpError } from '../set-up-error.ts'
import type { EngineAddress } from './address.ts'

const refusal = z.object({ message: z.string() })

type EngineRequest = {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  /** A tar archive. */
  body?: Readable
  signal: AbortSignal
}

/**
 * One request to the engine's API, in the version the engine likes best. Resolves with the answer's head;
 * the caller reads the body to its end.
 */
export const requestEngine = async (
  address: EngineAddress,
  { method, path, query = {}, body, signal }: EngineRequest,
): Promise<http.IncomingMessage> => {
  const target =
    address.kind === 'socket' ? { socketPath: address.path } : { host: address.host, port: address.port }
  const request = http.request({
    ...target,
    method,
    path: `${path}?${new URLSearchParams(query).toString()}`,
    headers: body === undefined ? {} : { 'content-type': 'application/x-tar' },
    signal,
    agent: false,
  })
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
  })
  if (body === undefined) request.end()
  // An engine that refuses answers before it has read everything: its answer says why, the broken pipe does not.
  else
    pipeline(body, request).catch((error: unknown) =>
      request.destroy(error instanceof Error ? error : undefined),
    )
  return await answered
}

/** A JSON answer, parsed; null for 404; any other answer is an error. */
export const readEngine = async <T extends z.ZodType>(
  address: EngineAddress,
  shape: T,
  request: EngineRequest,
): Promise<z.infer<T> | null> => {
  const response = await requestEngine(address, request)
  if (response.statusCode === 404) {
    response.resume()
    return null
  }
  await expectSuccess(response, request.path)
  return shape.parse(await json(response))
}

/** Throws what the engine said unless it answered with success. */
export const expectSuccess = async (response: http.IncomingMessage, path: string): Promise<void> => {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return
  const reason = messageIn(await text(response))
  throw new SetUpError('engine-request-failed', `The engine answered ${status} to ${path}: ${reason}`)
}

const messageIn = (body: string): string => {
  try {
    return refusal.parse(JSON.parse(body)).message
  } catch {
    return body.slice(0, 2000)
  }
}
