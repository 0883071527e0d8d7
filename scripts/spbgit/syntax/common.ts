/** What several commands have in common. */

/** The arguments of commander's `option` for a result that a script reads. */
export const json = ['--json', 'write the result as JSON on stdout'] as const

/** Examples, as they stand below a command's help. */
export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
