/** Characters that change what a reader sees without being seen. Runs on the forge and in the browser. */

// Controls, formats (direction marks among them), lone surrogates, line separators and whatever Unicode
// lets a font leave out; not tab and line feed, which are layout, nor the emoji selector.
const one = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]--[\u{fe0f}]]/v
const every = new RegExp(one, 'gv')

/**
 * Whether the text holds a character that has to be made visible.
 * @param {string} text
 * @returns {boolean}
 */
export const hasHidden = (text) => one.test(text)

/**
 * The text in pieces: what can be read, and the names (`U+202E`) of what cannot.
 * @param {string} text
 * @returns {{ text: string, hidden: boolean }[]}
 */
export const splitHidden = (text) => {
  const parts = []
  let from = 0
  for (const match of text.matchAll(every)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), hidden: false })
    const code = match[0].codePointAt(0) ?? 0
    parts.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, hidden: true })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from), hidden: false })
  return parts
}
