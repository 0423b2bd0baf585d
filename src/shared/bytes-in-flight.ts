import { Injectable } from '@nestjs/common';
import { GatewayError } from '../core/errors.js';
import { Environment } from './environment.js';

/**
 * The bytes of bodies, of fetched media and of pages that all requests of this process hold together
 * (`FAIRLEAD_BODIES_IN_FLIGHT`, docs/wire/limits.md#bodies-in-flight). What has come counts, never what was promised. A
 * key may hold as much as it leaves free: the first a half of all, the next a half of the rest, and so whoever comes
 * last still finds room. What never waits counts as far as its key's share goes, and takes no room from others either.
 */
@Injectable()
export class BytesInFlight {
  private readonly max: number;
  private free: number;
  /** By key hash; a key is in it while it holds something. */
  private readonly keys = new Map<string, number>();

  constructor(environment: Environment) {
    this.free = this.max = environment.bodiesInFlightBytesMax;
  }

  /** @param keyHash whose share it counts in */
  open(keyHash: string): HeldBytes {
    return new HeldBytes(this, keyHash);
  }

  /** What is held now, of all keys. */
  get held(): number {
    return this.max - this.free;
  }

  /**
   * For who gives back just what was taken; `open` is for all others.
   * @param bytes below 0 they are given back
   * @returns false when there is no room for them
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

/** What one request holds, until it is answered: attempts are encoded from it. */
export class HeldBytes {
  private bytes = 0;
  private isOver = false;

  /** Use `BytesInFlight.open`. */
  constructor(
    private readonly all: BytesInFlight,
    private readonly keyHash: string,
  ) {}

  /**
   * @returns false when there is no room for them, or none in the share of the key, or the request is over: nothing is
   *   taken then
   */
  take(bytes: number): boolean {
    if (this.isOver || !this.all.add(this.keyHash, bytes)) return false;
    this.bytes += bytes;
    return true;
  }

  /** Gives back what is held, for good: nobody would give back what came after. Safe to call again. */
  release(): void {
    this.isOver = true;
    if (this.bytes === 0) return;
    this.all.add(this.keyHash, -this.bytes);
    this.bytes = 0;
  }
}

const RETRY_AFTER_FULL_MS = 1_000;

/** What whoever takes bytes is told where there is no room for them. */
export const noRoomInFlight = (): GatewayError =>
  new GatewayError('service-unavailable', 'Too many large requests are in flight; retry shortly.', {
    retryAfterMs: RETRY_AFTER_FULL_MS,
  });
