/** What one push may bring, how much git may do at once, and how long it waits for a client. */
export type GitLimits = Readonly<{
  /** Bytes of a push's pack, as sent. */
  packBytes: number
  /** Bytes of one object in it, inflated. */
  objectBytes: number
  objects: number
  /** Refs that one push may move. */
  refs: number
  /** git requests served at once: in all, and for one repository. */
  processes: number
  processesPerRepo: number
  /** A client that neither sends nor takes a byte for so many milliseconds has gone. */
  idleMs: number
}>

export const defaultGitLimits: GitLimits = {
  packBytes: 1024 * 1024 * 1024,
  objectBytes: 100 * 1024 * 1024,
  objects: 5_000_000,
  refs: 50_000,
  processes: 32,
  processesPerRepo: 16,
  idleMs: 120_000,
}
