import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { ensureOwnerToken } from '../../../server/identity/owner-token.ts'
import { openStore } from '../store/open.ts'

const refuse = (): void => {
  throw new Error('printed')
}

t.test('the first start puts the owner’s token into a file that only its user reads, once', async (t) => {
  const { tokens, folder } = await openStore(t)
  const file = path.join(folder, 'owner')
  await ensureOwnerToken(tokens, file, refuse)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(await tokens.verify(readFileSync(file, 'utf8').trim()), { kind: 'person' })
  await ensureOwnerToken(tokens, path.join(folder, 'second'), refuse)
  t.notOk(existsSync(path.join(folder, 'second')))
})

t.test('without a file it is printed, once', async (t) => {
  const { tokens } = await openStore(t)
  const printed: string[] = []
  await ensureOwnerToken(tokens, null, (text) => printed.push(text))
  await ensureOwnerToken(tokens, null, (text) => printed.push(text))
  t.equal(printed.length, 1)
  const [text] = /spb_pat_\S+/.exec(printed[0] ?? '') ?? []
  t.match(await tokens.verify(text ?? ''), { kind: 'person' })
})

t.test('a file that is there already is not written over, and no token is made', async (t) => {
  const { tokens, folder } = await openStore(t)
  const file = path.join(folder, 'owner')
  writeFileSync(file, 'mine')
  await t.rejects(ensureOwnerToken(tokens, file, refuse), { code: 'bad-config' })
  t.equal(readFileSync(file, 'utf8'), 'mine')
  t.equal(await tokens.hasPersonal(), false)
})

t.test('a file that takes no text leaves no owner behind, so that the next start makes one', async (t) => {
  const { tokens, folder } = await openStore(t)
  await t.rejects(ensureOwnerToken(tokens, path.join(folder, 'no/such/folder'), refuse), {
    code: 'bad-config',
  })
  t.equal(await tokens.hasPersonal(), false)
})

t.test('a start after every personal token was revoked lets the owner in again', async (t) => {
  const { tokens } = await openStore(t)
  const { token } = await tokens.create('owner', { by: null })
  await tokens.revoke(token.id, token.id)
  const printed: string[] = []
  await ensureOwnerToken(tokens, null, (text) => printed.push(text))
  t.equal(printed.length, 1)
})

t.test('an owner’s token that could not be handed over is good for nothing', async (t) => {
  const { tokens } = await openStore(t)
  const fail = (): void => {
    throw new Error('no terminal')
  }
  await t.rejects(ensureOwnerToken(tokens, null, fail), { message: 'no terminal' })
  t.equal(await tokens.hasPersonal(), false)
})
