import { Injectable } from '@nestjs/common';
import { GatewayError } from '../../core/errors.js';
import { Environment } from '../environment.js';

/**
 * The bytes of bodies, fetched media and pages that all requests of this process hold together
 * (`FAIRLEAD_BODIES_IN_FLIGHT`, docs/use/limits.md#bodies-in-flight). Only received bytes count, not announced ones. A
 * key may hold as much as it leaves free: the first one half of all, the next one half of the rest, so that a new key
 * always gets a share. Small bodies never wait. They count up to their key's share, and do not use the share of others.
 */
@Injectable()
export class BytesInFlight {
  private readonly max: number;
  private free: number;
  /** Bytes by key hash; contains the keys that hold something. */
  private readonly keys = new Map<string, number>();

  constructor(environment: Environment) {
    this.free = this.max = environment.bodiesInFlightBytesMax;
  }

  /** @param keyHash of the key whose share the bytes count in */
  open(keyHash: string): HeldBytes {
    return new HeldBytes(this, keyHash);
  }

  /** Bytes held now, over all keys. */
  get held(): number {
    return this.max - this.free;
  }

  /**
   * For callers that return exactly what they took; all others use `open`.
   * @param bytes negative to return them
   * @returns false when there is no space for them
   */
  add(keyHash: string, bytes: number): boolean {
    const next = (this.keys.get(keyHash) ?? 0) + bytes;
    const free = this.free - bytes;
    if (bytes > 0 && next > free) return false;
    this.free = free;
    if (next > 0) this.keys.set(keyHash, next);
    else this.keys.delete(keyHash);
    return true;
  }
}

/** The bytes that one request holds until it is answered: attempts are encoded from them. */
export class HeldBytes {
  private bytes = 0;
  private isOver = false;

  /** Use `BytesInFlight.open`. */
  constructor(
    private readonly all: BytesInFlight,
    private readonly keyHash: string,
  ) {}

  /**
   * @returns false, and takes nothing, when there is no space for them in all or in the share of the key, or the
   * request is over
   */
  take(bytes: number): boolean {
    if (this.isOver || !this.all.add(this.keyHash, bytes)) return false;
    this.bytes += bytes;
    return true;
  }

  /** Returns all bytes and ends the hold, because later bytes would never be returned. Safe to call again. */
  release(): void {
    this.isOver = true;
    if (this.bytes === 0) return;
    this.all.add(this.keyHash, -this.bytes);
    this.bytes = 0;
  }
}

const RETRY_AFTER_FULL_MS = 1_000;

/** The error where there is no space for further bytes. */
export const bytesInFlightFull = (): GatewayError =>
  new GatewayError('service-unavailable', 'Too many large requests are in flight; retry shortly.', {
    retryAfterMs: RETRY_AFTER_FULL_MS,
  });
