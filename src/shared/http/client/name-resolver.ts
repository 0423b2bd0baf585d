import { lookup, Resolver } from 'node:dns/promises';
import type { CancelSignal } from '../../../core/cancellation.js';

/** An address of a name. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves names in URLs from callers. Tests replace it. */
export abstract class NameResolver {
  /**
   * Every address of the name, in the order in which they should be tried. Rejects when there is none, or soon after
   * the abort.
   */
  abstract resolve(hostname: string, signal: CancelSignal): Promise<readonly ResolvedAddress[]>;
}

/**
 * The operating system's own resolution, including its hosts file and search domains. It occupies one of four threads
 * that also look up providers' names and read files, without a time limit: used only for names that the operator lists,
 * each at most once at a time.
 */
export class SystemNameResolver extends NameResolver {
  private readonly underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();

  override resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    let found = this.underWay.get(hostname);
    if (!found) {
      found = lookup(hostname, { all: true, verbatim: true }).finally(() => this.underWay.delete(hostname));
      this.underWay.set(hostname, found);
    }
    return found;
  }
}

/** For one name, over all tries. */
const RESOLVE_MS_MAX = 2_000;
/** Each server is tried once more after that time, with twice the wait: a packet may be lost. */
const FIRST_TRY_MS = 600;
const TRIES = 2;
/** Names of this machine, whatever a server returns (RFC 6761 6.3). */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/;
const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Queries the system's name servers through sockets of its own, so that a server that never answers only delays the
 * caller who named it. Without hosts file and search domains: a name has the same meaning everywhere.
 */
export class ServerNameResolver extends NameResolver {
  /** @param servers `address:port`; those of the system where absent */
  constructor(private readonly servers?: readonly string[]) {
    super();
  }

  override async resolve(hostname: string, signal: CancelSignal): Promise<readonly ResolvedAddress[]> {
    if (LOCALHOST.test(hostname)) return LOOPBACK;
    signal.throwIfAborted();
    // One resolver for each name: cancelling a resolver cancels all its queries.
    const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (this.servers) resolver.setServers(this.servers);
    const cancel = (): void => resolver.cancel();
    const timer = setTimeout(cancel, RESOLVE_MS_MAX);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
      return alternating(addressesOf(v4, 4), addressesOf(v6, 6));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }
}

const addressesOf = (answer: PromiseSettledResult<string[]>, family: number): ResolvedAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

/** Alternates between the families, so that both are among the first. */
function alternating(v4: readonly ResolvedAddress[], v6: readonly ResolvedAddress[]): ResolvedAddress[] {
  const all: ResolvedAddress[] = [];
  for (let index = 0; index < Math.max(v4.length, v6.length); index++) {
    for (const family of [v4, v6]) if (index < family.length) all.push(family[index]!);
  }
  return all;
}
