/** Which addresses may be reached, as domains. */
export interface DomainRules {
  /** Absent: all. */
  readonly allowedDomains?: readonly string[];
  /** They win over what is allowed. */
  readonly blockedDomains?: readonly string[];
}

/** Of one rule, in characters: a host name has 253 at most. Chosen: the rest is for a path. */
export const DOMAIN_LENGTH_MAX = 1_024;

/**
 * One rule, read. As the vendors publish it for their searches: a domain stands for itself and all below it,
 * `*.example.com` for those below alone, a path for itself and all below it, where one `*` stands for anything. Chosen:
 * a port stands for itself, no port for all; a scheme in front is passed over.
 */
interface DomainRule {
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
export function domainFilter({ allowedDomains, blockedDomains }: DomainRules): (url: string) => boolean {
  const allowed = allowedDomains?.map(readRule);
  const blocked = blockedDomains?.map(readRule) ?? [];
  return (text) => {
    const url = readUrl(text);
    if (!url || blocked.some((rule) => rule === undefined || covers(rule, url))) return false;
    return allowed?.some((rule) => rule !== undefined && covers(rule, url)) ?? true;
  };
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
  return { host: url.host, isBelowOnly, port: port && String(Number(port)), path };
}

interface ReadUrl {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

function readUrl(text: string): ReadUrl | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(text);
  const host = hostname.replace(/\.$/, '');
  if ((protocol !== 'http:' && protocol !== 'https:') || host === '') return undefined;
  return { host, port: port || (protocol === 'https:' ? '443' : '80'), path: decoded(pathname).replace(/\/+$/, '') };
}

/** Servers read `%61` as `a`, and slashes in a row as one: neither leads around a rule. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll(/\/{2,}/g, '/');
  } catch {
    return path;
  }
}

function covers(rule: DomainRule, { host, port, path }: ReadUrl): boolean {
  const isBelow = host.endsWith(`.${rule.host}`);
  if (!isBelow && (rule.isBelowOnly || host !== rule.host)) return false;
  if (rule.port !== '' && rule.port !== port) return false;
  const [start = '', rest] = rule.path;
  // By whole steps: `/blog` is not the beginning of `/blogger`.
  const steps = `${path}/`;
  if (rest === undefined) return steps.startsWith(`${start}/`);
  return steps.startsWith(start) && steps.slice(start.length).includes(rest && `${rest}/`);
}
