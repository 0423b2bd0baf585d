/**
 * Which authors allow that other models are trained on what theirs say, by the licence of the weights, and at which
 * precision a host serves a model, where the host says it.
 */

/** Licences, and hosts' words on precision, were read then. */
export const TERMS_DATE = '2026-11-24';

export interface DistillationChoice {
  readonly models: RegExp;
  readonly distillable: boolean;
  readonly source: string;
}

const LLAMA = 'https://github.com/meta-llama/llama-models/blob/main/models';

/**
 * The first that fits. MIT and Apache 2.0, also with MIT's clauses on naming a product after the model, ask nothing of
 * outputs. Llama's licences since 3.1 allow training on outputs where the new model's name begins with Llama.
 */
export const DISTILLATION: readonly DistillationChoice[] = [
  {
    models: /^deepseek\/deepseek-r1(?:-0528)?$/,
    distillable: true,
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-R1',
  },
  { models: /^meta-llama\/llama-3\.1-/, distillable: true, source: `${LLAMA}/llama3_1/LICENSE` },
  { models: /^meta-llama\/llama-3\.3-/, distillable: true, source: `${LLAMA}/llama3_3/LICENSE` },
  { models: /^meta-llama\/llama-4-/, distillable: true, source: `${LLAMA}/llama4/LICENSE` },
  {
    models: /^minimax\/minimax-m2$/,
    distillable: true,
    source: 'https://github.com/MiniMax-AI/MiniMax-M2/blob/main/LICENSE',
  },
  {
    models: /^mistralai\/(?:mistral-7b-instruct-v0\.2|mixtral-8x7b-instruct|mistral-nemo)$/,
    distillable: true,
    source: 'https://docs.mistral.ai/getting-started/open_weight_models/',
  },
  // The research licence binds outputs too.
  {
    models: /^mistralai\/pixtral-large-2502$/,
    distillable: false,
    source: 'https://huggingface.co/mistralai/Pixtral-Large-Instruct-2411',
  },
  {
    models: /^moonshotai\/kimi-k2(?:-0905)?$/,
    distillable: true,
    source: 'https://huggingface.co/moonshotai/Kimi-K2-Instruct',
  },
  { models: /^moonshotai\/kimi-k2\.5$/, distillable: true, source: 'https://huggingface.co/moonshotai/Kimi-K2.5' },
  { models: /^moonshotai\/kimi-k2\.6$/, distillable: true, source: 'https://huggingface.co/moonshotai/Kimi-K2.6' },
  {
    models: /^moonshotai\/kimi-k2\.7-code$/,
    distillable: true,
    source: 'https://huggingface.co/moonshotai/Kimi-K2.7-Code',
  },
  // "All our open-weight models": by size in their names, which closed ones do not have.
  { models: /^qwen\/qwen3-(?:\d+b|next|coder-\d)/, distillable: true, source: 'https://github.com/QwenLM/Qwen3' },
  { models: /^qwen\/qwen3\.[56]-\d+b/, distillable: true, source: 'https://github.com/QwenLM/Qwen3.6' },
  { models: /^openai\/gpt-oss-\d+b$/, distillable: true, source: 'https://huggingface.co/openai/gpt-oss-120b' },
  { models: /^z-ai\/glm-4\.5(?:-air)?$/, distillable: true, source: 'https://huggingface.co/zai-org/GLM-4.5' },
];

export type Precision = 'fp8' | 'nvfp4';

export interface PrecisionChoice {
  readonly provider: string;
  /** Of the model's name at the provider. */
  readonly models: RegExp;
  readonly quantization: Precision;
  readonly source: string;
}

/** What hosts' pages say. */
export const PRECISIONS: readonly PrecisionChoice[] = [
  // "Turbo" means FP8 there, and the table says it of the others.
  {
    provider: 'together',
    models: /-Turbo$|^deepseek-ai\/DeepSeek-(?:R1|V3)$/,
    quantization: 'fp8',
    source: 'https://docs.together.ai/docs/rerank-models',
  },
];

const PRECISION_IN_NAME = /-(fp8|nvfp4)$/i;

/** The precision in the name by which a host sells a model. */
export function precisionInName(upstream: string): Precision | undefined {
  const [, precision] = PRECISION_IN_NAME.exec(upstream) ?? [];
  return precision?.toLowerCase() as Precision | undefined;
}
