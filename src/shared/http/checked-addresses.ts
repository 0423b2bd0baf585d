import { isIP, type LookupFunction } from 'node:net';
import { Injectable, Optional } from '@nestjs/common';
import { Environment } from '../environment.js';
import { EgressError } from './egress-error.js';
import { EgressGuard } from './egress-guard.js';
import { NameResolver, ServerNameResolver, SystemNameResolver, type ResolvedAddress } from './name-resolver.js';
import { untilAborted } from './until-aborted.js';

/** Of the addresses of a name. Chosen: who has more of them serves the same at each. */
const ADDRESSES_TRIED_MAX = 16;

/** Where hosts that callers name lead, as far as they may: whoever connects there connects to these very addresses. */
@Injectable()
export class CheckedAddresses {
  private readonly guard: EgressGuard;
  private readonly system = new SystemNameResolver();

  constructor(
    environment: Environment,
    @Optional() private readonly resolver: NameResolver = new ServerNameResolver(),
  ) {
    this.guard = new EgressGuard(environment.egressAllow);
  }

  /** The operator lists this very host and port. */
  isListed(url: URL): boolean {
    return this.guard.allowsHost(url.hostname, portOf(url));
  }

  /**
   * @returns the addresses of the URL's host, each of them allowed
   * @throws EgressError, or what the resolution failed with; the signal's reason
   */
  async of(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const isListed = this.isListed(url);
    const literal = isIP(hostname);
    const addresses = literal
      ? [{ address: hostname, family: literal }]
      : await untilAborted((isListed ? this.system : this.resolver).resolve(hostname, signal), signal);
    if (addresses.length === 0) throw new EgressError('unreachable', 'could not be fetched');
    // One private address among public ones is enough to refuse: which one is tried first is the attacker's choice.
    if (!isListed && !addresses.every(({ address }) => this.guard.allowsAddress(address))) {
      throw new EgressError('refused-address', 'leads to an address that is not public');
    }
    return addresses.slice(0, ADDRESSES_TRIED_MAX);
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** A resolution that knows one answer only: between check and connection nothing is asked again. */
export function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}
