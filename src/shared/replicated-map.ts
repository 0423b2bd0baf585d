import type { Json } from '../core/json/json.js';
import type { Clock } from '../core/time.js';
import {
  compareEntries,
  ENTRY_CHARACTERS_MAX,
  printEntry,
  readEntry,
  type Entry,
  type MergeRule,
} from './replicated-map-entry.js';
import type { LinkedMap, ReplicaLink } from './replicated-map-link.js';

/** How often expired entries are looked for, at most, in milliseconds. */
const SWEEP_MS = 10_000;
/** Entries written again at one time, so that a long outage is not made good in one burst. */
const RESEND_MAX = 500;
/** How far the clock of another replica may be ahead, in milliseconds. */
const SKEW_MS_MAX = 60_000;
/** Longest key that is believed from another replica, in characters. */
const KEY_CHARACTERS_MAX = 1024;

export interface ReplicatedMapOptions<T> {
  /** Lower-case words and hyphens, another one for each map: Redis keys begin with `fairlead:<name>:`. */
  readonly name: string;
  /** Past it the entry that was written longest ago goes, here only. */
  readonly entriesMax: number;
  /** Longest life of an entry, milliseconds. A longer one is cut; from another replica it is not believed. */
  readonly lifeMsMax: number;
  readonly merge: MergeRule;
  /** The value of another replica, or undefined for what is none: such an entry is ignored. */
  readonly read: (value: Json) => T | undefined;
  /** Told when another replica changed a key, with undefined when it withdrew it. */
  readonly onRemoteChange?: (key: string, value: T | undefined) => void;
}

interface Kept<T> extends Entry<T> {
  /** Written by this process: it answers for Redis having it. */
  readonly isOwn: boolean;
}

/**
 * Small JSON values by key, each until it expires, that replicas share. Reading and writing are local and never wait.
 * Through the link each write reaches the others; while there is none the map goes on alone, and what was written
 * meanwhile is told later. A key that two replicas wrote is settled by the merge rule, to which writes of this
 * process are held as well.
 */
export class ReplicatedMap<T> implements LinkedMap {
  private readonly entries = new Map<string, Kept<T>>();
  private readonly unsent = new Set<string>();
  private sweptAt = -Infinity;

  constructor(
    private readonly options: ReplicatedMapOptions<T>,
    private readonly link: ReplicaLink,
    private readonly clock: Clock,
  ) {
    link.join(this);
  }

  get name(): string {
    return this.options.name;
  }

  get entriesMax(): number {
    return this.options.entriesMax;
  }

  /** Entries held, withdrawn and not yet swept ones included. */
  get size(): number {
    return this.entries.size;
  }

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    return entry && entry.expiresAt > this.clock.now() ? entry.value : undefined;
  }

  /** @param expiresAt epoch milliseconds */
  set(key: string, value: T, expiresAt: number): void {
    const now = this.clock.now();
    this.write(key, { value, expiresAt: Math.min(expiresAt, now + this.options.lifeMsMax) }, now);
  }

  /** Withdraws what is known under the key, everywhere. */
  delete(key: string): void {
    const now = this.clock.now();
    const known = this.findKept(key, now);
    // Kept as withdrawn for as long as any replica could still hold the value.
    if (known?.value !== undefined) this.write(key, { expiresAt: known.expiresAt }, now);
  }

  receive(key: string, text: string): void {
    const now = this.clock.now();
    if (key.length > KEY_CHARACTERS_MAX) return;
    const entry = readEntry(text, now + this.options.lifeMsMax + SKEW_MS_MAX, this.options.read);
    if (entry && entry.expiresAt > now) this.adopt(key, entry, now);
  }

  load(stored: ReadonlyMap<string, string>): void {
    for (const [key, text] of stored) this.receive(key, text);
    for (const [key, entry] of this.entries) if (entry.isOwn && !stored.has(key)) this.unsent.add(key);
    this.resend();
  }

  resend(): void {
    let count = 0;
    for (const key of this.unsent) {
      if (count++ === RESEND_MAX) return;
      this.send(key);
    }
  }

  private write(key: string, change: { readonly value?: T; readonly expiresAt: number }, now: number): void {
    const known = this.findKept(key, now);
    const entry = { ...change, writtenAt: known ? Math.max(now, known.writtenAt + 1) : now, isOwn: true };
    if (entry.expiresAt <= now || (known && compareEntries(entry, known, this.options.merge) <= 0)) return;
    this.keep(key, entry, now);
    this.unsent.add(key);
    this.send(key);
  }

  private adopt(key: string, entry: Entry<T>, now: number): void {
    const known = this.findKept(key, now);
    const order = known ? compareEntries(entry, known, this.options.merge) : 1;
    if (order > 0) {
      this.keep(key, { ...entry, isOwn: false }, now);
      this.unsent.delete(key);
      // Only what was seen here is withdrawn here.
      if (entry.value !== undefined || known?.value !== undefined) this.options.onRemoteChange?.(key, entry.value);
    } else if (order < 0 && known!.isOwn) {
      // Theirs may have been written over ours in Redis.
      this.unsent.add(key);
    }
  }

  private send(key: string): void {
    const now = this.clock.now();
    const entry = this.findKept(key, now);
    const text = entry && printEntry(entry);
    if (text === undefined || text.length > ENTRY_CHARACTERS_MAX) {
      this.unsent.delete(key);
      return;
    }
    void this.link.write(this.name, key, text, Math.ceil(entry!.expiresAt - now)).then((isWritten) => {
      if (isWritten && this.entries.get(key) === entry) this.unsent.delete(key);
    });
  }

  private findKept(key: string, now: number): Kept<T> | undefined {
    const entry = this.entries.get(key);
    return entry && entry.expiresAt > now ? entry : undefined;
  }

  private keep(key: string, entry: Kept<T>, now: number): void {
    this.sweep(now);
    // Taken out first, so that the order of the map is that of writing.
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size <= this.options.entriesMax) return;
    const [oldest] = this.entries.keys();
    this.forget(oldest!);
  }

  private sweep(now: number): void {
    if (now >= this.sweptAt && now - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = now;
    for (const [key, { expiresAt }] of this.entries) if (expiresAt <= now) this.forget(key);
  }

  private forget(key: string): void {
    this.entries.delete(key);
    this.unsent.delete(key);
  }
}
