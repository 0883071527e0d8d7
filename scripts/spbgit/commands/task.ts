/** The task of a job, as it is given on the command line. */
import { taskMaxBytes } from '../../../server/protocol/api.ts'
import { Failure } from '../failure.ts'
import { readStandardInput } from '../terminal/standard-input.ts'

/** The argument itself; `-` reads standard input. */
export const taskFrom = async (argument: string): Promise<string> => {
  const task = argument === '-' ? await readStandardInput(taskMaxBytes) : argument
  if (task.trim() === '') throw new Failure('usage', 'The task is empty. Say what the agent shall do.')
  if (Buffer.byteLength(task) > taskMaxBytes) {
    throw new Failure('usage', `The task is longer than ${taskMaxBytes / 1024} KiB. Say it shorter.`)
  }
  return task
}
