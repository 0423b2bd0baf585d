import { Injectable, Logger } from '@nestjs/common';
import { notReadable, withinTime } from '../shared/within-time.js';
import { secretOf, type ActiveKey } from './active-key.js';
import { KeysRepository } from './keys.repository.js';

/** Concurrent statements: requests with random keys never take more of the pool. */
const STATEMENTS_MAX = 2;
/** Hashes in one statement. */
const BATCH_MAX = 500;
/** Look-ups that wait for a statement; further ones are refused. */
const WAITING_MAX = 2_000;

interface Lookup {
  readonly hash: string;
  readonly resolve: (key: ActiveKey | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks keys up in the store, many at a time: what arrives while statements are under way leaves together in the next
 * one. Thus a flood of distinct keys costs a few statements, and a valid key among them waits no longer than those.
 */
@Injectable()
export class KeyLookups {
  private readonly logger = new Logger('keys');
  private waiting: Lookup[] = [];
  private statements = 0;

  constructor(private readonly keys: KeysRepository) {}

  /**
   * @returns null when there is no such active key
   * @throws GatewayError `service-unavailable` when the store does not answer in time: then nothing is known of the key
   */
  find(hash: string): Promise<ActiveKey | null> {
    if (this.waiting.length >= WAITING_MAX) return Promise.reject(notReadable('The key'));
    const found = new Promise<ActiveKey | null>((resolve, reject) => this.waiting.push({ hash, resolve, reject }));
    this.startBatches();
    return found;
  }

  private startBatches(): void {
    while (this.statements < STATEMENTS_MAX && this.waiting.length > 0)
      void this.run(this.waiting.splice(0, BATCH_MAX));
  }

  private async run(batch: readonly Lookup[]): Promise<void> {
    this.statements++;
    try {
      const keys = await withinTime(this.keys.listActive(batch.map(({ hash }) => hash)));
      const byHash = new Map(keys.map((key) => [secretOf(key.caller), key]));
      for (const { hash, resolve } of batch) resolve(byHash.get(hash) ?? null);
    } catch (error) {
      this.logger.warn('Keys cannot be looked up.', error);
      // Waiting look-ups are refused as well: else each batch of them would wait for the same dead database in turn.
      const refused = [...batch, ...this.waiting];
      this.waiting = [];
      for (const { reject } of refused) reject(notReadable('The key', error));
    } finally {
      this.statements--;
      this.startBatches();
    }
  }
}
