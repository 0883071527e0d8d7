import process from 'node:process'

/** The person asked to stop. Not a failure: everything is undone as at a normal end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/**
 * A signal that aborts with `Interrupted` at Ctrl-C, at a termination or when the terminal goes away.
 * From then on the process ends when its clean-up has; asking again does not cut that short.
 */
export const interruption = (): AbortSignal => {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new Interrupted('interrupted'))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  return controller.signal
}
