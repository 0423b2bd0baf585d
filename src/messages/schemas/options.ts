import {
  either,
  flag,
  freeForm,
  integer,
  list,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  text,
  variant,
  type Static,
} from '../../shared/http/schema.js';

const display = optional(nullable(oneOf(['summarized', 'omitted', 'updates'])));

/** Extended thinking (docs/wire/messages.md#thinking). */
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

/** What the provider may clear from the conversation as it grows (docs/wire/messages.md#context-management). */
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

export const speed = nullable(oneOf(['standard', 'fast']));

/** Where the model is to run, in its vendor's words. */
export const inferenceGeo = nullable(text());

export type WireThinking = Static<typeof thinking>;
export type WireOutputConfig = Static<typeof outputConfig>;
