import { Injectable } from '@nestjs/common';
import { isJsonObject, type Json } from '../core/json/json.js';
import type { Widening } from '../core/money/widening.js';
import { FAULT_KINDS } from '../core/errors.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import { healthId, type HealthKey, type HealthSnapshot } from '../core/routing/health.js';
import { Clock, DAY_MS } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { recentlyUsed } from '../shared/recently-used.js';
import { laterDeadline, laterWrite } from '../shared/replicated-map-entry.js';
import { ReplicaLink } from '../shared/replicated-map-link.js';
import { ReplicatedMap } from '../shared/replicated-map.js';
import { HINT_MS_MAX, STREAK_MAX, type CoolDownTimes, type Pause } from './cool-down.js';
import {
  ANYBODY,
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

/** Endpoints known at one time; the one not asked for longest goes. */
const KEYS_MAX = 10_000;
/** Providers known at one time: several times those that there are. The one not called for longest goes. */
const PROVIDERS_MAX = 1_000;
/** The same fault once more within so long is not told to the replicas again, milliseconds. */
const FAULT_RETOLD_MS = 1_000;
/** Longest id of a model that is believed from another replica, in characters. */
const MODEL_CHARACTERS_MAX = 512;
/** How long replicas that come later still learn of a pause that is over, so that they too try it with one call. */
const PAUSE_MEMORY_MS = 600_000;

/**
 * How the endpoints have answered, for planning and at each attempt, and their providers, for whoever looks. Figures
 * are of this process; pauses, outages and the last fault of a provider are those of all replicas. Safe to share.
 */
@Injectable()
export class HealthRegistry {
  private readonly records = recentlyUsed<string, EndpointRecord>(KEYS_MAX);
  private readonly pauses: ReplicatedMap<Pause>;
  /** Until when each is out, epoch milliseconds. */
  private readonly outages: ReplicatedMap<number>;
  private readonly providers = recentlyUsed<string, ProviderRecord>(PROVIDERS_MAX);
  /** By slug of the provider; of calls by the operator's own credential. */
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
   * The state at this moment, to be read at once: it is looked up when it is asked for.
   * @param caller hash of the key that asks; absent: as all see it
   */
  snapshot(caller?: string): HealthSnapshot {
    const now = this.clock.now();
    return { find: (key) => this.find(key, caller)?.health(now, caller) };
  }

  /** How the calls of this process went. Undefined: it made none, or none within memory. */
  uptime(key: HealthKey): Uptime | undefined {
    return this.records.peek(idOf(key))?.uptime(this.clock.now());
  }

  /** How an endpoint does, as all see it. Who looks does not ask to call it: it is forgotten no later for that. */
  condition(key: HealthKey): EndpointCondition {
    const record = this.records.peek(idOf(key)) ?? this.find(key);
    return record?.condition(this.clock.now()) ?? 'unknown';
  }

  /**
   * How the calls to a provider went by the operator's own credential: what a caller's meets is that one's affair.
   * @param slug of the provider
   */
  provider(slug: string): ProviderFigures {
    const lastFault = this.lastFaults.get(slug);
    return { ...this.providers.peek(slug)?.view(this.clock.now()), ...(lastFault && { lastFault }) };
  }

  /** What is in trouble by the operator's own credential, one entry an endpoint. */
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

  /** Asks to call an endpoint. False: it is in a cool-down, or another request of this process is its trial. */
  admit(key: HealthKey, caller?: string): boolean {
    const record = this.find(key, caller);
    return !record?.hasPaused || record.admit(this.clock.now(), caller);
  }

  /** Asks to call an endpoint in a cool-down, for nothing else is left. False: its provider asked to be left alone. */
  admitLast(key: HealthKey): boolean {
    return this.find(key)?.admitLast(this.clock.now()) ?? true;
  }

  /** After `admit`: the call is the trial after a pause, on which the endpoint's next calls depend. */
  isTrial(key: HealthKey, caller?: string): boolean {
    const record = this.find(key, caller);
    return record?.hasPaused === true && record.isUnproven(caller);
  }

  /** A call that was admitted begins to answer: a trial has succeeded, however long its reply goes on. */
  began(key: HealthKey, origin: CallOrigin = {}): void {
    this.publishEnds(key, this.find(key, origin.caller)?.began(this.clock.now(), origin) ?? []);
  }

  /** A call that was admitted has answered. @param figures absent: it could show none */
  succeeded(key: HealthKey, figures?: CallFigures, origin: CallOrigin = {}): void {
    const now = this.clock.now();
    const record = this.find(key, origin.caller) ?? this.record(idOf(key));
    const ended = record.succeeded(figures, now, origin);
    if (ended.length > 0) this.publishEnds(key, ended);
    if (key.credential === SHARED_CREDENTIAL) this.providerOf(key).succeeded(figures, now);
    const change = record.outageChange(now);
    if (change) this.publishOutage(idOf(key), change, now);
  }

  /** A call that was admitted has failed through the provider. What the gateway refuses by itself is not told here. */
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

  /** A reply went beyond its bound: what is held for calls there is widened, in this process. */
  exceeded(key: HealthKey, by: Widening, caller?: string): void {
    (this.find(key, caller) ?? this.record(idOf(key))).exceeded(by, this.clock.now(), caller);
  }

  /** A trial has neither succeeded nor failed: its caller left. */
  released(key: HealthKey, caller?: string): void {
    this.find(key)?.released(caller);
  }

  private providerFailed(key: HealthKey, { by, fault }: CallFailure, now: number): void {
    this.providerOf(key).failed(now, by === 'rate-limit');
    if (!fault) return;
    const slug = slugOf(key.tag);
    const seen: SeenFault = { at: now, ...fault, model: key.model };
    const last = this.lastFaults.get(slug);
    if (!last || now - last.at >= FAULT_RETOLD_MS || !isAlike(seen, last))
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

  /** The record at hand, or a new one where the replicas know something of the endpoint. */
  find(key: HealthKey, caller?: string): EndpointRecord | undefined {
    const id = key.id ?? healthId(key);
    return this.records.get(id) ?? this.findElsewhere(id, caller);
  }

  private findElsewhere(id: string, caller?: string): EndpointRecord | undefined {
    // Looked up for every endpoint of a catalog at once, mostly while nothing is wrong anywhere.
    const isKnown =
      (this.outages.size > 0 && this.outages.get(id) !== undefined) ||
      (this.pauses.size > 0 &&
        (this.pauses.get(id) !== undefined || this.pauses.get(pauseName(id, caller ?? ANYBODY)) !== undefined));
    return isKnown ? this.record(id, caller) : undefined;
  }

  /** @param caller whose own pause is looked up as well; those of others come with the news of their replicas */
  private record(id: string, caller = ANYBODY): EndpointRecord {
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

/** The provider in a tag: what stands in front of the variant and the tier. */
function slugOf(tag: string): string {
  const end = tag.indexOf('/');
  return end === -1 ? tag : tag.slice(0, end);
}

const isAlike = (one: SeenFault, other: SeenFault): boolean =>
  one.kind === other.kind && one.status === other.status && one.model === other.model;

const idOf = (key: HealthKey): string => key.id ?? healthId(key);

/** Of a pause that holds for one caller alone, that one stands behind; no hash holds a space either. */
const pauseName = (id: string, caller: string | undefined): string => (caller === undefined ? id : `${id} ${caller}`);

function readPauseName(name: string): readonly [id: string, caller?: string] {
  const [model, tag, credential, caller] = name.split(' ');
  const id = `${model} ${tag} ${credential}`;
  return caller === undefined ? [id] : [id, caller];
}

/** @param latest epoch milliseconds, past which no sound pause ends */
function readPause(value: Json, latest: number): Pause | undefined {
  if (!isJsonObject(value)) return undefined;
  const { until, by, streak, firmUntil, failedBy } = value;
  if (typeof until !== 'number' || until > latest || typeof streak !== 'number') return undefined;
  if (!Number.isInteger(streak) || streak < 0 || streak > STREAK_MAX) return undefined;
  if (by !== 'rate-limit' && by !== 'faults') return undefined;
  // Of a release before this one it says nothing of what the provider asked for, nor whose failure it was.
  return {
    until,
    by,
    streak,
    ...(typeof firmUntil === 'number' && firmUntil <= until && { firmUntil }),
    ...(typeof failedBy === 'string' && { failedBy }),
  };
}

/** @param latest epoch milliseconds, past which no sound fault was seen */
function readFault(value: Json, latest: number): SeenFault | undefined {
  if (!isJsonObject(value)) return undefined;
  const { at, status, model } = value;
  const kind = FAULT_KINDS.find((known) => known === value['kind']);
  if (typeof at !== 'number' || at < 0 || at > latest || kind === undefined) return undefined;
  if (typeof model !== 'string' || model.length > MODEL_CHARACTERS_MAX) return undefined;
  return { at, kind, ...(typeof status === 'number' && Number.isInteger(status) && { status }), model };
}
