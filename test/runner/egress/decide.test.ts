import fc from 'fast-check'
import t from 'tap'
import { decide } from '../../../runner/egress/decide.ts'

const allow = [
  { host: 'git.example.org', port: 443, privateAddress: false },
  { host: 'Forge.Lan', port: 8443, privateAddress: true },
  { host: '127.0.0.1', port: 443, privateAddress: true },
  { host: '[::1]', port: 443, privateAddress: true },
]

t.test('an exact name with its port is allowed, letter case apart', (t) => {
  const allowed = { allowed: true, host: 'git.example.org', port: 443, privateAddress: false }
  t.same(decide('git.example.org:443', allow), allowed)
  t.same(decide('GIT.Example.ORG:443', allow), allowed)
  t.same(decide('forge.lan:8443', allow), {
    allowed: true,
    host: 'forge.lan',
    port: 8443,
    privateAddress: true,
  })
  t.end()
})

const refused: Record<string, readonly string[]> = {
  'host-not-allowed': [
    'example.org:443',
    'sub.git.example.org:443',
    'git.example.org.evil.test:443',
    'evilgit.example.org:443',
    'git.example.or:443',
    'xn--gt-lia.example.org:443',
  ],
  'port-not-allowed': ['git.example.org:80', 'git.example.org:8443', 'forge.lan:443'],
  'address-not-name': [
    '127.0.0.1:443',
    '2130706433:443',
    '0x7f000001:443',
    '0x7F.1:443',
    '0177.0.0.1:443',
    '127.1:443',
    '0:443',
    '0x:443',
    'git.example.org.1:443',
    '[::1]:443',
    '::1:443',
    '[::ffff:127.0.0.1]:443',
    '[fe80::1%25eth0]:443',
  ],
  'malformed-authority': [
    '',
    ':',
    ':443',
    'git.example.org',
    'git.example.org:',
    'git.example.org:0',
    'git.example.org:0443',
    'git.example.org:+443',
    'git.example.org:65536',
    'git.example.org:99999',
    'git.example.org:443 ',
    ' git.example.org:443',
    'git.example.org:443/',
    'git.example.org:443\n',
    'git.example.org.:443',
    '.git.example.org:443',
    'git..example.org:443',
    'git.example.org\0:443',
    'git.example.org\0.evil.test:443',
    'git%2eexample.org:443',
    'git.example.org%00:443',
    'user@git.example.org:443',
    'user:secret@git.example.org:443',
    'https://git.example.org:443',
    'evil.test/git.example.org:443',
    'evil.test#git.example.org:443',
    'evil.test\\git.example.org:443',
    '-git.example.org:443',
    '*.example.org:443',
    `${'a'.repeat(64)}.example.org:443`,
    `${'a.'.repeat(127)}aa:443`,
    '\uff47\uff49\uff54.example.org:443', // full-width letters
    'git\u3002example.org:443', // an ideographic full stop
    'git.example.org:443:443',
    'git.example.org\uff1a443', // a full-width colon
    'g\u0131t.example.org:443', // a dotless i
    'git.example.org\u00ad:443', // a soft hyphen
  ],
}
for (const [why, authorities] of Object.entries(refused)) {
  t.test(`refused as ${why}`, (t) => {
    for (const authority of authorities) {
      t.same(decide(authority, allow), { allowed: false, why }, JSON.stringify(authority))
    }
    t.end()
  })
}

t.test('a letter that only Unicode folds to an allowed one is not that letter', (t) => {
  const kelvin = '\u212a'
  t.equal(kelvin.toLowerCase(), 'k')
  t.equal(decide(`${kelvin}.test:443`, [{ host: 'k.test', port: 443, privateAddress: false }]).allowed, false)
  t.equal(decide('k.test:443', [{ host: `${kelvin}.test`, port: 443, privateAddress: false }]).allowed, false)
  t.end()
})

t.test('nothing but an allowed authority is ever allowed', (t) => {
  const mutated = fc
    .tuple(
      fc.constantFrom('git.example.org:443', 'forge.lan:8443'),
      fc.nat(20),
      fc.nat(2),
      fc.string({ unit: 'binary' }),
    )
    .map(([text, at, cut, insert]) => text.slice(0, at) + insert + text.slice(at + cut))
  fc.assert(
    fc.property(fc.oneof(mutated, fc.string({ unit: 'binary' })), (authority) => {
      const exact = /^(?:git\.example\.org:443|forge\.lan:8443)$/.test(
        authority.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
      )
      return decide(authority, allow).allowed === exact
    }),
    { numRuns: 5000 },
  )
  t.end()
})
