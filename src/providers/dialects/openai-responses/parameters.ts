import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { takes } from '../listed-parameters.js';
import { VERBOSITY_WORDS } from '../openai-fields.js';

/** Replies then say how likely each piece of the text was. */
const LOGPROBS = 'message.output_text.logprobs';

interface Parameter {
  /** Its name in an endpoint's `supportedParameters`. */
  readonly parameter: string;
  /** Where it stands: in the body or in its `text` under its own name, or as a word of `include`. */
  readonly place: 'body' | 'text' | 'include';
  readonly read: (request: ModelRequest) => Json | undefined;
}

/** Sent unless the endpoint's list leaves them out. */
const PARAMETERS: readonly Parameter[] = [
  { parameter: 'temperature', place: 'body', read: ({ sampling }) => sampling.temperature },
  { parameter: 'top_p', place: 'body', read: ({ sampling }) => sampling.topP },
  { parameter: 'top_logprobs', place: 'body', read: ({ sampling }) => sampling.topLogprobs },
  { parameter: 'logprobs', place: 'include', read: ({ sampling }) => (sampling.logprobs ? LOGPROBS : undefined) },
  { parameter: 'verbosity', place: 'text', read: ({ verbosity }) => verbosity && VERBOSITY_WORDS[verbosity] },
];

/** How the rest of a request's fields is told, where not every target is. */
const OTHERS: Readonly<Record<string, (target: Target) => boolean>> = {
  reasoning: (target) => takes(target, 'reasoning', 'reasoning_effort'),
  reasoning_summary: (target) => takes(target, 'reasoning', 'reasoning_effort'),
  // The format has no field for these.
  frequency_penalty: () => false,
  presence_penalty: () => false,
  repetition_penalty: () => false,
  seed: () => false,
  stop: () => false,
  logit_bias: () => false,
  top_k: () => false,
  top_a: () => false,
  min_p: () => false,
  // Upstreams of this format cache by themselves.
  cache_control: () => false,
  // One vendor's own.
  task_budget: () => false,
  context_management: () => false,
  metadata: () => false,
};

/** The fields that an endpoint may drop without changing what is asked. */
export interface EncodedParameters {
  readonly body: Record<string, Json>;
  readonly text: Record<string, Json>;
  readonly include: string[];
}

export function encodeParameters(request: ModelRequest, target: Target): EncodedParameters {
  const fields: EncodedParameters = { body: {}, text: {}, include: [] };
  for (const { parameter, place, read } of PARAMETERS) {
    const value = read(request);
    if (value === undefined || !carriesParameter(parameter, target)) continue;
    if (place === 'include') fields.include.push(value as string);
    else fields[place][parameter] = value;
  }
  return fields;
}

/** Whether a field that a request sets is sent to such a target: what this dialect encodes by. */
export function carriesParameter(parameter: string, target: Target): boolean {
  if (target.definition.quirks.omit?.includes(parameter) === true) return false;
  if (PARAMETERS.some((one) => one.parameter === parameter)) return takes(target, parameter);
  return OTHERS[parameter]?.(target) ?? true;
}
