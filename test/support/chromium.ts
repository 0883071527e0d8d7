import process from 'node:process'
import { need } from './need.ts'

const path = process.env['AGENT_WORKSPACE_CHROMIUM'] ?? ''

/** For `t.test(name, needsChromium, …)`. */
export const needsChromium = need(path !== '', 'no Chromium')

/** The browser's program, for playwright-core's `executablePath`. Only for tests that need it. */
export function chromiumPath(): string {
  if (path === '') throw new Error('AGENT_WORKSPACE_CHROMIUM is not set; npm test sets it')
  return path
}
