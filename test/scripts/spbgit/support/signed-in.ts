import path from 'node:path'
import type { Test } from 'tap'
import { type RunningForge, startForge } from '../../../support/forge.ts'
import { makeHome, run } from './spbgit.ts'

/** A real forge, and `spbgit` in a home that is signed in to it. */
export const signIn = async (t: Test, env: Record<string, string> = {}) => {
  const forge = await startForge(t, env)
  const home = await makeHome(t)
  const spbgit = (...args: string[]) => run(t, home, args)
  const login = await logIn(forge, spbgit)
  return { forge, home, login, spbgit }
}

const logIn = async (forge: RunningForge, spbgit: (...args: string[]) => ReturnType<typeof run>) => {
  const tokenFile = path.join(forge.dataDir, 'owner-token')
  const ran = await spbgit('login', forge.url, '--ca', forge.caFile, '--token-file', tokenFile)
  if (ran.code !== 0) throw new Error(ran.stderr)
  return ran
}
