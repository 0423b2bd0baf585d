import { isIP, type LookupFunction } from 'node:net';
import { Injectable, Optional } from '@nestjs/common';
import { Client } from 'undici';
import { Environment } from '../environment.js';
import { collectResponse, type CollectedResponse, type ResponseHeaders } from './collected-response.js';
import { EgressGuard } from './egress-guard.js';
import { acceptedMediaType } from './media-signatures.js';
import { NameResolver, SystemNameResolver, type ResolvedAddress } from './name-resolver.js';
import { type CancelSignal, toAbortSignal } from '../../core/cancellation.js';
import type { FetchLimits } from '../../core/extension.js';

export interface Fetched {
  /** One of those accepted, shown by the bytes where their kind has a signature. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export type EgressReason =
  | 'refused-url'
  | 'refused-address'
  | 'unreachable'
  | 'bad-status'
  | 'too-many-redirects'
  | 'too-large'
  | 'wrong-type'
  | 'timed-out';

/** Why a caller-named URL was not fetched. The message is safe to show, and reads on after `<path>: `. */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly reason: EgressReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const URL_LENGTH_MAX = 8192;
const HEADER_BYTES_MAX = 32 * 1024;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches URLs that callers name, and reaches only what the guard allows: names are resolved once, every address they
 * have is checked, and the socket connects to these very addresses (docs/reasons/security.md#pinned-addresses).
 * Redirects are followed by hand, each one checked anew. Nothing of the request travels along: no cookie, no
 * credential, no referrer.
 */
@Injectable()
export class SafeFetch {
  private readonly guard: EgressGuard;
  private readonly resolver: NameResolver;

  constructor(environment: Environment, @Optional() resolver?: NameResolver) {
    this.guard = new EgressGuard(environment.egressAllow);
    this.resolver = resolver ?? new SystemNameResolver();
  }

  /**
   * @throws EgressError when the URL may not or cannot be fetched within its limits
   * @throws the signal's reason once it is aborted
   */
  async fetch(url: string, limits: FetchLimits, signal: CancelSignal): Promise<Fetched> {
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const either = AbortSignal.any([toAbortSignal(signal), deadline]);
    try {
      let target = readUrl(url);
      for (let redirects = 0; ; redirects++) {
        const hop = await this.fetchHop(target, limits, either);
        if (!(hop instanceof URL)) return hop;
        if (redirects >= limits.redirectsMax) {
          throw new EgressError('too-many-redirects', `redirects more than ${limits.redirectsMax} times`);
        }
        target = hop;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressError) throw error;
      if (deadline.aborted) throw new EgressError('timed-out', `was not fetched within ${limits.timeoutMs} ms`);
      throw new EgressError('unreachable', 'could not be fetched', { cause: error });
    }
  }

  /** One request; its answer, or where it redirects to. */
  private async fetchHop(url: URL, limits: FetchLimits, signal: AbortSignal): Promise<Fetched | URL> {
    const addresses = await this.checkedAddresses(url, signal);
    const client = new Client(url.origin, {
      connect: { lookup: pinned(addresses) },
      maxHeaderSize: HEADER_BYTES_MAX,
      pipelining: 1,
      // The deadline of the whole fetch is the one limit of time.
      headersTimeout: 0,
      bodyTimeout: 0,
      connectTimeout: limits.timeoutMs,
    });
    const headers = { accept: limits.accept.join(', '), 'accept-encoding': 'identity', 'user-agent': 'fairlead/1.0' };
    try {
      const response = await untilAborted(
        collectResponse(
          client,
          { method: 'GET', path: `${url.pathname}${url.search}`, headers },
          (status, received) => judgeHead(url, status, received),
          limits.bytesMax,
          () => new EgressError('too-large', `has more than ${limits.bytesMax} bytes`),
        ),
        signal,
      );
      return response instanceof URL ? response : readMedia(response, limits.accept);
    } finally {
      // Closes the connection, whether all was read or not.
      client.destroy().catch(() => undefined);
    }
  }

  /** @returns every address of the URL's host, each of them allowed */
  private async checkedAddresses(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const literal = isIP(hostname);
    const addresses = literal
      ? [{ address: hostname, family: literal }]
      : await untilAborted(this.resolver.resolve(hostname), signal);
    if (addresses.length === 0) throw new EgressError('unreachable', 'could not be fetched');
    // One private address among public ones is enough to refuse: which one is tried first is the attacker's choice.
    if (
      !this.guard.allowsHost(url.hostname, port) &&
      !addresses.every(({ address }) => this.guard.allowsAddress(address))
    ) {
      throw new EgressError('refused-address', 'leads to an address that is not public');
    }
    return addresses;
  }
}

function readUrl(text: string): URL {
  const url = text.length <= URL_LENGTH_MAX && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new EgressError('refused-url', `is not a URL of at most ${URL_LENGTH_MAX} characters`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('refused-url', 'must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') throw new EgressError('refused-url', 'must not contain credentials');
  return url;
}

/** A resolution that knows one answer only: between check and connection nothing is asked again. */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

/** @returns where a redirect leads; undefined when the body is wanted */
function judgeHead(url: URL, status: number, headers: ResponseHeaders): URL | undefined {
  const { location } = headers;
  if (REDIRECT_STATUSES.has(status) && typeof location === 'string') {
    return readUrl(URL.canParse(location, url.href) ? new URL(location, url.href).href : location);
  }
  if (status !== 200) throw new EgressError('bad-status', `answered with status ${status}`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new EgressError('wrong-type', 'answered with a compressed body');
  }
  return undefined;
}

function readMedia({ headers, body }: CollectedResponse, accept: readonly string[]): Fetched {
  const contentType = headers['content-type'];
  const mediaType = acceptedMediaType(body, typeof contentType === 'string' ? contentType : '', accept);
  if (mediaType === undefined) throw new EgressError('wrong-type', `is not ${accept.join(', ')}`);
  return { mediaType, bytes: body };
}

/** Gives up waiting at the abort; what is waited for is called off elsewhere, or, like name resolution, cannot be. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
