import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_PARTS = 4;
/** What stands for every address that cannot be read: they count together. */
const UNKNOWN = 'unknown';
/** Bits before the IPv4 address in one that is mapped into IPv6. */
const MAPPED_BITS = 96;

/** `192.0.2.7:4711`, as some proxies write it. */
const WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
/** `[2001:db8::1]`, `[2001:db8::1]:4711`. */
const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * An address as a socket or a proxy names it: with or without a port, brackets, quotes, a zone. One that is mapped into
 * IPv6 is the IPv4 address it stands for.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const unquoted = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  const address = (WITH_PORT.exec(unquoted) ?? IN_BRACKETS.exec(unquoted))?.[1] ?? unquoted;
  // The library also reads short, octal and hexadecimal forms, which mean other addresses to other readers.
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/**
 * The part of an address that one client holds: a whole IPv4 address, the first 64 bits of an IPv6 one. A single IPv6
 * subscriber has 2⁶⁴ addresses to choose from; counting each apart would count nothing.
 */
export function clientNetwork(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed) return UNKNOWN;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, IPV6_PREFIX_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/**
 * Whose `X-Forwarded-For` is believed, for Express' `trust proxy`: its own reading of networks takes an entry with a
 * port for no address, and so for the client.
 * @param networks CIDRs
 */
export function proxyTrust(networks: readonly string[]): (address: string) => boolean {
  const trusted = networks.map(readNetwork);
  return (address) => {
    const parsed = parseAddress(address);
    return (
      parsed !== undefined &&
      trusted.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
    );
  };
}

/** A network of IPv4 addresses that is written as mapped ones is that of the IPv4 addresses. */
function readNetwork(cidr: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [network.toIPv4Address(), bits - MAPPED_BITS]
    : [network, bits];
}
