/** A request that could not be answered as asked. */
import { html } from './html.ts'
import { layout } from './layout.ts'
import { paths } from './paths.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'

export type ErrorData = {
  readonly viewer: Viewer
  readonly path: string
  readonly status: number
  /** The literal code, as the API says it. */
  readonly code: string
  /** A sentence that says what to do. */
  readonly message: string
}

const titleOf = (status: number): string => {
  if (status === 401) return 'Sign in first'
  if (status === 403) return 'Not allowed'
  if (status === 404) return 'Nothing here'
  if (status === 409) return 'Things have moved'
  return status < 500 ? 'That did not work' : 'The forge failed'
}

export const errorPage = ({ viewer, path, status, code, message }: ErrorData): string =>
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
<p class="hint">Error <code>${code}</code>, status ${status}.</p>
<p><a class="button" href="${paths.home}">To the repositories</a></p>
</section>`,
  })
