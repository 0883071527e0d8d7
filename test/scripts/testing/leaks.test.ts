import { randomUUID } from 'node:crypto'
import http from 'node:http'
import path from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { type EngineAddress, findEngineAddress } from '../../../scripts/engine/address.ts'
import { listLabelled } from '../../../scripts/engine/labelled.ts'
import { findLeftFiles, findLeftObjects } from '../../../scripts/testing/leaks.ts'
import { needsEngine } from '../../support/engine.ts'

const labelled = { 'agent-workspace': 'test' }

async function ask(address: EngineAddress, method: string, path: string, body?: object): Promise<void> {
  const target =
    address.kind === 'socket' ? { socketPath: address.path } : { host: address.host, port: address.port }
  const headers = { 'content-type': 'application/json' }
  await new Promise<string>((resolve, reject) => {
    http
      .request({ ...target, method, path, headers })
      .on('response', (response) => resolve(text(response)))
      .on('error', reject)
      .end(body && JSON.stringify(body))
  })
}

t.test('a volume that was left is named; one that was there before is not', needsEngine, async (t) => {
  const address = await findEngineAddress(process.env)
  const [old, left] = [`kept-${randomUUID()}`, `left-${randomUUID()}`]
  for (const name of [old, left]) t.teardown(() => ask(address, 'DELETE', `/volumes/${name}`))

  await ask(address, 'POST', '/volumes/create', { Name: old, Labels: labelled })
  const before = await listLabelled(address)
  await ask(address, 'POST', '/volumes/create', { Name: left, Labels: labelled })

  const leaks = await findLeftObjects(address, before)
  t.ok(leaks.includes(`volume ${left}`))
  t.notOk(leaks.includes(`volume ${old}`))
})

t.test('temporary files of ours are named, and no others', async (t) => {
  const folder = t.testdir({ 'agent-workspace-x': { file: '' }, other: '' })
  t.same(await findLeftFiles(folder), [path.join(folder, 'agent-workspace-x')])
})
