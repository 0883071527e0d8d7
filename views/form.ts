/** Forms: they all post, and they all prove that one of our pages made them. */
import { type Child, type Html, html } from './html.ts'

const csrfField = (csrf: string): Html => html`<input type="hidden" name="_csrf" value="${csrf}">`

/** A form that posts to one of our own paths. */
export const postForm = (action: string, csrf: string, fields: Child, classes = 'form'): Html =>
  html`<form class="${classes}" method="post" action="${action}">${csrfField(csrf)}${fields}</form>`

export type Confirmation = {
  /** What will be gone, as a question. */
  readonly question: string
  /** The button's words: they name the action. */
  readonly action: string
}

/**
 * A form for what cannot be undone. With JavaScript a dialog asks; without, a box has to be ticked first.
 * Either way the form arrives with `understood=yes`.
 */
export const dangerForm = (action: string, csrf: string, confirm: Confirmation, fields: Child): Html =>
  html`<form class="form" method="post" action="${action}" data-confirm="${confirm.question}" data-confirm-action="${confirm.action}">${csrfField(csrf)}${fields}
<label class="check" data-without-script><input type="checkbox" name="understood" value="yes" required> I understand that this cannot be undone</label>
<button class="button danger" type="submit">${confirm.action}</button></form>`
