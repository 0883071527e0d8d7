/** What one push may bring, and how much git may do at once. */
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
}>
