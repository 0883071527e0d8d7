import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** What decides how the set-up goes on here. */
export type Machine = {
  readonly platform: NodeJS.Platform
  readonly root: boolean
  readonly distribution: 'debian' | 'ubuntu' | 'other'
  readonly dockerd: string | null
}

/** `PATH` with the folders of system programs, which a plain user's or a bare `PATH` leaves out. */
export const systemPath = `${process.env['PATH'] ?? '/usr/bin:/bin'}:/usr/local/sbin:/usr/sbin:/sbin`

export const lookAtMachine = (): Machine => ({
  platform: process.platform,
  root: process.getuid?.() === 0,
  distribution: readDistribution(),
  dockerd: findProgram('dockerd'),
})

/** The program at that path, or the first of that name on `PATH` or among the system's. */
export const findProgram = (name: string): string | null => {
  const files = systemPath.split(':').map((folder) => path.resolve(folder, name))
  return files.find(isExecutable) ?? null
}

const isExecutable = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

const readDistribution = (): Machine['distribution'] => {
  if (!fs.existsSync('/etc/os-release')) return 'other'
  const id = /^ID=["']?(\w+)/m.exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[1]
  return id === 'debian' || id === 'ubuntu' ? id : 'other'
}
