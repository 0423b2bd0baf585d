import { Untranslatable } from '../../../core/errors.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { lists, takes } from '../listed-parameters.js';
import { VERBOSITY_WORDS } from '../openai-fields.js';

/** Most stop sequences a chat request holds (docs/wire/chat.md#request-fields). */
const STOP_SEQUENCES_MAX = 4;

interface Parameter {
  /** The field of the chat body. */
  readonly field: string;
  /** Its name in an endpoint's `supportedParameters`. */
  readonly parameter: string;
  /**
   * Part of the chat format itself: sent unless the endpoint's list leaves it out. Others are
   * sent only when it is listed.
   */
  readonly standard: boolean;
  readonly read: (request: ModelRequest) => Json | undefined;
}

const PARAMETERS: readonly Parameter[] = [
  standard('temperature', (request) => request.sampling.temperature),
  standard('top_p', (request) => request.sampling.topP),
  standard('frequency_penalty', (request) => request.sampling.frequencyPenalty),
  standard('presence_penalty', (request) => request.sampling.presencePenalty),
  standard('seed', (request) => request.sampling.seed),
  standard('stop', (request) => readStop(request)),
  standard('logit_bias', (request) => request.sampling.logitBias),
  standard('logprobs', (request) => request.sampling.logprobs),
  standard('top_logprobs', (request) => request.sampling.topLogprobs),
  standard('verbosity', ({ verbosity }) => verbosity && VERBOSITY_WORDS[verbosity]),
  extension('top_k', (request) => request.sampling.topK),
  extension('top_a', (request) => request.sampling.topA),
  extension('min_p', (request) => request.sampling.minP),
  extension('repetition_penalty', (request) => request.sampling.repetitionPenalty),
];

/**
 * The fields that an endpoint may drop without changing what is asked.
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

/** How the rest of a request's fields is told, where not every target is. */
const OTHERS: Readonly<Record<string, (target: Target) => boolean>> = {
  reasoning: (target) => styleOf(target) !== undefined && takes(target, 'reasoning', 'reasoning_effort'),
  reasoning_summary: (target) => styleOf(target) === 'reasoning_object' && carriesParameter('reasoning', target),
  cache_control: ({ definition }) => definition.quirks.acceptsCacheMarkers === true,
  // One vendor's own.
  task_budget: () => false,
  context_management: () => false,
  metadata: () => false,
};

const styleOf = ({ definition }: Target) => definition.quirks.reasoningStyle;

/** Whether a field that a request sets is sent to such a target: what this dialect encodes by. */
export function carriesParameter(parameter: string, target: Target): boolean {
  if (target.definition.quirks.omit?.includes(parameter) === true) return false;
  const known = PARAMETERS.find((one) => one.parameter === parameter);
  if (known) return known.standard ? takes(target, parameter) : lists(target, parameter);
  return OTHERS[parameter]?.(target) ?? true;
}

function readStop(request: ModelRequest): Json | undefined {
  const sequences = request.stopSequences;
  if (sequences === undefined || sequences.length === 0) return undefined;
  if (sequences.length > STOP_SEQUENCES_MAX) {
    throw new Untranslatable(
      'stop_sequences',
      `has ${sequences.length} entries, the chat-completions format of this model's provider takes at most ${STOP_SEQUENCES_MAX}`,
    );
  }
  return sequences;
}

function standard(field: string, read: Parameter['read']): Parameter {
  return { field, parameter: field, standard: true, read };
}

function extension(field: string, read: Parameter['read']): Parameter {
  return { field, parameter: field, standard: false, read };
}
