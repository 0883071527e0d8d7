import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { z } from 'zod'
import { root } from './forge.ts'
import { tempFolder } from './temp.ts'

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) })

/** Somebody's TypeScript project in which the package is installed as it would be published. */
export const installPackage = (t: Test): string => {
  const folder = tempFolder(t)
  const node = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' })
  node(path.join(root, 'scripts/build.ts'), path.join(folder, 'built'))
  node(path.join(root, 'node_modules/npm/bin/npm-cli.js'), 'pack', '--silent', path.join(folder, 'built'))
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))

  const project = path.join(folder, 'project')
  const installed = path.join(project, 'node_modules/agent-workspace')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', path.join(folder, tarball), '-C', installed, '--strip-components=1'])
  const { dependencies } = manifest.parse(
    JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')),
  )
  for (const name of [...Object.keys(dependencies), '@types/koa', '@types/node']) {
    const link = path.join(project, 'node_modules', name)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', name), link)
  }
  writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }\n')
  return project
}
