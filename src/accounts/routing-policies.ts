import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { Sort } from '../core/routing/preferences.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';
import { Clock } from '../core/time.js';
import { Statements } from '../shared/database/statements.js';
import { FreshCache } from '../shared/fresh-cache.js';
import { notReadable, withinTime } from '../shared/within-time.js';

/** Workspaces whose policies are kept at hand. */
const KNOWN_MAX = 10_000;

interface PolicyRow {
  readonly allowed_providers: readonly string[] | null;
  readonly ignored_providers: readonly string[] | null;
  readonly deny_data_collection: boolean;
  readonly enforce_zdr: boolean;
  readonly sort: Sort | null;
}

/**
 * What the account, the workspace and the key of a caller allow of routing. A change is in force in this process when it
 * was made, and everywhere within five seconds.
 */
@Injectable()
export class RoutingPolicies {
  private readonly cache: FreshCache<readonly RoutingPolicy[]>;

  constructor(
    private readonly statements: Statements,
    clock: Clock,
  ) {
    const max = { known: KNOWN_MAX, missing: 1 };
    this.cache = new FreshCache((home) => withinTime(this.load(home)), clock, max);
  }

  /**
   * The workspace's first, then the account's, then the key's, which came with the caller; those that say nothing are
   * left out.
   * @throws GatewayError `unavailable` when the store does not answer in time
   */
  async of({ accountId, workspaceId, allowedModels }: Caller): Promise<readonly RoutingPolicy[]> {
    try {
      const known = (await this.cache.find(`${accountId}/${workspaceId}`)) ?? NONE;
      return allowedModels ? [...known, { keyModels: allowedModels }] : known;
    } catch (error) {
      throw notReadable('The routing policy of the workspace', error);
    }
  }

  /** To be called after a change of any of them is committed. */
  forgetAll(): void {
    this.cache.forgetAll();
  }

  private async load(home: string): Promise<readonly RoutingPolicy[]> {
    const rows = await this.statements.run<PolicyRow>(
      `SELECT allowed_providers, ignored_providers, deny_data_collection, enforce_zdr, default_provider_sort AS sort, 1 AS place
       FROM workspaces WHERE account_id = $1 AND id = $2
       UNION ALL
       SELECT allowed_providers, ignored_providers, deny_data_collection, enforce_zdr, NULL, 2 FROM accounts WHERE id = $1
       ORDER BY place`,
      home.split('/'),
    );
    const policies = rows.map(readPolicy).filter((policy) => Object.keys(policy).length > 0);
    return policies.length === 0 ? NONE : Object.freeze(policies);
  }
}

const NONE: readonly never[] = Object.freeze([]);

/** Only what it says. */
const readPolicy = (row: PolicyRow): RoutingPolicy =>
  Object.freeze({
    ...(row.allowed_providers && { only: row.allowed_providers }),
    ...(row.ignored_providers && { ignore: row.ignored_providers }),
    ...(row.deny_data_collection && { denyDataCollection: true }),
    ...(row.enforce_zdr && { zeroDataRetention: true }),
    ...(row.sort && { sort: row.sort }),
  });
