import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { Egress } from '../core/egress.js';
import { GatewayError } from '../core/errors.js';
import {
  ExtensionFault,
  gatewayFull,
  type FetchedPage,
  type FetchLimits,
  type GuardedFetch,
} from '../core/extension.js';
import { BytesInFlight, bytesInFlightFull, type HeldBytes } from '../shared/queues/bytes-in-flight.js';
import { BodyParts } from '../shared/http/server/body-parts.js';
import { EgressError, type EgressReason } from '../shared/http/client/egress-error.js';
import { SafeFetch } from '../shared/http/client/safe-fetch.js';

const FAULT_OF: Readonly<Record<EgressReason, ExtensionFault['kind']>> = {
  'too-busy': 'busy',
  'refused-url': 'refused',
  'refused-address': 'refused',
  'refused-domain': 'refused',
  unreachable: 'unavailable',
  'bad-status': 'not-found',
  'too-many-redirects': 'not-found',
  'too-large': 'too-large',
  'wrong-type': 'unsupported',
  'timed-out': 'timed-out',
};

/** Fetches pages for service tools and plugins. Each address is checked before it is connected to. */
@Injectable()
export class GuardedPages {
  constructor(
    private readonly safeFetch: SafeFetch,
    private readonly bytesInFlight: BytesInFlight,
  ) {}

  /** For one generation, whose bytes count towards the share of its key. @param egress the rules of account and key */
  open(keyHash: string, egress?: Egress): GenerationPages {
    return new GenerationPages(keyHash, egress, this.safeFetch, this.bytesInFlight);
  }
}

/** The pages of one generation. */
export class GenerationPages implements GuardedFetch {
  /** Bytes that are not released yet. */
  private readonly held = new Set<HeldBytes>();
  private isOver = false;

  /** Use `GuardedPages.open`. */
  constructor(
    private readonly keyHash: string,
    private readonly egress: Egress | undefined,
    private readonly safeFetch: SafeFetch,
    private readonly bytesInFlight: BytesInFlight,
  ) {}

  allows(url: string): boolean {
    return this.egress?.allows(url) ?? true;
  }

  async fetch(url: string, limits: FetchLimits, signal: CancelSignal): Promise<FetchedPage> {
    const held = this.bytesInFlight.open(this.keyHash);
    // After the end of the generation nothing is held.
    if (this.isOver) held.release();
    this.held.add(held);
    const release = (): void => {
      held.release();
      this.held.delete(held);
    };
    try {
      const page = await this.collect(url, limits, held, signal);
      return { ...page, take: (bytes) => held.take(bytes), release };
    } catch (error) {
      release();
      signal.throwIfAborted();
      throw faultOf(error);
    }
  }

  /** Releases everything: the generation has ended. */
  close(): void {
    this.isOver = true;
    for (const held of this.held) held.release();
    this.held.clear();
  }

  private async collect(url: string, limits: FetchLimits, held: HeldBytes, signal: CancelSignal) {
    const parts = new BodyParts();
    const take = (chunk: Buffer): void => {
      if (!held.take(chunk.length)) throw bytesInFlightFull();
      // A copy, since the chunk's memory is reused.
      parts.add(Buffer.from(chunk));
    };
    const allows = (target: string): boolean => this.allows(target) && limits.allows?.(target) !== false;
    const request = { url, limits: { ...limits, allows }, keyHash: this.keyHash, take };
    const fetched = await this.safeFetch.fetch(request, signal);
    return { ...fetched, bytes: await parts.join() };
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof EgressError) return new ExtensionFault(FAULT_OF[error.reason], error.message, { cause: error });
  // There is no memory for its bytes.
  if (error instanceof GatewayError) return gatewayFull('too much is being read', { cause: error });
  return error;
}
