import process from 'node:process'
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { need } from './need.ts'

const path = process.env['AGENT_WORKSPACE_CHROMIUM'] ?? ''

/** For `t.test(name, needsChromium, …)`. */
export const needsChromium = need(path !== '', 'no Chromium')

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real browser that asks nothing of the outside world. It ends with the test. */
export const launchChromium = async (t: Test): Promise<Browser> => {
  if (path === '') throw new Error('AGENT_WORKSPACE_CHROMIUM is not set; npm test sets it')
  const browser = await chromium.launch({ executablePath: path, args: flags })
  t.teardown(() => browser.close())
  return browser
}
