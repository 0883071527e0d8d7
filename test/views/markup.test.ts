import t from 'tap'
import { assets } from '../../views/assets.ts'
import { pages } from './pages.ts'
import { tagsOf } from './tags.ts'

for (const [name, render] of Object.entries(pages)) {
  const page = render()
  const tags = tagsOf(page)

  t.test(`${name}: nothing in the page needs an inline script, style or handler`, async (t) => {
    t.equal(
      page.split('<').length - page.split('</').length - 1,
      tags.length,
      'the scan sees every tag but the doctype',
    )
    t.same(
      tags
        .filter((tag) => tag.name === 'script')
        .map(({ attributes, text }) => [attributes.get('src'), text]),
      [['/assets/page.js', '']],
    )
    t.same(
      tags.filter((tag) => tag.name === 'style' || tag.attributes.has('style')),
      [],
    )
    t.same(
      tags.flatMap(({ attributes }) => [...attributes.keys()]).filter((key) => key.startsWith('on')),
      [],
    )
  })

  t.test(`${name}: every link stays on this forge`, async (t) => {
    const targets = tags.flatMap(({ attributes }) =>
      ['href', 'src', 'action', 'data-live'].flatMap((key) => attributes.get(key) ?? []),
    )
    t.not(targets.length, 0)
    for (const target of targets) t.match(target, /^(?:\/(?!\/)|#)/)
    for (const target of targets.filter((target) => target.startsWith('/assets/')))
      t.ok(assets.has(target.replace('/assets/', '')), target)
  })

  t.test(`${name}: every form posts and carries the proof of its origin`, async (t) => {
    for (const form of page.matchAll(/<form [^>]*>.*?<\/form>/gs)) {
      const [first, field] = tagsOf(form[0])
      t.equal(first?.attributes.get('method'), 'post')
      t.equal(field?.attributes.get('name'), '_csrf')
      t.match(field?.attributes.get('value'), /./)
      if (first?.attributes.has('data-confirm'))
        t.match(form[0], /name="understood" value="yes" required/, 'works without JavaScript')
    }
  })

  t.test(`${name}: ids are unique and what refers to them finds them`, async (t) => {
    const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? [])
    t.equal(new Set(ids).size, ids.length)
    for (const { attributes } of tags)
      for (const id of [attributes.get('aria-describedby'), attributes.get('href')?.match(/^#(.+)/)?.[1]])
        if (id !== undefined) t.ok(ids.includes(id), `#${id}`)
  })

  t.test(`${name}: one title, one main heading, no heading left out`, async (t) => {
    t.equal(tags.filter((tag) => tag.name === 'h1').length, 1)
    t.match(tags.find((tag) => tag.name === 'title')?.text, /. · Agent Workspace$/)
    t.same(
      tags.filter((tag) => /^h[3-6]$/.test(tag.name)),
      [],
    )
  })
}
