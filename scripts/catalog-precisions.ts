import { pageSource, type Source } from './catalog-sources.js';

/* At which precision a host serves a model, where the host publishes it. */

export type Precision = 'fp8' | 'nvfp4';

export interface PrecisionChoice {
  readonly provider: string;
  /** Matches the model's name at the provider. */
  readonly models: RegExp;
  readonly quantization: Precision;
  readonly source: Source;
}

/** The precisions that the pages of hosts state. */
export const PRECISIONS: readonly PrecisionChoice[] = [
  // "Turbo" means FP8 there, and the table states it of the others.
  {
    provider: 'together',
    models: /-Turbo$|^deepseek-ai\/DeepSeek-(?:R1|V3)$/,
    quantization: 'fp8',
    source: pageSource('https://docs.together.ai/docs/rerank-models', '2026-11-24'),
  },
];

const PRECISION_IN_NAME = /-(fp8|nvfp4)$/i;

/** The precision in the name by which a host sells a model. */
export function precisionInName(upstream: string): Precision | undefined {
  const [, precision] = PRECISION_IN_NAME.exec(upstream) ?? [];
  return precision?.toLowerCase() as Precision | undefined;
}
