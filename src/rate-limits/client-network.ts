import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_PARTS = 4;
/** Stands for every address that cannot be read: they count together. */
const UNKNOWN = 'unknown';
/** Bits before the IPv4 address in one that is mapped into IPv6. */
const MAPPED_BITS = 96;

/** `192.0.2.7:4711`, as some proxies write it. */
const WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
/** `[2001:db8::1]`, `[2001:db8::1]:4711`. */
const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * Parses an address as sockets and proxies write it: with or without port, brackets, quotes, zone. An address mapped
 * into IPv6 yields the IPv4 address.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const unquoted = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  const address = (WITH_PORT.exec(unquoted) ?? IN_BRACKETS.exec(unquoted))?.[1] ?? unquoted;
  // The library also reads short, octal and hexadecimal forms, which other readers take for other addresses.
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/**
 * The part of an address that identifies one client: a whole IPv4 address, the first 64 bits of an IPv6 one. A single
 * IPv6 subscriber has 2⁶⁴ addresses to choose from, so counting each apart would be useless.
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
 * Decides for Express' `trust proxy` whose `X-Forwarded-For` is trusted: its own parser does not recognise an entry
 * with a port as an address, and would take it for the client.
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

/** A network of mapped addresses is the network of the IPv4 addresses. */
function readNetwork(cidr: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [network.toIPv4Address(), bits - MAPPED_BITS]
    : [network, bits];
}
