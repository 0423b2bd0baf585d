import { isJsonObject, type Json, type JsonObject, type Opaque } from '../json/json.js';

/*
 * Edits of a conversation that need no model, with the names and the meaning that their vendor defines
 * (docs/use/messages.md#context-management).
 */

export const CLEAR_TOOL_USES = 'clear_tool_uses_20250919';
export const CLEAR_THINKING = 'clear_thinking_20251015';

/** Clears the results of old tool uses. */
export interface ClearToolUses {
  readonly type: typeof CLEAR_TOOL_USES;
  /** Threshold above which content is cleared. */
  readonly trigger: { readonly type: 'input_tokens' | 'tool_uses'; readonly value: number };
  /** The number of latest uses that stay. */
  readonly keep: number;
  /** Fewest tokens to clear: where fewer would be cleared, nothing is. */
  readonly clearAtLeast: number;
  /** Names of tools whose uses stay. */
  readonly excluded: ReadonlySet<string>;
  /** Whether the arguments are cleared as well: of all tools, or of those with these names. */
  readonly inputs: boolean | ReadonlySet<string>;
}

/** Clears the reasoning of old turns. */
export interface ClearThinking {
  readonly type: typeof CLEAR_THINKING;
  /** The number of latest turns that keep their reasoning, at least one. Undefined: each model's own default. */
  readonly keep: number | undefined;
}

export type ContextEdit = ClearToolUses | ClearThinking;

/** The edits that a request has for its conversation. */
export interface ContextEdits {
  /** Edits in their order. */
  readonly clearing: readonly ContextEdit[];
  /** The edits that only the vendor can apply; undefined: none. */
  readonly rest: Opaque | undefined;
}

/** Defaults of the vendor. */
const TRIGGER_INPUT_TOKENS = 100_000;
const KEEP_TOOL_USES = 3;

/** @returns undefined where nothing must be cleared */
export function readContextEdits(management: Opaque | undefined): ContextEdits | undefined {
  const edits = management?.vendor === 'anthropic' ? management.value['edits'] : undefined;
  if (!management || !Array.isArray(edits)) return undefined;
  const clearing: ContextEdit[] = [];
  const rest: Json[] = [];
  for (const edit of edits as readonly Json[]) {
    const read = isJsonObject(edit) ? readEdit(edit) : undefined;
    if (read) clearing.push(read);
    else rest.push(edit);
  }
  if (clearing.length === 0) return undefined;
  return {
    clearing,
    rest: rest.length === 0 ? undefined : { ...management, value: { ...management.value, edits: rest } },
  };
}

/**
 * Without the edits that need a model, whose result could not be sent back to the vendor. @returns undefined where none
 * are left
 */
export function clearingOnly(management: Opaque | undefined): Opaque | undefined {
  if (!readContextEdits(management)) return undefined;
  const edits = (management!.value['edits'] as readonly Json[]).filter((edit) => isJsonObject(edit) && readEdit(edit));
  return { ...management!, value: { ...management!.value, edits } };
}

function readEdit(edit: JsonObject): ContextEdit | undefined {
  switch (edit['type']) {
    case CLEAR_TOOL_USES:
      return readClearToolUses(edit);
    case CLEAR_THINKING:
      return { type: CLEAR_THINKING, keep: readTurns(edit['keep']) };
    default:
      return undefined;
  }
}

function readClearToolUses(edit: JsonObject): ClearToolUses {
  const { trigger, clear_tool_inputs: inputs } = edit;
  const isCounted = isJsonObject(trigger) && trigger['type'] === 'tool_uses';
  return {
    type: CLEAR_TOOL_USES,
    trigger: {
      type: isCounted ? 'tool_uses' : 'input_tokens',
      value: valueOf(trigger) ?? TRIGGER_INPUT_TOKENS,
    },
    keep: valueOf(edit['keep']) ?? KEEP_TOOL_USES,
    clearAtLeast: valueOf(edit['clear_at_least']) ?? 0,
    excluded: namesIn(edit['exclude_tools']),
    inputs: Array.isArray(inputs) ? namesIn(inputs) : inputs === true,
  };
}

/** The last turn may still be under way; then the vendor requires its reasoning. */
function readTurns(keep: Json | undefined): number | undefined {
  const turns = valueOf(keep);
  if (turns !== undefined) return Math.max(1, turns);
  const isAll = keep === 'all' || (isJsonObject(keep) && keep['type'] === 'all');
  return isAll ? Infinity : undefined;
}

function valueOf(measure: Json | undefined): number | undefined {
  const value = isJsonObject(measure) ? measure['value'] : undefined;
  return typeof value === 'number' ? value : undefined;
}

const namesIn = (list: Json | undefined): ReadonlySet<string> =>
  new Set(Array.isArray(list) ? (list as readonly Json[]).filter((name) => typeof name === 'string') : []);
