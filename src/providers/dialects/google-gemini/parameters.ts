import type { ModelRequest } from '../../../core/conversation/request.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { takes } from '../listed-parameters.js';
import { generationOf } from './generation.js';

/** ai.google.dev/api/generate-content, GenerationConfig. */
const STOP_SEQUENCES_MAX = 5;

interface Parameter {
  /** Its name in an endpoint's `supportedParameters`. */
  readonly parameter: string;
  /** The field of `generationConfig`. */
  readonly field: string;
  readonly read: (request: ModelRequest) => Json | undefined;
}

/** What is sent unless the endpoint's list leaves it out. */
const PARAMETERS: readonly Parameter[] = [
  { parameter: 'temperature', field: 'temperature', read: ({ sampling }) => sampling.temperature },
  { parameter: 'top_p', field: 'topP', read: ({ sampling }) => sampling.topP },
  { parameter: 'top_k', field: 'topK', read: ({ sampling }) => sampling.topK },
  { parameter: 'stop', field: 'stopSequences', read: readStop },
  { parameter: 'seed', field: 'seed', read: ({ sampling }) => sampling.seed },
  { parameter: 'presence_penalty', field: 'presencePenalty', read: ({ sampling }) => sampling.presencePenalty },
  { parameter: 'frequency_penalty', field: 'frequencyPenalty', read: ({ sampling }) => sampling.frequencyPenalty },
  { parameter: 'logprobs', field: 'responseLogprobs', read: ({ sampling }) => sampling.logprobs },
  { parameter: 'top_logprobs', field: 'logprobs', read: ({ sampling }) => sampling.topLogprobs },
];

/** Fields that the format has no place for, or not every target. */
const OTHERS: Readonly<Record<string, (target: Target) => boolean>> = {
  reasoning: (target) =>
    generationOf(target).thinking !== 'none' && takes(target, 'reasoning', 'reasoning_effort', 'include_reasoning'),
  reasoning_summary: () => false,
  top_a: () => false,
  min_p: () => false,
  repetition_penalty: () => false,
  logit_bias: () => false,
  verbosity: () => false,
  parallel_tool_calls: () => false,
  cache_control: () => false,
  // Another vendor's own.
  task_budget: () => false,
  context_management: () => false,
  metadata: () => false,
};

/**
 * The fields of `generationConfig` that an endpoint may drop without changing what is asked.
 * @throws Untranslatable for more stop sequences than the format holds
 */
export function encodeParameters(request: ModelRequest, target: Target): Record<string, Json> {
  const fields: Record<string, Json> = {};
  for (const { field, parameter, read } of PARAMETERS) {
    if (!carriesParameter(parameter, target)) continue;
    const value = read(request);
    if (value !== undefined) fields[field] = value;
  }
  return fields;
}

/** Whether a field that a request sets is sent to such a target: what this dialect encodes by. */
export function carriesParameter(parameter: string, target: Target): boolean {
  if (target.definition.quirks.omit?.includes(parameter) === true) return false;
  if (PARAMETERS.some((known) => known.parameter === parameter)) return takes(target, parameter);
  return OTHERS[parameter]?.(target) ?? true;
}

function readStop({ stopSequences }: ModelRequest): Json | undefined {
  if (stopSequences === undefined || stopSequences.length === 0) return undefined;
  if (stopSequences.length > STOP_SEQUENCES_MAX) {
    throw new Untranslatable(
      'stop_sequences',
      `has ${stopSequences.length} entries, the Gemini format of this model's provider takes at most ${STOP_SEQUENCES_MAX}`,
    );
  }
  return stopSequences;
}
