import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'

/** An empty folder that goes away with the test. */
export const tempFolder = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-workspace-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
