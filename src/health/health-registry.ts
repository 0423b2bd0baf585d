import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isJsonObject, type Json } from '../core/json/json.js';
import type { Widening } from '../core/money/widening.js';
import type { HealthKey, HealthSnapshot } from '../core/routing/health.js';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { laterDeadline } from '../shared/replicated-map-entry.js';
import { ReplicaLink } from '../shared/replicated-map-link.js';
import { ReplicatedMap } from '../shared/replicated-map.js';
import { HINT_MS_MAX, STREAK_MAX, type CoolDownTimes, type Pause } from './cool-down.js';
import {
  ANYBODY,
  EndpointRecord,
  OUTAGE_MS,
  type CallFailure,
  type CallFigures,
  type CallOrigin,
  type Uptime,
} from './endpoint-record.js';

/** Endpoints known at one time; the one not asked for longest goes. */
const KEYS_MAX = 10_000;
/** How long replicas that come later still learn of a pause that is over, so that they too try it with one call. */
const PAUSE_MEMORY_MS = 600_000;

/**
 * How the endpoints have answered, for planning and at each attempt. Figures are of this process; pauses and outages
 * are those of all replicas. Safe to share.
 */
@Injectable()
export class HealthRegistry {
  private readonly records = new LRUCache<string, EndpointRecord>({ max: KEYS_MAX });
  private readonly pauses: ReplicatedMap<Pause>;
  /** Until when each is out, epoch milliseconds. */
  private readonly outages: ReplicatedMap<number>;
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

  /** Asks to call an endpoint. False: it is in a cool-down, or another request of this process is its trial. */
  admit(key: HealthKey, caller?: string): boolean {
    return this.find(key, caller)?.admit(this.clock.now(), caller) ?? true;
  }

  /** Asks to call an endpoint in a cool-down, for nothing else is left. False: its provider asked to be left alone. */
  admitLast(key: HealthKey): boolean {
    return this.find(key)?.admitLast(this.clock.now()) ?? true;
  }

  /** After `admit`: the call is the trial after a pause, on which the endpoint's next calls depend. */
  isTrial(key: HealthKey, caller?: string): boolean {
    return this.find(key, caller)?.isUnproven(caller) ?? false;
  }

  /** A call that was admitted begins to answer: a trial has succeeded, however long its reply goes on. */
  began(key: HealthKey, origin: CallOrigin = {}): void {
    this.publishEnds(key, this.find(key, origin.caller)?.began(this.clock.now(), origin) ?? []);
  }

  /** A call that was admitted has answered. Figures it could not show are left out. */
  succeeded(key: HealthKey, figures: CallFigures = {}, origin: CallOrigin = {}): void {
    const now = this.clock.now();
    const record = this.find(key, origin.caller) ?? this.record(idOf(key));
    this.publishEnds(key, record.succeeded(figures, now, origin));
    const change = record.outageChange(now);
    if (change) this.publishOutage(idOf(key), change, now);
  }

  /** A call that was admitted has failed through the provider. What the gateway refuses by itself is not told here. */
  failed(key: HealthKey, failure: CallFailure, origin: CallOrigin = {}): void {
    const id = idOf(key);
    const now = this.clock.now();
    const record = this.find(key, origin.caller) ?? this.record(id);
    const begun = record.failed(failure, now, origin);
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

  private publishEnds(key: HealthKey, ended: readonly (string | undefined)[]): void {
    for (const caller of ended) this.pauses.delete(pauseName(idOf(key), caller));
  }

  private publishOutage(id: string, change: 'out' | 'over', now: number): void {
    if (change === 'out') this.outages.set(id, now + OUTAGE_MS, now + OUTAGE_MS);
    else this.outages.delete(id);
  }

  /** The record at hand, or a new one where the replicas know something of the endpoint. */
  private find(key: HealthKey, caller?: string): EndpointRecord | undefined {
    const id = idOf(key);
    const record = this.records.get(id);
    if (record) return record;
    const isKnown =
      this.pauses.get(id) !== undefined ||
      this.outages.get(id) !== undefined ||
      this.pauses.get(pauseName(id, caller ?? ANYBODY)) !== undefined;
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

/** None of the three can hold a space. */
const idOf = ({ model, tag, credential }: HealthKey): string => `${model} ${tag} ${credential}`;

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
