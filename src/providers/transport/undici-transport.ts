import { Readable } from 'node:stream';
import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { IncomingReply, type PendingHead } from './incoming-reply.js';
import { OriginPool } from './connection.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from './transport.js';
import { type CancelSignal, toAbortSignal } from '../../core/cancellation.js';
import { ProviderFault } from '../../core/errors.js';
import { CheckedIpAddresses, pinned } from '../../shared/http/client/checked-ip-addresses.js';
import { EgressError } from '../../shared/http/client/egress-error.js';
import { ForwardProxies } from '../../shared/http/client/forward-proxies.js';
import type { ResolvedAddress } from '../../shared/http/client/name-resolver.js';
import { ProxyRefused } from '../../shared/http/client/proxy-tunnel.js';
import { faultBeforeReply } from './transport-faults.js';

/** Maximum number of origins with open connections. Beyond it an idle one is closed, if there is one. */
const ORIGINS_MAX = 256;

const PROXY_REFUSED = 407;

/** Parts of a body that are written in one turn of the event loop: a quarter of a mebibyte. Chosen. */
const TURN_PARTS = 4;

/**
 * The transport over undici's HTTP/1.1 client, with one pool of connections per origin. Redirects are not followed: no
 * answer of a provider makes the gateway send a credential elsewhere. A call that fails on a kept connection is not
 * repeated here: routing counts attempts.
 */
@Injectable()
export class UndiciTransport extends Transport implements OnApplicationShutdown {
  private readonly pools = new Map<string, OriginPool>();
  private calls = 0;

  /**
   * @param addresses resolves the hosts that callers name; without it none of those is called
   * @param proxies the proxies of all other calls; absent: all are direct
   */
  constructor(
    @Optional() private readonly addresses?: CheckedIpAddresses,
    @Optional() private readonly proxies?: ForwardProxies,
  ) {
    super();
  }

  override open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse> {
    return call.isGuarded ? this.openGuarded(call, signal) : this.send(call, undefined, signal);
  }

  /**
   * Opens a call to a host that a caller names. It uses separate connections to the checked addresses. A later call
   * checks the name again, and connects to the addresses of that check.
   */
  private async openGuarded(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse> {
    const addresses = await this.checked(new URL(call.url), toAbortSignal(signal));
    return this.send(call, addresses, signal);
  }

  private async checked(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    // A credential is sent without TLS only where the operator permits it.
    if (this.addresses && (url.protocol === 'https:' || this.addresses.isListed(url))) {
      try {
        return await this.addresses.of(url, signal);
      } catch (cause) {
        signal.throwIfAborted();
        const isRefused = cause instanceof EgressError && cause.reason === 'refused-address';
        if (!isRefused) throw new ProviderFault('unreachable', 'The provider could not be reached.', {}, { cause });
      }
    }
    throw new ProviderFault('refused-credential', 'The credential names an address that may not be called.');
  }

  private send(
    call: OutgoingCall,
    addresses: readonly ResolvedAddress[] | undefined,
    signal: CancelSignal,
  ): Promise<UpstreamResponse> {
    return new Promise<UpstreamResponse>((resolve, reject) => {
      signal.throwIfAborted();
      const pathStart = call.url.indexOf('/', call.url.indexOf('://') + 3);
      const origin = call.url.slice(0, pathStart);
      const pool = (addresses ? undefined : this.pools.get(origin)) ?? this.poolOf(origin, addresses);
      pool.lastUsed = ++this.calls;
      const connection = pool.acquire();
      const idleTimeoutMs = call.stream ? call.idleTimeoutMs : undefined;
      const { body, headers } = call;
      const isPrinted = typeof body === 'string';
      const written = isPrinted ? call.onSent : undefined;
      const head: PendingHead = { resolve, reject, written };
      const reply = new IncomingReply(pool, connection, idleTimeoutMs, signal, head);
      if (pool.isForwarded) {
        head.resolve = (response) => {
          if (response.status !== PROXY_REFUSED) return resolve(response);
          // This status is the proxy's: it refuses its credentials.
          reject(faultBeforeReply(new ProxyRefused(response.status)));
          reply.leave();
        };
      }
      const method = call.method ?? 'POST';
      const path = call.url.slice(pathStart);
      connection.send(
        method === 'POST' && isPrinted ? { method, path, headers, body } : { method, path, ...payloadOf(call) },
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

  private poolOf(origin: string, addresses: readonly ResolvedAddress[] | undefined): OriginPool {
    const name = addresses ? `${origin} ${addresses.map(({ address }) => address).join(' ')}` : origin;
    const known = this.pools.get(name);
    if (known) return known;
    if (this.pools.size >= ORIGINS_MAX) this.closeOldest();
    const pool = new OriginPool(
      origin,
      addresses ? { lookup: pinned(addresses) } : { proxy: this.proxies?.of(new URL(origin)) },
    );
    this.pools.set(name, pool);
    return pool;
  }

  /**
   * Closes the least recently used idle pool, if there is one: busy pools are bounded by the limits of their
   * connections.
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

function payloadOf(call: OutgoingCall): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> {
  const { headers, body, onSent, method } = call;
  if (method === 'GET') return { headers };
  if (typeof body === 'string') return { headers, body };
  const length = body.reduce((bytes, part) => bytes + part.length, 0);
  // A body that ends before its last part makes the request invalid.
  const parts = Readable.from(inTurns(body));
  if (onSent) parts.once('end', onSent);
  return { headers: { ...headers, 'content-length': String(length) }, body: parts };
}

/** Yields between turns: a provider that reads fast would otherwise get megabytes in one turn of the event loop. */
async function* inTurns(parts: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && index % TURN_PARTS === 0) await yieldToEventLoop();
    yield part;
  }
}
