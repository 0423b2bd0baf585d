import type { StopReason } from '../conversation/event.js';
import type { DialectId } from '../routing/catalog.js';

/** The answer of an earlier generation, which the response cache gives again. */
export interface CachedAnswer {
  /** The generation that a provider answered. */
  readonly sourceId: string;
  /** Id of the model that answered it. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Slug, and display name. */
  readonly provider: string;
  readonly providerName: string;
  readonly endpoint: string;
  readonly dialect: DialectId;
  readonly stop?: StopReason;
}

/** The response cache's result for a generation. */
export interface CacheOutcome {
  /** `SHARED`: by an equal request that was under way. */
  readonly status: 'HIT' | 'MISS' | 'SHARED';
  /** Seconds since the reply was stored; undefined: it was not stored before. */
  readonly ageSeconds: number | undefined;
  /** Seconds that it remains stored. */
  readonly leftSeconds: number;
  /** The generation that a provider answered; undefined: this one. */
  readonly sourceId: string | undefined;
}

/** A request that may be answered from the response cache. */
export interface CacheTerms {
  /** SHA-256 of route and body, hex. */
  readonly fingerprint: string;
  readonly ttlSeconds: number;
  /** The stored reply is replaced. */
  readonly clears: boolean;
  /** An equal request under way answers this one as well. */
  readonly shares: boolean;
}
