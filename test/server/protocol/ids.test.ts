import fc from 'fast-check'
import t from 'tap'
import {
  attemptNumberText,
  commitId,
  digest,
  iso,
  jobIdText,
  repoName,
  toIso,
  tokenId,
} from '../../../server/protocol/ids.ts'

t.test('a repository’s name is a safe path and URL segment whatever is given', async (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (text) => {
      const name = repoName.safeParse(text)
      if (!name.success) return
      if (encodeURIComponent(name.data) !== text || /^[.-]/.test(text) || text.length > 100)
        throw new Error(`took ${JSON.stringify(text)}`)
    }),
    { numRuns: 2000 },
  )
  for (const good of ['a', 'a.b', 'A-1_x', 'x'.repeat(100), 'gits', 'a.git.b'])
    t.ok(repoName.safeParse(good).success, good)
})

t.test('names that would escape, hide, clash with git’s own files, or be options are refused', async (t) => {
  for (const bad of [
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '-x',
    '.x',
    '_x',
    '%2f',
    'a b',
    'a\n',
    'a\0',
    'é',
    'x.git',
    'x.GIT',
    'x.lock',
    'x'.repeat(101),
  ])
    t.notOk(repoName.safeParse(bad).success, JSON.stringify(bad))
})

t.test('a job or an attempt is named by its decimal number alone', async (t) => {
  t.equal(jobIdText.parse('42'), 42)
  t.equal(attemptNumberText.parse('10000'), 10_000)
  for (const bad of ['', '0', '01', '-1', '+1', '1.0', '1e3', ' 1', '1\n', '0x1', '٣', '9'.repeat(16)]) {
    t.notOk(jobIdText.safeParse(bad).success, JSON.stringify(bad))
    t.notOk(attemptNumberText.safeParse(bad).success, JSON.stringify(bad))
  }
  t.notOk(attemptNumberText.safeParse('10001').success)
})

t.test('the greatest job id that is accepted is still exact', async (t) => {
  const id = jobIdText.parse('9'.repeat(15))
  t.ok(Number.isSafeInteger(id))
  t.equal(String(id), '9'.repeat(15))
})

t.test('commits and images are named by whole lower-case hashes', async (t) => {
  const hex = 'ab'.repeat(20)
  t.ok(commitId.safeParse(hex).success)
  t.ok(commitId.safeParse('ab'.repeat(32)).success)
  for (const bad of [hex.slice(1), `${hex}a`, hex.toUpperCase(), `${hex}\n`, `-${hex.slice(1)}`, 'HEAD'])
    t.notOk(commitId.safeParse(bad).success, bad)
  t.ok(digest.safeParse(`sha256:${'ab'.repeat(32)}`).success)
  for (const bad of ['latest', `sha256:${hex}`, `sha512:${'ab'.repeat(32)}`, `x@sha256:${'ab'.repeat(32)}`])
    t.notOk(digest.safeParse(bad).success, bad)
})

t.test('a token’s id is a ULID whose time fits', async (t) => {
  t.ok(tokenId.safeParse('01jdz3k8m2n4p6q8r0s2t4v6w8').success)
  for (const bad of [
    '81jdz3k8m2n4p6q8r0s2t4v6w8',
    '01JDZ3K8M2N4P6Q8R0S2T4V6W8',
    '01jdz3k8m2n4p6q8r0s2t4v6wi',
  ])
    t.notOk(tokenId.safeParse(bad).success, bad)
})

t.test('every moment that can be written can be read again', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 253_402_300_799_999 }),
      (ms) => Date.parse(iso.parse(toIso(ms))) === ms,
    ),
  )
})

t.test('a time that no calendar has is refused', async (t) => {
  for (const bad of [
    '2026-13-01T00:00:00.000Z',
    '2026-02-30T00:00:00.000Z',
    '2026-01-01T25:00:00.000Z',
    '2026-01-01T00:00:60.000Z',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.000+00:00',
    '2026-01-01T00:00:00.000Z\n',
  ])
    t.notOk(iso.safeParse(bad).success, bad)
})
