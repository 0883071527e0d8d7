import process from 'node:process'
import { need } from './need.ts'

/** For `t.test(name, needsEngine, …)`. */
export const needsEngine = need(process.env['AGENT_WORKSPACE_ENGINE'] === '1', 'no container engine')

/** Id of the sandbox image, `sha256:…`. Only for tests that need the engine. */
export function sandboxImage(): string {
  const image = process.env['AGENT_WORKSPACE_SANDBOX_IMAGE']
  if (!image) throw new Error('AGENT_WORKSPACE_SANDBOX_IMAGE is not set; npm test sets it')
  return image
}
