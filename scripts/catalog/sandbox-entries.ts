import { FUSION_PRESETS, type FusionPresetName } from '../../src/core/routing/catalog.js';
import { SANDBOX_MODELS, type SandboxModel } from '../../src/providers/dialects/simulated/models.js';
import { PAGE_TEXT_TOKENS } from './media.js';
import { list, text } from './printing.js';

/** The sandbox takes whatever a client may send, so that `require_parameters` never hides it. */
const SANDBOX_PARAMETERS = [
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_a',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'include_reasoning',
  'structured_outputs',
  'response_format',
  'verbosity',
];

/** The sandbox counts only texts. The number is so large that reservations can be seen. */
const SANDBOX_IMAGE_TOKENS = 1_600;

export const sandboxProviderLines = (): readonly string[] => [
  `  - slug: sandbox # lives in the gateway itself: nothing leaves the process`,
  `    name: Sandbox`,
  `    dialect: simulated`,
  `    policy: { collects_data: false, zero_data_retention: true }`,
  `    aborts: { whole: stops }`,
  `    quirks: { rerank: cohere }`,
];

export function sandboxModelLines(): readonly string[] {
  const free = SANDBOX_MODELS.filter(({ name }) => name === 'echo');
  return [
    ...SANDBOX_MODELS.flatMap((model) => sandboxEntry(model, '', `pricing: ${priceOf(model)}`)),
    ...free.flatMap((model) => sandboxEntry({ ...model, title: `${model.title} (free)` }, ':free', 'free: true')),
  ];
}

/** A ranking is sold by the search. */
function priceOf({ outputModalities: [output] }: SandboxModel): string {
  if (output === 'rerank') return '{ request: "0.001" }';
  return output === 'embeddings' ? '{ prompt: "1" }' : '{ prompt: "1", completion: "2" }';
}

function sandboxEntry(model: SandboxModel, variant: string, price: string): readonly string[] {
  const isTask = model.maxCompletionTokens === undefined;
  return [
    ``,
    `  - id: sandbox/${model.name}${variant}`,
    `    name: ${text(model.title)}`,
    `    context_length: ${model.contextLength}`,
    ...(isTask ? [] : [`    max_completion_tokens: ${model.maxCompletionTokens}`]),
    `    input_modalities: ${list(model.inputModalities)}`,
    `    output_modalities: ${list(model.outputModalities)}`,
    ...(model.dimensions ? [`    dimensions: ${list(model.dimensions.map(String))}`] : []),
    ...(isTask
      ? []
      : [
          `    image_tokens_max: ${SANDBOX_IMAGE_TOKENS}`,
          `    image_tokens: anthropic`,
          `    page_tokens_max: ${SANDBOX_IMAGE_TOKENS + PAGE_TEXT_TOKENS}`,
        ]),
    `    endpoints:`,
    `      - provider: sandbox`,
    `        model: ${model.name}`,
    `        ${price}`,
    `        supported_parameters: ${list(isTask ? model.supportedParameters : SANDBOX_PARAMETERS)}`,
  ];
}

/** Panels of fusion, by preset: each of three vendors. The best of them answers. Chosen. */
const PANELS: Readonly<Record<FusionPresetName, readonly [answers: string, ...others: string[]]>> = {
  'general-high': ['anthropic/claude-opus-5.5', 'openai/gpt-5.6-sol', 'google/gemini-3.1-pro-preview'],
  'general-budget': ['anthropic/claude-haiku-5.5', 'deepseek/deepseek-v3.2', 'google/gemini-3.5-flash-lite'],
  'general-fast': ['google/gemini-3.8-flash', 'openai/gpt-5.4-mini', 'anthropic/claude-haiku-5.5'],
};

export const fusionLines = (): readonly string[] => [
  `plugins:`,
  `  fusion:`,
  `    presets:`,
  ...FUSION_PRESETS.flatMap((preset) => [
    `      ${preset}:`,
    `        analysis_models: ${list(PANELS[preset])}`,
    `        model: ${text(PANELS[preset][0])}`,
  ]),
];
