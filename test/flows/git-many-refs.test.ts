import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { askGit, pktLine } from '../support/ask-git.ts'
import { makeRepo, startForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { movedRefs } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const many = 2000

/** As many commits, each with a tag of its own, as git fast-import takes them. */
const history = Array.from({ length: many }, (_, n) => {
  const message = `commit ${n}`
  const who = `Tess <tess@example.org> ${1_600_000_000 + n} +0000`
  return `commit refs/tags/v${n}\nmark :${n + 1}\ncommitter ${who}\ndata ${message.length}\n${message}\n\n`
}).join('')

t.test('thousands of tags go both ways, in requests that git compresses', async (t) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const ca = forge.caFile
  const bare = path.join(forge.dataDir, 'repos/hello.git')
  await git(['fast-import', '--quiet'], { cwd: work, input: history })
  const tags = await git(['show-ref', '--tags'], { cwd: work })
  t.equal(tags.split('\n').length, many)
  await git(['push', '-q', '--tags', forge.remote('hello', forge.token)], { cwd: work, ca })
  t.equal(await git(['show-ref', '--tags'], { cwd: bare }), tags)
  t.equal(movedRefs(forge, 'hello').filter(({ ref }) => ref.startsWith('refs/tags/')).length, many)

  for (const version of [0, 2]) {
    const folder = tempFolder(t)
    await git(['init', '-q'], { cwd: folder })
    const ran = await tryGit(
      ['-c', `protocol.version=${version}`, 'fetch', '-q', forge.remote('hello'), 'refs/tags/*:refs/tags/*'],
      { cwd: folder, ca, env: { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' } },
    )
    t.equal(ran.code, 0, ran.err.slice(-1000))
    t.match(ran.err, /Content-Encoding: gzip/i, `protocol ${version}: wants that are worth compressing`)
    t.equal(await git(['show-ref', '--tags'], { cwd: folder }), tags)
  }

  // git's own client takes a minute to say this.
  const removals = tags.split('\n').map((line, n) => {
    const [id = '', ref = ''] = line.split(' ')
    return pktLine(`${id} ${'0'.repeat(40)} ${ref}${n === 0 ? '\0report-status' : ''}\n`)
  })
  const answer = await askGit(forge, '/hello.git/git-receive-pack', {
    body: gzipSync(`${removals.join('')}0000`),
    headers: { 'content-encoding': 'gzip' },
  })
  t.equal(answer.body.toString().match(/ok refs\/tags\//g)?.length, many)
  t.equal(
    await git(['for-each-ref', '--format=%(objectname) %(refname)'], { cwd: bare }),
    `${base} refs/heads/main`,
  )
  t.equal(movedRefs(forge, 'hello').filter((moved) => moved.new === null).length, many)
})
