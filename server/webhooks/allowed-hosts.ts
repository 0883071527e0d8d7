import { z } from 'zod'

/** Hosts on private addresses that the owner allows: `host` for every port of it, or `host:port`. */
export type AllowedHosts = ReadonlySet<string>

/** The URL parser makes every notation of a host plain; it takes a port of 80 away, so that is kept apart. */
const parseEntry = (entry: string): string | null => {
  const [, host, port = ''] = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]]+)(:\d{1,5})?$/.exec(entry) ?? []
  if (host === undefined || !URL.canParse(`http://${host}`)) return null
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '') + port
}

/** `consumer.internal,127.0.0.1:9000` */
export const allowedHosts = z.string().transform((text, context): AllowedHosts => {
  const entries = text.split(',').map((entry) => parseEntry(entry.trim()))
  const hosts = entries.filter((entry) => entry !== null)
  if (hosts.length < entries.length) {
    context.addIssue('host or host:port, with commas between')
  }
  return new Set(hosts)
})
