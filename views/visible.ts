/** Text from elsewhere, with nothing in it that a reader cannot see. */
import { hasHidden, splitHidden } from './browser/hidden-characters.js'
import { type Html, html } from './html.ts'

const hiddenMark = (name: string): Html => html`<span class="hidden-char">${name}</span>`

/** Control, direction and zero-width characters stand as `U+202E`; the rest is the text itself, for a template to escape. */
export const visible = (text: string): Html | string =>
  hasHidden(text)
    ? html`${splitHidden(text).map((part) => (part.hidden ? hiddenMark(part.text) : part.text))}`
    : text
