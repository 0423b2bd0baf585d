import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Secret } from '../../../core/secret.js';
import { Environment } from '../../environment.js';

/** A proxy for the gateway's outgoing calls. */
export interface ForwardProxy {
  readonly isSecure: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Sent to it as the value of `Proxy-Authorization`. Secret. */
  readonly authorization?: string;
}

export type ProxySettings = Pick<Environment, 'httpProxy' | 'httpsProxy' | 'noProxy'>;

/**
 * Selects the proxy for calls of providers and engines: the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, as
 * read by other programs. This machine is called directly. Not used for addresses from callers, which must be reached
 * at exactly the checked address.
 */
@Injectable()
export class ForwardProxies {
  private readonly plain: ForwardProxy | undefined;
  private readonly secure: ForwardProxy | undefined;
  private readonly exceptions: readonly IsException[];

  constructor(environment: Environment) {
    const { httpProxy, httpsProxy, noProxy }: ProxySettings = environment;
    this.plain = httpProxy && readProxy(httpProxy.reveal());
    this.secure = httpsProxy && readProxy(httpsProxy.reveal());
    this.exceptions = noProxy.flatMap((entry) => readException(entry) ?? []);
  }

  /** @returns undefined: it is called directly */
  of(url: URL): ForwardProxy | undefined {
    const proxy = url.protocol === 'https:' ? this.secure : this.plain;
    if (!proxy) return undefined;
    const target = { host: hostOf(url).toLowerCase(), port: portOf(url) };
    return isThisMachine(target.host) || this.exceptions.some((isOne) => isOne(target)) ? undefined : proxy;
  }
}

const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[|\]$/g, '');

function readProxy(text: string): ForwardProxy {
  const url = new URL(text);
  const token = tokenOf(url);
  return {
    isSecure: url.protocol === 'https:',
    host: hostOf(url),
    port: portOf(url),
    ...(token !== undefined && { authorization: `Basic ${token}` }),
  };
}

function tokenOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

/** Shorter passwords occur in too many words. */
const PASSWORD_CHARACTERS_MIN = 4;

/** Secrets sent to proxies, which a peer could repeat. */
export function proxySecrets({ httpProxy, httpsProxy }: ProxySettings): readonly Secret[] {
  return [httpProxy, httpsProxy].flatMap((proxy) => {
    const url = proxy && new URL(proxy.reveal());
    const token = url && tokenOf(url);
    if (token === undefined) return [];
    // If there is no password, the name is the secret.
    const password = decodeURIComponent(url!.password || url!.username);
    return [token, ...(password.length < PASSWORD_CHARACTERS_MIN ? [] : [password])].map((text) => new Secret(text));
  });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

type IsException = (target: Target) => boolean;

/** Whether an entry of `NO_PROXY` names any host. */
export const namesHosts = (entry: string): boolean => readException(entry) !== undefined;

const NAME = /^\w(?:[\w.-]*\w)?$/;

/**
 * One entry of `NO_PROXY`: `*`; a name, which includes its subdomains, with or without a leading dot or `*.`; an
 * address or a network; each with or without a port.
 * @returns undefined for anything else: it names nothing
 */
function readException(entry: string): IsException | undefined {
  const text = entry.toLowerCase();
  if (text === '*') return () => true;
  if (text.includes('/')) {
    if (!ipaddr.isValidCIDR(text)) return undefined;
    const network = unmapped(ipaddr.parseCIDR(text));
    return ({ host }) => isIP(host) !== 0 && isWithin(ipaddr.process(host), network);
  }
  const [, named = text, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(text) ?? [];
  const isPort = (target: Target): boolean => port === undefined || Number(port) === target.port;
  // No URL has the zone of an address.
  const bare = named.replace(/^\[|\]$|%.*$/g, '');
  if (isIP(bare) !== 0) {
    const address = ipaddr.process(bare).toString();
    return (target) => isPort(target) && isIP(target.host) !== 0 && ipaddr.process(target.host).toString() === address;
  }
  // The name in the form of hosts in URLs.
  const name = domainToASCII(withoutRoot(named.replace(/^\*?\./, '')));
  if (!NAME.test(name)) return undefined;
  return (target) => {
    const host = withoutRoot(target.host);
    return isPort(target) && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));
  };
}

/** An IPv4 network without its IPv6 mapping, as hosts are compared. */
function unmapped(network: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address, bits] = network;
  if (address.kind() !== 'ipv6' || bits < 96 || !(address as ipaddr.IPv6).isIPv4MappedAddress()) return network;
  return [(address as ipaddr.IPv6).toIPv4Address(), bits - 96];
}

/** A trailing dot marks a name as complete, and makes no difference here. */
const withoutRoot = (name: string): string => name.replace(/\.$/, '');

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, network: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean =>
  address.kind() === network[0].kind() && address.match(network);

const isThisMachine = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback');
