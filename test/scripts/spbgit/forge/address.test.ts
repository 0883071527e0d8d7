import t from 'tap'
import { forgeUrl } from '../../../../scripts/spbgit/forge/address.ts'

t.test('an address becomes an origin, also when its scheme was left out', async (t) => {
  const typed = [
    'https://Git.Example.org/',
    'git.example.org',
    'https://git.example.org:443',
    'localhost:8443',
    '[::1]:8443',
  ]
  t.strictSame(
    typed.map((text) => forgeUrl.parse(text) as string),
    [
      'https://git.example.org',
      'https://git.example.org',
      'https://git.example.org',
      'https://localhost:8443',
      'https://[::1]:8443',
    ],
  )
})

t.test('an address over which a token must not go is refused', async (t) => {
  const typed = [
    'http://git.example.org',
    'ssh://git.example.org',
    'https://a:b@git.example.org',
    'https://x/y',
    'https://x/?q',
    '',
    ' ',
  ]
  for (const text of typed) t.equal(forgeUrl.safeParse(text).success, false, text)
})
