import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { freePort, root } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { makeWork } from '../support/git-server.ts'
import { installPackage } from '../support/package.ts'

const project = installPackage(t)

/** Runs an example of the documentation as it stands there, until the test ends. */
const runExample = async (t: Test, file: string, env: Record<string, string> = {}): Promise<string> => {
  copyFileSync(path.join(root, 'docs/examples', file), path.join(project, file))
  const port = await freePort()
  const child = spawn(process.execPath, [file], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  while (!said.includes('listening')) {
    await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error(said)))])
  }
  return `http://localhost:${port}`
}

t.test('the git server alone, inside an HTTP server', async (t) => {
  const site = await runExample(t, 'mount-git-server.ts', { PASSWORD: 'secret' })
  const { work } = await makeWork(t)
  const remote = `${site.replace('//', '//tess:secret@')}/git/demo.git`
  t.equal(await (await fetch(site)).text(), 'My own site.\n')
  t.not((await tryGit(['push', remote.replace('secret', 'wrong'), 'main'], { cwd: work })).code, 0)
  const push = await tryGit(['push', remote, 'main'], { cwd: work })
  t.equal(push.code, 0, push.err)
  t.match(push.err, /remote: Thanks for main, tess\./)
  t.match((await tryGit(['push', remote, 'main:release'], { cwd: work })).err, /Nobody pushes to release/)
  await git(['clone', '-q', `${site}/git/demo.git`, 'copy'], { cwd: work })
})

/** The local URLs of a page, whatever attribute they stand in. */
const urlsOf = (page: string): string[] =>
  [...page.matchAll(/ (?:href|src|action|data-live)="(\/[^"]*)"/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  )

t.test('the whole forge, below a path of a Koa site', async (t) => {
  const site = await runExample(t, 'mount-forge.ts')
  const forge = `${site}/forge`
  const token = readFileSync(path.join(project, 'owner-token'), 'utf8').trim()
  const { work } = await makeWork(t)
  for (const url of ['/', '/forged', '/repos', '/api/v1/repos', '/x.git/info/refs'])
    t.equal(await (await fetch(site + url)).text(), 'My own site.\n', url)

  const cookies = new Map<string, string>()
  const browse = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, referer: `${forge}/sign-in` },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const csrfOf = (page: string): string => /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''

  const asked = await browse(`${forge}/tokens`)
  t.equal(asked.headers.get('location'), '/forge/sign-in?next=%2Ftokens')
  const signIn = await (await browse(`${forge}/sign-in?next=%2Ftokens`)).text()
  const wrong = await browse(`${forge}/sign-in`, { token, _csrf: 'x', next: '/tokens' })
  t.equal(wrong.status, 403)
  t.match(await wrong.text(), /href="\/forge\/sign-in"/, 'leads back to the form')
  const signedIn = await browse(`${forge}/sign-in`, { token, _csrf: csrfOf(signIn), next: '/tokens' })
  t.equal(signedIn.headers.get('location'), '/forge/tokens')

  const home = await (await browse(forge)).text()
  const made = await browse(`${forge}/repos`, { name: 'demo', _csrf: csrfOf(home) })
  t.match(made.headers.get('location'), /^\/forge\/repos\/demo/)
  await git(['push', '-q', `${forge.replace('//', `//x:${token}@`)}/demo.git`, 'main'], { cwd: work })
  await git(['clone', '-q', `${forge}/demo.git`, 'copy'], { cwd: work })
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const job = await fetch(`${forge}/api/v1/repos/demo/agent-jobs`, {
    method: 'POST',
    headers: bearer,
    body: JSON.stringify({ task: 'true' }),
  })
  t.equal(job.status, 201)
  t.match(await job.json(), { url: `${forge}/repos/demo/jobs/1` })

  const seen = new Set<string>()
  const pending = ['/forge/']
  for (let url = pending.pop(); url !== undefined; url = pending.pop()) {
    if (seen.has(url) || url.includes('/events')) continue
    seen.add(url)
    const answer = await browse(site + url)
    // Forms have addresses that only take POST.
    t.ok([200, 303, 302, 405].includes(answer.status), `${url} ${answer.status}`)
    if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
    for (const link of urlsOf(await answer.text())) {
      t.match(link, /^\/forge(?:\/|$)/, url)
      pending.push(link)
    }
  }
  for (const url of [
    '/forge/repos/demo',
    '/forge/repos/demo/jobs/1',
    '/forge/assets/page.js',
    '/forge/audit',
  ])
    t.ok(seen.has(url), url)
})

t.test('the package has types for its users', async (t) => {
  const files = ['mount-git-server.ts', 'mount-forge.ts']
  for (const file of files) copyFileSync(path.join(root, 'docs/examples', file), path.join(project, file))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const options = '--noEmit --strict --module nodenext --target es2024 --types node --skipLibCheck'.split(' ')
  const check = spawn(process.execPath, [tsc, ...options, ...files], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let errors = ''
  check.stdout.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  await once(check, 'close')
  t.equal(errors, '')
})

t.test('the package brings the command line', async (t) => {
  const spbgit = path.join(project, 'node_modules/agent-workspace/scripts/spbgit/spbgit.js')
  t.match(execFileSync(process.execPath, [spbgit, '--help']).toString(), /agent/)
})
