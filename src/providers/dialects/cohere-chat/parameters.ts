import type { ModelRequest } from '../../../core/conversation/request.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { takes } from '../listed-parameters.js';

// Bounds by docs.cohere.com/reference/chat, read 2026-11-23. A value beyond them would fail the call.
const STOP_SEQUENCES_MAX = 5;
const TOP_P_MIN = 0.01;
const TOP_P_MAX = 0.99;
const TOP_K_MAX = 500;

interface Parameter {
  /** The field of the body. */
  readonly field: string;
  /** Its name in an endpoint's `supportedParameters`. */
  readonly parameter: string;
  readonly read: (request: ModelRequest) => Json | undefined;
}

/** Sent unless the endpoint's list leaves them out. */
const PARAMETERS: readonly Parameter[] = [
  { field: 'temperature', parameter: 'temperature', read: ({ sampling }) => sampling.temperature },
  { field: 'p', parameter: 'top_p', read: ({ sampling }) => within(TOP_P_MIN, sampling.topP, TOP_P_MAX) },
  { field: 'k', parameter: 'top_k', read: ({ sampling }) => within(0, sampling.topK, TOP_K_MAX) },
  { field: 'frequency_penalty', parameter: 'frequency_penalty', read: ({ sampling }) => penalty(sampling.frequencyPenalty) }, // prettier-ignore
  { field: 'presence_penalty', parameter: 'presence_penalty', read: ({ sampling }) => penalty(sampling.presencePenalty) }, // prettier-ignore
  { field: 'seed', parameter: 'seed', read: ({ sampling }) => sampling.seed },
  { field: 'stop_sequences', parameter: 'stop', read: readStop },
  { field: 'logprobs', parameter: 'logprobs', read: ({ sampling }) => sampling.logprobs },
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

/** What the format has no word for. */
const UNKNOWN: ReadonlySet<string> = new Set([
  'top_a', 'min_p', 'repetition_penalty', 'logit_bias', 'top_logprobs', 'verbosity', 'parallel_tool_calls', 'task_budget',
  'context_management', 'cache_control', 'metadata', 'reasoning_summary',
]); // prettier-ignore

/** Whether a field that a request sets is sent to such a target: what this dialect encodes by. */
export function carriesParameter(parameter: string, target: Target): boolean {
  if (UNKNOWN.has(parameter) || target.definition.quirks.omit?.includes(parameter) === true) return false;
  if (parameter === 'reasoning') return takes(target, 'reasoning', 'reasoning_effort');
  return PARAMETERS.every((one) => one.parameter !== parameter) || takes(target, parameter);
}

function readStop({ stopSequences: sequences }: ModelRequest): Json | undefined {
  if (sequences === undefined || sequences.length === 0) return undefined;
  if (sequences.length > STOP_SEQUENCES_MAX) {
    throw new Untranslatable(
      'stop_sequences',
      `has ${sequences.length} entries, the format of this model's provider takes at most ${STOP_SEQUENCES_MAX}`,
    );
  }
  return sequences;
}

const within = (min: number, value: number | undefined, max: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, min), max);

/** The vendor knows none that reward repeating. */
const penalty = (value: number | undefined): number | undefined => within(0, value, 1);
