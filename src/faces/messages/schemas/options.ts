import {
  text,
  either,
  flag,
  freeForm,
  literal,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { modelText, name, optionList, toolList, wholeNumber, word } from '../../../shared/http/maxima.js';

/** Characters. Chosen. */
const USER_ID_MAX = 1_024;

const display = optional(nullable(oneOf(['summarized', 'omitted', 'updates'])));

/** Extended thinking (docs/use/messages.md#thinking). */
export const thinking = variant('type', {
  enabled: { budget_tokens: wholeNumber(), display },
  disabled: {},
  adaptive: { display },
  between_tools: {},
});

const TASK_BUDGET_TOKENS_MIN = 20_000;

export const outputConfig = object({
  effort: optional(nullable(oneOf(['low', 'medium', 'high', 'xhigh', 'max']))),
  format: optional(nullable(object({ type: literal('json_schema'), schema: freeForm() }))),
  task_budget: optional(
    nullable(
      object({
        type: literal('tokens'),
        total: wholeNumber({ min: TASK_BUDGET_TOKENS_MIN }),
        remaining: optional(nullable(wholeNumber())),
      }),
    ),
  ),
});

const inputTokens = object({ type: literal('input_tokens'), value: wholeNumber() });

/** Edits with which the provider shortens a growing conversation (docs/use/messages.md#context-management). */
export const contextManagement = nullable(
  object({
    edits: optional(
      optionList(
        variant('type', {
          clear_tool_uses_20250919: {
            clear_at_least: optional(nullable(inputTokens)),
            clear_tool_inputs: optional(nullable(either(flag(), toolList(name())))),
            exclude_tools: optional(nullable(toolList(name()))),
            keep: optional(object({ type: literal('tool_uses'), value: wholeNumber() })),
            trigger: optional(
              variant('type', { input_tokens: { value: wholeNumber() }, tool_uses: { value: wholeNumber() } }),
            ),
          },
          clear_thinking_20251015: {
            keep: optional(
              either(literal('all'), variant('type', { thinking_turns: { value: wholeNumber() }, all: {} })),
            ),
          },
          compact_20260112: {
            instructions: optional(nullable(modelText())),
            pause_after_compaction: optional(flag()),
            trigger: optional(nullable(inputTokens)),
          },
        }),
      ),
    ),
  }),
);

/** `metadata`; all keys except `user_id` belong to the vendor. */
export const metadata = openObject({ user_id: optional(nullable(text({ max: USER_ID_MAX }))) });

export const speed = nullable(oneOf(['standard', 'fast']));

/** The region of the model, by its name at the vendor. */
export const inferenceGeo = nullable(word());

export type WireThinking = Static<typeof thinking>;
export type WireOutputConfig = Static<typeof outputConfig>;
