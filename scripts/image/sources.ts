import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Engine } from '../engine/prepare.ts'

/** A file or folder of the build context, as `tar -C folder name` takes it. */
export type Source = { readonly folder: string; readonly name: string }

export type Sources = {
  readonly dockerfile: Source
  /** The programs that run inside. */
  readonly sandbox: Source
  readonly node: Source
  readonly npm: Source
  readonly versions: { readonly node: string; readonly npm: string }
}

const root = path.resolve(import.meta.dirname, '../..')
const npmCli = path.join(root, 'node_modules/npm/bin/npm-cli.js')
const manifest = z.object({ version: z.string() })

/** What the image is made from. Node's program fits the engine, also where that is not this machine's kind. */
export const findSources = async (engine: Engine, signal: AbortSignal): Promise<Sources> => {
  const versions = { node: await readVersion('node'), npm: await readVersion('npm') }
  return {
    dockerfile: { folder: path.join(root, 'runner/images/sandbox'), name: 'Dockerfile' },
    sandbox: { folder: path.join(root, 'runner'), name: 'sandbox' },
    node: await findNode(versions.node, engine, signal),
    npm: { folder: path.join(root, 'node_modules'), name: 'npm' },
    versions,
  }
}

const readVersion = async (name: string): Promise<string> => {
  const text = await fs.readFile(path.join(root, 'node_modules', name, 'package.json'), 'utf8')
  return manifest.parse(JSON.parse(text)).version
}

const findNode = async (version: string, engine: Engine, signal: AbortSignal): Promise<Source> => {
  const arch = engine.arch === 'amd64' ? 'x64' : engine.arch
  if (process.platform === 'linux' && process.arch === arch)
    return { folder: path.join(root, 'node_modules/node/bin'), name: 'node' }
  const name = `node-linux-${arch}`
  const folder = path.join(root, '.demo', 'image', `${name}-${version}`)
  const found = { folder: path.join(folder, 'node_modules', name, 'bin'), name: 'node' }
  const there = await fs.stat(path.join(found.folder, found.name)).catch(() => null)
  if (there !== null) return found
  await fs.mkdir(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-save', '--force', `${name}@${version}`]
  await promisify(execFile)(process.execPath, [npmCli, ...args], { signal, timeout: 10 * 60_000 })
  return found
}
