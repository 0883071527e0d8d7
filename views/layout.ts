/** What all pages share: head, header, where one is, who one is, what just happened. */
import { postForm } from './form.ts'
import { type Child, type Html, html } from './html.ts'
import { paths } from './paths.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'

/** The outcome of what the person did on the page before. */
export type Flash = { readonly tone: 'good' | 'bad'; readonly text: string }

export type Crumb = { readonly text: string; readonly href: string }

export type LayoutData = {
  readonly title: string
  /** The page's own path: where signing in comes back to. */
  readonly path: string
  /** From the root down, without the page itself. */
  readonly crumbs: readonly Crumb[]
  readonly viewer: Viewer
  readonly flash: Flash | null
  readonly main: Child
}

const account = (viewer: Viewer, path: string): Html => {
  switch (viewer.kind) {
    case 'stranger':
      return path === paths.signIn
        ? html``
        : html`<nav class="account" aria-label="Account"><a href="${paths.signInFrom(path)}">Sign in</a></nav>`
    case 'person':
      return html`<nav class="account" aria-label="Account"><a href="${paths.audit}">Audit</a><a href="${paths.webhooks(null)}">Webhooks</a><a href="${paths.tokens}">Tokens</a><span class="who" title="Signed in as ${viewer.name}">${visible(viewer.name)}</span>${postForm(paths.signOut, viewer.csrf, html`<button class="link" type="submit">Sign out</button>`, 'inline')}</nav>`
  }
}

const crumbLine = (crumbs: readonly Crumb[]): Html | false =>
  crumbs.length > 0 &&
  html`<nav class="crumbs" aria-label="Where you are"><ol>${crumbs.map(({ text, href }) => html`<li><a href="${href}">${text}</a></li>`)}</ol></nav>`

/** A whole document. */
export const layout = ({ title, path, crumbs, viewer, flash, main }: LayoutData): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Agent Workspace</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${paths.asset('favicon.svg')}">
<link rel="stylesheet" href="${paths.asset('style.css')}">
<script type="module" src="${paths.asset('page.js')}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="brand" href="${paths.home}"><img src="${paths.asset('favicon.svg')}" alt="" width="22" height="22">Agent Workspace</a>${crumbLine(crumbs)}${account(viewer, path)}</header>
<main id="main" tabindex="-1">
${flash && html`<p class="flash ${flash.tone}" role="${flash.tone === 'bad' ? 'alert' : 'status'}">${visible(flash.text)}</p>`}
${main}
</main>
</body>
</html>
`.toString()
