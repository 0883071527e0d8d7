/** A context of a real Koa application, for a request that was never sent. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import Koa from 'koa'
import type { Context } from '../../../server/http/context.ts'

export type Given = Readonly<{
  url?: string
  method?: string
  headers?: Record<string, string>
  params?: Record<string, string>
  body?: unknown
}>

export const contextOf = ({ url = '/', method = 'GET', headers = {}, params = {}, body }: Given): Context => {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { url, method, headers: { host: 'forge.example.org', ...headers } })
  const context = new Koa().createContext(request, new ServerResponse(request))
  context['params'] = params
  context.request.body = body
  return context
}
