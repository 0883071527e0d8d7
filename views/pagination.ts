/** Long lists go on on another page. */
import { type Html, html } from './html.ts'

export const nextPage = (path: string, next: string | null): Html | false =>
  next !== null &&
  html`<nav class="more" aria-label="Pages"><a class="button" href="${path}?after=${encodeURIComponent(next)}">More</a></nav>`
