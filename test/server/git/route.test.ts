import fc from 'fast-check'
import t from 'tap'
import { ForgeError } from '../../../server/errors.ts'
import { isGitPath, parseGitRoute, parseRepo } from '../../../server/git/route.ts'

const codeOf = (method: string, url: string): string => {
  try {
    parseRepo(parseGitRoute(method, url).name)
    return 'served'
  } catch (error) {
    if (error instanceof ForgeError) return error.code
    throw error
  }
}

t.test('git’s own three requests are understood, with and without .git', async (t) => {
  for (const name of ['hello', 'hello.git']) {
    t.same(parseGitRoute('GET', `/${name}/info/refs?service=git-upload-pack`), {
      name,
      service: 'upload-pack',
      action: 'advertise',
    })
    t.equal(parseRepo(name), 'hello')
    t.same(parseGitRoute('POST', `/${name}/git-upload-pack`), {
      name,
      service: 'upload-pack',
      action: 'exchange',
    })
    t.same(parseGitRoute('POST', `/${name}/git-receive-pack`), {
      name,
      service: 'receive-pack',
      action: 'exchange',
    })
  }
})

t.test('whatever is understood also reaches git', async (t) => {
  for (const name of ['hello', 'hello.git'])
    for (const action of ['info/refs', 'git-upload-pack', 'git-receive-pack'])
      t.ok(isGitPath(`/${name}/${action}`), `${name} ${action}`)
})

t.test('pages and API are not git’s', async (t) => {
  for (const path of [
    '/',
    '/repos/hello',
    '/repos/hello/jobs/1',
    '/api/v1/repos/hello',
    '/hello',
    '/assets/style.css',
    '/git-upload-pack/x',
  ])
    t.notOk(isGitPath(path), path)
})

t.test('a method that git does not use is 405', async (t) => {
  t.equal(codeOf('POST', '/hello.git/info/refs?service=git-upload-pack'), 'method-not-allowed')
  t.equal(codeOf('GET', '/hello.git/git-upload-pack'), 'method-not-allowed')
  t.equal(codeOf('DELETE', '/hello.git/git-receive-pack'), 'method-not-allowed')
})

t.test('no file of a repository is served, and no other program of git’s is run', async (t) => {
  for (const url of [
    '/hello.git/HEAD',
    '/hello.git/config',
    '/hello.git/objects/info/packs',
    `/hello.git/objects/00/${'0'.repeat(38)}`,
    '/hello.git/info/refs',
    '/hello.git/info/refs?service=git-upload-archive',
    '/hello.git/info/refs?service=upload-pack',
    '/hello.git/info/refs?service=',
    '/hello.git/git-upload-archive',
    '/hello.git/git-shell',
    '/hello.git',
    '/hello.git/',
  ]) {
    t.equal(codeOf('GET', url), 'not-found', url)
    t.not(codeOf('POST', url), 'served', url)
  }
})

t.test('names that lead elsewhere are not found', async (t) => {
  for (const name of [
    '..',
    '.',
    '.git',
    '%2e%2e',
    '%2f',
    'a%2fb',
    'a%00',
    '-x',
    'a b',
    'x'.repeat(300),
    'a.lock',
    '..%2fx',
    'a\\b',
    '\u00e9',
  ])
    t.equal(codeOf('GET', `/${name}/info/refs?service=git-upload-pack`), 'not-found', name)
  t.equal(codeOf('GET', '/a/b.git/info/refs?service=git-upload-pack'), 'not-found')
})

t.test('whatever a client sends as its target, the answer is one of the forge’s own', async () => {
  const target = fc.oneof(
    fc.webUrl({ withQueryParameters: true }),
    fc.string({ unit: 'binary' }).map((text) => `/${text}/info/refs`),
    fc.constantFrom(
      '//[/x.git/info/refs',
      'http://[',
      '',
      '*',
      '//',
      '/\0.git/info/refs',
      'http://:99999/x.git/info/refs',
    ),
  )
  fc.assert(
    fc.property(target, fc.constantFrom('GET', 'POST', 'BREW'), (url, method) => codeOf(method, url) !== ''),
  )
})
