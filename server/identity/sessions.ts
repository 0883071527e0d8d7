/** A browser's session: a random cookie, stored as a hash, tied to the token that opened it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { tokenId } from '../protocol/ids.ts'
import type { Database } from '../store/database.ts'
import type { Person } from './identity.ts'

/** A week. */
const lifetime = 7 * 24 * 60 * 60_000

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

export type Session = Readonly<{ person: Person; csrf: string }>

/** Whether a form carries the session's own CSRF token; constant in time. */
export const csrfMatches = (session: Session, given: string): boolean =>
  timingSafeEqual(hash(session.csrf), hash(given))

export const openSessions = (db: Database, now: () => number) => ({
  /** Opens a session and returns its cookie's value. */
  async open(person: Person): Promise<{ cookie: string; expires: number }> {
    const cookie = randomBytes(32).toString('base64url')
    const csrf = randomBytes(32).toString('base64url')
    const expires = now() + lifetime
    await db.deleteFrom('sessions').where('expires_at', '<=', now()).execute()
    await db
      .insertInto('sessions')
      .values({ hash: hash(cookie), token: person.token, csrf, created_at: now(), expires_at: expires })
      .execute()
    return { cookie, expires }
  },

  /** The session behind a cookie, or null when it is unknown, over, or its token was revoked. */
  async find(cookie: string): Promise<Session | null> {
    const row = await db
      .selectFrom('sessions')
      .innerJoin('tokens', 'tokens.id', 'sessions.token')
      .innerJoin('people', 'people.id', 'tokens.person')
      .select(['tokens.id', 'tokens.label', 'people.name', 'sessions.csrf'])
      .where('sessions.hash', '=', hash(cookie))
      .where('sessions.expires_at', '>', now())
      .where('tokens.revoked_at', 'is', null)
      .where('tokens.kind', '=', 'personal')
      .executeTakeFirst()
    if (!row) return null
    const person: Person = {
      kind: 'person',
      token: tokenId.parse(row.id),
      person: row.name,
      label: row.label,
    }
    return { person, csrf: row.csrf }
  },

  async close(cookie: string): Promise<void> {
    await db.deleteFrom('sessions').where('hash', '=', hash(cookie)).execute()
  },
})

export type Sessions = ReturnType<typeof openSessions>
