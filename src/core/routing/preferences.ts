/** Levels of numeric precision an endpoint may serve a model at. */
export const QUANTIZATIONS = [
  'int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown', 'mxfp4', 'nvfp4', 'mxfp8',
] as const; // oxfmt-ignore
export type Quantization = (typeof QUANTIZATIONS)[number];

export const SORTS = ['price', 'throughput', 'latency', 'exacto'] as const;
export type Sort = (typeof SORTS)[number];

/** Cut-offs by percentile. A plain number on the wire means `p50`. */
export interface PercentileCutoffs {
  readonly p50?: number;
  readonly p75?: number;
  readonly p90?: number;
  readonly p99?: number;
}

/** The most the caller will pay. Decimal strings: USD per million tokens, or per unit for the last three. */
export interface PriceCaps {
  readonly prompt?: string;
  readonly completion?: string;
  readonly image?: string;
  readonly audio?: string;
  readonly request?: string;
}

/**
 * Limits on the providers that may answer, and their order (docs/use/choosing-providers.md#provider-preferences). An
 * absent field has its default.
 */
export interface ProviderPreferences {
  readonly allowFallbacks?: boolean;
  readonly dataCollection?: 'allow' | 'deny';
  readonly enforceDistillableText?: boolean;
  readonly ignore?: readonly string[];
  readonly only?: readonly string[];
  readonly order?: readonly string[];
  readonly maxPrice?: PriceCaps;
  readonly quantizations?: readonly Quantization[];
  readonly requireParameters?: boolean;
  readonly sort?: Sort;
  /** `model` keeps the endpoints of a fallback model behind those of the primary; `none` sorts all together. */
  readonly partition?: 'model' | 'none';
  readonly zeroDataRetention?: boolean;
  /** Seconds to the first token. */
  readonly preferredMaxLatency?: PercentileCutoffs;
  /** Tokens per second. */
  readonly preferredMinThroughput?: PercentileCutoffs;
}

/** The preferences of requests without any, compared by identity. */
export const NO_PREFERENCES: ProviderPreferences = Object.freeze({});
