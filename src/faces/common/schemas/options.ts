import { EFFORTS } from '../../../core/conversation/effort.js';
import { VERBOSITIES } from '../../../core/conversation/request.js';
import {
  described,
  either,
  flag,
  freeForm,
  integer,
  map,
  nullable,
  number,
  object,
  oneOf,
  openObject,
  optional,
  refused,
  text,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { tagPairs } from '../../../shared/http/tag-validators.js';
import { modelText, name, optionList, wholeNumber } from '../../../shared/http/maxima.js';

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

/** The limit for all of the gateway's tools together (docs/use/tools-and-plugins.md#the-loop). */
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

/** -1 means no limit at one vendor. */
export const topK = integer({ min: -1, max: Number.MAX_SAFE_INTEGER });

/* Fields of OpenAI's formats: chat completions and responses. */

export const temperature = number({ min: 0, max: 2 });
export const topP = number({ min: 0, max: 1 });
export const penalty = number({ min: -2, max: 2 });
export const topLogprobs = integer({ min: 0, max: 20 });
export const serviceTier = oneOf(['auto', 'default', 'flex', 'priority', 'scale', 'fast']);

const FORMAT_NAME_MAX = 64;
/** A schema that the answer has to fit. */
export const jsonSchemaFields = {
  name: text({ max: FORMAT_NAME_MAX }),
  description: optional(nullable(modelText())),
  schema: optional(nullable(freeForm())),
  strict: optional(nullable(flag())),
};

export const effort = oneOf(EFFORTS);
export const reasoningFields = {
  effort: optional(nullable(effort)),
  summary: optional(nullable(oneOf(['auto', 'concise', 'detailed']))),
  enabled: optional(nullable(flag())),
  max_tokens: optional(nullable(wholeNumber({ min: 1 }))),
};
export const reasoning = object({ ...reasoningFields, exclude: optional(nullable(flag())) });
export const verbosity = oneOf(VERBOSITIES);
export const modalities = optionList(oneOf(['text', 'image', 'audio']));
export const debug = object({ echo_upstream_body: optional(nullable(flag())) });
export const anyObject = freeForm();

const METADATA_PAIRS_MAX = 16;
const METADATA_KEY_MAX = 64;
const METADATA_VALUE_MAX = 512;
export const metadata = map(text({ max: METADATA_VALUE_MAX }), { max: METADATA_PAIRS_MAX, keyMax: METADATA_KEY_MAX });

const jsonSchema = object(jsonSchemaFields);
export type WireJsonSchema = Static<typeof jsonSchema>;

export type WireStopCondition = Static<typeof stopCondition>;
export type WireReasoning = Static<typeof reasoning>;

/** For routes without presets. */
export const noPreset = refused('is not supported here: a preset completes requests of messages, chat and responses');
