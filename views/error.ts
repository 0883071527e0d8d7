/** A request that could not be answered as asked. */
import { html } from './html.ts'
import { layout } from './layout.ts'
import { paths } from './paths.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'

export type ErrorData = {
  readonly viewer: Viewer
  /** Where signing in comes back to. */
  readonly path: string
  /** The page whose form was refused; null where nobody was on a page of ours. */
  readonly back: string | null
  readonly status: number
  /** The literal code, as the API says it. */
  readonly code: string
  /** A sentence that says what to do. */
  readonly message: string
  /** What is wrong with which field. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]
}

const titleOf = (status: number): string => {
  if (status === 401) return 'Sign in first'
  if (status === 403) return 'Not allowed'
  if (status === 404) return 'Nothing here'
  if (status === 409) return 'Not as things stand'
  return status < 500 ? 'That did not work' : 'The forge failed'
}

export const errorPage = ({ viewer, path, back, status, code, message, issues }: ErrorData): string =>
  layout({
    title: titleOf(status),
    path,
    crumbs: [],
    viewer,
    flash: null,
    main: html`<section class="narrow error">
<p class="status" aria-hidden="true">${status}</p>
<h1>${titleOf(status)}</h1>
<p>${visible(message)}</p>
${issues.length > 0 && html`<ul>${issues.map((issue) => html`<li>${issue.path !== '' && html`<code>${visible(issue.path)}</code>: `}${visible(issue.message)}</li>`)}</ul>`}
<p class="hint">Error <code>${code}</code>, status ${status}.</p>
<p>${back === null ? html`<a class="button" href="${paths.home}">To the repositories</a>` : html`<a class="button primary" href="${back}">Back to the page</a>`}</p>
</section>`,
  })
