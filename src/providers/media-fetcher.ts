import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import { GatewayError } from '../core/errors.js';
import type { FetchedMedia, Media, RequiredMedia } from '../core/provider.js';
import { EgressError, SafeFetch } from '../shared/http/safe-fetch.js';

const MEDIA_PER_REQUEST_MAX = 20;
const MEDIA_BYTES_MAX = 32 * 1024 * 1024;
const MEDIA_TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;
export const NO_MEDIA: FetchedMedia = new Map();

const MEDIA_TYPES: Readonly<Record<RequiredMedia['accept'], readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
};

/** Fetches the media a target wants as bytes, each address checked before it is connected to. */
@Injectable()
export class MediaFetcher {
  constructor(private readonly safeFetch: SafeFetch) {}

  /** @throws GatewayError naming the field of what could not be fetched */
  async fetch(required: readonly RequiredMedia[], signal: CancelSignal): Promise<FetchedMedia> {
    if (required.length > MEDIA_PER_REQUEST_MAX) {
      throw new GatewayError(
        'invalid-request',
        `${required[MEDIA_PER_REQUEST_MAX]!.path}: at most ${MEDIA_PER_REQUEST_MAX} addresses can be fetched for one request`,
      );
    }
    const byUrl = new Map(required.map((media) => [media.url, media]));
    const fetched = await Promise.all(
      [...byUrl.values()].map(async (media): Promise<[string, Media]> => [
        media.url,
        await this.fetchOne(media, signal),
      ]),
    );
    return new Map(fetched);
  }

  private async fetchOne(media: RequiredMedia, signal: CancelSignal): Promise<Media> {
    try {
      const limits = {
        bytesMax: MEDIA_BYTES_MAX,
        timeoutMs: MEDIA_TIMEOUT_MS,
        accept: MEDIA_TYPES[media.accept],
        redirectsMax: REDIRECTS_MAX,
      };
      const { mediaType, bytes } = await this.safeFetch.fetch(media.url, limits, signal);
      return { mediaType, base64: bytes.toString('base64') };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const detail = media.accept === 'image' ? { errorType: 'image_download_failed' } : {};
      throw new GatewayError('invalid-request', `${media.path}: ${error.message}`, detail);
    }
  }
}
