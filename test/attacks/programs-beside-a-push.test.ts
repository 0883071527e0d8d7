import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { commitFile, makeRepo, type RunningForge, startForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { addHook } from '../support/owner-hooks.ts'

const push = (forge: RunningForge, work: string, args: readonly string[]) =>
  tryGit(['push', forge.remote('hello', forge.token), ...args], { cwd: work, ca: forge.caFile })

const hasRef = async (forge: RunningForge, work: string, ref: string): Promise<boolean> =>
  (await git(['ls-remote', forge.remote('hello'), ref], { cwd: work, ca: forge.caFile })) !== ''

const isAlive = (pid: number): boolean => {
  try {
    // A zombie is dead: nobody has asked for its end yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

t.test('a program that hangs is ended with all that it started, and refuses the push', async (t) => {
  const forge = await startForge(t, { HOOK_SECONDS: '1' })
  const { work } = await makeRepo(t, forge)
  const pids = path.join(forge.dataDir, 'pids')
  addHook(
    forge,
    'pre-receive',
    'hang',
    `#!/bin/sh\ntrap '' TERM\nsleep 1000 &\necho $! $$ > ${pids}\nwhile :; do sleep 1000; done\n`,
  )
  await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a'])
  t.not(ran.code, 0)
  t.match(ran.err, /refused: pre-receive\.d\/hang took longer than 1 seconds\./)
  t.notOk(await hasRef(forge, work, 'refs/heads/a'))
  for (const pid of readFileSync(pids, 'utf8').trim().split(' ').map(Number)) t.notOk(isAlive(pid))
})

t.test('a program that leaves something behind does not keep the push waiting', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const file = path.join(forge.dataDir, 'pid')
  addHook(forge, 'post-receive', 'leave', `#!/bin/sh\necho before\nsleep 1000 &\necho $! > ${file}\n`)
  await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a'])
  t.equal(ran.code, 0)
  t.match(ran.err, /remote: before/)
  const pid = Number(readFileSync(file, 'utf8'))
  t.ok(isAlive(pid), 'what it left is its own affair')
  process.kill(pid)
})

t.test('a program that writes without end costs neither memory nor the pusher’s terminal', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  addHook(
    forge,
    'post-receive',
    'flood',
    '#!/bin/sh\nhead -c 100000000 /dev/zero | tr "\\0" x\necho\necho end\n',
  )
  await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a'])
  t.equal(ran.code, 0)
  t.ok(ran.err.length < 400_000, `${ran.err.length} characters`)
  t.match(ran.err, /and 99737861 bytes more/)
  const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${forge.child().pid}/status`, 'utf8')) ?? []
  t.ok(Number(peak) < 400_000, `${peak} kB`)
})

t.test('no program can answer for the forge, nor speak on its line', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  addHook(
    forge,
    'pre-receive',
    'forge',
    '#!/bin/sh\necho ok >&4\necho ok\nprintf "ok\\nno\\nok\\n"\n{ read -r x <&3; } 2>/dev/null && echo heard\nexit 1\n',
  )
  await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a'])
  t.not(ran.code, 0)
  t.match(ran.err, /refused: pre-receive\.d\/forge/)
  t.notMatch(ran.err, /heard/)
  t.notOk(await hasRef(forge, work, 'refs/heads/a'))
})

t.test('what others could change is not run, and refuses pushes until somebody looks', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const ran = path.join(forge.dataDir, 'ran')
  const script = `#!/bin/sh\ntouch ${ran}\n`
  const folder = path.join(forge.dataDir, 'pre-receive.d')
  const arrange: Readonly<Record<string, [() => void, RegExp]>> = {
    'a file that the group can write': [
      () => chmodSync(addHook(forge, 'pre-receive', 'x', script), 0o775),
      /pre-receive\.d\/x can be written by others/,
    ],
    'a file that everybody can write': [
      () => chmodSync(addHook(forge, 'pre-receive', 'x', script), 0o757),
      /pre-receive\.d\/x can be written by others/,
    ],
    'a file of another user': [
      () => chownSync(addHook(forge, 'pre-receive', 'x', script), 65534, 65534),
      /pre-receive\.d\/x belongs to another user/,
    ],
    'a link': [
      () => {
        mkdirSync(folder, { mode: 0o755 })
        symlinkSync('/bin/true', path.join(folder, 'x'))
      },
      /pre-receive\.d\/x is not a regular file/,
    ],
    'a folder that everybody can write': [
      () => {
        addHook(forge, 'pre-receive', 'x', script)
        chmodSync(folder, 0o777)
      },
      /pre-receive\.d can be written by others/,
    ],
    'a file in the place of the folder': [
      () => symlinkSync('/bin', folder),
      /pre-receive\.d is not a folder/,
    ],
  }
  for (const [what, [make, why]] of Object.entries(arrange)) {
    rmSync(folder, { recursive: true, force: true })
    make()
    const commit = await commitFile(work, 'a', `${what}\n`)
    const refused = await push(forge, work, [`${commit}:refs/heads/a`])
    t.not(refused.code, 0, what)
    t.match(refused.err, why, what)
    t.notMatch(refused.err, forge.dataDir, 'no path of the server')
  }
  t.notOk(existsSync(ran))
  t.notOk(await hasRef(forge, work, 'refs/heads/a'))
})

t.test('a program that cannot be started refuses the push', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  addHook(forge, 'pre-receive', 'x', '#!/nonexistent/interpreter\n')
  await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a'])
  t.not(ran.code, 0)
  t.match(ran.err, /refused: pre-receive\.d\/x ended with 12[67]/)
})

t.test('a repository’s own hooks folder is never run', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const hooks = path.join(forge.dataDir, 'repos/hello.git/hooks')
  const ran = path.join(forge.dataDir, 'ran')
  mkdirSync(hooks)
  for (const hook of [
    'pre-receive',
    'update',
    'post-receive',
    'post-update',
    'reference-transaction',
    'proc-receive',
  ]) {
    writeFileSync(path.join(hooks, hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  }
  await commitFile(work, 'a', 'a\n')
  t.equal((await push(forge, work, ['HEAD:refs/heads/a'])).code, 0)
  t.notOk(existsSync(ran))
})

t.test('odd names come to a program as they are, a line each', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const file = path.join(forge.dataDir, 'lines')
  addHook(forge, 'pre-receive', 'show', `#!/bin/sh\ncat > ${file}\n`)
  const commit = await commitFile(work, 'a', 'a\n')
  const names = ['a\u2028b', 'a\u0085b', '$(touch-x)', '`id`', 'a;b&c|d', "it's", '"', '-x', '%s', 'é\u202e']
  const ran = await push(
    forge,
    work,
    names.map((name) => `HEAD:refs/heads/${name}`),
  )
  t.equal(ran.code, 0, ran.err)
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1).sort()
  t.same(lines, names.map((name) => `${'0'.repeat(40)} ${commit} refs/heads/${name}`).sort())
})
