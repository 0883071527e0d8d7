import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { RunningForge } from './forge.ts'

const refRecord = z.object({ ref: z.string(), old: z.string().nullable(), new: z.string().nullable() })
const count = z.object({ rows: z.number() })

/** The forge's database, read beside it. */
const read = <T>(forge: RunningForge, look: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path.join(forge.dataDir, 'forge.sqlite'), { readOnly: true })
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** What every push to a repository has moved, in the order in which it was written down. */
export const movedRefs = (forge: RunningForge, repo: string): readonly z.infer<typeof refRecord>[] =>
  read(forge, (db) =>
    z
      .array(refRecord)
      .parse(
        db
          .prepare(
            'select ref, old, new from ref_updates join pushes on push = id where repo = ? order by ref_updates.rowid',
          )
          .all(repo),
      ),
  )

/** How many rows a table has. */
export const countRows = (
  forge: RunningForge,
  table: 'pushes' | 'push_intents' | 'announcements' | 'deliveries',
): number => read(forge, (db) => count.parse(db.prepare(`select count(*) as rows from ${table}`).get()).rows)
