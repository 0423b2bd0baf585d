import {
  described,
  either,
  integer,
  number,
  openObject,
  optional,
  text,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { tagPairs } from '../../../shared/http/tag-fields.js';
import { name, optionList, wholeNumber } from '../../../shared/http/bounds.js';

/*
 * Options that every face of inference takes.
 */

/** Longest `trace`, in bytes of its JSON. */
export const TRACE_BYTES_MAX = 8 * 1024;
const traceText = optional(text({ max: TRACE_BYTES_MAX }));

/** Grouping keys for records and traces; any other key goes with them (docs/use/messages.md#trace). */
export const trace = openObject({
  trace_id: traceText,
  trace_name: traceText,
  span_name: traceText,
  generation_name: traceText,
  parent_span_id: traceText,
  tags: optional(described('Labels for records and budgets, by name.', tagPairs)),
});

/** The largest whole number of dollars an amount of money may have here: fifteen digits. */
export const USD_MAX = 999_999_999_999_999;

const stopCondition = variant('type', {
  step_count_is: { step_count: wholeNumber() },
  has_tool_call: { tool_name: name({ min: 1 }) },
  max_tokens_used: { max_tokens: wholeNumber() },
  max_cost: { max_cost_in_dollars: number({ min: 0, max: USD_MAX }) },
  finish_reason_is: { reason: name({ min: 1 }) },
});

/**
 * docs/use/tools-and-plugins.md#the-loop: an array. The one object that older clients send
 * is read as one condition.
 */
export const stopServerToolsWhen = either(optionList(stopCondition, { min: 1 }), stopCondition);

/** For all of the gateway's tools together (docs/use/tools-and-plugins.md#the-loop). */
export const maxToolCalls = wholeNumber({ min: 1 });

/** Longest `user` and `session_id`, in characters (docs/use/limits.md#lengths). */
export const LABEL_CHARACTERS_MAX = 256;
export const label = text({ max: LABEL_CHARACTERS_MAX });

/**
 * The contract gives no minimum (docs/use/messages.md#request-fields); none of the vendors can answer in less than one
 * token, so that is chosen.
 */
export const maxTokens = wholeNumber({ min: 1 });

/** For sampling fields without a range in the contract: the provider defines it. */
export const openNumber = number();

/** Below zero it is one vendor's value for no limit. */
export const topK = integer({ min: -1, max: Number.MAX_SAFE_INTEGER });

export type WireStopCondition = Static<typeof stopCondition>;
