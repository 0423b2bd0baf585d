import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Generation } from '../core/generation/generation.js';
import type { FetchedMedia, RequiredMedia } from '../core/provider.js';
import type { Leg } from '../core/routing/plan.js';
import { MediaFetcher, type RequestMedia } from '../providers/media/media-fetcher.js';
import { ProviderClient } from '../providers/provider-client.js';

/** The media that legs need as bytes, fetched once for all calls of a generation and kept until it ends. */
@Injectable()
export class GenerationMedia {
  private readonly open = new WeakMap<Generation, RequestMedia>();

  constructor(
    private readonly client: ProviderClient,
    private readonly fetcher: MediaFetcher,
  ) {}

  /** The media that a call of the leg needs in its body, of a request that holds images or documents. */
  requiredBy(leg: Leg, request: ModelRequest): readonly RequiredMedia[] {
    return this.client.requiredMedia(leg, request);
  }

  /**
   * Fetches what was not fetched for an earlier leg.
   * @throws GatewayError naming the field that could not be fetched, or the signal's reason
   */
  fetch(generation: Generation, required: readonly RequiredMedia[], signal: CancelSignal): Promise<FetchedMedia> {
    let media = this.open.get(generation);
    if (!media) {
      const opened = this.fetcher.open(generation.caller);
      this.open.set(generation, opened);
      generation.observe({ ended: () => opened.release() });
      media = opened;
    }
    return media.fetch(required, signal);
  }
}
