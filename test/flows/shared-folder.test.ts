import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { maintain } from '../../server/git/maintenance.ts'
import { agentJob } from '../../server/protocol/api.ts'
import { commitFile, jobToken, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

/** What serving may change: refs, with the branch HEAD names left as it is, and objects. */
const mayChange = /^(?:objects|refs|packed-refs|logs)(?:\/|$)/

/** Every other entry of a repository: kind, mode, owner and bytes. */
const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !mayChange.test(name))
      .sort()
      .map((name) => {
        const file = path.join(folder, name)
        const { mode, uid, gid, mtimeMs } = lstatSync(file)
        const about = `${mode.toString(8)} ${uid}:${gid}`
        return [
          name,
          lstatSync(file).isFile() ? `${about} ${mtimeMs} ${readFileSync(file).toString('base64')}` : about,
        ]
      }),
  )

const objectsOf = (repo: string): string[] =>
  readdirSync(path.join(repo, 'objects'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:pack|[0-9a-f]{2})\//.test(name))
    .sort()

/** A repository that another tool has set up, and a work tree that has pushed to it as that tool does: by path. */
const plant = async (
  folder: string,
  name: string,
  scratch: string,
): Promise<{ at: string; work: string }> => {
  const at = path.join(folder, `${name}.git`)
  const work = path.join(scratch, `${name}-work`)
  await git(['init', '-q', '-b', 'main', work], { cwd: scratch })
  await commitFile(work, 'README.md', '# hello\n')
  await git(['clone', '-q', '--bare', work, at], { cwd: scratch })
  return { at, work }
}

const remoteOf = (remote: string): string[] => ['-c', `remote.forge.url=${remote}`]

t.test(
  'a repository that other tools also use is served, and changed in its refs and objects alone',
  async (t) => {
    const folder = tempFolder(t)
    const scratch = tempFolder(t)
    const trap = path.join(scratch, 'sprung')
    const { at, work } = await plant(folder, 'shared', scratch)
    for (const hook of readdirSync(path.join(at, 'hooks'))) {
      const own = path.join(at, 'hooks', hook.replace(/\.sample$/, ''))
      writeFileSync(own, `#!/bin/sh\necho ${hook} >> ${trap}\n`)
      chmodSync(own, 0o755)
    }
    appendFileSync(
      path.join(at, 'config'),
      '# kept by hand\n[gitweb]\n\towner = Tess\n[receive]\n\tdenyNonFastForwards = true\n[core]\n\tsharedRepository = group\n',
    )
    writeFileSync(path.join(at, 'description'), 'The shared one\n')
    writeFileSync(path.join(at, 'git-daemon-export-ok'), '')
    mkdirSync(path.join(at, 'info'), { recursive: true })
    writeFileSync(path.join(at, 'info/attributes'), '* -diff\n')
    writeFileSync(path.join(at, 'info/exclude'), '*.o\n')
    const tree = path.join(scratch, 'linked')
    await git(['worktree', 'add', '-q', '-b', 'deployed', tree], { cwd: at })
    const inTree = snapshot(tree)
    const before = snapshot(at)

    const forge = await startForge(t, { REPOS_DIR: folder })
    const options = { cwd: work, ca: forge.caFile }
    await git([...remoteOf(forge.remote('shared')), 'fetch', '-q', 'forge'], options)
    await commitFile(work, 'more.txt', 'more\n')
    await git(['push', '-q', forge.remote('shared', forge.token), 'main', 'main:side'], options)
    await git(['push', '-q', forge.remote('shared', forge.token), ':side'], options)
    const forced = await tryGit(['push', '-qf', forge.remote('shared', forge.token), 'main~1:main'], options)
    t.match(forced.err, /non-fast-forward|denying/, 'what its own config forbids stays forbidden')
    const deployed = await tryGit(['push', forge.remote('shared', forge.token), 'main:deployed'], options)
    t.match(deployed.err, /checked out/, 'a branch that a linked work tree has checked out does not move')

    const { id } = await startJob(forge, 'shared', 'true')
    const token = await jobToken(forge, 'shared', id)
    const outside = await tryGit(['push', forge.remote('shared', token), 'main:refs/heads/stolen'], options)
    t.not(outside.code, 0, 'it is protected as any other')
    await forge.ask(`/api/v1/repos/shared/agent-jobs/${id}/cancel`, { method: 'POST' })
    t.equal((await forge.ask(`/api/v1/repos/shared/agent-jobs/${id}`)).read(agentJob).state, 'cancelled')
    await forge.ask(`/api/v1/repos/shared/agent-jobs/${id}/refs`, { method: 'DELETE' })
    t.equal((await forge.ask('/repos/shared')).status, 200)
    await maintain(at)

    t.same(snapshot(at), before)
    t.same(snapshot(tree), inTree)
    t.notOk(existsSync(trap), 'none of its own hooks was run')
    t.equal(await git(['symbolic-ref', 'HEAD'], { cwd: at }), 'refs/heads/main')
    await git(['fsck', '--strict'], { cwd: at })
    await git(['status', '--porcelain'], { cwd: tree })
    await commitFile(work, 'again.txt', 'again\n')
    await git(['push', '-q', at, 'main'], { cwd: work })
    t.ok(existsSync(trap), 'the other tool goes on as before, hooks and all')
  },
)

t.test('a repository that borrows objects is served whole, and the lender is left alone', async (t) => {
  const folder = tempFolder(t)
  const scratch = tempFolder(t)
  const { at: lender, work } = await plant(scratch, 'lender', scratch)
  await git(['clone', '-q', '--bare', '--shared', lender, path.join(folder, 'fork.git')], { cwd: scratch })
  const lent = objectsOf(lender)
  const borrowed = readFileSync(path.join(folder, 'fork.git/objects/info/alternates'), 'utf8')

  const forge = await startForge(t, { REPOS_DIR: folder })
  const options = { cwd: work, ca: forge.caFile }
  await git(['clone', '-q', forge.remote('fork'), path.join(scratch, 'copy')], { ...options, cwd: scratch })
  await commitFile(work, 'more.txt', 'more\n')
  await git(['push', '-q', forge.remote('fork', forge.token), 'main'], options)
  await maintain(path.join(folder, 'fork.git'))
  await git(['config', 'core.repositoryFormatVersion', '1'], { cwd: lender })
  await git(['config', 'extensions.preciousObjects', 'true'], { cwd: lender })
  await maintain(lender)
  t.equal(readFileSync(path.join(folder, 'fork.git/objects/info/alternates'), 'utf8'), borrowed)
  t.same(objectsOf(lender), lent)
  await git(['fsck', '--strict'], { cwd: path.join(folder, 'fork.git') })
})

/** Only root can give a repository to somebody else. */
const skip = process.getuid?.() !== 0

t.test(
  'a repository of another user is served, also through a link, and its files stay that user’s',
  { skip },
  async (t) => {
    const folder = tempFolder(t)
    const scratch = tempFolder(t)
    const { at, work } = await plant(scratch, 'theirs', scratch)
    symlinkSync(at, path.join(folder, 'theirs.git'))
    execFileSync('chown', ['-R', '65534:65534', at])
    const before = snapshot(at)
    const forge = await startForge(t, { REPOS_DIR: folder })
    const options = { cwd: work, ca: forge.caFile }
    await git(['ls-remote', forge.remote('theirs')], options)
    await commitFile(work, 'more.txt', 'more\n')
    await git(['push', '-q', forge.remote('theirs', forge.token), 'main'], options)
    await startJob(forge, 'theirs', 'true')
    t.equal((await forge.ask('/repos/theirs')).status, 200)
    t.same(snapshot(at), before)
    const strict = { HOME: scratch, GIT_CONFIG_GLOBAL: '/dev/null' }
    const outside = await tryGit(['log', '-1'], { cwd: at, env: strict })
    t.match(outside.err, /dubious ownership/, 'nobody else was told to trust it')
  },
)

t.test('what lies in the home of the service user is never read', async (t) => {
  const home = tempFolder(t)
  const trap = path.join(home, 'sprung')
  const hooks = path.join(home, 'hooks')
  mkdirSync(hooks)
  for (const hook of ['pre-receive', 'post-receive', 'update', 'reference-transaction', 'post-update']) {
    writeFileSync(path.join(hooks, hook), `#!/bin/sh\necho ${hook} >> ${trap}\n`)
    chmodSync(path.join(hooks, hook), 0o755)
  }
  const config = [
    `[core]\n\thooksPath = ${hooks}\n\tfsmonitor = echo fsmonitor >> ${trap}`,
    `\talternateRefsCommand = echo alternates >> ${trap}`,
    '[transfer]\n\thideRefs = refs/heads\n\tfsckObjects = false',
    `[uploadpack]\n\tpackObjectsHook = echo pack >> ${trap};`,
    '[receive]\n\tdenyCreateCurrent = true\n\tdenyNonFastForwards = true\n\tmaxInputSize = 1',
    '[init]\n\tdefaultBranch = hostile\n\ttemplateDir = nowhere',
    'garbage that git stops at',
  ].join('\n')
  writeFileSync(path.join(home, '.gitconfig'), config)
  mkdirSync(path.join(home, '.config/git'), { recursive: true })
  writeFileSync(path.join(home, '.config/git/config'), config)
  writeFileSync(path.join(home, '.config/git/attributes'), '* -diff\n')
  const folder = tempFolder(t)
  const { work } = await plant(folder, 'sound', home)
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig'),
    GIT_CONFIG_PARAMETERS: "'core.hooksPath=/nowhere'",
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'transfer.hideRefs',
    GIT_CONFIG_VALUE_0: 'refs',
    GIT_DIR: '/nowhere',
    GIT_TEMPLATE_DIR: '/nowhere',
  }
  const forge = await startForge(t, { REPOS_DIR: folder, ...env })
  const options = { cwd: work, ca: forge.caFile }
  t.match(await git(['ls-remote', forge.remote('sound')], options), /refs\/heads\/main/)
  await commitFile(work, 'more.txt', 'more\n')
  await git(['push', '-q', forge.remote('sound', forge.token), 'main'], options)
  await git(['push', '-qf', forge.remote('sound', forge.token), 'main~1:main'], options)
  await git(['clone', '-q', '--depth=1', forge.remote('sound'), path.join(home, 'copy')], {
    ...options,
    cwd: home,
  })
  await forge.ask('/api/v1/repos', { body: { name: 'fresh' } })
  t.equal(readFileSync(path.join(folder, 'fresh.git/HEAD'), 'utf8'), 'ref: refs/heads/main\n')
  t.equal((await forge.ask('/repos/sound')).status, 200)
  t.notOk(existsSync(trap))
})
