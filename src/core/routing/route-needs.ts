import type { ModelRequest, Sampling } from '../conversation/request.js';
import { readModelName } from './model-name.js';
import type { ServiceTier } from './plan.js';
import { sizePrompt } from './prompt-size.js';
import type { NamedModel, RouteNeeds, RoutingPolicy } from './route-inputs.js';

/** What routing looks at in a request. Reads lengths of texts, never the texts. */
export function routeNeeds(request: ModelRequest): RouteNeeds {
  const { tokensMin, modalities } = sizePrompt(request);
  return {
    requested: request.model,
    models: listModels(request),
    movesOnRefusal: request.fallbackModels?.onRefusal ?? false,
    preferences: request.preferences,
    parameters: listParameters(request),
    modalities,
    promptTokensMin: tokensMin,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    tier: readTier(request),
  };
}

/** A policy's order stands in where the request asks for none of its own. */
export function withDefaultSort(needs: RouteNeeds, policies: readonly RoutingPolicy[]): RouteNeeds {
  if (policies.length === 0 || needs.preferences.sort || needs.preferences.order?.length) return needs;
  const sort = policies.find((policy) => policy.sort)?.sort;
  return sort ? { ...needs, preferences: { ...needs.preferences, sort } } : needs;
}

function listModels({ model, fallbackModels }: ModelRequest): readonly NamedModel[] {
  const named = new Map<string, NamedModel>();
  for (const name of fallbackModels ? [model, ...fallbackModels.models] : [model]) {
    const { id, sort } = readModelName(name);
    if (!named.has(id)) named.set(id, { id, ...(sort && { sort }) });
  }
  return [...named.values()];
}

/** Names as endpoints list them (DESIGN 11, `supported_parameters`). */
const SAMPLING_PARAMETERS: Readonly<Record<keyof Sampling, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  topA: 'top_a',
  minP: 'min_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  repetitionPenalty: 'repetition_penalty',
  seed: 'seed',
  logitBias: 'logit_bias',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
};
const SAMPLING_FIELDS = Object.keys(SAMPLING_PARAMETERS) as readonly (keyof Sampling)[];

/** `false` asks for what every endpoint does anyway, as do thinking that is disabled and effort `none`. */
function listParameters(request: ModelRequest): readonly string[] {
  const names: string[] = [];
  if (request.maxOutputTokens !== undefined) names.push('max_tokens');
  for (const field of SAMPLING_FIELDS) {
    const value = request.sampling[field];
    if (value !== undefined && value !== false) names.push(SAMPLING_PARAMETERS[field]);
  }
  if (request.stopSequences?.length) names.push('stop');
  if (request.tools.length > 0) names.push('tools');
  if (request.toolChoice) names.push('tool_choice');
  if (asksToReason(request)) names.push('reasoning');
  if (request.verbosity !== undefined) names.push('verbosity');
  if (request.outputFormat) names.push(FORMAT_PARAMETERS[request.outputFormat.type]);
  return names;
}

const FORMAT_PARAMETERS = { 'json-schema': 'structured_outputs', 'json-object': 'response_format' } as const;

const asksToReason = ({ thinking, effort }: ModelRequest): boolean =>
  (thinking !== undefined && thinking.type !== 'disabled') || (effort !== undefined && effort !== 'none');

const TIERS: ReadonlyMap<string, ServiceTier> = new Map([
  ['fast', 'fast'],
  ['priority', 'priority'],
  ['flex', 'flex'],
]);

/** WIRE 1.6: `speed: fast` means what `service_tier: fast` means; a tier that is named is the more exact word. */
const readTier = ({ serviceTier, speed }: ModelRequest): ServiceTier =>
  TIERS.get(serviceTier ?? '') ?? (speed === 'fast' ? 'fast' : 'standard');
