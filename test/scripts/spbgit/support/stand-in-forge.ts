/** An HTTPS server that answers in the forge's shapes what a test tells it to: for faults that a sound forge never shows. */
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { makeCertificate } from '../../../support/certificate.ts'

export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type Answer = (response: ServerResponse, asked: Asked) => void

/** Answers with JSON and this status. */
export const json =
  (value: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }

export const refuse = (status: number, code: string, message: string): Answer =>
  json({ error: { code, message } }, status)

/** Each of the answers in turn, the last one for ever. */
export const inTurn = (...answers: Answer[]): Answer => {
  let at = 0
  return (response, asked) => {
    answers[Math.min(at, answers.length - 1)]?.(response, asked)
    at += 1
  }
}

const me = { tokenId: '01hzy3k9q2w4e6r8t0m5n7p9xz', label: 'laptop', person: 'owner' }
const known: Record<string, Answer> = { 'GET /api/v1/me': json(me) }

/** `answers` by `METHOD /path` (without the query); what is not in it is 404. It ends with the test. */
export const startForge = async (t: Test, answers: Record<string, Answer> = {}) => {
  const { key, cert, certFile } = makeCertificate(t, ['localhost'])
  const asked: Asked[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const one = { method, path: url, headers, body: await text(request) }
    asked.push(one)
    const found = { ...known, ...answers }[`${method} ${url.split('?')[0]}`]
    ;(found ?? refuse(404, 'not-found', 'There is no such thing.'))(response, one)
  }
  const server = https.createServer({ key, cert }, (request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://localhost:${port}`, asked, cert, certFile, server }
}
export type StandIn = Awaited<ReturnType<typeof startForge>>
