/** Where a forge is. */
import { z } from 'zod'

const origin = (text: string): string | null => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return null
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : null
}

/** The address as a person types it, made into an origin without a slash at its end. HTTPS only: a token travels there. */
export const forgeUrl = z
  .string()
  .transform((text, context) => {
    const found = origin(text)
    if (found !== null) return found
    context.addIssue('a forge is named by its HTTPS address alone, for example https://git.example.org')
    return z.NEVER
  })
  .brand<'ForgeUrl'>()
export type ForgeUrl = z.infer<typeof forgeUrl>

/** A forge, and the PEM certificates that its own must lead to; null: those the system trusts. */
export type Endpoint = { readonly url: ForgeUrl; readonly ca: string | null }

/** A forge that one is signed in to. */
export type Forge = Endpoint & { readonly token: string }
