import { REQUEST_FIELD_NAMES, type RequestField } from '../translation.js';
import type { Opaque } from '../json/json.js';
import type { ModelRequest } from './request.js';

/** The words of an end user in the Messages format's metadata. */
export const USER_KEY = 'user_id';

type Saying = (request: ModelRequest) => boolean;

/** Whether a request says anything by a field. That the speed is the usual one need not be said. */
const SAYINGS: Readonly<Record<RequestField, Saying>> = {
  model: () => true,
  system: ({ system }) => system.length > 0,
  stream: ({ stream }) => stream,
  max_tokens: ({ maxOutputTokens }) => maxOutputTokens !== undefined,
  temperature: ({ sampling }) => sampling.temperature !== undefined,
  top_p: ({ sampling }) => sampling.topP !== undefined,
  top_k: ({ sampling }) => sampling.topK !== undefined,
  top_a: ({ sampling }) => sampling.topA !== undefined,
  min_p: ({ sampling }) => sampling.minP !== undefined,
  frequency_penalty: ({ sampling }) => sampling.frequencyPenalty !== undefined,
  presence_penalty: ({ sampling }) => sampling.presencePenalty !== undefined,
  repetition_penalty: ({ sampling }) => sampling.repetitionPenalty !== undefined,
  seed: ({ sampling }) => sampling.seed !== undefined,
  stop: ({ stopSequences }) => stopSequences !== undefined && stopSequences.length > 0,
  logit_bias: ({ sampling }) => sampling.logitBias !== undefined,
  logprobs: ({ sampling }) => sampling.logprobs !== undefined,
  top_logprobs: ({ sampling }) => sampling.topLogprobs !== undefined,
  tools: ({ tools }) => tools.length > 0,
  tool_choice: ({ toolChoice }) => toolChoice !== undefined,
  parallel_tool_calls: ({ parallelToolCalls }) => parallelToolCalls !== undefined,
  reasoning: ({ thinking }) => thinking !== undefined,
  reasoning_effort: ({ effort }) => effort !== undefined,
  reasoning_summary: ({ reasoningSummary }) => reasoningSummary !== undefined,
  verbosity: ({ verbosity }) => verbosity !== undefined,
  structured_outputs: ({ outputFormat }) => outputFormat?.type === 'json-schema',
  response_format: ({ outputFormat }) => outputFormat?.type === 'json-object',
  modalities: ({ modalities }) => modalities !== undefined,
  image_config: ({ imageConfig }) => imageConfig !== undefined,
  task_budget: ({ taskBudget }) => taskBudget !== undefined,
  context_management: ({ contextManagement }) => contextManagement !== undefined,
  cache_control: ({ cacheMarker }) => cacheMarker !== undefined,
  user: (request) => request.user !== undefined || anthropicMetadata(request)?.[USER_KEY] !== undefined,
  metadata: (request) => Object.keys(anthropicMetadata(request) ?? {}).some((key) => key !== USER_KEY),
  prompt_cache_key: ({ promptCacheKey }) => promptCacheKey !== undefined,
  service_tier: ({ serviceTier, speed }) => serviceTier !== undefined || speed === 'fast',
  inference_geo: ({ inferenceGeo }) => inferenceGeo !== undefined,
  betas: ({ betas }) => betas.length > 0,
};

/** What the Messages format says of a request's origin; undefined where the request has no words of it. */
export const anthropicMetadata = ({ metadata }: ModelRequest): Opaque['value'] | undefined =>
  metadata?.vendor === 'anthropic' ? metadata.value : undefined;

export const isSaid = (field: RequestField, request: ModelRequest): boolean => SAYINGS[field](request);

/** Fields that ask for what every endpoint does anyway, though they are said. */
const IDLE: Readonly<Partial<Record<RequestField, Saying>>> = {
  logprobs: ({ sampling }) => sampling.logprobs === false,
  // Who takes the field itself need not know tools, and what a plugin asks for is done without where nobody does.
  tools: ({ tools }) => tools.every((tool) => tool.type === 'service' && (tool.field ?? tool.byPlugin) !== undefined),
  parallel_tool_calls: ({ tools }) => tools.length === 0,
  reasoning: ({ thinking }) => thinking?.type === 'disabled',
  reasoning_effort: ({ effort }) => effort === 'none',
};

/** Fields that nobody can require: they say who asks and how, or have a filter or a price that decides. */
const NEVER_REQUIRED: ReadonlySet<RequestField> = new Set<RequestField>([
  'model', 'system', 'stream', 'modalities', 'user', 'prompt_cache_key', 'service_tier', 'inference_geo', 'betas',
]); // prettier-ignore
const REQUIRABLE = REQUEST_FIELD_NAMES.filter((field) => !NEVER_REQUIRED.has(field));

/** What a request wants of an endpoint, where it requires that of it. */
export const requiredFields = (request: ModelRequest): readonly RequestField[] =>
  REQUIRABLE.filter((field) => SAYINGS[field](request) && IDLE[field]?.(request) !== true);

/** Names of the Messages format where they are others, as the tables of docs/translation.md have them. */
const NAMES: Readonly<Partial<Record<RequestField, (request: ModelRequest) => readonly string[]>>> = {
  stop: () => ['stop_sequences'],
  reasoning: () => ['thinking'],
  reasoning_effort: () => ['output_config.effort'],
  reasoning_summary: () => ['reasoning.summary'],
  structured_outputs: () => ['output_config.format'],
  task_budget: () => ['output_config.task_budget'],
  user: (request) => [
    ...(request.user === undefined ? [] : ['user']),
    ...(anthropicMetadata(request)?.[USER_KEY] === undefined ? [] : [`metadata.${USER_KEY}`]),
  ],
  service_tier: ({ serviceTier, speed }) => [
    ...(serviceTier === undefined ? [] : ['service_tier']),
    ...(speed === 'fast' ? ['speed'] : []),
  ],
  betas: ({ betas }) => betas,
};

/**
 * What a request says by the fields that `isDropped` holds of, under the names that callers know: of the Messages
 * format, or of the chat format what that alone has. Betas go by their own names.
 */
export function namesOfSaid(request: ModelRequest, isDropped: (field: RequestField) => boolean): readonly string[] {
  let names: string[] | undefined;
  for (const field of REQUEST_FIELD_NAMES) {
    // Nearly all that nobody drops is not looked for.
    if (!isDropped(field) || !SAYINGS[field](request)) continue;
    (names ??= []).push(...(NAMES[field]?.(request) ?? [field]));
  }
  return names ?? NONE;
}

const NONE: readonly never[] = [];
