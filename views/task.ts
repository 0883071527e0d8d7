/** A task as people recognise it. */

const longest = 120

/** The first line that says something, cut to what fits a list. */
export const firstLine = (task: string): string => {
  const line = task.trimStart().split('\n', 1)[0] ?? ''
  // By code points: half a character would show as one that is hidden.
  const characters = Array.from(line)
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line
}
