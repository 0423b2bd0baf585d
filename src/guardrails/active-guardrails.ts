import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { RuledCaller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';
import { Clock } from '../core/time.js';
import { FreshCache } from '../shared/fresh-cache.js';
import { readInTime } from '../shared/within-time.js';
import { readFilters, readPolicy } from './guardrail-policy.js';
import type { GuardrailEntity } from './guardrail.entity.js';
import { GuardrailsRepository, type EffectiveGuardrail } from './guardrails.repository.js';
import { Inspector, type Inspection } from './inspector.js';

/** All guardrails in force for one caller, combined. */
export interface GuardrailSet {
  readonly policies: readonly RoutingPolicy[];
  /** `scope_id`s of the budgets whose counters the hold is taken from. */
  readonly budgets: readonly string[];
  /** Changes with every change of the guardrails in force. */
  readonly state: string;
  /**
   * Undefined where there is no filter.
   * @param signal ends it with its reason
   */
  readonly inspect: ((request: ModelRequest, signal: CancelSignal) => Inspection | Promise<Inspection>) | undefined;
}

/** The guardrails in force in an account, and the sets that its callers were given. */
interface InForce {
  readonly guardrails: ReadonlyMap<string, GuardrailEntity>;
  /** Rules by the active guardrails and their assignments. */
  readonly sets: Map<string, Rules>;
}

/** A set without its budgets: the same for all callers with the same guardrails. */
type Rules = Pick<GuardrailSet, 'policies' | 'inspect' | 'state'>;

interface EffectiveGuardrails {
  readonly rows: readonly EffectiveGuardrail[];
  readonly budgets: readonly string[];
  /** Made at the first request of its caller, and again when the account's guardrails have been reloaded. */
  made?: { readonly inForce: InForce; readonly set: GuardrailSet };
}

const ACCOUNTS_MAX = 1_000;
const CALLERS_MAX = 40_000;

/**
 * Finds the guardrails in force for a caller. A change is in force everywhere within five seconds. Where an account has
 * none in force, the store is queried for the account only, not for each caller.
 */
@Injectable()
export class ActiveGuardrails {
  private readonly accounts: FreshCache<InForce>;
  private readonly callers: FreshCache<EffectiveGuardrails>;

  constructor(
    private readonly guardrails: GuardrailsRepository,
    clock: Clock,
  ) {
    this.accounts = new FreshCache((accountId) => this.loadAccount(accountId), clock, {
      known: ACCOUNTS_MAX,
      missing: ACCOUNTS_MAX,
    });
    this.callers = new FreshCache((name) => this.loadCaller(name), clock, { known: CALLERS_MAX, missing: CALLERS_MAX });
  }

  /**
   * Synchronous while they, or the fact that the account has none in force, are cached.
   * @throws GatewayError `service-unavailable` when the store does not answer in time
   */
  of(caller: RuledCaller): GuardrailSet | Promise<GuardrailSet> {
    const inForce = this.accounts.peek(caller.accountId);
    if (!inForce) return this.find(caller);
    if (inForce.guardrails.size === 0) return NONE;
    const held = this.callers.peek(nameOf(caller));
    return held === undefined ? this.find(caller) : setOf(inForce, held);
  }

  /** Must be called after a change is committed. */
  forget(accountId: string): void {
    this.accounts.forget(accountId);
    this.callers.forgetAll();
  }

  private async find(caller: RuledCaller): Promise<GuardrailSet> {
    const inForce = await this.accounts.find(caller.accountId);
    if (!inForce || inForce.guardrails.size === 0) return NONE;
    return setOf(inForce, await this.callers.find(nameOf(caller)));
  }

  /**
   * Called also for an account without guardrails: cached accounts are reloaded before they are too old, others on
   * demand.
   */
  private async loadAccount(accountId: string): Promise<InForce> {
    const guardrails = await readInTime('The guardrails', this.guardrails.listInForce(accountId));
    return { guardrails: new Map(guardrails.map((guardrail) => [guardrail.id, guardrail])), sets: new Map() };
  }

  private async loadCaller(name: string): Promise<EffectiveGuardrails | null> {
    const caller = callerOf(name);
    const rows = await readInTime('The guardrails', this.guardrails.listEffective(caller));
    return rows.length === 0 ? null : { rows, budgets: rows.map((row) => budgetOf(row, caller)) };
  }
}

/** A key always has the same caller; its name contains all of it, because a look-up gets only the name. */
const nameOf = ({ accountId, keyHash, userId, workspaceId }: RuledCaller): string =>
  JSON.stringify([accountId, keyHash, userId, workspaceId]);

function callerOf(name: string): RuledCaller {
  const [accountId, keyHash, userId, workspaceId] = JSON.parse(name) as [string, string, string | null, string];
  return { accountId, keyHash, userId, workspaceId };
}

function budgetOf({ id, through }: EffectiveGuardrail, { keyHash, userId, workspaceId }: RuledCaller): string {
  const subject = { key: keyHash, member: userId, workspace: workspaceId }[through];
  return `${id}:${through}:${subject}`;
}

function setOf(inForce: InForce, held: EffectiveGuardrails | null): GuardrailSet {
  if (!held) return NONE;
  if (held.made?.inForce !== inForce) {
    const { policies, inspect, state } = rulesOf(inForce, held.rows);
    held.made = { inForce, set: { policies, inspect, state, budgets: held.budgets } };
  }
  return held.made.set;
}

function rulesOf({ guardrails, sets }: InForce, rows: readonly EffectiveGuardrail[]): Rules {
  const key = rows.map(({ id, through }) => `${through} ${id}`).join();
  const known = sets.get(key);
  if (known) return known;
  const made = makeRules(guardrails, rows);
  sets.set(key, made);
  return made;
}

/**
 * A guardrail that is assigned in several ways is in force once, by the nearest assignment; each assignment has a
 * budget of its own.
 */
function makeRules(guardrails: ReadonlyMap<string, GuardrailEntity>, rows: readonly EffectiveGuardrail[]): Rules {
  const nearest = new Map<string, EffectiveGuardrail>();
  for (const row of rows) if (!nearest.has(row.id)) nearest.set(row.id, row);
  const policies: RoutingPolicy[] = [];
  const filters = [];
  const states: string[] = [];
  for (const { id, through } of nearest.values()) {
    const guardrail = guardrails.get(id);
    // Assigned after the account was read: in force with the next read, within the time that all changes have.
    if (!guardrail) continue;
    states.push(`${id} ${through} ${(guardrail.updatedAt ?? guardrail.createdAt).toISOString()}`);
    const policy = readPolicy(guardrail);
    if (policy) policies.push(policy);
    filters.push(...readFilters(guardrail, through));
  }
  const state = states.join();
  if (filters.length === 0) return { policies, inspect: undefined, state };
  const inspector = new Inspector(filters);
  return { policies, state, inspect: (request, signal) => inspector.inspect(request, signal) };
}

const NO_STAGES: readonly never[] = [];

/** The set where no guardrail is in force. */
export const NONE: GuardrailSet = {
  policies: NO_STAGES,
  budgets: NO_STAGES,
  state: '',
  inspect: undefined,
};
