/** How often somebody may do something: a bucket that fills with time, for each key. */

/** `perMinute` on the long run, and as many at once. */
export type Rate = Readonly<{ perMinute: number }>

/** Keys that are remembered at once; the one unused for longest is forgotten first, and with it its debt. */
const mostKeys = 50_000

/** Opens the buckets. Times are milliseconds of any steady clock. */
export const openRateLimit = ({ perMinute }: Rate) => {
  const buckets = new Map<string, { level: number; at: number }>()
  const perMs = perMinute / 60_000

  const levelOf = (key: string, now: number): number => {
    const bucket = buckets.get(key)
    return bucket ? Math.min(perMinute, bucket.level + (now - bucket.at) * perMs) : perMinute
  }

  return {
    /** Seconds until one more is allowed; 0 when it is allowed now. Takes nothing. */
    wait: (key: string, now: number): number => {
      const missing = 1 - levelOf(key, now)
      return missing <= 0 ? 0 : Math.ceil(missing / perMs / 1000)
    },

    /** Takes one, also where none is left. */
    spend(key: string, now: number): void {
      const level = Math.max(0, levelOf(key, now) - 1)
      buckets.delete(key)
      buckets.set(key, { level, at: now })
      if (buckets.size > mostKeys) {
        const [oldest] = buckets.keys()
        if (oldest !== undefined) buckets.delete(oldest)
      }
    },
  }
}

export type RateLimit = ReturnType<typeof openRateLimit>
