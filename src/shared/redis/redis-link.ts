import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Secret } from '../../core/secret.js';
import { BEAT_MS, RedisConnection } from './redis-connection.js';
import { ReplicaLink, type LinkedMap } from './replicated-map-link.js';

/** Limit of concurrent writes; further ones wait in their maps. */
const WRITES_MAX = 1_000;
/** Keys per scan step of a load, and limit of steps: a million keys. */
const SCAN_COUNT = 1_000;
const SCAN_STEPS_MAX = 1_000;

/**
 * Connects maps through Redis: one connection for commands, one for subscriptions. It connects by itself, also after an
 * outage, and then gives each map the content of Redis. An outage is logged once, without the address.
 */
export class RedisLink extends ReplicaLink implements OnApplicationShutdown {
  private readonly logger = new Logger('replicas');
  private readonly commands: RedisConnection;
  private readonly listener: RedisConnection;
  private readonly timer: NodeJS.Timeout;
  private readonly maps = new Map<string, LinkedMap>();
  /** Maps that have received everything since the connection. */
  private readonly upToDate = new Set<LinkedMap>();
  private readonly catchingUp = new Set<LinkedMap>();
  /** Counts the losses of either connection: a load that started before a loss is not up to date after it. */
  private losses = 0;
  private isAway = false;
  private isClosed = false;
  private writes = 0;

  constructor(url: Secret) {
    super();
    const changed = (isReady: boolean): void => (isReady ? this.synchronise() : this.markLost());
    this.commands = new RedisConnection(url, changed);
    this.listener = new RedisConnection(url, changed);
    this.listener.client.on('message', (channel: string, message: string) => this.deliver(channel, message));
    this.timer = setInterval(() => this.beat(), BEAT_MS).unref();
    this.beat();
  }

  override join(map: LinkedMap): void {
    this.maps.set(this.channelOf(map.name), map);
    this.synchronise();
  }

  override async write(name: string, key: string, text: string, ttlMs: number): Promise<boolean> {
    if (!this.commands.isReady || this.writes >= WRITES_MAX) return false;
    this.writes++;
    try {
      const { client } = this.commands;
      await Promise.all([
        client.set(prefixOf(name) + key, text, 'PX', ttlMs),
        client.publish(this.channelOf(name), JSON.stringify([key, text])),
      ]);
      return true;
    } catch {
      return false;
    } finally {
      this.writes--;
    }
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    this.commands.close();
    this.listener.close();
  }

  /** Keys are separated by the number of the database, channels are not. */
  private channelOf(name: string): string {
    return `fairlead:${this.commands.client.options.db ?? 0}:${name}`;
  }

  override get answers(): boolean {
    return this.isUp && !this.isAway;
  }

  private get isUp(): boolean {
    return this.commands.isReady && this.listener.isReady;
  }

  private beat(): void {
    this.commands.beat();
    this.listener.beat();
    this.synchronise();
  }

  private markLost(): void {
    this.losses++;
    this.upToDate.clear();
    this.setAway(true);
  }

  private setAway(isAway: boolean): void {
    if (isAway === this.isAway) return;
    this.isAway = isAway;
    if (isAway) this.logger.warn('Redis does not answer; this process counts locally until it answers again.');
    else this.logger.log('Redis answers again; counters and pins are shared between replicas.');
  }

  private synchronise(): void {
    if (!this.isUp) return;
    for (const map of this.maps.values()) {
      if (this.upToDate.has(map)) map.resend();
      else if (!this.catchingUp.has(map)) void this.catchUp(map);
    }
  }

  /** Subscribes before it loads, so that no write is missed. A failed load is repeated at the next beat. */
  private async catchUp(map: LinkedMap): Promise<void> {
    const { losses } = this;
    this.catchingUp.add(map);
    try {
      await this.listener.client.subscribe(this.channelOf(map.name));
      const stored = await this.read(map);
      if (losses !== this.losses) return;
      this.upToDate.add(map);
      this.setAway(false);
      map.load(stored);
    } catch {
      // Without the error, which may contain the address. The connection may also be open and commands be refused.
      if (!this.isClosed) this.setAway(true);
    } finally {
      this.catchingUp.delete(map);
    }
  }

  private async read({ name, entriesMax }: LinkedMap): Promise<Map<string, string>> {
    const { client } = this.commands;
    const prefix = prefixOf(name);
    const stored = new Map<string, string>();
    let cursor = '0';
    for (let step = 0; step < SCAN_STEPS_MAX && stored.size < entriesMax; step++) {
      const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', SCAN_COUNT);
      const texts = keys.length > 0 ? await client.mget(keys) : [];
      keys.forEach((key, index) => {
        const text = texts[index];
        if (typeof text === 'string' && stored.size < entriesMax) stored.set(key.slice(prefix.length), text);
      });
      cursor = next;
      if (cursor === '0') break;
    }
    return stored;
  }

  private deliver(channel: string, message: string): void {
    const [key, text] = readPair(message);
    if (key !== undefined && text !== undefined) this.maps.get(channel)?.receive(key, text);
  }
}

const prefixOf = (name: string): string => `fairlead:${name}:`;

/** Any client may publish: anything but a pair of texts is ignored. */
function readPair(message: string): readonly string[] {
  try {
    const pair: unknown = JSON.parse(message);
    return Array.isArray(pair) && pair.every((part) => typeof part === 'string') ? pair : [];
  } catch {
    return [];
  }
}
