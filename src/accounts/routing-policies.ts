import { Injectable } from '@nestjs/common';
import type { RuledCaller } from '../core/caller.js';
import type { PluginEntry } from '../core/conversation/request.js';
import { NO_DEFAULTS, type PluginDefaults } from '../core/plugin-defaults.js';
import type { Sort } from '../core/routing/preferences.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';
import { Clock } from '../core/time.js';
import { Statements } from '../shared/database/statements.js';
import { FreshCache } from '../shared/fresh-cache.js';
import { notReadable, withinTime } from '../shared/within-time.js';
import { SUBJECT_SCOPES, type SubjectScope } from './budget-subjects.js';

/** Workspaces whose policies are cached. */
const KNOWN_MAX = 10_000;

interface PolicyRow {
  readonly allowed_providers: readonly string[] | null;
  readonly ignored_providers: readonly string[] | null;
  readonly deny_data_collection: boolean;
  readonly enforce_zdr: boolean;
  readonly sort: Sort | null;
  readonly plugins: readonly PluginEntry[];
  readonly budgeted: readonly SubjectScope[] | null;
  readonly of: keyof PluginDefaults;
}

/** The policies that apply to a caller. */
export interface CallerPolicies {
  /** The workspace's first, then the account's, then the key's; empty ones are left out. */
  readonly routing: readonly RoutingPolicy[];
  /** Defaults of the workspace and the account. */
  readonly plugins: PluginDefaults;
  /** Scopes in which the account has budgets of users, members and tags. */
  readonly budgeted: readonly SubjectScope[];
}

/**
 * The routing policies of a caller's account, workspace and key, and the plugin defaults of the former two. A change is
 * in force in this process when it was made, and everywhere within five seconds.
 */
@Injectable()
export class RoutingPolicies {
  private readonly cache: FreshCache<CallerPolicies>;

  constructor(
    private readonly statements: Statements,
    clock: Clock,
  ) {
    const max = { known: KNOWN_MAX, missing: 1 };
    this.cache = new FreshCache((home) => withinTime(this.load(home)), clock, max);
  }

  /**
   * Synchronous, with the same lists again, while they are cached; the key's policy came with the caller.
   * @throws GatewayError `service-unavailable` when the store does not answer in time
   */
  of({ accountId, workspaceId, allowedModels }: RuledCaller): CallerPolicies | Promise<CallerPolicies> {
    const home = `${accountId}/${workspaceId}`;
    const cached = this.cache.peek(home);
    if (!cached) return this.ask(home).then((found) => (allowedModels ? withKeyModels(found, allowedModels) : found));
    return allowedModels ? withKeyModels(cached, allowedModels) : cached;
  }

  /** Must be called after a change of any of them is committed. */
  forgetAll(): void {
    this.cache.forgetAll();
  }

  private async ask(home: string): Promise<CallerPolicies> {
    try {
      return (await this.cache.find(home)) ?? NO_POLICIES;
    } catch (error) {
      throw notReadable('The routing policy of the workspace', error);
    }
  }

  private async load(home: string): Promise<CallerPolicies> {
    const rows = await this.statements.run<PolicyRow>(
      `SELECT allowed_providers, ignored_providers, deny_data_collection, enforce_zdr, default_provider_sort AS sort, plugins,
         NULL::text[] AS budgeted, 'workspace' AS of, 1 AS place
       FROM workspaces WHERE account_id = $1 AND id = $2
       UNION ALL
       SELECT allowed_providers, ignored_providers, deny_data_collection, enforce_zdr, NULL, plugins,
         array(SELECT s FROM unnest($3::text[]) AS s WHERE EXISTS (SELECT FROM budgets b WHERE b.account_id = $1 AND b.scope = s)),
         'account', 2
       FROM accounts WHERE id = $1
       ORDER BY place`,
      [...home.split('/'), SUBJECT_SCOPES],
    );
    const policies = rows.map(readPolicy).filter((policy) => Object.keys(policy).length > 0);
    const routing = policies.length === 0 ? NONE : Object.freeze(policies);
    const defaults = rows.filter(({ plugins }) => plugins.length > 0).map(({ of, plugins }) => [of, plugins] as const);
    const plugins = defaults.length === 0 ? NO_DEFAULTS : { ...NO_DEFAULTS, ...Object.fromEntries(defaults) };
    const budgeted = rows.flatMap((row) => row.budgeted ?? []);
    return routing === NONE && plugins === NO_DEFAULTS && budgeted.length === 0
      ? NO_POLICIES
      : { routing, plugins, budgeted };
  }
}

/** The last result for keys, by the models that they may use. */
const WITH_KEY_MODELS = new WeakMap<
  readonly string[],
  { readonly home: CallerPolicies; readonly policies: CallerPolicies }
>();

function withKeyModels(home: CallerPolicies, keyModels: readonly string[]): CallerPolicies {
  const known = WITH_KEY_MODELS.get(keyModels);
  if (known?.home === home) return known.policies;
  const policies = { ...home, routing: [...home.routing, { keyModels }] };
  WITH_KEY_MODELS.set(keyModels, { home, policies });
  return policies;
}

const NONE: readonly never[] = Object.freeze([]);
/** The policies of nearly every workspace. */
const NO_POLICIES: CallerPolicies = Object.freeze({
  routing: NONE,
  plugins: NO_DEFAULTS,
  budgeted: NONE,
});

/** Only the fields that are set. */
const readPolicy = (row: PolicyRow): RoutingPolicy =>
  Object.freeze({
    ...(row.allowed_providers && { only: row.allowed_providers }),
    ...(row.ignored_providers && { ignore: row.ignored_providers }),
    ...(row.deny_data_collection && { denyDataCollection: true }),
    ...(row.enforce_zdr && { zeroDataRetention: true }),
    ...(row.sort && { sort: row.sort }),
  });
