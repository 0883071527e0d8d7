import fc from 'fast-check'
import t from 'tap'
import { basePathOf, rebase, targetBelow } from '../../../server/http/base-path.ts'
import { html } from '../../../views/html.ts'

t.test('the base is the path of the public URL', async (t) => {
  t.equal(basePathOf('https://example.org'), '')
  t.equal(basePathOf('https://example.org/forge'), '/forge')
  t.equal(basePathOf('https://example.org/a/b/'), '/a/b')
})

t.test('only what lies below the base is the forge’s', async (t) => {
  t.equal(targetBelow('/forge', '/forge'), '/')
  t.equal(targetBelow('/forge', '/forge?a=1'), '/?a=1')
  t.equal(targetBelow('/forge', '/forge/x.git/info/refs?service=a'), '/x.git/info/refs?service=a')
  t.equal(targetBelow('', '/x'), '/x')
  for (const target of ['/', '/forged', '/x/forge', '', '//forge/x', 'http://host/forge/x'])
    t.equal(targetBelow('/forge', target), null, target)
})

t.test('the URLs of a page get the base, and nothing else does', async (t) => {
  const page = '<a class="x" href="/a"><img src="/b"><form action="/c"><p data-live="/d" data-x="/e">'
  t.equal(
    rebase('/f', page),
    '<a class="x" href="/f/a"><img src="/f/b"><form action="/f/c"><p data-live="/f/d" data-x="/e">',
  )
  for (const other of [
    '<a href="#x">',
    '<a href="//host/x">',
    '<a href="https://host/x">',
    '<input value="/x">',
  ])
    t.equal(rebase('/f', other), other)
})

t.test('no text or attribute of a page can pass for one of its URLs', async () => {
  const hostile = fc.array(fc.constantFrom(' ', 'href', 'src', 'action', '=', '"', "'", '/', '>', '<a', 'x'))
  fc.assert(
    fc.property(hostile, (parts) => {
      const page = html`<p title="${parts.join('')}">${parts.join('')}</p>`.toString()
      return rebase('/forge', page) === page
    }),
  )
})
