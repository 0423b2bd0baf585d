import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_PARTS = 4;

/**
 * The part of an address that one client holds: a whole IPv4 address, the first 64 bits of an IPv6 one. A single IPv6
 * subscriber has 2⁶⁴ addresses to choose from; counting each apart would count nothing.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, IPV6_PREFIX_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
