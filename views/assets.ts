/** The files that `/assets/:file` serves: this list and nothing else. */

export type Asset = { readonly file: URL; readonly type: string }

const at = (path: string): URL => new URL(path, import.meta.url)
const style = (name: string): [string, Asset] => [
  name,
  { file: at(`assets/${name}`), type: 'text/css; charset=utf-8' },
]
const picture = (name: string): [string, Asset] => [
  name,
  { file: at(`assets/${name}`), type: 'image/svg+xml' },
]
const script = (name: string): [string, Asset] => [
  name,
  { file: at(`browser/${name}`), type: 'text/javascript; charset=utf-8' },
]

/** By the name in the URL. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  style('style.css'),
  picture('favicon.svg'),
  ...[
    'page.js',
    'confirm.js',
    'copy.js',
    'flash.js',
    'live.js',
    'events.js',
    'log-view.js',
    'step-view.js',
    'log-lines.js',
    'duration.js',
    'terminal-line.js',
    'hidden-characters.js',
  ].map(script),
])
