import process from 'node:process'

/**
 * For `t.test(name, need(…), …)`: skips the test, with the reason, where this machine lacks what it needs.
 * In CI nothing is skipped: there it throws.
 */
export function need(met: boolean, lacking: string): { skip?: string } {
  if (met) return {}
  if (process.env['CI'] === 'true') throw new Error(`${lacking}, and CI=true forbids to skip`)
  return { skip: `${lacking}; npm test -- <file> prepares it` }
}
