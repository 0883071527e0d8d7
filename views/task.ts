/** A task as people recognise it. */

const longest = 120

/** The sign of a comment in a shell, and of a heading in Markdown. */
const commentSign = /^#+[ \t]+/

/** The first line that says something, cut to what fits a list. */
export const firstLine = (task: string): string => {
  const line = (task.trimStart().split('\n', 1)[0] ?? '').replace(commentSign, '')
  // By code points: half a character would show as one that is hidden.
  const characters = Array.from(line)
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line
}
