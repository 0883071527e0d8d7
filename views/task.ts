/** A task as people recognise it. */

/** The first line that says something, cut to what fits a list. */
export const firstLine = (task: string): string => {
  const line = task.trimStart().split('\n', 1)[0] ?? ''
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}
