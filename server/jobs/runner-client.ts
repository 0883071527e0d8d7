/** The forge's side of the runner's HTTP API. */
import type { AttemptNumber, JobId } from '../protocol/ids.ts'
import { type AttemptSpec, type JobEvent, jobEvent, runnerPath, salvageMaxBytes } from '../protocol/runner.ts'

/**
 * What a runner answered instead of what was asked.
 * `runner-unreachable`: no answer; try again. `unknown-attempt`: it has forgotten or never had it.
 * `runner-refused`: it will not; the message says why.
 */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: 'runner-unreachable' | 'unknown-attempt' | 'runner-refused'
  constructor(code: RunnerError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const answerMs = 10_000
/** The runner sends a blank line every 15 s. */
const silenceMs = 60_000
const longestLine = 256 * 1024
const patchMs = 120_000

/** An answer without a body (204) has an end all the same. */
const bytesOf = (response: Response): AsyncIterable<Uint8Array> =>
  response.body ?? new ReadableStream<Uint8Array>({ start: (stream) => stream.close() })

type Ask = { method: string; body?: unknown; signal?: AbortSignal }

export const openRunnerClient = ({ url, secret }: { url: string; secret: string }) => {
  const ask = async (path: string, { method, body, signal }: Ask): Promise<Response> => {
    const response = await fetch(url + path, {
      method,
      signal: signal ?? AbortSignal.timeout(answerMs),
      redirect: 'error',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new RunnerError('runner-unreachable', `The runner at ${url} does not answer: ${String(error)}`)
    })
    if (response.ok) return response
    await response.body?.cancel()
    if (response.status === 404)
      throw new RunnerError('unknown-attempt', 'The runner does not know this attempt.')
    if (response.status >= 500)
      throw new RunnerError('runner-unreachable', `The runner answered ${response.status}.`)
    throw new RunnerError('runner-refused', `The runner answered ${response.status}.`)
  }

  const tell = async (path: string, request: Ask): Promise<void> => {
    const response = await ask(path, request)
    await response.body?.cancel()
  }

  return {
    start: (spec: AttemptSpec): Promise<void> =>
      tell(runnerPath.attempt(spec.job, spec.attempt), { method: 'PUT', body: spec }),

    giveToken: (job: JobId, attempt: AttemptNumber, token: string): Promise<void> =>
      tell(runnerPath.token(job, attempt), { method: 'PUT', body: { token } }),

    cancel: (job: JobId, attempt: AttemptNumber): Promise<void> =>
      tell(runnerPath.cancel(job, attempt), { method: 'POST', signal: AbortSignal.timeout(2000) }),

    /** Tells the runner that all of the attempt's events are stored here. */
    acknowledge: (job: JobId, attempt: AttemptNumber): Promise<void> =>
      tell(runnerPath.attempt(job, attempt), { method: 'DELETE' }),

    /** The patch of what a killed agent had written. */
    async salvaged(job: JobId, attempt: AttemptNumber): Promise<Buffer> {
      const response = await ask(runnerPath.salvaged(job, attempt), {
        method: 'GET',
        signal: AbortSignal.timeout(patchMs),
      })
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const chunk of bytesOf(response)) {
        size += chunk.length
        if (size > salvageMaxBytes)
          throw new RunnerError('runner-refused', 'The salvaged patch is too large to keep.')
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },

    /** Events after `after`, as they come, until the runner has no more. Throws RunnerError when it stops in between. */
    async *follow(
      job: JobId,
      attempt: AttemptNumber,
      after: number,
      stop: AbortSignal,
    ): AsyncGenerator<JobEvent> {
      const silence = new AbortController()
      const signal = AbortSignal.any([stop, silence.signal])
      const watch = setTimeout(() => silence.abort(), silenceMs)
      try {
        const response = await ask(runnerPath.events(job, attempt, after), { method: 'GET', signal })
        const decoder = new TextDecoder()
        let text = ''
        for await (const chunk of bytesOf(response)) {
          watch.refresh()
          text += decoder.decode(chunk, { stream: true })
          const lines = text.split('\n')
          text = lines.pop() ?? ''
          for (const line of lines) if (line !== '') yield jobEvent.parse(JSON.parse(line))
          if (text.length > longestLine)
            throw new RunnerError('runner-refused', 'The runner sent an endless line.')
        }
      } catch (error) {
        if (error instanceof RunnerError) throw error
        throw new RunnerError('runner-unreachable', `The runner’s events stopped: ${String(error)}`)
      } finally {
        clearTimeout(watch)
        silence.abort()
      }
    },
  }
}

export type RunnerClient = ReturnType<typeof openRunnerClient>
