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

/** Grouping keys for records and traces; any other key goes with them (docs/wire/messages.md#trace). */
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

/**
 * docs/wire/tools-and-plugins.md#stop-conditions: an array. The one object that older clients send
 * is read as one condition.
 */
export const stopServerToolsWhen = either(list(stopCondition, { min: 1 }), stopCondition);

export const texts = list(text());

/** Longest `user` and `session_id`, in characters (docs/wire/limits.md#lengths). */
export const LABEL_CHARACTERS_MAX = 256;
export const label = text({ max: LABEL_CHARACTERS_MAX });

/**
 * The contract gives no least value (docs/wire/messages.md#request-fields); none of the vendors can answer in less than
 * one token, so that is chosen.
 */
export const maxTokens = integer({ min: 1 });

export type WireStopCondition = Static<typeof stopCondition>;
