import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/caller.js';
import { Cancellation, type CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { Base64Builder, base64Length } from '../../core/json/base64-text.js';
import type { FetchedMedia, Media, RequiredMedia } from '../../core/provider.js';
import { BytesInFlight, bytesInFlightFull, type HeldBytes } from '../../shared/queues/bytes-in-flight.js';
import { EgressError } from '../../shared/http/client/egress-error.js';
import { SafeFetch } from '../../shared/http/client/safe-fetch.js';

const MEDIA_PER_REQUEST_MAX = 20;
const MEDIA_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of all media that one request fetches. Chosen: the vendors take 20 to 50 MB of files with one request. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024;
/** Media that one request fetches at a time. Chosen. */
const AT_A_TIME_MAX = 4;
const MEDIA_TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;
const RETRY_AFTER_BUSY_MS = 1_000;

const MEDIA_TYPES: Readonly<Record<RequiredMedia['accept'], readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
};

/** The caller whose share the media count towards, and whose rules limit their hosts. */
type MediaCaller = Pick<Caller, 'keyHash' | 'egress'>;

/** Fetches the media that targets require as bytes. Each address is checked before the connection. */
@Injectable()
export class MediaFetcher {
  constructor(
    private readonly safeFetch: SafeFetch,
    private readonly bytesInFlight: BytesInFlight,
  ) {}

  /** Opens the media of one request. Their bytes count towards the share of its key until they are released. */
  open(caller: MediaCaller): RequestMedia {
    return new RequestMedia(caller, this.safeFetch, this.bytesInFlight.open(caller.keyHash));
  }
}

/** The media of one request: each is fetched once for all targets, and kept until the request is over. */
export class RequestMedia {
  /** Fetched media, by kind and URL. */
  private readonly media = new Map<string, Media>();
  /** Bytes of all files of the request, including those that are still being fetched. */
  private bytes = 0;
  /** Fetches run one after the other, so that a later one finds what an earlier one fetched. */
  private last: Promise<unknown> = Promise.resolve();

  /** Use `MediaFetcher.open`. */
  constructor(
    private readonly caller: MediaCaller,
    private readonly safeFetch: SafeFetch,
    private readonly held: HeldBytes,
  ) {}

  /**
   * @throws GatewayError naming the field of a failed fetch, or `unavailable` at the limit of bytes
   * @throws the signal's reason
   */
  fetch(required: readonly RequiredMedia[], signal: CancelSignal): Promise<FetchedMedia> {
    const fetched = this.last.then(() => this.fetchMissing(required, signal));
    this.last = fetched.catch(() => undefined);
    return fetched;
  }

  /** Releases all media. Called when none of them is being sent any more. */
  release(): void {
    this.media.clear();
    this.held.release();
  }

  private async fetchMissing(required: readonly RequiredMedia[], signal: CancelSignal): Promise<FetchedMedia> {
    signal.throwIfAborted();
    const missing = new Map<string, RequiredMedia>();
    for (const media of required) if (!this.media.has(nameOf(media))) missing.set(nameOf(media), media);
    const excess = [...missing.values()][MEDIA_PER_REQUEST_MAX - this.media.size];
    if (excess) {
      const message = `${excess.path}: at most ${MEDIA_PER_REQUEST_MAX} addresses can be fetched for one request`;
      throw new GatewayError('invalid-request', message);
    }
    await this.fetchAll(missing, signal);
    return new Map(required.map((media) => [media.url, this.media.get(nameOf(media))!]));
  }

  /** The first failure ends the other fetches. */
  private async fetchAll(missing: ReadonlyMap<string, RequiredMedia>, signal: CancelSignal): Promise<void> {
    const all = new Cancellation();
    const cut = (): void => all.abort(signal.reason);
    signal.addEventListener('abort', cut, { once: true });
    const rest = missing.entries();
    const fetchRest = async (): Promise<void> => {
      try {
        for (const [name, media] of rest) this.media.set(name, await this.fetchOne(media, all));
      } catch (error) {
        all.abort(error as Error);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(AT_A_TIME_MAX, missing.size) }, fetchRest));
    } finally {
      signal.removeEventListener('abort', cut);
    }
    all.throwIfAborted();
  }

  private async fetchOne({ url, accept, path }: RequiredMedia, signal: CancelSignal): Promise<Media> {
    const { keyHash, egress } = this.caller;
    const limits = {
      bytesMax: MEDIA_BYTES_MAX,
      timeoutMs: MEDIA_TIMEOUT_MS,
      accept: MEDIA_TYPES[accept],
      redirectsMax: REDIRECTS_MAX,
      ...(egress && { allows: (target: string) => egress.allows(target) }),
    };
    const base64 = new Base64Builder();
    const take = (chunk: Buffer): void => {
      this.count(base64.bytes, chunk.length, path);
      base64.push(chunk);
    };
    try {
      const { mediaType } = await this.safeFetch.fetch({ url, limits, keyHash, take }, signal);
      return { mediaType, base64: base64.finish() };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.reason === 'too-busy') throw tooBusy();
      if (error.reason === 'refused-domain') throw new GatewayError('forbidden', `${path}: ${error.message}`);
      const detail = accept === 'image' ? { errorType: 'image_download_failed' } : {};
      throw new GatewayError('invalid-request', `${path}: ${error.message}`, detail);
    }
  }

  /**
   * Counts the size as base64, the form that is kept.
   * @param before bytes of the same file so far
   * @throws GatewayError
   */
  private count(before: number, bytes: number, path: string): void {
    this.bytes += bytes;
    if (this.bytes > REQUEST_BYTES_MAX) {
      const message = `${path}: the files of one request may have at most ${REQUEST_BYTES_MAX} bytes together`;
      throw new GatewayError('invalid-request', message);
    }
    if (!this.held.take(base64Length(before + bytes) - base64Length(before))) {
      throw bytesInFlightFull();
    }
  }
}

const nameOf = ({ accept, url }: RequiredMedia): string => `${accept} ${url}`;

const tooBusy = (): GatewayError =>
  new GatewayError('service-unavailable', 'Too many addresses are being fetched; retry shortly.', {
    retryAfterMs: RETRY_AFTER_BUSY_MS,
  });
