/** Full ref names, and the refs that belong to a job. */
import { z } from 'zod'
import { type AttemptNumber, type JobId, jobIdText } from './ids.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids exactly these in a ref name
const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$/

/** Whether git's check-ref-format accepts the text as a full name under `refs/`. */
const isRefName = (text: string): boolean =>
  text.length <= 1024 &&
  text.startsWith('refs/') &&
  text.length > 'refs/'.length &&
  !forbidden.test(text) &&
  text.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))

/** A full ref name as git-check-ref-format(1) has it. */
export const refName = z.string().refine(isRefName, 'not a full ref name').brand<'RefName'>()
export type RefName = z.infer<typeof refName>

/** What git reads as something else than a branch: an option, HEAD, a full ref name, an object's id. */
const isMisleading = (name: string): boolean =>
  /^(?:-.*|HEAD|@|refs\/.*|[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)

export const branchRefs = 'refs/heads/'

/** A branch by its short name, as a person types it, made into its full ref. */
export const branchName = z
  .string()
  .min(1)
  .refine((name) => !isMisleading(name), 'a branch is given by its short name, for example fix-login')
  .transform((name) => `${branchRefs}${name}`)
  .refine(isRefName, 'git does not take this name for a branch')
  .pipe(refName)

/** A branch as people write it; any other ref by its whole name. */
export const branchOf = (ref: RefName): string =>
  ref.startsWith(branchRefs) ? ref.slice(branchRefs.length) : ref

/** The refs a token may push: the folder of exactly one job, `refs/agents/<job>/*`. */
export const refGlob = z
  .string()
  .regex(/^refs\/agents\/[1-9][0-9]{0,14}\/\*$/, 'a scope is refs/agents/<job>/*')
  .brand<'RefGlob'>()
export type RefGlob = z.infer<typeof refGlob>

/** Whether the ref lies in the folder that the glob names. A ref is never equal to the folder itself. */
export const refInGlob = (ref: RefName, glob: RefGlob): boolean => ref.startsWith(glob.slice(0, -1))

export const agentRefs = 'refs/agents/'

/** The folder of a job's refs, with the slash at its end. */
export const jobFolder = (job: JobId): string => `${agentRefs}${job}/`

/** Every ref of the job: what its token may push, and what deleting its refs removes. */
export const jobRefs = (job: JobId): RefGlob => refGlob.parse(`${jobFolder(job)}*`)

/** The job in whose folder a ref, or the glob of that folder, lies; null for any other. */
export const jobOfRef = (ref: string): JobId | null => {
  const [, job] = /^refs\/agents\/([^/]+)\//.exec(ref) ?? []
  return jobIdText.safeParse(job).data ?? null
}

/** Where an agent's work arrives. */
export const proposalRef = (job: JobId): RefName => refName.parse(`${jobFolder(job)}proposal`)

/** The unmoving copy of what one attempt proposed. Only the forge writes it. */
export const revisionRef = (job: JobId, attempt: AttemptNumber): RefName =>
  refName.parse(`${jobFolder(job)}r${attempt}`)

/** Names in a job's folder that only the forge writes, and names below them, which would be in its way. */
export const isReservedRef = (ref: RefName): boolean =>
  /^refs\/agents\/[1-9][0-9]*\/r[0-9]+(?:\/|$)/.test(ref)
