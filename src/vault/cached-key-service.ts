import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { KeyService, KeyServiceUnavailable, type WrappedKey } from './key-service.js';

/** How long a data key is cached: for that time, an outage or a revocation at the service goes unnoticed. */
const AGE_MS_MAX = 60_000;
const KEYS_MAX = 10_000;
/** How long a service that did not answer is not called: later requests need not wait for it as well. */
const PAUSE_MS = 1_000;

/**
 * Caches what an external service unwrapped, by the hash of wrapped bytes and context. Concurrent requests for one key
 * make one call. Failures are not cached, except for a pause of a second after the service did not answer.
 */
export class CachedKeyService extends KeyService {
  readonly currentKeyId: string;
  /** Private to the runtime too, so that no inspection prints them. */
  readonly #keys: LRUCache<string, Buffer>;
  readonly #pending = new Map<string, Promise<Buffer>>();
  private failure: { readonly error: KeyServiceUnavailable; readonly untilMs: number } | undefined;

  constructor(
    private readonly service: KeyService,
    /** A monotonic clock, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
    this.currentKeyId = service.currentKeyId;
    this.#keys = new LRUCache({
      max: KEYS_MAX,
      ttl: AGE_MS_MAX,
      ttlResolution: 0,
      perf: { now },
    });
  }

  override unwraps(keyId: string): boolean {
    return this.service.unwraps(keyId);
  }

  wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    return this.ask(() => this.service.wrap(dataKey, context));
  }

  async unwrap(key: WrappedKey, context: string): Promise<Buffer> {
    const name = nameOf(key, context);
    const known = this.#keys.get(name) ?? this.#pending.get(name);
    if (known) return known;
    const answer = this.ask(() => this.service.unwrap(key, context));
    this.#pending.set(name, answer);
    try {
      const dataKey = await answer;
      this.#keys.set(name, dataKey);
      return dataKey;
    } finally {
      this.#pending.delete(name);
    }
  }

  private async ask<T>(call: () => Promise<T>): Promise<T> {
    if (this.failure && this.now() < this.failure.untilMs) throw this.failure.error;
    try {
      return await call();
    } catch (error) {
      if (error instanceof KeyServiceUnavailable) this.failure = { error, untilMs: this.now() + PAUSE_MS };
      throw error;
    }
  }
}

/** A JSON array, so that no two print alike. */
const nameOf = ({ keyId, wrapped }: WrappedKey, context: string): string =>
  createHash('sha256')
    .update(JSON.stringify([keyId, wrapped.toString('base64'), context]))
    .digest('base64');
