import { parseUrl } from '../../../core/parse-url.js';
import { Injectable } from '@nestjs/common';
import { type CancelSignal, toAbortSignal } from '../../../core/cancellation.js';
import { GatewayError } from '../../../core/errors.js';
import type { FetchLimits } from '../../../core/extension.js';
import { FairSlots } from '../../queues/fair-slots.js';
import { CheckedIpAddresses } from './checked-ip-addresses.js';
import { EgressError } from './egress-error.js';
import { acceptedMediaType, SIGNATURE_BYTES } from './media-signatures.js';
import { openPinnedClient } from './pinned-client.js';
import { readResponse, type ResponseHeaders, type ResponseReader } from './read-response.js';
import { untilAborted } from './until-aborted.js';

/** A fetch, with the key it is for. */
export interface SafeFetchRequest {
  readonly url: string;
  readonly limits: FetchLimits;
  /** Hash of the key it is for. */
  readonly keyHash: string;
  /** Receives each chunk, which is not kept elsewhere. If it throws, a `GatewayError`, the fetch ends. */
  readonly take: (chunk: Buffer) => void;
}

/** The result of a fetch. */
export interface SafeFetched {
  /** One of the accepted types; verified by the bytes where the type has a signature. */
  readonly mediaType: string;
  /** The type that the server declares, in lower case. */
  readonly charset?: string;
  /** The final address, after redirects. */
  readonly url: string;
}

export const URL_LENGTH_MAX = 8192;
/**
 * Limits of concurrent and waiting fetches, of this process and of one key. Chosen: a fetch takes 20 s at most, and a
 * key with slow fetches delays only itself. The memory of fetches is counted elsewhere, so that one more for each of 64
 * further keys costs only sockets.
 */
const SLOTS = { slots: 64, slotsPerKey: 8, firstSlots: 64, waiting: 512, waitingPerKey: 64, waitMs: 20_000 };
/** Charset in a `content-type`. */
const CHARSET = /;\s*charset\s*=\s*["']?([\w.:+-]+)/i;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches URLs named by callers, and reaches only allowed addresses: names are resolved once, all their addresses are
 * checked, and the socket connects to exactly these (docs/contribute/threat-model.md#addresses-and-credentials).
 * Each redirect is checked like the first URL. Nothing of the request is sent: no cookie, credential or referrer. Names
 * from callers are resolved separately from those of providers, and concurrent fetches are limited, over all keys and
 * per key (docs/contribute/decisions/0045).
 */
@Injectable()
export class SafeFetch {
  private readonly slots = new FairSlots(SLOTS);

  constructor(private readonly addresses: CheckedIpAddresses) {}

  /**
   * @throws EgressError when the URL may not or cannot be fetched within its limits
   * @throws the signal's reason once it is aborted, and errors thrown by `take`
   */
  async fetch(request: SafeFetchRequest, signal: CancelSignal): Promise<SafeFetched> {
    const target = readUrl(request.url);
    const leave = await this.slots.enter(request.keyHash, signal);
    if (!leave) throw new EgressError('too-busy', 'too many addresses are being fetched');
    try {
      return await this.fetchInTime(target, request, signal);
    } finally {
      leave();
    }
  }

  private async fetchInTime(first: URL, request: SafeFetchRequest, signal: CancelSignal): Promise<SafeFetched> {
    const { limits } = request;
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const either = AbortSignal.any([toAbortSignal(signal), deadline]);
    try {
      let target = first;
      for (let redirects = 0; ; redirects++) {
        const hop = await this.fetchHop(target, request, either);
        if (!(hop instanceof URL)) return hop;
        if (redirects >= limits.redirectsMax) {
          throw new EgressError('too-many-redirects', `redirects more than ${limits.redirectsMax} times`);
        }
        target = hop;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressError || error instanceof GatewayError) throw error;
      if (deadline.aborted) throw new EgressError('timed-out', `was not fetched within ${limits.timeoutMs} ms`);
      throw new EgressError('unreachable', 'could not be fetched', { cause: error });
    }
  }

  /** One request: its result, or the target of its redirect. */
  private async fetchHop(url: URL, request: SafeFetchRequest, signal: AbortSignal): Promise<SafeFetched | URL> {
    const { limits } = request;
    if (limits.allows?.(url.href) === false) {
      throw new EgressError('refused-domain', 'leads to a domain that is not allowed');
    }
    const addresses = await this.addresses.of(url, signal);
    const { client, close } = openPinnedClient(url, addresses, limits.timeoutMs);
    const headers = { accept: limits.accept.join(', '), 'accept-encoding': 'identity', 'user-agent': 'fairlead/1.0' };
    const path = `${url.pathname}${url.search}`;
    try {
      const reader = new AnswerReader(url, request);
      return await untilAborted(
        readResponse<SafeFetched | URL>(client, { method: 'GET', path, headers }, reader),
        signal,
      );
    } finally {
      close();
    }
  }
}

/** Judges an answer by its head and its first bytes, and passes its bytes on. */
class AnswerReader implements ResponseReader<SafeFetched | URL> {
  private contentType = '';
  private length = 0;
  /** The first bytes, until they suffice to recognise the type. */
  private start = NOTHING;
  private mediaType: string | undefined;

  constructor(
    private readonly url: URL,
    private readonly request: SafeFetchRequest,
  ) {}

  /** @returns the target of a redirect; undefined when the body should be read */
  head(status: number, headers: ResponseHeaders): URL | undefined {
    const { location } = headers;
    if (REDIRECT_STATUSES.has(status) && typeof location === 'string') {
      return readUrl(parseUrl(location, this.url.href)?.href ?? location);
    }
    if (status !== 200) throw new EgressError('bad-status', `answered with status ${status}`);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      throw new EgressError('wrong-type', 'answered with a compressed body');
    }
    const contentType = headers['content-type'];
    if (typeof contentType === 'string') this.contentType = contentType;
    if (Number(headers['content-length']) > this.request.limits.bytesMax) throw this.tooLarge();
    return undefined;
  }

  take(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.length > this.request.limits.bytesMax) throw this.tooLarge();
    if (this.mediaType !== undefined) {
      this.request.take(chunk);
      return;
    }
    this.start = Buffer.concat([this.start, chunk]);
    if (this.start.length >= SIGNATURE_BYTES) this.judge();
  }

  end(): SafeFetched {
    const mediaType = this.mediaType ?? this.judge();
    const charset = CHARSET.exec(this.contentType)?.[1]?.toLowerCase();
    return { mediaType, url: this.url.href, ...(charset !== undefined && { charset }) };
  }

  private judge(): string {
    const { accept } = this.request.limits;
    const mediaType = acceptedMediaType(this.start, this.contentType, accept);
    if (mediaType === undefined) throw new EgressError('wrong-type', `is not ${accept.join(', ')}`);
    this.request.take(this.start);
    this.start = NOTHING;
    this.mediaType = mediaType;
    return mediaType;
  }

  private tooLarge(): EgressError {
    return new EgressError('too-large', `has more than ${this.request.limits.bytesMax} bytes`);
  }
}

const NOTHING = Buffer.alloc(0);

/** @throws EgressError `refused-url` for what is no address of a web page, or contains credentials */
export function readUrl(text: string): URL {
  const url = text.length <= URL_LENGTH_MAX ? parseUrl(text) : undefined;
  if (!url) throw new EgressError('refused-url', `is not a URL of at most ${URL_LENGTH_MAX} characters`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('refused-url', 'must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') throw new EgressError('refused-url', 'must not contain credentials');
  return url;
}
