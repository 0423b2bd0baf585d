import { parseUrl } from './parse-url.js';

/** Domain rules for the addresses that may be reached. */
export interface DomainRules {
  /** Absent: all. */
  readonly allowedDomains?: readonly string[];
  /** Blocked domains override the allowed ones. */
  readonly blockedDomains?: readonly string[];
}

/** Several rules as one set, for vendors that accept a single one. */
export interface JoinedRules extends DomainRules {
  /** Absent: all. Empty: none. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains: readonly string[];
  /** False: no rule expresses the exact intersection, or one cannot be parsed, and these allow more. */
  readonly isExact: boolean;
}

/** Characters of a host: the longest name in DNS (RFC 1035). An address with a longer one cannot be reached. */
const HOST_LENGTH_MAX = 255;
/** Characters of one rule. Chosen: it allows a path after the host. */
export const DOMAIN_LENGTH_MAX = 1_024;

/**
 * One parsed rule. As vendors publish it for their searches: a domain stands for itself and its subdomains,
 * `*.example.com` for the subdomains alone, a path for itself and everything below it, where one `*` stands for
 * anything. Our choice: a port stands for itself, no port for all; a scheme in front is ignored.
 */
interface DomainRule {
  /** The rule in the caller's spelling, without its scheme and trailing slash. */
  readonly text: string;
  readonly host: string;
  readonly isBelowOnly: boolean;
  /** '' for any. */
  readonly port: string;
  /** The beginning of the path, and the part after the `*`; no trailing slash. */
  readonly path: readonly string[];
}

/** Whether a text is a rule that can be applied. */
export const isDomainRule = (text: string): boolean => readRule(text) !== undefined;

/** The filter of the rules. A rule that cannot be parsed allows nothing and, as a blocked one, blocks everything. */
export function domainFilter({ allowedDomains, blockedDomains = [] }: DomainRules): (url: string) => boolean {
  const isAllowed = allowedDomains && coveredBy(readRules(allowedDomains));
  const blocked = readRules(blockedDomains);
  const isBlocked = blocked.length < blockedDomains.length ? () => true : coveredBy(blocked);
  return (text) => {
    const url = readUrl(text);
    return url !== undefined && !isBlocked(url) && isAllowed?.(url) !== false;
  };
}

/** Whether any of the rules covers an address. */
function coveredBy(rules: readonly DomainRule[]): (url: ReadUrl) => boolean {
  if (rules.length === 0) return () => false;
  const index = new HostIndex(rules);
  return (url) => hostsAbove(url.host).some((host) => index.at(host).some((rule) => covers(rule, url)));
}

/** A host and all its parent domains. */
function hostsAbove(host: string): readonly string[] {
  const hosts = [host];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) hosts.push(host.slice(dot + 1));
  return hosts;
}

/** Rules by host: the time of a lookup does not grow with their number. */
class HostIndex {
  private readonly own = new Map<string, DomainRule[]>();
  /** Built on first use: judging addresses does not need it. */
  private beneath: Map<string, DomainRule[]> | undefined;

  constructor(private readonly rules: readonly DomainRule[]) {
    for (const rule of rules) keep(this.own, rule.host, rule);
  }

  at(host: string): readonly DomainRule[] {
    return this.own.get(host) ?? NO_RULES;
  }

  /** The rules that may overlap with a rule. */
  near({ host }: DomainRule): readonly DomainRule[] {
    const beneath = (this.beneath ??= beneathHosts(this.rules));
    return [...hostsAbove(host).flatMap((above) => this.at(above)), ...(beneath.get(host) ?? NO_RULES)];
  }
}

const NO_RULES: readonly DomainRule[] = [];

/** Rules by each of their parent domains. */
function beneathHosts(rules: readonly DomainRule[]): Map<string, DomainRule[]> {
  const beneath = new Map<string, DomainRule[]>();
  for (const rule of rules) for (const above of hostsAbove(rule.host).slice(1)) keep(beneath, above, rule);
  return beneath;
}

function keep(rules: Map<string, DomainRule[]>, host: string, rule: DomainRule): void {
  const others = rules.get(host);
  if (others) others.push(rule);
  else rules.set(host, [rule]);
}

/**
 * Rules that apply together, as one set: what all of them allow and none blocks. Blocked rules outside the allowed ones
 * are left out, and so are allowed rules that are blocked.
 */
export function joinDomainRules(all: readonly DomainRules[]): JoinedRules {
  const bans = unique(all.flatMap(({ blockedDomains = [] }) => readRules(blockedDomains)));
  const lists = all.flatMap(({ allowedDomains }) => (allowedDomains ? [unique(readRules(allowedDomains))] : []));
  const [first, ...others] = lists;
  let isExact = all.every(({ allowedDomains = [], blockedDomains = [] }) =>
    [...allowedDomains, ...blockedDomains].every(isDomainRule),
  );
  if (!first) return { blockedDomains: printRules(bans), isExact };
  const meetAll = (some: readonly DomainRule[], more: readonly DomainRule[]): readonly DomainRule[] => {
    const index = new HostIndex(more);
    const met = some.flatMap((rule) =>
      index.near(rule).flatMap((near) => {
        const common = meet(rule, near);
        if (common === 'inexact') isExact = false;
        return common === 'inexact' ? rule : (common ?? []);
      }),
    );
    return unique(met);
  };
  const banned = new HostIndex(bans);
  const allowed = others.reduce(meetAll, first).filter((rule) => !banned.near(rule).some((ban) => isWithin(rule, ban)));
  const open = new HostIndex(allowed);
  const inside = bans.filter((ban) => open.near(ban).some((rule) => meet(rule, ban) !== undefined));
  return { allowedDomains: printRules(allowed), blockedDomains: printRules(inside), isExact };
}

const readRules = (texts: readonly string[]): DomainRule[] => texts.flatMap((text) => readRule(text) ?? []);

const printRules = (rules: readonly DomainRule[]): readonly string[] => rules.map(({ text }) => text);

/** One rule for each text. */
const unique = (rules: readonly DomainRule[]): readonly DomainRule[] => [
  ...new Map(rules.map((rule) => [rule.text, rule])).values(),
];

/**
 * The intersection of two rules: one of the two where it lies within the other.
 * @returns undefined where it is empty; `inexact` where no single rule expresses it
 */
function meet(first: DomainRule, second: DomainRule): DomainRule | 'inexact' | undefined {
  if (isWithin(first, second)) return first;
  if (isWithin(second, first)) return second;
  const areHostsApart = !lies(first.host, second.host) && !lies(second.host, first.host);
  const arePortsApart = first.port !== '' && second.port !== '' && first.port !== second.port;
  return areHostsApart || arePortsApart || arePathsApart(first.path, second.path) ? undefined : 'inexact';
}

/** Whether a host is another one, or a subdomain of it. */
const lies = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

function isWithin(inner: DomainRule, outer: DomainRule): boolean {
  if (outer.port !== '' && outer.port !== inner.port) return false;
  const isHostWithin =
    inner.host === outer.host ? inner.isBelowOnly || !outer.isBelowOnly : inner.host.endsWith(`.${outer.host}`);
  return isHostWithin && isPathWithin(inner.path, outer.path);
}

function isPathWithin(inner: DomainRule['path'], outer: DomainRule['path']): boolean {
  if (inner[0] === outer[0] && inner[1] === outer[1]) return true;
  const [start = '', rest] = inner;
  const [outerStart = '', outerRest] = outer;
  const beginning = rest === undefined ? `${start}/` : start;
  if (outerRest === undefined) return beginning.startsWith(`${outerStart}/`);
  if (outerRest === '') return beginning.startsWith(outerStart);
  return rest === undefined && coversPath(outer, start);
}

/** Paths whose beginnings are not prefixes of each other have nothing in common. */
function arePathsApart([one = '', oneRest]: DomainRule['path'], [other = '', otherRest]: DomainRule['path']): boolean {
  const first = oneRest === undefined ? `${one}/` : one;
  const second = otherRest === undefined ? `${other}/` : other;
  return !first.startsWith(second) && !second.startsWith(first);
}

function readRule(text: string): DomainRule | undefined {
  const bare = text.trim().replace(/^https?:\/\//i, '');
  const isBelowOnly = bare.startsWith('*.');
  const url = bare.length <= DOMAIN_LENGTH_MAX ? readUrl(`http://${isBelowOnly ? bare.slice(2) : bare}`) : undefined;
  // Characters that are no part of a rule are refused: a space would become part of the path, an `@` a user name.
  if (!url || /[\s@?#\\]/.test(bare)) return undefined;
  const path = url.path.split('*');
  // `URL` removes the default port of the scheme, which must differ from no port.
  const port = /^[^/]*:(\d+)(?:\/|$)/.exec(bare.replace(/^\[.*?\]/, ''))?.[1] ?? '';
  if (path.length > 2 || url.host.includes('*')) return undefined;
  return { text: bare.replace(/\/+$/, ''), host: url.host, isBelowOnly, port: port && String(Number(port)), path };
}

interface ReadUrl {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

function readUrl(text: string): ReadUrl | undefined {
  const url = parseUrl(text);
  if (!url) return undefined;
  const { protocol, hostname, port, pathname } = url;
  const host = hostname.replace(/\.$/, '');
  if ((protocol !== 'http:' && protocol !== 'https:') || host === '' || host.length > HOST_LENGTH_MAX) return undefined;
  return { host, port: port || (protocol === 'https:' ? '443' : '80'), path: decoded(pathname).replace(/\/+$/, '') };
}

/**
 * The path as a server may read it: `%61` as `a`, `%2f` and backslashes as slashes, several of them as one, a segment
 * without its parameters (`;a=1`) and without the rest after a NUL, and only then `..`. So no spelling bypasses a rule.
 */
function decoded(path: string): string {
  const segments: string[] = [];
  for (const written of path.replace(/(?:%[\da-f]{2})+/gi, decodeRun).split(/[/\\]+/)) {
    const segment = written.replace(/[;\0].*$/s, '');
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Sequences that are not UTF-8 are read as bytes. */
function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1');
  }
}

function covers(rule: DomainRule, { host, port, path }: ReadUrl): boolean {
  const isBelow = host.endsWith(`.${rule.host}`);
  if (!isBelow && (rule.isBelowOnly || host !== rule.host)) return false;
  if (rule.port !== '' && rule.port !== port) return false;
  return coversPath(rule.path, path);
}

function coversPath([start = '', rest]: DomainRule['path'], path: string): boolean {
  // Compares whole segments: `/blog` is not a prefix of `/blogger`.
  const steps = `${path}/`;
  if (rest === undefined) return steps.startsWith(`${start}/`);
  return steps.startsWith(start) && steps.slice(start.length).includes(rest && `${rest}/`);
}
