import { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { IncomingReply } from './incoming-reply.js';
import { OriginPool } from './connection.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from './transport.js';
import type { CancelSignal } from '../core/cancellation.js';

/** Most origins with open connections, as long as one of them is idle. Origins come from the catalog only. */
const ORIGINS_MAX = 256;

/** Parts of a body that are written in one turn: a quarter of a mebibyte. Chosen. */
const TURN_PARTS = 4;

/**
 * The transport over undici's HTTP/1.1 client, one pool of connections per origin. Redirects are not followed: nothing
 * a provider answers makes the gateway send a credential elsewhere. A call that fails on a kept connection is not
 * repeated here: attempts are routing's to count.
 */
@Injectable()
export class UndiciTransport extends Transport implements OnApplicationShutdown {
  private readonly pools = new Map<string, OriginPool>();
  private calls = 0;

  override open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse> {
    return new Promise<UpstreamResponse>((resolve, reject) => {
      signal.throwIfAborted();
      const pathStart = call.url.indexOf('/', call.url.indexOf('://') + 3);
      const pool = this.poolOf(call.url.slice(0, pathStart));
      pool.lastUsed = ++this.calls;
      const connection = pool.acquire();
      const idleTimeoutMs = call.stream ? call.idleTimeoutMs : undefined;
      const pending = { resolve, reject, written: typeof call.body === 'string' ? call.onSent : undefined };
      const reply = new IncomingReply(pool, connection, idleTimeoutMs, signal, pending);
      connection.send(
        { method: 'POST', path: call.url.slice(pathStart), ...payloadOf(call) },
        reply,
        call.connectTimeoutMs,
      );
    });
  }

  /** Closes every connection; open calls fail. Called after the drain. */
  onApplicationShutdown(): void {
    for (const pool of this.pools.values()) pool.close();
    this.pools.clear();
  }

  private poolOf(origin: string): OriginPool {
    const known = this.pools.get(origin);
    if (known) return known;
    if (this.pools.size >= ORIGINS_MAX) this.closeOldest();
    const pool = new OriginPool(origin);
    this.pools.set(origin, pool);
    return pool;
  }

  /**
   * Closes the idle pool that was used longest ago; none when all are busy, which the connections' own limits bound.
   */
  private closeOldest(): void {
    let oldest: [string, OriginPool] | undefined;
    for (const entry of this.pools) {
      if (entry[1].isIdle && (!oldest || entry[1].lastUsed < oldest[1].lastUsed)) oldest = entry;
    }
    if (!oldest) return;
    this.pools.delete(oldest[0]);
    oldest[1].close();
  }
}

function payloadOf({ headers, body, onSent }: OutgoingCall): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> {
  if (typeof body === 'string') return { headers, body };
  const length = body.reduce((bytes, part) => bytes + part.length, 0);
  // Cut before its last part, it is no request.
  const parts = Readable.from(inTurns(body));
  if (onSent) parts.once('end', onSent);
  return { headers: { ...headers, 'content-length': String(length) }, body: parts };
}

/** Others have theirs between: a provider that takes all at once is given megabytes in one turn of the event loop. */
async function* inTurns(parts: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  for (const [place, part] of parts.entries()) {
    if (place > 0 && place % TURN_PARTS === 0) await yieldToEventLoop();
    yield part;
  }
}
