/** What `spbgit` asks a person. Only where both ends of the conversation are a terminal. */
import { confirm, isCancel, password } from '@clack/prompts'
import { Failure } from '../failure.ts'

/** Questions go to stderr, like every other message. */
const output = process.stderr

export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY

const declined = () => new Failure('declined', 'Nothing was changed.')

/** Goes on if the answer is yes. No, Escape and Ctrl-C are a Failure; Enter alone is no. */
export const askToGoOn = async (message: string): Promise<void> => {
  const answer = await confirm({ message, initialValue: false, output })
  if (isCancel(answer) || !answer) throw declined()
}

/** A secret, which is not shown while it is typed. */
export const askSecret = async (message: string): Promise<string> => {
  const answer = await password({ message, output })
  if (isCancel(answer)) throw declined()
  return answer
}
