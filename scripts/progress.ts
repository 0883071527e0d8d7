import process from 'node:process'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const quietMs = 1000
const heartbeatMs = 20_000

/** Tells what a step is doing at the moment, in a few words. */
export type Say = (detail: string) => void

/**
 * Does `work` and shows that it goes on: on a terminal one line with the seconds that passed, elsewhere
 * plain lines, none for what takes less than a second but the last. A failure is shown and passed on.
 */
export const step = async <T>(title: string, work: (say: Say) => Promise<T>): Promise<T> => {
  const startedAt = performance.now()
  const show = process.stdout.isTTY ? showOnTerminal(title, startedAt) : showAsLines(title, startedAt)
  try {
    const result = await work(show.say)
    show.end('✓')
    return result
  } catch (error) {
    show.end('✗')
    throw error
  }
}

const secondsSince = (startedAt: number): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`

const showOnTerminal = (title: string, startedAt: number) => {
  let detail = ''
  let frame = 0
  const draw = () => {
    const line = `${frames[frame++ % frames.length]} ${title}  ${secondsSince(startedAt)}  ${detail}`
    process.stdout.write(`\r\x1b[2K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`)
  }
  draw()
  const timer = setInterval(draw, 100)
  return {
    say: (text: string) => {
      detail = text
    },
    end: (mark: string) => {
      clearInterval(timer)
      process.stdout.write(`\r\x1b[2K${mark} ${title} (${secondsSince(startedAt)})\n`)
    },
  }
}

const showAsLines = (title: string, startedAt: number) => {
  let detail = ''
  const announce = setTimeout(() => console.log(`… ${title}`), quietMs)
  const heartbeat = setInterval(
    () => console.log(`… ${title}  ${secondsSince(startedAt)}  ${detail}`.trimEnd()),
    heartbeatMs,
  )
  return {
    say: (text: string) => {
      detail = text
    },
    end: (mark: string) => {
      clearTimeout(announce)
      clearInterval(heartbeat)
      console.log(`${mark} ${title} (${secondsSince(startedAt)})`)
    },
  }
}
