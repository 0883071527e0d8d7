/** The forge's database: opened, migrated, closed here and nowhere else. */
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations.ts'
import type { Tables } from './schema.ts'
import { openSqlite } from './sqlite.ts'

export type Database = Kysely<Tables>

/** Opens the file and brings its schema up to date. A failed migration is rolled back and thrown. */
export const openDatabase = async (file: string): Promise<Database> => {
  const db: Database = new Kysely({ dialect: openSqlite(file) })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    await db.destroy()
    throw error
  }
  return db
}
