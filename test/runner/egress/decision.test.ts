import fc from 'fast-check'
import t from 'tap'
import { describeAuthority, explain } from '../../../runner/egress/decision.ts'

t.test('an authority is recorded as host and port', (t) => {
  t.same(describeAuthority('git.example.org:443'), { host: 'git.example.org', port: 443 })
  t.same(describeAuthority('[::1]:8443'), { host: '[::1]', port: 8443 })
  t.same(describeAuthority('git.example.org'), { host: 'git.example.org', port: 0 })
  t.same(describeAuthority('git.example.org:99999'), { host: 'git.example.org:99999', port: 0 })
  t.end()
})

t.test('whatever was sent, the record is at most 255 printable characters and a port', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (authority) => {
      const { host, port } = describeAuthority(authority)
      return /^[\x20-\x7e]{0,255}$/.test(host) && Number.isInteger(port) && port >= 0 && port <= 65535
    }),
  )
  t.end()
})

t.test('every reason has its own sentence', (t) => {
  t.not(explain('allowed'), explain('host-not-allowed'))
  t.match(explain('server-name-differs'), /SNI/)
  t.end()
})
