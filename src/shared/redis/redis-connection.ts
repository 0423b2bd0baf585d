import { Redis } from 'ioredis';
import type { Secret } from '../../core/secret.js';

/** Interval in milliseconds at which a lost Redis is tried again. */
export const BEAT_MS = 500;
/** Time limit of connecting, in milliseconds. */
const CONNECT_MS_MAX = 1_500;
/** Time limit for a socket to close, in milliseconds. */
const CLOSE_MS_MAX = 100;
/** Consecutive beats without an answer after which the connection counts as dead. */
const UNANSWERED_BEATS_MAX = 4;

/**
 * One connection to Redis, driven by beats: each beat connects when there is no connection, checks a connection that
 * exists, and drops one that has missed several beats. It never keeps the process running. Commands are not queued:
 * they fail at once while it is not ready, and pending ones fail when it is dropped.
 */
export class RedisConnection {
  readonly client: Redis;
  private unansweredBeats = 0;
  private isClosed = false;

  /**
   * @param changed called when the connection became ready, and when it ended or could not be made
   * @param commandMsMax time limit of a command, in milliseconds; absent: none
   */
  constructor(url: Secret, changed: (isReady: boolean) => void, commandMsMax?: number) {
    this.client = new Redis(url.reveal(), {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      // The beats reconnect; the client's own timers would keep the process running.
      retryStrategy: null,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_MS_MAX,
      disconnectTimeout: CLOSE_MS_MAX,
      ...(commandMsMax !== undefined && { commandTimeout: commandMsMax }),
    });
    this.client.on('connect', () => this.client.stream.unref());
    this.client.on('ready', () => {
      this.unansweredBeats = 0;
      if (!this.isClosed) changed(true);
    });
    this.client.on('end', () => {
      if (!this.isClosed) changed(false);
    });
    // Without a listener the client prints errors, which contain the address.
    this.client.on('error', () => undefined);
  }

  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  beat(): void {
    const { status } = this.client;
    if (status === 'wait' || status === 'end') {
      this.unansweredBeats = 0;
      this.client.connect().catch(() => undefined);
    } else if (this.unansweredBeats >= UNANSWERED_BEATS_MAX) {
      this.unansweredBeats = 0;
      this.client.disconnect();
    } else {
      this.unansweredBeats++;
      if (status === 'ready') this.ask();
    }
  }

  close(): void {
    this.isClosed = true;
    this.client.disconnect();
  }

  private ask(): void {
    this.client.ping().then(
      () => (this.unansweredBeats = 0),
      () => undefined,
    );
  }
}
