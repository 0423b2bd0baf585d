import type { Json } from '../../core/json/json.js';
import type { Clock } from '../../core/time.js';
import {
  compareEntries,
  ENTRY_CHARACTERS_MAX,
  printEntry,
  readEntry,
  type Entry,
  type MergeRule,
} from './replicated-map-entry.js';
import type { LinkedMap, ReplicaLink } from './replicated-map-link.js';

/** Minimum interval of the search for expired entries, in milliseconds. */
const SWEEP_MS = 10_000;
/** Limit of entries written again at a time, so that a long outage is not followed by one burst. */
const RESEND_MAX = 500;
/** How far another replica's clock may be ahead, in milliseconds. */
const SKEW_MS_MAX = 60_000;
/** Longest key accepted from another replica, in characters. */
const KEY_CHARACTERS_MAX = 1024;

export interface ReplicatedMapOptions<T> {
  /** Lower-case words and hyphens, unique per map: Redis keys begin with `fairlead:<name>:`. */
  readonly name: string;
  /** Past it the entry with the oldest write is dropped, in this process only. */
  readonly entriesMax: number;
  /** Longest life of an entry in milliseconds. A longer one is shortened; one from another replica is ignored. */
  readonly lifeMsMax: number;
  readonly merge: MergeRule;
  /** Parses a value of another replica; undefined if it is invalid: such an entry is ignored. */
  readonly read: (value: Json) => T | undefined;
  /** Called when another replica changed a key, with undefined when it withdrew it. */
  readonly onRemoteChange?: (key: string, value: T | undefined) => void;
}

interface LocalEntry<T> extends Entry<T> {
  /** Written by this process, which is responsible for storing it in Redis. */
  readonly isOwn: boolean;
}

/**
 * Small JSON values by key, each until it expires, shared by the replicas. Reads and writes are local and never wait.
 * The link sends each write to the others; while there is none the map works alone, and writes are sent later. A key
 * that two replicas wrote is resolved by the merge rule, which also applies to writes of this process.
 */
export class ReplicatedMap<T> implements LinkedMap {
  private readonly entries = new Map<string, LocalEntry<T>>();
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

  /** Number of entries, including withdrawn ones that are not swept yet. */
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

  /** Withdraws the value of the key on all replicas. */
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
      // Only a value that was seen here counts as withdrawn here.
      if (entry.value !== undefined || known?.value !== undefined) this.options.onRemoteChange?.(key, entry.value);
    } else if (order < 0 && known!.isOwn) {
      // In Redis, the other replica's write may have replaced this process's own.
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

  private findKept(key: string, now: number): LocalEntry<T> | undefined {
    const entry = this.entries.get(key);
    return entry && entry.expiresAt > now ? entry : undefined;
  }

  private keep(key: string, entry: LocalEntry<T>, now: number): void {
    this.sweep(now);
    // Deleted first, so that the map is in the order of writing.
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
