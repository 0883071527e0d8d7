import t, { type Test } from 'tap'
import type { JobEvent } from '../../server/protocol/runner.ts'
import { needsEngine } from '../support/engine.ts'
import { git } from '../support/git.ts'
import { serveOrigin } from '../support/origin.ts'
import { endOf, listLeft, specOf, startTestRunner } from '../support/runner.ts'

const files = { 'greeting.txt': 'hello\n', 'folder/inner.txt': 'inner\n', 'folder/other.txt': 'other\n' }

/** Runs an agent that leaves a hostile repository, and gives what came of it. */
const collectFrom = async (t: Test, script: string) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const spec = specOf(origin, script)
  const events = await runner.run(spec, 'right')
  t.same(await listLeft(runner), [])
  const ref = `refs/agents/${spec.job}/proposal`
  return {
    end: endOf(events),
    collectLog: stepLog(events),
    look: (...args: string[]) =>
      git(
        args.map((arg) => arg.replace('REF', ref)),
        { cwd: origin.bare },
      ),
  }
}

const stepLog = (events: readonly JobEvent[]): string =>
  events.map((event) => (event.type === 'log' && event.step === 'collect' ? event.text : '')).join('')

t.test('programs that the agent’s git folder names are not run', needsEngine, async (t) => {
  const { end, collectLog, look } = await collectFrom(
    t,
    `printf '#!/bin/sh\\necho HACKED >&2; echo HACKED\\n' > /work/evil; chmod +x /work/evil
     for hook in pre-commit post-index-change post-checkout reference-transaction; do cp /work/evil .git/hooks/$hook; done
     git config core.hooksPath /work/repo/.git/hooks
     git config filter.evil.clean /work/evil
     git config filter.evil.process /work/evil
     git config filter.evil.required true
     git config diff.evil.textconv /work/evil
     git config diff.external /work/evil
     git config core.alternateRefsCommand /work/evil
     git config include.path /work/repo/.git/more
     echo '* filter=evil diff=evil' > .gitattributes
     cp .gitattributes .git/info/attributes
     echo changed > greeting.txt
     git config core.fsmonitor /work/evil`,
  )
  t.equal(end.outcome, 'proposed')
  t.notMatch(collectLog, 'HACKED')
  t.equal(await look('show', 'REF:greeting.txt'), 'changed')
})

t.test(
  'a nested repository and a submodule run nothing, and are left as they were',
  needsEngine,
  async (t) => {
    const { end, collectLog, look } = await collectFrom(
      t,
      `printf '#!/bin/sh\\necho HACKED >&2\\n' > /work/evil; chmod +x /work/evil
     git init -q nested; (cd nested; echo x > x; git add x; git commit -q -m x)
     git -c protocol.file.allow=always submodule add -q ./nested module 2>/dev/null || git clone -q ./nested module
     git update-index --add --cacheinfo 160000,$(git -C module rev-parse HEAD),module
     git commit -q -m Module
     for inner in nested module; do
       rm -rf $inner/.git; git init -q $inner; git -C $inner config core.fsmonitor /work/evil; echo y > $inner/x
     done
     git init -q folder; git -C folder config core.fsmonitor /work/evil; echo more > folder/inner.txt`,
    )
    t.equal(end.outcome, 'proposed')
    t.notMatch(collectLog, 'HACKED')
    t.match(collectLog, /Repositories of their own, and so left out: "nested"/)
    const tree = await look('ls-tree', '-r', 'REF')
    t.match(tree, /^160000 commit [0-9a-f]{40}\tmodule$/m)
    t.notMatch(tree, 'nested')
    t.equal(await look('show', 'REF:folder/inner.txt'), 'more', 'a tracked folder stays one')
  },
)

t.test('links, pipes and what cannot be read are no files', needsEngine, async (t) => {
  const { end, collectLog, look } = await collectFrom(
    t,
    `rm greeting.txt; mkfifo greeting.txt new-pipe
     ln -s /proc/1/environ link; ln -s /etc/passwd passwd
     echo secret > unreadable; echo x > folder/other.txt; chmod 000 unreadable folder/other.txt
     mkdir closed; echo x > closed/x; chmod 000 closed
     rm folder/inner.txt; mkdir folder/inner.txt; echo deep > folder/inner.txt/deep
     printf 'odd' > "$(printf 'odd\\nname \\377"\\\\')"
     python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('socket')"`,
  )
  t.equal(end.outcome, 'proposed')
  t.match(collectLog, /Not readable/)
  t.equal(
    await look('-c', 'core.quotePath=true', 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'REF'),
    [
      '100644 folder/inner.txt/deep',
      '100644 folder/other.txt',
      '120000 link',
      '100644 "odd\\nname \\377\\"\\\\"',
      '120000 passwd',
    ].join('\n'),
  )
  t.equal(await look('show', 'REF:folder/other.txt'), 'other', 'as it was at the base')
  t.equal(await look('show', 'REF:passwd'), '/etc/passwd', 'the link, not what it leads to')
})

t.test('names that mean something to git are only names', needsEngine, async (t) => {
  const names = [
    '*',
    '-x',
    ':(exclude)greeting.txt',
    ':!a',
    '[a-z]',
    '"quoted"',
    '~',
    'back\\slash',
    '#hash',
    '!bang',
  ]
  const { end, look } = await collectFrom(
    t,
    `echo '[a-z]' > .gitignore; ${names.map((name) => `echo x > './${name}'`).join('; ')}`,
  )
  t.equal(end.outcome, 'proposed')
  const tree = await look('ls-tree', '-z', '--name-only', 'REF')
  t.same(tree.split('\0').slice(0, -1).sort(), [...names, '.gitignore', 'folder', 'greeting.txt'].sort())
})

t.test('a folder that became a link is removed, and nothing is read through it', needsEngine, async (t) => {
  const { end, look } = await collectFrom(t, 'rm -r folder; ln -s /etc folder')
  t.equal(end.outcome, 'proposed')
  t.match(await look('ls-tree', '-r', 'REF'), /^120000 blob [0-9a-f]{40}\tfolder$/m)
})

const unreadable: Record<string, string> = {
  'a git folder that is a link': 'mv .git ../git; ln -s ../git .git',
  'a git folder that is a file': 'mv .git ../git; echo "gitdir: /work/git" > .git',
  'no git folder': 'rm -rf .git',
  'a repository folder that is a link': 'cd ..; mv repo real; ln -s real repo',
  'a pack that is a pipe': 'mkfifo .git/objects/pack/pack-1.idx',
  'an object that is a link': 'rm -rf .git/objects/ab; ln -s /etc .git/objects/ab',
  'objects that point to others': 'echo /etc > .git/objects/info/alternates',
  'a .gitignore that is a pipe': 'mkfifo folder/.gitignore',
  'objects that are gone': 'rm -rf .git/objects/* && mkdir .git/objects/pack',
}
for (const [what, script] of Object.entries(unreadable))
  t.test(`${what} ends the job with a sentence`, needsEngine, async (t) => {
    const { end, collectLog } = await collectFrom(t, `echo changed > greeting.txt; ${script}`)
    t.match(end, { outcome: 'failed', reason: 'collect-failed' })
    t.match(collectLog, /\S/)
  })

t.test('a HEAD that is a pipe, a link or nonsense leaves the files to be taken', needsEngine, async (t) => {
  const scripts = [
    'rm .git/HEAD; mkfifo .git/HEAD',
    'rm .git/HEAD; ln -s /etc/passwd .git/HEAD',
    'echo "ref: refs/../../../../etc/passwd" > .git/HEAD',
    `echo ${'e'.repeat(40)} > .git/HEAD`,
  ]
  for (const script of scripts) {
    const { end, look } = await collectFrom(t, `echo changed > greeting.txt; ${script}`)
    t.equal(end.outcome, 'proposed', script)
    t.equal(await look('show', 'REF:greeting.txt'), 'changed')
  }
})

t.test('a base that the agent forged is not taken for the forge’s', needsEngine, async (t) => {
  // The object of the base is replaced by another commit’s bytes under the base’s name.
  const { end, look } = await collectFrom(
    t,
    `base=$(git rev-parse HEAD); path=.git/objects/$(echo $base | cut -c1-2)/$(echo $base | cut -c3-)
     other=$(echo forged | git commit-tree HEAD^{tree}); from=.git/objects/$(echo $other | cut -c1-2)/$(echo $other | cut -c3-)
     git unpack-objects -q < .git/objects/pack/*.pack 2>/dev/null; rm -f $path; cp $from $path; echo changed > greeting.txt`,
  )
  if (end.outcome === 'proposed') t.match(await look('log', '--format=%s', 'REF'), /\nBase$/)
  else t.match(end, { outcome: 'failed', reason: 'collect-failed' })
})
