/** Signing in with a token. */
import { postForm } from './form.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'
import { paths } from './paths.ts'
import { visible } from './visible.ts'

export type SignInData = {
  readonly csrf: string
  /** The local path to go to afterwards. */
  readonly next: string
  /** Why the last try failed. */
  readonly problem: string | null
}

export const signInPage = ({ csrf, next, problem }: SignInData): string =>
  layout({
    title: 'Sign in',
    path: paths.signIn,
    crumbs: [],
    viewer: { kind: 'stranger' },
    flash: null,
    main: html`<section class="narrow card">
<h1>Sign in</h1>
${postForm(
  paths.signIn,
  csrf,
  html`<input type="hidden" name="next" value="${next}">
<input type="text" autocomplete="username" value="token" hidden readonly>
<label>Token <input type="password" name="token" required autocomplete="current-password" spellcheck="false" autocapitalize="none" placeholder="spb_pat_…" aria-describedby="token-help" autofocus></label>
${problem !== null && html`<p class="problem" role="alert">${visible(problem)}</p>`}
<button class="button primary" type="submit">Sign in</button>`,
)}
<p class="hint" id="token-help">Your personal access token, the same one that git uses as a password. On the first start the forge made the owner’s: it is in the file that <code>OWNER_TOKEN_FILE</code> names or, without one, in what the forge printed then.</p>
</section>`,
  })
