/** What in a proposal deserves a second look. Pure; a flag is a hint to a person, never a verdict. */
import type { AttentionFlag } from '../../views/checks.ts'
import type { DiffFile } from '../../views/file-diff.ts'
import { workspaceFileName } from '../protocol/workspace-file.ts'

/** Files that run on somebody's machine without being asked for. */
const runsByItself =
  /(^|\/)(\.github\/workflows\/|\.gitlab-ci\.yml$|\.ci\/|Jenkinsfile$|\.husky\/|\.pre-commit-config\.yaml$|\.vscode\/(tasks|settings)\.json$|\.envrc$|Makefile$|package\.json$|setup\.py$|build\.rs$)/
const steersGit = /(^|\/)\.(gitattributes|gitmodules|gitignore|mailmap)$/
const lockFile =
  /(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum|poetry\.lock|Gemfile\.lock)$/
const test = /(^|\/)(tests?|__tests__|spec)\/|[._-](test|spec)\.[a-z]+$/i

/** Characters that make text read otherwise than it runs (Trojan Source), and ones that are not to be seen. */
const deceptive = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/

const added = (file: DiffFile, pattern: RegExp): boolean =>
  file.hunks.some((hunk) => hunk.lines.some(({ kind, text }) => kind === '+' && pattern.test(text)))

const flagsOf = (file: DiffFile): string[] => {
  const { oldPath, newPath, status, oldMode, newMode } = file
  const touches = (pattern: RegExp): boolean => pattern.test(newPath) || pattern.test(oldPath)
  const flags: string[] = []
  if (newPath === workspaceFileName || oldPath === workspaceFileName)
    flags.push('changes how jobs run in this repository')
  if (touches(runsByItself)) flags.push('can run by itself: CI, build or editor')
  if (touches(steersGit)) flags.push('steers git')
  if (touches(lockFile)) flags.push('changes what is installed')
  if (newMode === '120000') flags.push('is a symbolic link')
  if (newMode === '160000') flags.push('is a submodule')
  if (newMode === '100755' && oldMode !== '100755') flags.push('becomes executable')
  if (file.binary) flags.push('is binary: its content is not shown')
  if (status === 'removed' && test.test(newPath)) flags.push('is a test that is removed')
  if (status === 'renamed' && test.test(oldPath) && !test.test(newPath))
    flags.push('is a test that is moved away')
  if (deceptive.test(newPath) || added(file, deceptive))
    flags.push('has invisible or direction-changing characters')
  return flags
}

/** Flags in the order of the files. */
export const flagAttention = (files: readonly DiffFile[]): AttentionFlag[] =>
  files.flatMap((file) => flagsOf(file).map((text) => ({ text, path: file.newPath })))
