import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { auditEvent } from '../../../server/protocol/audit.ts'
import { genesis, writeLine } from '../../../server/protocol/audit-chain.ts'
import { makeRepo, startJob } from '../../support/forge.ts'
import { signIn } from './support/signed-in.ts'
import { makeSignedInHome, run } from './support/spbgit.ts'
import { startForge } from './support/stand-in-forge.ts'

t.test('the log is checked here, against a head that was noted before', async (t) => {
  const { forge, spbgit } = await signIn(t)
  await makeRepo(t, forge)
  const first = await spbgit('audit', '--verify')
  t.equal(first.code, 0, first.stderr)
  const head = first.stdout.trim()
  t.match(head, /^[0-9a-f]{64}$/)

  await startJob(forge, 'hello', 'true')
  const grown = await spbgit('audit', '--verify', '--head', head, '--json')
  const { entries, found, head: now } = JSON.parse(grown.stdout) as Record<string, unknown>
  t.same({ entries, found }, { entries: 3, found: 2 })
  t.match(
    readFileSync(path.join(forge.dataDir, 'agent-jobs.jsonl'), 'utf8'),
    new RegExp(`${String(now)}"}\n$`),
  )
  t.match((await spbgit('audit')).stdout, /^1 +hello /m)

  const foreign = await spbgit('audit', '--head', 'f'.repeat(64))
  t.equal(foreign.code, 1)
  t.match(foreign.stderr, 'It was rewritten after that head was noted')
})

t.test('a log that was written anew is a chain, but not the one that was noted', async (t) => {
  const { forge, spbgit } = await signIn(t)
  await makeRepo(t, forge)
  const noted = (await spbgit('audit', '--verify')).stdout.trim()
  await forge.kill('SIGTERM')
  const file = path.join(forge.dataDir, 'agent-jobs.jsonl')
  const [line = ''] = readFileSync(file, 'utf8').split('\n')
  const event = auditEvent.parse(JSON.parse(line.replace('"owner"', '"somebody"')))
  writeFileSync(file, `${writeLine(genesis, event, Date.now()).line}\n`)
  await forge.start()
  t.equal((await spbgit('audit', '--verify')).code, 0, 'in itself it is sound')
  t.equal((await spbgit('audit', '--head', noted)).code, 1)
})

t.test('a forge that changes, reorders, cuts or swells its log is found out', async (t) => {
  const event = auditEvent.parse({
    type: 'token-created',
    token: '01hzy3k9q2w4e6r8t0m5n7p9xz',
    label: 'x',
    scope: null,
    by: null,
    job: null,
  })
  const one = writeLine(genesis, event, 0)
  const two = writeLine(one.head, event, 1)
  const logs: [string, string, RegExp][] = [
    ['changed', `${one.line.replace('"x"', '"y"')}\n`, /entry 1: wrong hash/],
    ['reordered', `${two.line}\n${one.line}\n`, /entry 1: out of order/],
    ['without its first entry', `${two.line}\n`, /out of order/],
    ['twice the same entry', `${one.line}\n${one.line}\n`, /entry 2: out of order/],
    ['cut', `${one.line}\n${two.line}`, /half a line/],
    ['no log at all', '<html>\n', /wrong hash/],
  ]
  for (const [what, text, why] of logs) {
    const forge = await startForge(t, {
      'GET /api/v1/audit': (response) => void response.writeHead(200).end(text),
    })
    const ran = await run(t, await makeSignedInHome(t, forge), ['audit', '--verify'])
    t.equal(ran.code, 1, what)
    t.match(ran.stderr, why, what)
    t.equal(ran.stdout, '', 'no head is given out')
  }
})
