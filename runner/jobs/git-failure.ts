/**
 * What a failed fetch or push of git means, by what it printed in the C locale. What the other side said
 * (`remote:`) does not count: it may say anything. Pure.
 */

/** `transport`: try again. `unauthorized`: another token is needed. `final`: trying again gives the same. */
export type GitFailure = 'transport' | 'unauthorized' | 'final'

const unauthorized = [
  /\bAuthentication failed\b/,
  /\bcould not read (?:Username|Password)\b/,
  /\berror: 401\b/,
]

/** Answers that are decisions, although curl reports them like broken connections. */
const decided = [
  /\b(?:error:|HTTP code|response) 403\b/,
  /\bremote rejected\b/,
  /\brepository .* not found\b/,
  /\bNo space left on device\b/,
]

const transport = [
  /\bCould ?n[o']t (?:connect|resolve)\b/i,
  /\bFailed (?:to )?connect\b/i,
  /\bConnection (?:was )?(?:reset|refused|timed out|died|closed)\b/i,
  /\bOperation (?:timed out|too slow)\b/i,
  /\bEmpty reply from server\b/,
  /\b(?:error:|HTTP code|response) (?:408|429|5\d\d)\b/,
  /\bearly EOF\b/,
  /\bunexpected (?:disconnect|EOF|eof)\b/i,
  /\bhung up unexpectedly\b/,
  /\b(?:Recv|Send|RPC) fail(?:ure|ed)\b/,
  /\b(?:SSL|TLS|GnuTLS)\b.*\b(?:error|terminated|closed)\b/i,
  /\btransfer closed\b/,
  /\bProxy CONNECT aborted\b/,
]

const matches = (text: string, patterns: readonly RegExp[]): boolean =>
  patterns.some((pattern) => pattern.test(text))

export const classifyGitFailure = (printed: string): GitFailure => {
  const own = printed.replace(/^remote:.*$/gm, '')
  if (matches(own, unauthorized)) return 'unauthorized'
  if (matches(own, decided)) return 'final'
  return matches(own, transport) ? 'transport' : 'final'
}
