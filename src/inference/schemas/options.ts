import {
  either,
  integer,
  list,
  number,
  object,
  optional,
  text,
  variant,
  type Static,
} from '../../shared/http/schema.js';

/*
 * Options that every face of inference takes.
 */

/** Grouping keys for records and traces; any other key goes with them (WIRE 1.4). */
export const trace = object({
  trace_id: optional(text()),
  trace_name: optional(text()),
  span_name: optional(text()),
  generation_name: optional(text()),
  parent_span_id: optional(text()),
});

const stopCondition = variant('type', {
  step_count_is: { step_count: integer() },
  has_tool_call: { tool_name: text({ min: 1 }) },
  max_tokens_used: { max_tokens: integer() },
  max_cost: { max_cost_in_dollars: number() },
  finish_reason_is: { reason: text({ min: 1 }) },
});

/** WIRE 1.3: an array. The one object that Scope 2.1 speaks of is read as one condition. */
export const stopServerToolsWhen = either(list(stopCondition, { min: 1 }), stopCondition);

export const texts = list(text());

/** Longest `user` and `session_id`, in characters (Scope 8). */
export const LABEL_CHARACTERS_MAX = 256;
export const label = text({ max: LABEL_CHARACTERS_MAX });

/** Scope 2.1 gives no least value; none of the vendors can answer in less than one token, so that is chosen. */
export const maxTokens = integer({ min: 1 });

export type WireStopCondition = Static<typeof stopCondition>;
