import { lookup } from 'node:dns/promises';

/** An address a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves names for URLs that callers name. Tests replace it. */
export abstract class NameResolver {
  /** Every address of the name, in the order they should be tried. Rejects when there is none. */
  abstract resolve(hostname: string): Promise<readonly ResolvedAddress[]>;
}

/** The operating system's own resolution: its hosts file counts too. */
export class SystemNameResolver extends NameResolver {
  override resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    return lookup(hostname, { all: true, verbatim: true });
  }
}
