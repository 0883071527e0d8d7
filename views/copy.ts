/** Text that is meant to be taken elsewhere. */
import { type Html, html } from './html.ts'

/** One line to copy. The button appears where a script can serve it. */
export const copyLine = (text: string): Html =>
  html`<div class="copy"><code tabindex="0">${text}</code><button class="button small" type="button" data-copy="${text}" hidden>Copy</button></div>`

/** Commands to paste into a shell. */
export const copyBlock = (text: string): Html =>
  html`<div class="copy block"><pre tabindex="0">${text}</pre><button class="button small" type="button" data-copy="${text}" hidden>Copy</button></div>`
