/** Files that a person names on the command line. */
import fs from 'node:fs/promises'
import { Failure } from './failure.ts'

/** The text of the file that was given with this option. */
export const readGivenFile = (file: string, option: string): Promise<string> =>
  fs.readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure('usage', `The file ${file} given with ${option} cannot be read.`, { cause: error })
  })
