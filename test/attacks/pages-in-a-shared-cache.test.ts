import t from 'tap'
import { makeRepo, startForge } from '../support/forge.ts'

t.test('no cache on the way may keep a page or an answer, whatever it is called', async (t) => {
  const forge = await startForge(t)
  // A name that some caches take for a file that never changes.
  await makeRepo(t, forge, 'app.js')
  for (const path of [
    '/',
    '/repos/app.js',
    '/sign-in',
    '/tokens',
    '/api/v1/tokens',
    '/api/v1/repos/app.js',
    '/x',
  ]) {
    const { headers } = await forge.ask(path)
    t.equal(headers['cache-control'], 'no-store', path)
  }
  t.equal((await forge.ask('/assets/style.css')).headers['cache-control'], 'no-cache', 'nothing secret in it')
})
