import type { RequestField } from '../translation.js';
import type { Opaque } from '../json/json.js';
import type { ModelRequest } from './request.js';

/** The key of the end user in the metadata of the Messages format. */
export const USER_KEY = 'user_id';

const NONE: readonly never[] = [];

/**
 * The fields that a request sets, in the order of `REQUEST_FIELDS`. The usual speed counts as absent. One function,
 * because nearly all of the fields are absent from nearly all requests.
 */
export function presentFields(request: ModelRequest): readonly RequestField[] {
  const { sampling, outputFormat, metadata } = request;
  const present: RequestField[] = ['model'];
  if (request.system.length > 0) present.push('system');
  if (request.stream) present.push('stream');
  if (request.maxOutputTokens !== undefined) present.push('max_tokens');
  if (sampling.temperature !== undefined) present.push('temperature');
  if (sampling.topP !== undefined) present.push('top_p');
  if (sampling.topK !== undefined) present.push('top_k');
  if (sampling.topA !== undefined) present.push('top_a');
  if (sampling.minP !== undefined) present.push('min_p');
  if (sampling.frequencyPenalty !== undefined) present.push('frequency_penalty');
  if (sampling.presencePenalty !== undefined) present.push('presence_penalty');
  if (sampling.repetitionPenalty !== undefined) present.push('repetition_penalty');
  if (sampling.seed !== undefined) present.push('seed');
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) present.push('stop');
  if (sampling.logitBias !== undefined) present.push('logit_bias');
  if (sampling.logprobs !== undefined) present.push('logprobs');
  if (sampling.topLogprobs !== undefined) present.push('top_logprobs');
  if (request.tools.length > 0) present.push('tools');
  if (request.toolChoice !== undefined) present.push('tool_choice');
  if (request.parallelToolCalls !== undefined) present.push('parallel_tool_calls');
  if (request.thinking !== undefined) present.push('reasoning');
  if (request.effort !== undefined) present.push('reasoning_effort');
  if (request.reasoningSummary !== undefined) present.push('reasoning_summary');
  if (request.verbosity !== undefined) present.push('verbosity');
  if (outputFormat !== undefined)
    present.push(outputFormat.type === 'json-schema' ? 'structured_outputs' : 'response_format');
  if (request.modalities !== undefined) present.push('modalities');
  if (request.imageConfig !== undefined) present.push('image_config');
  if (request.taskBudget !== undefined) present.push('task_budget');
  if (request.contextManagement !== undefined) present.push('context_management');
  if (request.cacheMarker !== undefined) present.push('cache_control');
  if (request.user !== undefined || metadata !== undefined) addOrigin(request, present);
  if (request.promptCacheKey !== undefined) present.push('prompt_cache_key');
  if (request.serviceTier !== undefined || request.speed === 'fast') present.push('service_tier');
  if (request.inferenceGeo !== undefined) present.push('inference_geo');
  if (request.betas.length > 0) present.push('betas');
  return present;
}

function addOrigin(request: ModelRequest, present: RequestField[]): void {
  const own = anthropicMetadata(request);
  if (request.user !== undefined || own?.[USER_KEY] !== undefined) present.push('user');
  if (own !== undefined && Object.keys(own).some((key) => key !== USER_KEY)) present.push('metadata');
}

/** The Messages format's metadata about the origin of a request; undefined where it has none. */
export const anthropicMetadata = ({ metadata }: ModelRequest): Opaque['value'] | undefined =>
  metadata?.vendor === 'anthropic' ? metadata.value : undefined;

/** Fields that are set to what every endpoint does anyway. */
const IDLE: Readonly<Partial<Record<RequestField, (request: ModelRequest) => boolean>>> = {
  logprobs: ({ sampling }) => sampling.logprobs === false,
  // Targets that accept the field itself need not support tools, and a plugin's tool is omitted where nothing runs it.
  tools: ({ tools }) => tools.every((tool) => tool.type === 'service' && (tool.field ?? tool.byPlugin) !== undefined),
  tool_choice: ({ tools, toolChoice }) => tools.length === 0 && toolChoice?.type !== 'any',
  parallel_tool_calls: ({ tools }) => tools.length === 0,
  reasoning: ({ thinking }) => thinking?.type === 'disabled',
  reasoning_effort: ({ effort }) => effort === 'none',
};

/**
 * Fields that are never required of an endpoint: they describe the caller and the transport, or have their own filter
 * or price.
 */
const NEVER_REQUIRED: ReadonlySet<RequestField> = new Set<RequestField>([
  'model', 'system', 'stream', 'modalities', 'user', 'prompt_cache_key', 'service_tier', 'inference_geo', 'betas',
]); // oxfmt-ignore

/** The fields that an endpoint has to support for this request, where it requires that. */
export function requiredFields(request: ModelRequest): readonly RequestField[] {
  let required: RequestField[] | undefined;
  for (const field of presentFields(request)) {
    if (NEVER_REQUIRED.has(field) || IDLE[field]?.(request) === true) continue;
    (required ??= []).push(field);
  }
  return required ?? NONE;
}

/** The names of the Messages format where they differ, as in the tables of docs/use/translation.md. */
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
 * The names of the fields that a request sets and `isDropped` holds for, as callers know them: from the Messages
 * format, or from the chat format for fields that it alone has. Betas have their own names.
 */
export function namesOfPresent(request: ModelRequest, isDropped: (field: RequestField) => boolean): readonly string[] {
  let names: string[] | undefined;
  for (const field of presentFields(request)) {
    if (isDropped(field)) (names ??= []).push(...(NAMES[field]?.(request) ?? [field]));
  }
  return names ?? NONE;
}
