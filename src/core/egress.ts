import { parseUrl } from './parse-url.js';
import { domainFilter, joinDomainRules, type DomainRules, type JoinedRules } from './domains.js';

/** The addresses that tools and providers may reach for a key, as they are administered and stored. */
export interface EgressRules {
  /** Null allows every domain, an empty list none. */
  readonly allowed_domains: readonly string[] | null;
  /** Blocked domains override the allowed ones. */
  readonly blocked_domains: readonly string[] | null;
}

/** The egress rules of an account and of its key: an address must pass all of them. */
export class Egress {
  private joined: JoinedRules | undefined;
  private readonly filters: readonly ((url: string) => boolean)[];

  private constructor(private readonly rules: readonly DomainRules[]) {
    this.filters = rules.map(domainFilter);
  }

  /** @returns undefined where none of the rules limits anything */
  static of(...sets: readonly (EgressRules | null)[]): Egress | undefined {
    const rules = sets.flatMap((set) => (set && isLimiting(set) ? [domainRules(set)] : []));
    return rules.length === 0 ? undefined : new Egress(rules);
  }

  /**
   * Whether the address may be reached. Only http and https addresses may, and only those that every program parses as
   * they are parsed here.
   */
  allows(url: string): boolean {
    return isPlain(url) && this.filters.every((passes) => passes(url));
  }

  /** The rules as one set, together with requested ones. */
  joinedWith(requested: DomainRules): JoinedRules {
    this.joined ??= joinDomainRules(this.rules);
    const both = joinDomainRules([requested, this.joined]);
    return { ...both, isExact: both.isExact && this.joined.isExact };
  }
}

/**
 * Whether the host of an address is unambiguous. Programs disagree about others: `https://a\\@b` is a page at `a` for
 * some and at `b` for others.
 */
function isPlain(address: string): boolean {
  const url = parseUrl(address);
  if (!url) return false;
  const { protocol, hostname } = url;
  const head = `${protocol}//${hostname}`;
  return address.toLowerCase().startsWith(head) && /^(?::\d+)?(?:[/?#]|$)/.test(address.slice(head.length));
}

const isLimiting = ({ allowed_domains: allowed, blocked_domains: blocked }: EgressRules): boolean =>
  allowed !== null || (blocked !== null && blocked.length > 0);

const domainRules = ({ allowed_domains: allowed, blocked_domains: blocked }: EgressRules): DomainRules => ({
  ...(allowed && { allowedDomains: allowed }),
  ...(blocked && { blockedDomains: blocked }),
});
