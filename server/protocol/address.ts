/**
 * What kind of place a resolved address is. Pure.
 * Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses; clouds' metadata services.
 */
import { BlockList, isIP } from 'node:net'

/** `private` may be reached where the owner named the host for it; `special` never. */
export type AddressKind = 'public' | 'private' | 'special'

const list = (family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList => {
  const blocks = new BlockList()
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/')
    blocks.addSubnet(address, Number(prefix), family)
  }
  return blocks
}

const special4 = list('ipv4', [
  '0.0.0.0/8', // this network; 0.0.0.0 reaches the machine itself
  '100.100.100.200/32', // a cloud's metadata service, inside the shared space
  '168.63.129.16/32', // a cloud's metadata service, in public space
  '169.254.0.0/16', // link-local, with most clouds' metadata service
  '192.0.0.0/24', // protocol assignments, with a cloud's metadata service
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

const private4 = list('ipv4', [
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by carriers' NAT and by overlay networks
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
])

/** Global unicast. Mapped, NAT64, link-local, site-local, multicast and discard addresses all lie outside. */
const global6 = list('ipv6', ['2000::/3'])

const special6 = list('ipv6', [
  '2001::/23', // protocol assignments, with Teredo, which embeds IPv4
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds IPv4
  '3fff::/20', // documentation
  'fd00:ec2::254/128', // a cloud's metadata service
  'fd20:ce::254/128', // a cloud's metadata service
])

const private6 = list('ipv6', ['::1/128', 'fc00::/7'])

const kindOf4 = (address: string): AddressKind => {
  if (special4.check(address, 'ipv4')) return 'special'
  return private4.check(address, 'ipv4') ? 'private' : 'public'
}

const kindOf6 = (address: string): AddressKind => {
  if (special6.check(address, 'ipv6')) return 'special'
  if (private6.check(address, 'ipv6')) return 'private'
  return global6.check(address, 'ipv6') ? 'public' : 'special'
}

/** What is no plain address (a name, a zone id, an odd notation) is special: never to be reached. */
export const kindOf = (address: string): AddressKind => {
  if (address.includes('%')) return 'special'
  switch (isIP(address)) {
    case 4:
      return kindOf4(address)
    case 6:
      return kindOf6(address)
    default:
      return 'special'
  }
}
