import ipaddr from 'ipaddr.js';

/** A public address that belongs to the machine's own cloud: Azure's platform address serves its configuration. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);
/** The only part of IPv6 that is assigned to the public internet (RFC 4291 2.4, IANA). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Decides which addresses URLs of callers may reach: public ones, and those that the operator lists. An address that
 * embeds another (IPv4-mapped, 6to4, NAT64, Teredo) is judged by it or refused, never treated as public.
 */
export class EgressGuard {
  private readonly hosts = new Set<string>();
  private readonly networks: Network[] = [];

  /** @param allow `host:port`, `[address]:port` or CIDR entries, in lower case */
  constructor(allow: readonly string[]) {
    for (const entry of allow) {
      if (entry.includes('/')) this.networks.push(ipaddr.parseCIDR(entry));
      else this.hosts.add(entry);
    }
  }

  /** Whether the operator lists this host and port: then its addresses are not checked. */
  allowsHost(hostname: string, port: number): boolean {
    return this.hosts.has(`${hostname}:${port}`);
  }

  /** @param address a numeric address, IPv4 or IPv6; anything else is refused */
  allowsAddress(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = unwrap(ipaddr.parse(address));
    return isPublic(parsed) || this.networks.some((network) => contains(network, parsed));
  }
}

/** An IPv4-mapped address reaches the IPv4 address in it. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_IPV6);
  return !PLATFORM_ADDRESSES.has(address.toString());
}

function contains([base, length]: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (base instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(base, length);
  return address instanceof ipaddr.IPv6 && address.match(base, length);
}
