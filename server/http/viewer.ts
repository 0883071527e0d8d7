/** Who looks at a page, as the views want it. */
import type { Person, Viewer } from '../../views/viewer.ts'
import type { Session } from '../identity/sessions.ts'

export const personOf = ({ person, csrf }: Session): Person => ({ kind: 'person', name: person.person, csrf })

export const viewerOf = (session: Session | null): Viewer =>
  session ? personOf(session) : { kind: 'stranger' }
