import type { Endpoint } from './catalog.js';
import { supports } from './rules.js';
import type { EndpointHealth } from './health.js';
import type { Quantization, Sort } from './preferences.js';

/** Bits; unknown counts as native. */
const PRECISION: Readonly<Record<Quantization, number>> = {
  int4: 4,
  fp4: 4,
  mxfp4: 4,
  nvfp4: 4,
  fp6: 6,
  int8: 8,
  fp8: 8,
  mxfp8: 8,
  fp16: 16,
  bf16: 16,
  fp32: 32,
  unknown: 16,
};
const PRECISION_MAX = 32;

/** Two numbers by which legs are compared, ascending. */
export interface Figures {
  readonly first: (endpoint: Endpoint, health: EndpointHealth | undefined) => number;
  readonly second?: (health: EndpointHealth | undefined) => number;
}

/** The figures each `sort` compares, ascending; ties are decided by price, then tag. Unknown speeds go last. */
export const FIGURES: Readonly<Record<Sort, Figures>> = {
  price: { first: () => 0 },
  latency: { first: (_endpoint, health) => health?.latency?.p50 ?? Infinity },
  throughput: { first: (_endpoint, health) => -(health?.throughput?.p50 ?? -Infinity) },
  exacto: {
    first: (endpoint) =>
      PRECISION_MAX - PRECISION[endpoint.quantization] + (supports(endpoint, 'tools') ? 0 : PRECISION_MAX),
    second: (health) => health?.faultShare ?? 0,
  },
};
