import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { KeyService, KeyServiceUnavailable, type WrappedKey } from './key-service.js';

/** How long a data key is kept in memory: for so long, a service that is down or was told to refuse is not noticed. */
const AGE_MS_MAX = 60_000;
const KEYS_MAX = 10_000;
/** A service that did not answer is left alone for so long: those who come meanwhile need not wait for it as well. */
const PAUSE_MS = 1_000;

/**
 * Keeps what a service outside unwrapped, by the hash of wrapped bytes and context. However many ask for one key at a
 * time, the service is asked once. Failures are not kept, beyond a second of rest for a service that is down.
 */
export class CachedKeyService extends KeyService {
  readonly currentKeyId: string;
  /** Private to the runtime too, so that no inspection prints them. */
  readonly #keys: LRUCache<string, Buffer>;
  readonly #asking = new Map<string, Promise<Buffer>>();
  private failure: { readonly error: KeyServiceUnavailable; readonly untilMs: number } | undefined;

  constructor(
    private readonly service: KeyService,
    /** Milliseconds that only rise. */
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
    const known = this.#keys.get(name) ?? this.#asking.get(name);
    if (known) return known;
    const answer = this.ask(() => this.service.unwrap(key, context));
    this.#asking.set(name, answer);
    try {
      const dataKey = await answer;
      this.#keys.set(name, dataKey);
      return dataKey;
    } finally {
      this.#asking.delete(name);
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

/** Texts of a JSON array, so that no two print alike. */
const nameOf = ({ keyId, wrapped }: WrappedKey, context: string): string =>
  createHash('sha256')
    .update(JSON.stringify([keyId, wrapped.toString('base64'), context]))
    .digest('base64');
