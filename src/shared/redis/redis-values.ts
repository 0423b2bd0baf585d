import type { OnApplicationShutdown } from '@nestjs/common';
import type { Secret } from '../../core/secret.js';
import { BEAT_MS, RedisConnection } from './redis-connection.js';
import { SharedValues } from './shared-values.js';

/** Time limit of a command, in milliseconds: a value is a shortcut, and must not become a detour. Chosen. */
const COMMAND_MS_MAX = 100;
/** Limit of removals that wait for Redis; past it the oldest are left to the end of their values. Chosen. */
const REMOVALS_MAX = 10_000;

/** Values in Redis, over a separate connection: large values do not delay session pins. */
export class RedisValues extends SharedValues implements OnApplicationShutdown {
  private readonly connection: RedisConnection;
  private readonly timer: NodeJS.Timeout;
  /** Keys that are removed, and may still be in Redis. */
  private readonly removed = new Set<string>();

  constructor(url: Secret) {
    super();
    this.connection = new RedisConnection(url, (isReady) => void (isReady && this.sendRemovals()), COMMAND_MS_MAX);
    this.timer = setInterval(() => this.beat(), BEAT_MS).unref();
    this.connection.beat();
  }

  override async read(key: string): Promise<Buffer | undefined> {
    if (!this.connection.isReady || this.removed.has(key)) return undefined;
    try {
      return (await this.connection.client.getBuffer(PREFIX + key)) ?? undefined;
    } catch {
      return undefined;
    }
  }

  override async write(key: string, value: Buffer, ttlMs: number): Promise<void> {
    if (!this.connection.isReady || ttlMs < 1) return;
    try {
      await this.connection.client.set(PREFIX + key, value, 'PX', Math.floor(ttlMs));
      this.removed.delete(key);
    } catch {
      // There is no value, or that of before.
    }
  }

  override async remove(key: string): Promise<void> {
    const [oldest] = this.removed;
    if (oldest !== undefined && this.removed.size >= REMOVALS_MAX) this.removed.delete(oldest);
    this.removed.add(key);
    await this.sendRemovals();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.connection.close();
  }

  private beat(): void {
    this.connection.beat();
    void this.sendRemovals();
  }

  private async sendRemovals(): Promise<void> {
    if (!this.connection.isReady || this.removed.size === 0) return;
    const keys = [...this.removed];
    try {
      await this.connection.client.del(keys.map((key) => PREFIX + key));
      for (const key of keys) this.removed.delete(key);
    } catch {
      // The next beat tries again.
    }
  }
}

const PREFIX = 'fairlead:value:';
