import {
  either,
  flag,
  freeForm,
  integer,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  variant,
  type Static,
} from '../../shared/http/schema.js';

const display = optional(nullable(oneOf(['summarized', 'omitted', 'updates'])));

/** Extended thinking (Scope 2.1; `display` by WIRE 1.5). */
export const thinking = variant('type', {
  enabled: { budget_tokens: integer(), display },
  disabled: {},
  adaptive: { display },
});

const TASK_BUDGET_TOKENS_MIN = 20_000;

export const outputConfig = object({
  effort: optional(nullable(oneOf(['low', 'medium', 'high', 'xhigh', 'max']))),
  format: optional(nullable(object({ type: literal('json_schema'), schema: freeForm() }))),
  task_budget: optional(
    nullable(
      object({
        type: literal('tokens'),
        total: integer({ min: TASK_BUDGET_TOKENS_MIN }),
        remaining: optional(nullable(integer({ min: 0 }))),
      }),
    ),
  ),
});

const inputTokens = object({ type: literal('input_tokens'), value: integer() });

/** What the provider may clear from the conversation as it grows (Scope 2.1). */
export const contextManagement = nullable(
  object({
    edits: optional(
      list(
        variant('type', {
          clear_tool_uses_20250919: {
            clear_at_least: optional(nullable(inputTokens)),
            clear_tool_inputs: optional(nullable(either(flag(), list(text())))),
            exclude_tools: optional(nullable(list(text()))),
            keep: optional(object({ type: literal('tool_uses'), value: integer() })),
            trigger: optional(variant('type', { input_tokens: { value: integer() }, tool_uses: { value: integer() } })),
          },
          clear_thinking_20251015: {
            keep: optional(either(literal('all'), variant('type', { thinking_turns: { value: integer() }, all: {} }))),
          },
          compact_20260112: {
            instructions: optional(nullable(text())),
            pause_after_compaction: optional(flag()),
            trigger: optional(nullable(inputTokens)),
          },
        }),
      ),
    ),
  }),
);

export const metadata = object({ user_id: optional(nullable(text())) });

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

export const speed = nullable(oneOf(['standard', 'fast']));

export const texts = list(text());

/** Longest `user` and `session_id`, in characters (Scope 8). */
export const LABEL_CHARACTERS_MAX = 256;
export const label = text({ max: LABEL_CHARACTERS_MAX });

/** Scope 2.1 gives no least value; none of the vendors can answer in less than one token, so that is chosen. */
export const maxTokens = integer({ min: 1 });

export type WireThinking = Static<typeof thinking>;
export type WireOutputConfig = Static<typeof outputConfig>;
export type WireStopCondition = Static<typeof stopCondition>;
