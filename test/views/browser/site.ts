/** Pages on a server of their own, under the forge's Content-Security-Policy, seen with a real browser. */
import { once } from 'node:events'
import fs from 'node:fs/promises'
import http from 'node:http'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { assets } from '../../../views/assets.ts'
import { launchChromium } from '../../support/chromium.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

type Posted = { path: string; fields: URLSearchParams }

export type Site = {
  readonly origin: string
  /** Opens the path. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>
  /** Resolves with the fields of the next form that is posted. */
  posted(): Promise<Posted>
  /** How many forms were posted so far. */
  posts(): number
  /** What the browser complained about: errors, and every breach of the policy. */
  readonly complaints: string[]
}

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** Serves what `answer` does not take: assets, and whatever is posted, which leaves the page as it is. */
export const openSite = async (
  t: Test,
  answer: (path: string) => string | Answer | undefined,
): Promise<Site> => {
  const complaints: string[] = []
  let posts = 0
  const handle = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('content-security-policy', policy)
    if (request.method === 'POST') {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      posts += 1
      response.writeHead(204).end()
      server.emit('posted', { path: pathname, fields: new URLSearchParams(body) })
      return
    }
    const asset = assets.get(pathname.replace('/assets/', ''))
    if (asset) {
      response.setHeader('content-type', asset.type).end(await fs.readFile(asset.file))
      return
    }
    const answered = answer(pathname)
    if (typeof answered === 'function') answered(request, response)
    else if (answered === undefined) response.writeHead(404).end()
    else response.setHeader('content-type', 'text/html; charset=utf-8').end(answered)
  }
  const server = http.createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const origin = `http://127.0.0.1:${address.port}`

  const browser = await launchChromium(t)

  return {
    origin,
    complaints,
    posts: () => posts,
    posted: async () => {
      const [form] = (await once(server, 'posted')) as [Posted]
      return form
    },
    visit: async (path, options = {}) => {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
          complaints.push(`${page.url()}: ${message.text()}`)
      })
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${String(error)}`))
      await page.goto(`${origin}${path}`)
      return page
    },
  }
}
