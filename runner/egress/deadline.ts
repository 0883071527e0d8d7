import { EgressRefusal, type RefusalCode } from './refusal.ts'

/**
 * The result of `work`, or a refusal: `late` after `ms`, `abandoned` as soon as `gone` fires.
 * The work itself goes on; whoever owns it ends it.
 */
export const withDeadline = async <T>(
  work: Promise<T>,
  ms: number,
  late: RefusalCode,
  gone: AbortSignal,
): Promise<T> => {
  const cut = Promise.withResolvers<never>()
  const abandon = (): void => cut.reject(new EgressRefusal('abandoned'))
  const timer = setTimeout(() => cut.reject(new EgressRefusal(late)), ms)
  gone.addEventListener('abort', abandon, { once: true })
  if (gone.aborted) abandon()
  try {
    return await Promise.race([work, cut.promise])
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', abandon)
  }
}
