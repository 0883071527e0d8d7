/**
 * The owner's own programs beside the forge's decision on a push: `pre-receive.d` and `post-receive.d` of the data
 * folder, then of the repository.
 */
import path from 'node:path'
import type { Pusher } from '../../hooks/decide-push.ts'
import { gitEnvironment } from '../git/environment.ts'
import type { Hearing } from '../git/host.ts'
import type { Quarantine } from '../git/inspect-push.ts'
import type { PushInProgress } from '../git/push.ts'
import { findPrograms, type Program } from './find-programs.ts'
import { runProgram } from './run-program.ts'

type Parts = Readonly<{ dataDir: string; limitMs: number }>

export type Occasion = Hearing &
  Readonly<{ push: PushInProgress; options: readonly string[]; quarantine: Quarantine | null }>

const whoPushes = (pusher: Pusher): Record<string, string> => {
  switch (pusher.kind) {
    case 'person':
      return { GIT_AUTH_PERSON: pusher.person }
    case 'job':
      return { GIT_AUTH_SCOPE_REFS: pusher.scope.refs }
  }
}

/** What git gives to a hook (githooks), and who pushes. */
const environmentOf = ({ push, options, quarantine }: Occasion): Record<string, string> =>
  gitEnvironment(push.path, [], {
    GIT_DIR: push.path,
    GIT_AUTH_TOKEN_ID: push.pusher.token,
    GIT_AUTH_PUSH_ID: push.id,
    GIT_AUTH_REPO: push.repo,
    ...whoPushes(push.pusher),
    GIT_PUSH_OPTION_COUNT: String(options.length),
    ...Object.fromEntries(options.map((option, index) => [`GIT_PUSH_OPTION_${index}`, option])),
    ...(quarantine && {
      GIT_QUARANTINE_PATH: quarantine.folder,
      GIT_OBJECT_DIRECTORY: quarantine.folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(push.path, 'objects'),
    }),
  })

export const openOwnerHooks = ({ dataDir, limitMs }: Parts) => {
  const find = async ({ push, call }: Occasion): Promise<Program[]> => {
    const folder = `${call.hook}.d`
    const folders = [path.join(dataDir, folder), path.join(push.path, folder)]
    return (await Promise.all(folders.map(findPrograms))).flat()
  }

  /** Why the program has not done its work, as a sentence, or null. Paths of the server stay out of it. */
  const run = async (program: Program, occasion: Occasion): Promise<string | null> => {
    const { push, call, over, say } = occasion
    const env = environmentOf(occasion)
    const trouble =
      program.unfit ??
      (await runProgram({ file: program.file, cwd: push.path, env, input: call.input, limitMs, over, say }))
    return trouble === null ? null : `${path.join(`${call.hook}.d`, program.name)} ${trouble}.`
  }

  return {
    /** Runs all before the refs move, up to the first that fails; resolves with why that refuses the push, or null. */
    async mayMove(occasion: Occasion): Promise<string | null> {
      for (const program of await find(occasion)) {
        const trouble = await run(program, occasion)
        if (trouble !== null) return trouble
      }
      return null
    },

    /** Runs all after the refs have moved. What fails is only told. */
    async haveMoved(occasion: Occasion): Promise<void> {
      for (const program of await find(occasion)) {
        const trouble = await run(program, occasion)
        if (trouble !== null) await occasion.say(trouble)
      }
    },
  }
}

export type OwnerHooks = ReturnType<typeof openOwnerHooks>
