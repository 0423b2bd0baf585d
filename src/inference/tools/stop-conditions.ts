import type { StopReason } from '../../core/conversation/event.js';
import type { StopCondition } from '../../core/conversation/request.js';
import { typeOf, type Tool } from '../../core/conversation/tools.js';
import type { Usage } from '../../core/conversation/usage.js';
import { PICO_PER_USD, type PicoUsd } from '../../core/money/credits.js';
import { ownName } from '../../core/tool.js';
import { CHAT_FINISH_REASONS, MESSAGES_STOP_REASONS } from '../stop-reason-names.js';
import type { StepEvents } from './step-events.js';

/** Maximum steps of one generation, and the default (docs/use/tools-and-plugins.md#the-loop). */
export const STEPS_MAX = 30;

/** The state of a loop at the end of one of its steps. */
export interface LoopProgress {
  readonly steps: number;
  /** Types and names of the tools that the step called, including those that its vendor ran. */
  readonly called: ReadonlySet<string>;
  readonly stop: StopReason;
  readonly usage: Usage;
  readonly spent: PicoUsd;
}

/** @param tools of the request: those that a vendor runs are reported by name alone */
export function calledIn(
  { calls, vendorsTools }: Pick<StepEvents, 'calls' | 'vendorsTools'>,
  tools: readonly Tool[],
): ReadonlySet<string> {
  const called = new Set(calls.flatMap(({ offered: { type, name } }) => [type, name]));
  for (const name of vendorsTools) {
    called.add(name);
    for (const tool of tools) {
      if (tool.type !== 'function' && ownName(tool) === name) called.add(typeOf(tool));
    }
  }
  return called;
}

/** Whether the model is called only once more, without tools. */
export const isLoopOver = (progress: LoopProgress, conditions: readonly StopCondition[]): boolean =>
  progress.steps >= STEPS_MAX || conditions.some((condition) => isMet(condition, progress));

function isMet(condition: StopCondition, { steps, called, stop, usage, spent }: LoopProgress): boolean {
  switch (condition.type) {
    case 'step-count':
      return steps >= condition.stepCount;
    case 'tool-call':
      return called.has(condition.toolName);
    case 'tokens-used':
      return tokensOf(usage) >= condition.maxTokens;
    case 'cost':
      return spent >= BigInt(Math.round(condition.maxUsd * Number(PICO_PER_USD)));
    case 'finish-reason':
      return wordsOf(stop).includes(condition.reason);
  }
}

function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens }: Usage): number {
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens].reduce<number>(
    (sum, tokens) => sum + (tokens ?? 0),
    0,
  );
}

/** Names of a stop reason: the vendor's own, and those of the Messages and chat formats. */
const wordsOf = ({ unified, raw }: StopReason): readonly (string | null)[] => [
  raw,
  MESSAGES_STOP_REASONS[unified],
  CHAT_FINISH_REASONS[unified],
];
