declare const hostName: unique symbol

/** A host's name in lower case, without a trailing dot; never an address in any notation. */
export type HostName = string & { readonly [hostName]: true }

const name =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/** URL parsers and resolvers take a name for an IPv4 address when its last label is a number (WHATWG URL). */
const endsInNumber = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/

export const isNumericHost = (text: string): boolean => endsInNumber.test(text)

export const isHostName = (text: string): text is HostName => name.test(text) && !isNumericHost(text)

/** Only A to Z: `toLowerCase` alone also turns U+212A (the Kelvin sign) into a k. */
export const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
