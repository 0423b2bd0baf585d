import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { takes } from '../listed-parameters.js';
import { familyOf } from './families.js';

interface Parameter {
  /** Its key in `inferenceConfig`. */
  readonly key: string;
  /** Its name in an endpoint's `supportedParameters`. */
  readonly parameter: string;
  readonly read: (request: ModelRequest) => Json | undefined;
}

/** What the format knows of sampling, whatever the model. The output limit is never dropped, so it is not here. */
const PARAMETERS: readonly Parameter[] = [
  { key: 'temperature', parameter: 'temperature', read: ({ sampling }) => sampling.temperature },
  { key: 'topP', parameter: 'top_p', read: ({ sampling }) => sampling.topP },
  {
    key: 'stopSequences',
    parameter: 'stop',
    read: ({ stopSequences }) => (stopSequences?.length ? stopSequences : undefined),
  },
];

const NEVER = (): boolean => false;

/** How the rest of a request's fields is told, where not every target is. */
const OTHERS: ReadonlyMap<string, (target: Target) => boolean> = new Map<string, (target: Target) => boolean>([
  ['top_k', (target) => familyOf(target).topK !== undefined && takes(target, 'top_k')],
  ['reasoning', (target) => familyOf(target).reasoning !== undefined && takes(target, 'reasoning', 'reasoning_effort')],
  ['parallel_tool_calls', (target) => familyOf(target).takesOwnToolChoice === true],
  ['cache_control', (target) => target.definition.quirks.acceptsCacheMarkers ?? familyOf(target).caching !== undefined],
  // The format has no place for these.
  ...[
    'top_a', 'min_p', 'frequency_penalty', 'presence_penalty', 'repetition_penalty', 'seed', 'logit_bias', 'logprobs',
    'top_logprobs', 'verbosity', 'response_format', 'reasoning_summary', 'task_budget', 'context_management', 'metadata',
  ].map((name): [string, () => boolean] => [name, NEVER]), // prettier-ignore
]);

/** Whether a field that a request sets is sent to such a target: what this dialect encodes by. */
export function carriesParameter(parameter: string, target: Target): boolean {
  if (target.definition.quirks.omit?.includes(parameter) === true) return false;
  if (PARAMETERS.some((one) => one.parameter === parameter)) return takes(target, parameter);
  return OTHERS.get(parameter)?.(target) ?? true;
}

/** `inferenceConfig`; undefined where nothing of it is said. */
export function encodeInference(request: ModelRequest, target: Target): Readonly<Record<string, Json>> | undefined {
  const fields: Record<string, Json> = {};
  if (request.maxOutputTokens !== undefined) fields['maxTokens'] = request.maxOutputTokens;
  for (const { key, parameter, read } of PARAMETERS) {
    const value = read(request);
    if (value !== undefined && carriesParameter(parameter, target)) fields[key] = value;
  }
  return Object.keys(fields).length > 0 ? fields : undefined;
}
