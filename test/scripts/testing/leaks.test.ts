import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import http from 'node:http'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { type EngineAddress, findEngineAddress } from '../../../scripts/engine/address.ts'
import { listLabelled } from '../../../scripts/engine/labelled.ts'
import { removeLeaks } from '../../../scripts/testing/leaks.ts'
import { needsEngine } from '../../support/engine.ts'

async function createVolume(address: EngineAddress, name: string): Promise<void> {
  const target =
    address.kind === 'socket' ? { socketPath: address.path } : { host: address.host, port: address.port }
  await new Promise<string>((resolve, reject) => {
    http
      .request({
        ...target,
        method: 'POST',
        path: '/volumes/create',
        headers: { 'content-type': 'application/json' },
      })
      .on('response', (response) => resolve(text(response)))
      .on('error', reject)
      .end(JSON.stringify({ Name: name, Labels: { 'agent-workspace': 'test' } }))
  })
}

t.test(
  'a volume that was left is named and removed; one that was there before stays',
  needsEngine,
  async (t) => {
    const address = await findEngineAddress(process.env)
    const [old, left] = [`kept-${randomBytes(6).toString('hex')}`, `left-${randomBytes(6).toString('hex')}`]
    await createVolume(address, old)
    const before = await listLabelled(address)
    await createVolume(address, left)

    const names = (await removeLeaks(address, before, t.testdir())).filter((line) => line.includes('left-'))
    t.same(names, [`volume ${left}`])
    const after = (await listLabelled(address)).map(({ name }) => name)
    t.notOk(after.includes(left))
    t.ok(after.includes(old))

    const others = (await listLabelled(address)).filter(({ name }) => name !== old)
    await removeLeaks(address, others, t.testdir())
  },
)

t.test('temporary files of ours are named and removed; others stay', async (t) => {
  const folder = t.testdir({ 'agent-workspace-x': { file: '' }, other: '' })
  t.same(await removeLeaks(null, [], folder), ['temporary folder or file agent-workspace-x'])
  t.same(await fs.readdir(folder), ['other'])
})
