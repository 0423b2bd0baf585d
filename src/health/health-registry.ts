import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isJsonObject, type Json } from '../core/json/json.js';
import type { HealthKey, HealthSnapshot } from '../core/routing/health.js';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { laterDeadline } from '../shared/replicated-map-entry.js';
import { ReplicaLink } from '../shared/replicated-map-link.js';
import { ReplicatedMap } from '../shared/replicated-map.js';
import { HINT_MS_MAX, STREAK_MAX, type CoolDownTimes, type Pause } from './cool-down.js';
import { EndpointRecord, OUTAGE_MS, type CallFailure, type CallFigures, type Uptime } from './endpoint-record.js';

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
        onRemoteChange: (id, pause) => this.record(id).adoptPause(pause),
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

  /** The state at this moment, to be read at once: it is looked up when it is asked for. */
  snapshot(): HealthSnapshot {
    const now = this.clock.now();
    return { find: (key) => this.find(key)?.health(now) };
  }

  /** How the calls of this process went. Undefined: it made none, or none within memory. */
  uptime(key: HealthKey): Uptime | undefined {
    return this.records.peek(idOf(key))?.uptime(this.clock.now());
  }

  /** Asks to call an endpoint. False: it is in a cool-down, or another request of this process is its trial. */
  admit(key: HealthKey): boolean {
    return this.find(key)?.admit(this.clock.now()) ?? true;
  }

  /** After `admit`: the call is the trial after a pause, on which the endpoint's next calls depend. */
  isTrial(key: HealthKey): boolean {
    return this.find(key)?.isUnproven ?? false;
  }

  /** A call that was admitted begins to answer: a trial has succeeded, however long its reply goes on. */
  began(key: HealthKey): void {
    if (this.find(key)?.began(this.clock.now())) this.pauses.delete(idOf(key));
  }

  /** A call that was admitted has answered. Figures it could not show are left out. */
  succeeded(key: HealthKey, figures: CallFigures = {}): void {
    const now = this.clock.now();
    const record = this.find(key) ?? this.record(idOf(key));
    if (record.succeeded(figures, now)) this.pauses.delete(idOf(key));
    const change = record.outageChange(now);
    if (change) this.publishOutage(idOf(key), change, now);
  }

  /** A call that was admitted has failed through the provider. What the gateway refuses by itself is not told here. */
  failed(key: HealthKey, failure: CallFailure): void {
    const id = idOf(key);
    const now = this.clock.now();
    const record = this.record(id);
    const pause = record.failed(failure, now);
    if (pause) this.pauses.set(id, pause, pause.until + PAUSE_MEMORY_MS);
    const change = record.outageChange(now);
    if (change) this.publishOutage(id, change, now);
  }

  /** A trial has neither succeeded nor failed: its caller left. */
  released(key: HealthKey): void {
    this.find(key)?.released();
  }

  private publishOutage(id: string, change: 'out' | 'over', now: number): void {
    if (change === 'out') this.outages.set(id, now + OUTAGE_MS, now + OUTAGE_MS);
    else this.outages.delete(id);
  }

  /** The record at hand, or a new one where the replicas know something of the endpoint. */
  private find(key: HealthKey): EndpointRecord | undefined {
    const id = idOf(key);
    const record = this.records.get(id);
    if (record) return record;
    const isKnown = this.pauses.get(id) !== undefined || this.outages.get(id) !== undefined;
    return isKnown ? this.record(id) : undefined;
  }

  private record(id: string): EndpointRecord {
    let record = this.records.get(id);
    if (!record) {
      record = new EndpointRecord(this.times);
      const pause = this.pauses.get(id);
      if (pause) record.adoptPause(pause);
      record.adoptOutage(this.outages.get(id), this.clock.now());
      this.records.set(id, record);
    }
    return record;
  }
}

/** None of the three can hold a space. */
const idOf = ({ model, tag, credential }: HealthKey): string => `${model} ${tag} ${credential}`;

/** @param latest epoch milliseconds, past which no sound pause ends */
function readPause(value: Json, latest: number): Pause | undefined {
  if (!isJsonObject(value)) return undefined;
  const { until, by, streak } = value;
  if (typeof until !== 'number' || until > latest || typeof streak !== 'number') return undefined;
  if (!Number.isInteger(streak) || streak < 0 || streak > STREAK_MAX) return undefined;
  return by === 'rate-limit' || by === 'faults' ? { until, by, streak } : undefined;
}
