/** A word on every page about jobs while the runner shares the forge's machine. */
import { type Html, html } from './html.ts'

export const localRunnerNote: Html = html`<p class="note">Agents run on the forge’s own machine. That is for trying out: a way out of a sandbox would lead to every repository. Give the runner a machine of its own.</p>`
