/** Sizes, durations and ages in the words of a person. */
import type { Iso } from '../server/protocol/ids.ts'
import { type Html, html } from './html.ts'

/** `n thing` or `n things`. */
export const count = (n: number, thing: string): string =>
  `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`

/** A number of bytes in binary units, as memory and disks are limited. */
export const size = (bytes: number): string => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[step]}`
}

const age = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${count(minutes, 'minute')} ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${count(hours, 'hour')} ago`
  return `${count(Math.floor(hours / 24), 'day')} ago`
}

/** A moment as its age, with the exact time at hand. */
export const ago = (at: Iso, now: number): Html =>
  html`<time datetime="${at}" title="${at}">${age(now - Date.parse(at))}</time>`

/** A moment to the second, UTC. */
export const moment = (at: Iso): Html =>
  html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`
