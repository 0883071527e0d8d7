import https from 'node:https'
import path from 'node:path'
import t from 'tap'
import { jobRecord, listOf } from '../../server/protocol/api.ts'
import { jobToken, makeRepo, type RunningForge, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')

/** Pushes existing commits to refs whose names are any bytes at all; returns what git says. */
const pushRaw = (
  forge: RunningForge,
  token: string,
  commit: string,
  names: readonly Buffer[],
): Promise<string> => {
  const lines = names.map((name, i) => {
    const line = Buffer.concat([
      Buffer.from(`${'0'.repeat(40)} ${commit} `),
      name,
      Buffer.from(i === 0 ? '\0report-status\n' : '\n'),
    ])
    return Buffer.concat([Buffer.from((line.length + 4).toString(16).padStart(4, '0')), line])
  })
  return new Promise((resolve, reject) => {
    const request = https.request(
      `${forge.url}/hello.git/git-receive-pack`,
      {
        method: 'POST',
        ca: forge.ca,
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-git-receive-pack-request',
        },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
        response.on('end', () => resolve(text))
      },
    )
    request.on('error', reject)
    request.end(Buffer.concat([...lines, Buffer.from('0000'), emptyPack]))
  })
}

t.test('the audit names what a job has written, whatever kind of object it is', async (t) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const blob = await git(['hash-object', '-w', '--stdin'], { cwd: work, input: 'hidden\n' })
  await git(['tag', '-a', '-m', 'hidden', 'hidden'], { cwd: work })
  const tag = await git(['rev-parse', 'refs/tags/hidden'], { cwd: work })
  const objects = { blob, tag, commit: base, tree: await git(['rev-parse', 'HEAD^{tree}'], { cwd: work }) }
  const refspecs = Object.entries(objects).map(([kind, id]) => `${id}:refs/agents/1/${kind}`)
  await git(['push', '-q', forge.remote('hello', token), ...refspecs], { cwd: work, ca: forge.caFile })
  const [record] = (await forge.ask('/api/v1/agent-jobs')).read(listOf(jobRecord)).items
  const written = new Map(record?.refsWritten.map(({ ref, commit }) => [ref.split('/')[3], commit]))
  t.same(written, new Map(Object.entries(objects)))

  const proposal = await tryGit(['push', forge.remote('hello', token), `${tag}:refs/agents/1/proposal`], {
    cwd: work,
    ca: forge.caFile,
  })
  t.not(proposal.code, 0, 'and a proposal is a commit')
})

t.test('a ref whose name is no text is refused: two of them would be written down as one', async (t) => {
  const forge = await startForge(t)
  const { base } = await makeRepo(t, forge)
  const at = path.join(forge.dataDir, 'repos/hello.git')
  const names = [0xfe, 0xff].map((byte) => Buffer.concat([Buffer.from('refs/heads/'), Buffer.from([byte])]))
  const said = await pushRaw(forge, forge.token, base, names)
  t.match(said, /pre-receive hook declined/)
  t.equal(await git(['for-each-ref', '--format=%(refname)'], { cwd: at }), 'refs/heads/main')
  t.match(await pushRaw(forge, forge.token, base, [Buffer.from('refs/heads/ü')]), /ok refs\/heads/)
})

t.test('a push that names one ref twice is refused: it would be written down twice', async (t) => {
  const forge = await startForge(t)
  const { base } = await makeRepo(t, forge)
  const twice = [Buffer.from('refs/heads/new'), Buffer.from('refs/heads/new')]
  t.match(await pushRaw(forge, forge.token, base, twice), /pre-receive hook declined/)
})

t.test('a job’s token does not fill the repository with refs', async (t) => {
  const forge = await startForge(t)
  const { base, work } = await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const names = Array.from({ length: 1001 }, (_, i) => Buffer.from(`refs/agents/1/n${i}`))
  t.match(await pushRaw(forge, token, base, names), /pre-receive hook declined/)
  t.match(await pushRaw(forge, token, base, names.slice(0, 1000)), /ok refs\/agents\/1\/n999/)
  const more = await tryGit(['push', forge.remote('hello', token), `HEAD:refs/agents/1/more`], {
    cwd: work,
    ca: forge.caFile,
  })
  t.match(more.err, /a job has 1000 refs at most/)
})
