/** Kysely on `node:sqlite`. */
import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'

const toInput = (value: unknown): SQLInputValue => {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`a ${typeof value} cannot be stored; convert it first`)
}

const adapt = (statement: StatementSync): SqliteStatement => ({
  reader: statement.columns().length > 0,
  // Kysely's result handling expects ordinary objects; node:sqlite gives rows without a prototype.
  all: (parameters) => statement.all(...parameters.map(toInput)).map((row) => ({ ...row })),
  run: (parameters) => {
    const { changes, lastInsertRowid } = statement.run(...parameters.map(toInput))
    return { changes, lastInsertRowid }
  },
  iterate: (parameters) => statement.iterate(...parameters.map(toInput)),
})

/** SQLite's tables are made and changed in transactions as well, which Kysely does not count on. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** What webhooks sign with is in it: it is for the forge's user alone, and SQLite's files beside it are like it. */
const keepPrivate = (file: string): void => {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

const openFile = (file: string): SqliteDatabase => {
  keepPrivate(file)
  const database = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  return { prepare: (sql) => adapt(database.prepare(sql)), close: () => database.close() }
}

/**
 * Opens the database file for one server: write-ahead log, foreign keys, a bounded wait for locks, and migrations that
 * happen whole or not at all.
 */
export const openSqlite = (file: string): SqliteDialect =>
  new TransactionalDialect({ database: openFile(file) })
