import { parseUrl } from './parse-url.js';
import { domainFilter, joinDomainRules, type DomainRules, type JoinedRules } from './domains.js';

/** Where a key may have somebody go, as it is administered and kept. */
export interface EgressRules {
  /** Null: everywhere; without entries: nowhere. */
  readonly allowed_domains: readonly string[] | null;
  /** They win over what is allowed. */
  readonly blocked_domains: readonly string[] | null;
}

/** The rules that the account of a key and the key itself are held to: an address must pass all of them. */
export class Egress {
  private joined: JoinedRules | undefined;
  private readonly filters: readonly ((url: string) => boolean)[];

  private constructor(private readonly rules: readonly DomainRules[]) {
    this.filters = rules.map(domainFilter);
  }

  /** @returns undefined where nobody says anything */
  static of(...said: readonly (EgressRules | null)[]): Egress | undefined {
    const rules = said.flatMap((one) => (one && saysAnything(one) ? [domainRules(one)] : []));
    return rules.length === 0 ? undefined : new Egress(rules);
  }

  /**
   * Whether the address may be reached. Only http and https addresses may, and of these only such as whoever fetches
   * them reads as they are read here.
   */
  allows(url: string): boolean {
    return isPlain(url) && this.filters.every((passes) => passes(url));
  }

  /** The rules as one set, together with those that somebody asked for. */
  joinedWith(asked: DomainRules): JoinedRules {
    this.joined ??= joinDomainRules(this.rules);
    const both = joinDomainRules([asked, this.joined]);
    return { ...both, isExact: both.isExact && this.joined.isExact };
  }
}

/**
 * Whether the host stands in an address as it is meant. Programs differ about the others: `https://a\\@b` is a page at
 * `a` to some, and at `b` to others.
 */
function isPlain(address: string): boolean {
  const url = parseUrl(address);
  if (!url) return false;
  const { protocol, hostname } = url;
  const head = `${protocol}//${hostname}`;
  return address.toLowerCase().startsWith(head) && /^(?::\d+)?(?:[/?#]|$)/.test(address.slice(head.length));
}

const saysAnything = ({ allowed_domains: allowed, blocked_domains: blocked }: EgressRules): boolean =>
  allowed !== null || (blocked !== null && blocked.length > 0);

const domainRules = ({ allowed_domains: allowed, blocked_domains: blocked }: EgressRules): DomainRules => ({
  ...(allowed && { allowedDomains: allowed }),
  ...(blocked && { blockedDomains: blocked }),
});
