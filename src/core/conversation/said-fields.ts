import type { RequestField } from '../translation.js';
import type { Opaque } from '../json/json.js';
import type { ModelRequest } from './request.js';

/** The words of an end user in the Messages format's metadata. */
export const USER_KEY = 'user_id';

const NONE: readonly never[] = [];

/**
 * The fields by which a request says anything, in the order of `REQUEST_FIELDS`. That the speed is the usual one need
 * not be said. One function, because nearly all of the fields are absent from nearly all requests.
 */
export function saidFields(request: ModelRequest): readonly RequestField[] {
  const { sampling, outputFormat, metadata } = request;
  const said: RequestField[] = ['model'];
  if (request.system.length > 0) said.push('system');
  if (request.stream) said.push('stream');
  if (request.maxOutputTokens !== undefined) said.push('max_tokens');
  if (sampling.temperature !== undefined) said.push('temperature');
  if (sampling.topP !== undefined) said.push('top_p');
  if (sampling.topK !== undefined) said.push('top_k');
  if (sampling.topA !== undefined) said.push('top_a');
  if (sampling.minP !== undefined) said.push('min_p');
  if (sampling.frequencyPenalty !== undefined) said.push('frequency_penalty');
  if (sampling.presencePenalty !== undefined) said.push('presence_penalty');
  if (sampling.repetitionPenalty !== undefined) said.push('repetition_penalty');
  if (sampling.seed !== undefined) said.push('seed');
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) said.push('stop');
  if (sampling.logitBias !== undefined) said.push('logit_bias');
  if (sampling.logprobs !== undefined) said.push('logprobs');
  if (sampling.topLogprobs !== undefined) said.push('top_logprobs');
  if (request.tools.length > 0) said.push('tools');
  if (request.toolChoice !== undefined) said.push('tool_choice');
  if (request.parallelToolCalls !== undefined) said.push('parallel_tool_calls');
  if (request.thinking !== undefined) said.push('reasoning');
  if (request.effort !== undefined) said.push('reasoning_effort');
  if (request.reasoningSummary !== undefined) said.push('reasoning_summary');
  if (request.verbosity !== undefined) said.push('verbosity');
  if (outputFormat !== undefined)
    said.push(outputFormat.type === 'json-schema' ? 'structured_outputs' : 'response_format');
  if (request.modalities !== undefined) said.push('modalities');
  if (request.imageConfig !== undefined) said.push('image_config');
  if (request.taskBudget !== undefined) said.push('task_budget');
  if (request.contextManagement !== undefined) said.push('context_management');
  if (request.cacheMarker !== undefined) said.push('cache_control');
  if (request.user !== undefined || metadata !== undefined) addOrigin(request, said);
  if (request.promptCacheKey !== undefined) said.push('prompt_cache_key');
  if (request.serviceTier !== undefined || request.speed === 'fast') said.push('service_tier');
  if (request.inferenceGeo !== undefined) said.push('inference_geo');
  if (request.betas.length > 0) said.push('betas');
  return said;
}

function addOrigin(request: ModelRequest, said: RequestField[]): void {
  const own = anthropicMetadata(request);
  if (request.user !== undefined || own?.[USER_KEY] !== undefined) said.push('user');
  if (own !== undefined && Object.keys(own).some((key) => key !== USER_KEY)) said.push('metadata');
}

/** What the Messages format says of a request's origin; undefined where the request has no words of it. */
export const anthropicMetadata = ({ metadata }: ModelRequest): Opaque['value'] | undefined =>
  metadata?.vendor === 'anthropic' ? metadata.value : undefined;

/** Fields that ask for what every endpoint does anyway, though they are said. */
const IDLE: Readonly<Partial<Record<RequestField, (request: ModelRequest) => boolean>>> = {
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

/** What a request wants of an endpoint, where it requires that of it. */
export function requiredFields(request: ModelRequest): readonly RequestField[] {
  let required: RequestField[] | undefined;
  for (const field of saidFields(request)) {
    if (NEVER_REQUIRED.has(field) || IDLE[field]?.(request) === true) continue;
    (required ??= []).push(field);
  }
  return required ?? NONE;
}

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
  for (const field of saidFields(request)) {
    if (isDropped(field)) (names ??= []).push(...(NAMES[field]?.(request) ?? [field]));
  }
  return names ?? NONE;
}
