import fs from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { hashSources } from '../../../scripts/image/hash.ts'

t.test(
  'the hash changes with the Dockerfile, with any program and with the versions, and with nothing else',
  async (t) => {
    const folder = t.testdir({ Dockerfile: 'FROM a', sandbox: { 'wire.ts': '1', lib: { 'frame.ts': '2' } } })
    const sources = {
      dockerfile: { folder, name: 'Dockerfile' },
      sandbox: { folder, name: 'sandbox' },
      node: { folder, name: 'node' },
      npm: { folder, name: 'npm' },
      versions: { node: '24.0.0', npm: '11.0.0' },
    }
    const seen = new Set([await hashSources(sources)])
    t.ok(seen.has(await hashSources(sources)), 'the same sources have the same hash')

    for (const file of ['Dockerfile', 'sandbox/wire.ts', 'sandbox/lib/frame.ts']) {
      await fs.appendFile(path.join(folder, file), ' ')
      const hash = await hashSources(sources)
      t.notOk(seen.has(hash), file)
      seen.add(hash)
    }
    await fs.rename(path.join(folder, 'sandbox/lib/frame.ts'), path.join(folder, 'sandbox/lib/other.ts'))
    t.notOk(seen.has(await hashSources(sources)), 'a new name')
    t.notOk(
      seen.has(await hashSources({ ...sources, versions: { node: '24.0.1', npm: '11.0.0' } })),
      'a version',
    )
  },
)
