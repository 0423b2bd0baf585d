import { parseUrl } from './parse-url.js';

/** Which addresses may be reached, as domains. */
export interface DomainRules {
  /** Absent: all. */
  readonly allowedDomains?: readonly string[];
  /** They win over what is allowed. */
  readonly blockedDomains?: readonly string[];
}

/** Several rules as one set, for whoever takes one only. */
export interface JoinedRules extends DomainRules {
  /** Absent: all. Without entries: they leave nothing. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains: readonly string[];
  /** False: no rule says what they allow together, or one cannot be read, and these let more through. */
  readonly isExact: boolean;
}

/** Of a host, in characters: no name has more in DNS (RFC 1035). An address with a longer one cannot be reached. */
const HOST_LENGTH_MAX = 255;
/** Of one rule, in characters. Chosen: what is no host is for a path. */
export const DOMAIN_LENGTH_MAX = 1_024;

/**
 * One rule, read. As the vendors publish it for their searches: a domain stands for itself and all below it,
 * `*.example.com` for those below alone, a path for itself and all below it, where one `*` stands for anything. Chosen:
 * a port stands for itself, no port for all; a scheme in front is passed over.
 */
interface DomainRule {
  /** As it was written, without a scheme and an ending slash. */
  readonly text: string;
  readonly host: string;
  readonly isBelowOnly: boolean;
  /** '' for any. */
  readonly port: string;
  /** What the path begins with, and what it has behind the `*`; no ending slash. */
  readonly path: readonly string[];
}

/** Whether a text is a rule that can be held to. */
export const isDomainRule = (text: string): boolean => readRule(text) !== undefined;

/** What the rules let through. A rule that cannot be read allows nothing, and blocks everything. */
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

/** A host, and each that it is below of. */
function hostsAbove(host: string): readonly string[] {
  const hosts = [host];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) hosts.push(host.slice(dot + 1));
  return hosts;
}

/** Rules by their hosts: what it costs to find some does not grow with their number. */
class HostIndex {
  private readonly own = new Map<string, DomainRule[]>();
  /** Made when it is first asked for: who judges addresses never does. */
  private beneath: Map<string, DomainRule[]> | undefined;

  constructor(private readonly rules: readonly DomainRule[]) {
    for (const rule of rules) keep(this.own, rule.host, rule);
  }

  at(host: string): readonly DomainRule[] {
    return this.own.get(host) ?? NO_RULES;
  }

  /** Those that may have something in common with a rule. */
  near({ host }: DomainRule): readonly DomainRule[] {
    const beneath = (this.beneath ??= beneathHosts(this.rules));
    return [...hostsAbove(host).flatMap((above) => this.at(above)), ...(beneath.get(host) ?? NO_RULES)];
  }
}

const NO_RULES: readonly DomainRule[] = [];

/** Rules by each host that they are below of. */
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
 * Rules that bind together, as one set: what each of them allows, and none of them blocks. What is blocked elsewhere
 * than what is allowed is left out, and what is allowed and blocked as well.
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
    const met = some.flatMap((one) =>
      index.near(one).flatMap((other) => {
        const common = meet(one, other);
        if (common === 'unsaid') isExact = false;
        return common === 'unsaid' ? one : (common ?? []);
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

/** One of each text. */
const unique = (rules: readonly DomainRule[]): readonly DomainRule[] => [
  ...new Map(rules.map((rule) => [rule.text, rule])).values(),
];

/**
 * What two rules cover together: one of the two wherever it lies within the other.
 * @returns undefined where that is nothing; `unsaid` where it may be something that no rule says
 */
function meet(one: DomainRule, other: DomainRule): DomainRule | 'unsaid' | undefined {
  if (isWithin(one, other)) return one;
  if (isWithin(other, one)) return other;
  const areHostsApart = !lies(one.host, other.host) && !lies(other.host, one.host);
  const arePortsApart = one.port !== '' && other.port !== '' && one.port !== other.port;
  return areHostsApart || arePortsApart || arePathsApart(one.path, other.path) ? undefined : 'unsaid';
}

/** Whether a host is another one, or below it. */
const lies = (host: string, other: string): boolean => host === other || host.endsWith(`.${other}`);

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

/** Both begin as they say: where neither beginning is that of the other, nothing is common to them. */
function arePathsApart([one = '', oneRest]: DomainRule['path'], [other = '', otherRest]: DomainRule['path']): boolean {
  const first = oneRest === undefined ? `${one}/` : one;
  const second = otherRest === undefined ? `${other}/` : other;
  return !first.startsWith(second) && !second.startsWith(first);
}

function readRule(text: string): DomainRule | undefined {
  const bare = text.trim().replace(/^https?:\/\//i, '');
  const isBelowOnly = bare.startsWith('*.');
  const url = bare.length <= DOMAIN_LENGTH_MAX ? readUrl(`http://${isBelowOnly ? bare.slice(2) : bare}`) : undefined;
  // Whatever is no part of a rule was not meant by it: a space makes a path, an `@` a name.
  if (!url || /[\s@?#\\]/.test(bare)) return undefined;
  const path = url.path.split('*');
  // The engine takes the port of the scheme away, which is to be told from none.
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
 * A path as servers may read it: `%61` as `a`, `%2f` and backslashes as slashes, several of them as one, a segment
 * without its parameters (`;a=1`) and what stands behind a NUL, and only then `..`. None of it leads around a rule.
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

/** What is no UTF-8 stands for bytes. */
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
  // By whole steps: `/blog` is not the beginning of `/blogger`.
  const steps = `${path}/`;
  if (rest === undefined) return steps.startsWith(`${start}/`);
  return steps.startsWith(start) && steps.slice(start.length).includes(rest && `${rest}/`);
}
