import process from 'node:process'
import { installPackages } from './debian.ts'
import { findProgram, lookAtMachine } from './machine.ts'
import { SetUpError } from './set-up-error.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Path of a Chromium for the tests of the pages: `AGENT_WORKSPACE_CHROMIUM`, else one that is installed,
 * else Debian's, installed for root. Throws a SetUpError that says how to get one.
 */
export const prepareBrowser = async (signal: AbortSignal): Promise<string> => {
  const installed = process.env['AGENT_WORKSPACE_CHROMIUM'] ?? findBrowser()
  if (installed !== null) return installed
  const { root, distribution } = lookAtMachine()
  if (root && distribution === 'debian') {
    await installPackages(['chromium'], 'a browser for the tests of the pages', signal)
    const fresh = findBrowser()
    if (fresh !== null) return fresh
  }
  throw new SetUpError(
    'browser-missing',
    'No Chromium is installed. Install one with this system’s packages, or name one with AGENT_WORKSPACE_CHROMIUM.',
  )
}

const findBrowser = (): string | null => {
  for (const name of [...names, ...applications]) {
    const found = findProgram(name)
    if (found !== null) return found
  }
  return null
}
