import { isIP, type LookupFunction } from 'node:net';
import { Injectable, Optional } from '@nestjs/common';
import { Environment } from '../../environment.js';
import { EgressError } from './egress-error.js';
import { EgressGuard } from './egress-guard.js';
import { NameResolver, ServerNameResolver, SystemNameResolver, type ResolvedAddress } from './name-resolver.js';
import { untilAborted } from './until-aborted.js';

/** Limit of the addresses of a name. Chosen: a host with more of them serves the same at each. */
const ADDRESSES_TRIED_MAX = 16;

/** Resolves hosts named by callers to their allowed addresses; a client must connect to exactly these. */
@Injectable()
export class CheckedIpAddresses {
  private readonly guard: EgressGuard;
  private readonly system = new SystemNameResolver();

  constructor(
    environment: Environment,
    @Optional() private readonly resolver: NameResolver = new ServerNameResolver(),
  ) {
    this.guard = new EgressGuard(environment.egressAllow);
  }

  /** Whether the operator lists this host and port. */
  isListed(url: URL): boolean {
    return this.guard.allowsHost(url.hostname, portOf(url));
  }

  /**
   * @returns the addresses of the URL's host, each of them allowed
   * @throws EgressError, or the error of the resolution; the signal's reason
   */
  async of(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const isListed = this.isListed(url);
    const literal = isIP(hostname);
    const addresses = literal
      ? [{ address: hostname, family: literal }]
      : await untilAborted((isListed ? this.system : this.resolver).resolve(hostname, signal), signal);
    if (addresses.length === 0) throw new EgressError('unreachable', 'could not be fetched');
    // One private address among public ones suffices for a refusal: an attacker chooses which one is tried first.
    if (!isListed && !addresses.every(({ address }) => this.guard.allowsAddress(address))) {
      throw new EgressError('refused-address', 'leads to an address that is not public');
    }
    return addresses.slice(0, ADDRESSES_TRIED_MAX);
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** A look-up function with one fixed answer: nothing is resolved again between check and connection. */
export function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}
