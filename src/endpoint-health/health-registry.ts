import { Injectable } from '@nestjs/common';
import { isJsonObject, type Json } from '../core/json/json.js';
import type { Widening } from '../core/money/widening.js';
import { FAULT_KINDS } from '../core/errors.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import { healthId, type HealthKey, type HealthSnapshot } from '../core/routing/health.js';
import { Clock, DAY_MS } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { recentlyUsed } from '../shared/recently-used.js';
import { laterDeadline, laterWrite } from '../shared/redis/replicated-map-entry.js';
import { ReplicaLink } from '../shared/redis/replicated-map-link.js';
import { ReplicatedMap } from '../shared/redis/replicated-map.js';
import { HINT_MS_MAX, STREAK_MAX, type CoolDownTimes, type Pause } from './cool-down.js';
import {
  OTHER_CALLERS,
  EndpointRecord,
  OUTAGE_MS,
  type CallFailure,
  type CallOrigin,
  type EndpointCondition,
  type Trouble,
  type Uptime,
} from './endpoint-record.js';
import { ProviderRecord, type ProviderFigures, type SeenFault } from './provider-record.js';
import type { CallFigures } from './rolling-figures.js';

/** Maximum number of endpoints in memory; the least recently used is dropped. */
const KEYS_MAX = 10_000;
/** Maximum number of providers in memory: several times the number that exist. The least recently called is dropped. */
const PROVIDERS_MAX = 1_000;
/** A fault is not published to the replicas again within this time, milliseconds. */
const FAULT_REPUBLISH_MS = 1_000;
/** Longest model id that is accepted from another replica, in characters. */
const MODEL_CHARACTERS_MAX = 512;
/** How long replicas that start later still learn of a past pause, so that they too begin with a trial. */
const PAUSE_MEMORY_MS = 600_000;

/** An endpoint that fails. */
export interface FailingEndpoint {
  /** Slug. */
  readonly provider: string;
  /** Tag. */
  readonly endpoint: string;
  /** Id in the catalog. */
  readonly model: string;
}

/**
 * Results of calls by endpoint, for planning and at each attempt, and by provider, for display. Figures are of this
 * process; pauses, outages and the last fault of a provider are those of all replicas. Safe to share.
 */
@Injectable()
export class HealthRegistry {
  private readonly records = recentlyUsed<string, EndpointRecord>(KEYS_MAX);
  private readonly pauses: ReplicatedMap<Pause>;
  /** Ends of outages, epoch milliseconds. */
  private readonly outages: ReplicatedMap<number>;
  private readonly providers = recentlyUsed<string, ProviderRecord>(PROVIDERS_MAX);
  /** Faults by slug of the provider; only of calls with the operator's own credential. */
  private readonly lastFaults: ReplicatedMap<SeenFault>;
  private readonly times: CoolDownTimes;

  constructor(
    { cooldown, timeouts }: Environment,
    private readonly clock: Clock,
    link: ReplicaLink,
  ) {
    this.times = { ...cooldown, trialMs: timeouts.totalMs };
    const lifeMsMax = Math.max(HINT_MS_MAX, cooldown.maxMs) + PAUSE_MEMORY_MS;
    this.pauses = new ReplicatedMap(
      {
        name: 'health-pauses',
        entriesMax: KEYS_MAX,
        lifeMsMax,
        merge: laterDeadline,
        read: (value) => readPause(value, clock.now() + lifeMsMax),
        onRemoteChange: (name, pause) => {
          const [id, caller] = readPauseName(name);
          this.record(id).adoptPause(pause, clock.now(), caller);
        },
      },
      link,
      clock,
    );
    this.outages = new ReplicatedMap(
      {
        name: 'health-outages',
        entriesMax: KEYS_MAX,
        lifeMsMax: OUTAGE_MS,
        merge: laterDeadline,
        read: (value) => (typeof value === 'number' ? value : undefined),
        onRemoteChange: (id, until) => this.record(id).adoptOutage(until, clock.now()),
      },
      link,
      clock,
    );
    this.lastFaults = new ReplicatedMap(
      {
        name: 'health-faults',
        entriesMax: PROVIDERS_MAX,
        lifeMsMax: DAY_MS,
        merge: laterWrite,
        read: (value) => readFault(value, clock.now() + DAY_MS),
      },
      link,
      clock,
    );
  }

  /**
   * The current state, to be read at once: each endpoint is looked up on demand.
   * @param caller hash of the requesting key; absent: the state over all callers
   */
  snapshot(caller?: string): HealthSnapshot {
    const now = this.clock.now();
    return { find: (key) => this.find(key, caller)?.health(now, caller) };
  }

  /** The counts of this process's calls. Undefined: it made none, or none within memory. */
  uptime(key: HealthKey): Uptime | undefined {
    return this.records.peek(idOf(key))?.uptime(this.clock.now());
  }

  /**
   * The state of an endpoint over all callers. Reading it does not count as a use, so it does not delay its removal.
   */
  condition(key: HealthKey): EndpointCondition {
    const record = this.records.peek(idOf(key)) ?? this.find(key);
    return record?.condition(this.clock.now()) ?? 'unknown';
  }

  /**
   * The figures of a provider over calls with the operator's own credential; those with a caller's credential concern
   * only that caller.
   * @param slug of the provider
   */
  provider(slug: string): ProviderFigures {
    const lastFault = this.lastFaults.get(slug);
    return { ...this.providers.peek(slug)?.view(this.clock.now()), ...(lastFault && { lastFault }) };
  }

  /** The endpoints in trouble with the operator's own credential, one entry each. */
  troubles(): readonly { readonly provider: string; readonly trouble: Trouble }[] {
    const now = this.clock.now();
    const found: { readonly provider: string; readonly trouble: Trouble }[] = [];
    for (const [id, record] of this.records.entries()) {
      const trouble = record.trouble(now);
      if (trouble === undefined) continue;
      const [, tag, credential] = id.split(' ') as [string, string, string];
      if (credential === SHARED_CREDENTIAL) found.push({ provider: slugOf(tag), trouble });
    }
    return found;
  }

  /** The endpoints that fail with the operator's own credential, as the catalogue shows them. */
  failing(): readonly FailingEndpoint[] {
    const now = this.clock.now();
    const found: FailingEndpoint[] = [];
    for (const [id, record] of this.records.entries()) {
      const [model, tag, credential] = id.split(' ') as [string, string, string];
      if (credential === SHARED_CREDENTIAL && record.condition(now) === 'failing')
        found.push({ provider: slugOf(tag), endpoint: tag, model });
    }
    return found;
  }

  /** The last faults of providers within a day, at any replica, with the operator's own credential, by slug. */
  lastFaultsOf(slugs: Iterable<string>): ReadonlyMap<string, SeenFault> {
    const faults = new Map<string, SeenFault>();
    for (const slug of slugs) {
      const fault = this.lastFaults.get(slug);
      if (fault) faults.set(slug, fault);
    }
    return faults;
  }

  /** Requests a call of an endpoint. False: it is in a cool-down, or another request of this process is its trial. */
  admit(key: HealthKey, caller?: string): boolean {
    const record = this.find(key, caller);
    return !record?.hasPaused || record.admit(this.clock.now(), caller);
  }

  /** Requests a call in spite of a cool-down, as the last resort. False: the provider requested the pause. */
  admitLast(key: HealthKey): boolean {
    return this.find(key)?.admitLast(this.clock.now()) ?? true;
  }

  /** Called after `admit`: whether the call is the trial after a pause, which decides about further calls. */
  isTrial(key: HealthKey, caller?: string): boolean {
    const record = this.find(key, caller);
    return record?.hasPaused === true && record.isUnproven(caller);
  }

  /** An admitted call begins to answer: a trial has succeeded, however long its reply takes. */
  began(key: HealthKey, origin: CallOrigin = {}): void {
    this.publishEnds(key, this.find(key, origin.caller)?.began(this.clock.now(), origin) ?? []);
  }

  /** An admitted call has answered. @param figures absent where none could be measured */
  succeeded(key: HealthKey, figures?: CallFigures, origin: CallOrigin = {}): void {
    const now = this.clock.now();
    const record = this.find(key, origin.caller) ?? this.record(idOf(key));
    const ended = record.succeeded(figures, now, origin);
    if (ended.length > 0) this.publishEnds(key, ended);
    if (key.credential === SHARED_CREDENTIAL) this.providerOf(key).succeeded(figures, now);
    const change = record.outageChange(now);
    if (change) this.publishOutage(idOf(key), change, now);
  }

  /** An admitted call has failed through the provider. Refusals of the gateway itself are not reported here. */
  failed(key: HealthKey, failure: CallFailure, origin: CallOrigin = {}): void {
    const id = idOf(key);
    const now = this.clock.now();
    const record = this.find(key, origin.caller) ?? this.record(id);
    const begun = record.failed(failure, now, origin);
    if (key.credential === SHARED_CREDENTIAL) this.providerFailed(key, failure, now);
    if (begun) this.pauses.set(pauseName(id, begun.caller), begun.pause, begun.pause.until + PAUSE_MEMORY_MS);
    const change = record.outageChange(now);
    if (change) this.publishOutage(id, change, now);
  }

  /** A reply exceeded its bound: later holds for calls of this endpoint are widened, in this process. */
  exceeded(key: HealthKey, by: Widening, caller?: string): void {
    (this.find(key, caller) ?? this.record(idOf(key))).exceeded(by, this.clock.now(), caller);
  }

  /** A trial had no outcome, because its client disconnected. */
  released(key: HealthKey, caller?: string): void {
    this.find(key)?.released(caller);
  }

  private providerFailed(key: HealthKey, { by, fault }: CallFailure, now: number): void {
    this.providerOf(key).failed(now, by === 'rate-limit');
    if (!fault) return;
    const slug = slugOf(key.tag);
    const seen: SeenFault = { at: now, ...fault, model: key.model };
    const last = this.lastFaults.get(slug);
    if (!last || now - last.at >= FAULT_REPUBLISH_MS || !isAlike(seen, last))
      this.lastFaults.set(slug, seen, now + DAY_MS);
  }

  private providerOf(key: HealthKey): ProviderRecord {
    const slug = slugOf(key.tag);
    let record = this.providers.get(slug);
    if (!record) this.providers.set(slug, (record = new ProviderRecord()));
    return record;
  }

  private publishEnds(key: HealthKey, ended: readonly (string | undefined)[]): void {
    for (const caller of ended) this.pauses.delete(pauseName(idOf(key), caller));
  }

  private publishOutage(id: string, change: 'out' | 'over', now: number): void {
    if (change === 'out') this.outages.set(id, now + OUTAGE_MS, now + OUTAGE_MS);
    else this.outages.delete(id);
  }

  /** The cached record, or a new one where the replicas have a state of the endpoint. */
  find(key: HealthKey, caller?: string): EndpointRecord | undefined {
    const id = key.id ?? healthId(key);
    return this.records.get(id) ?? this.findElsewhere(id, caller);
  }

  private findElsewhere(id: string, caller?: string): EndpointRecord | undefined {
    // A quick check: every endpoint of a catalog is looked up at once, mostly while none is in trouble.
    const isKnown =
      (this.outages.size > 0 && this.outages.get(id) !== undefined) ||
      (this.pauses.size > 0 &&
        (this.pauses.get(id) !== undefined || this.pauses.get(pauseName(id, caller ?? OTHER_CALLERS)) !== undefined));
    return isKnown ? this.record(id, caller) : undefined;
  }

  /** @param caller whose own pause is looked up too; those of other callers arrive as events of their replicas */
  private record(id: string, caller = OTHER_CALLERS): EndpointRecord {
    let record = this.records.get(id);
    if (!record) {
      record = new EndpointRecord(this.times);
      const now = this.clock.now();
      const pause = this.pauses.get(id);
      if (pause) record.adoptPause(pause, now);
      const own = this.pauses.get(pauseName(id, caller));
      if (own) record.adoptPause(own, now, caller);
      record.adoptOutage(this.outages.get(id), now);
      this.records.set(id, record);
    }
    return record;
  }
}

/** The provider in a tag: the part before the variant and the tier. */
function slugOf(tag: string): string {
  const end = tag.indexOf('/');
  return end === -1 ? tag : tag.slice(0, end);
}

const isAlike = (one: SeenFault, other: SeenFault): boolean =>
  one.kind === other.kind && one.status === other.status && one.model === other.model;

const idOf = (key: HealthKey): string => key.id ?? healthId(key);

/** For a pause of one caller its key hash follows after a space, which no hash contains. */
const pauseName = (id: string, caller: string | undefined): string => (caller === undefined ? id : `${id} ${caller}`);

function readPauseName(name: string): readonly [id: string, caller?: string] {
  const [model, tag, credential, caller] = name.split(' ');
  const id = `${model} ${tag} ${credential}`;
  return caller === undefined ? [id] : [id, caller];
}

/** @param latest epoch milliseconds; a pause that ends later is invalid */
function readPause(value: Json, latest: number): Pause | undefined {
  if (!isJsonObject(value)) return undefined;
  const { until, by, streak, firmUntil, failedBy } = value;
  if (typeof until !== 'number' || until > latest || typeof streak !== 'number') return undefined;
  if (!Number.isInteger(streak) || streak < 0 || streak > STREAK_MAX) return undefined;
  if (by !== 'rate-limit' && by !== 'faults') return undefined;
  // A pause of an earlier release lacks the provider's hint and the caller of the failure.
  return {
    until,
    by,
    streak,
    ...(typeof firmUntil === 'number' && firmUntil <= until && { firmUntil }),
    ...(typeof failedBy === 'string' && { failedBy }),
  };
}

/** @param latest epoch milliseconds; a fault seen later is invalid */
function readFault(value: Json, latest: number): SeenFault | undefined {
  if (!isJsonObject(value)) return undefined;
  const { at, status, model } = value;
  const kind = FAULT_KINDS.find((known) => known === value['kind']);
  if (typeof at !== 'number' || at < 0 || at > latest || kind === undefined) return undefined;
  if (typeof model !== 'string' || model.length > MODEL_CHARACTERS_MAX) return undefined;
  return { at, kind, ...(typeof status === 'number' && Number.isInteger(status) && { status }), model };
}
