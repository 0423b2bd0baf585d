import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../core/parse-url.js';
import { Ungrammatical, type Grammar } from './grammars.js';

const HOST_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/** A host name or an address of this machine. */
export const host: Grammar<string> = (text) => {
  if (isIP(text) === 0 && !HOST_NAME.test(text)) throw new Ungrammatical('must be a host name or an IP address');
  return text;
};

/** Addresses of one network: `10.0.0.0/8`, `fd00::/8`. */
export const cidr: Grammar<string> = (text) => {
  // The library also accepts short, octal and hexadecimal forms, which other programs interpret differently.
  if (isIP(text.split('/', 1)[0]!) === 0 || !ipaddr.isValidCIDR(text)) {
    throw new Ungrammatical('must be a CIDR such as 10.0.0.0/8 or fd00::/8 (one address is a /32 or a /128)');
  }
  return text;
};

/** A network of proxies. Never all addresses: then any client could choose the address it appears to come from. */
export const proxyNetwork: Grammar<string> = (text) => {
  const network = cidr(text);
  if (ipaddr.parseCIDR(network)[1] === 0) throw new Ungrammatical('must not be a /0: it would trust every sender');
  return network;
};

/**
 * Addresses that URLs from callers may reach besides public ones: `host:port`, `[address]:port` or a CIDR. Lower case.
 */
export const egressTarget: Grammar<string> = (text) => {
  if (text.includes('/')) return cidr(text);
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  const name = match?.[1]?.replace(/^\[|\]$/g, '') ?? '';
  const port = Number(match?.[2]);
  const isHost = match?.[1]?.startsWith('[') ? isIP(name) === 6 : isIP(name) === 4 || HOST_NAME.test(name);
  if (!isHost || !(port >= 1 && port <= 65_535)) {
    throw new Ungrammatical('must be host:port or a CIDR, such as files.internal:8080 or 10.1.0.0/16');
  }
  return text.toLowerCase();
};

/** Any text: other programs read the variable as well, some with a wider syntax. */
export const text: Grammar<string> = (value) => value;

/** A forward proxy for outgoing calls: `http://user:password@host:port`. */
export const forwardProxy: Grammar<string> = (value) => {
  const url = parseUrl(value);
  const isOne = url && (url.protocol === 'http:' || url.protocol === 'https:') && url.pathname === '/' && !url.search;
  if (!isOne) throw new Ungrammatical('must be the address of an HTTP proxy: http://host:port or https://host:port');
  if (!isPercentEncoded(url.username) || !isPercentEncoded(url.password))
    throw new Ungrammatical('must have a % in its user or password as %25: they are percent-encoded');
  return value;
};

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An origin in the form that browsers send. */
export const origin: Grammar<string> = (value) => {
  const url = parseUrl(value);
  if (url?.origin !== value || (url.protocol !== 'https:' && url.protocol !== 'http:') || value.includes('*')) {
    throw new Ungrammatical(
      'must be an origin such as https://app.example.com: scheme, host and port, no more and no wildcard',
    );
  }
  return value;
};
