/** `npm run build`: the package as it is published. Node strips no types under node_modules, so it is JavaScript. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (name: string): string => path.join(root, name)

/** What is no TypeScript and is read or run all the same. Copies keep their mode: hooks are executable. */
const asTheyAre = [
  'LICENSE',
  'README.md',
  'docs/plugin.md',
  'hooks/pack-objects',
  'hooks/post-receive',
  'hooks/pre-receive',
  'views/assets',
  'views/browser',
]

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  type: z.literal('module'),
  engines: z.record(z.string(), z.string()),
  bin: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.string().regex(/^\.\/.*\.ts$/)),
  dependencies: z.record(z.string(), z.string()),
})

const compile = async (folder: string): Promise<void> => {
  const tsc = at('node_modules/typescript/bin/tsc')
  const args = [tsc, '--project', at('tsconfig.build.json'), '--outDir', folder]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error('tsc has found errors, see above.')
}

/** The manifest without what only the project itself needs, its entries pointing to what tsc has made. */
const publishedManifest = (text: string): string => {
  const { exports, ...rest } = manifest.parse(JSON.parse(text))
  const entries = Object.entries(exports).map(([name, file]) => {
    const stem = file.replace(/\.ts$/, '')
    return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }] as const
  })
  return `${JSON.stringify({ ...rest, exports: Object.fromEntries(entries) }, null, 2)}\n`
}

const build = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await compile(folder)
  for (const name of asTheyAre) {
    const target = path.join(folder, name)
    await mkdir(path.dirname(target), { recursive: true })
    await cp(at(name), target, { recursive: true, filter: (file) => path.basename(file) !== 'tsconfig.json' })
  }
  const manifestText = await readFile(at('package.json'), 'utf8')
  await writeFile(path.join(folder, 'package.json'), publishedManifest(manifestText))
}

await build(path.resolve(process.argv[2] ?? at('dist')))
