import { addUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Model } from '../core/routing/catalog.js';

/** What a call of a model takes of limits of tokens in advance: its prompt, and the most it may answer. */
export function reservedFor(model: Model, prompt: MeasuredPrompt): number {
  const output = prompt.maxOutputTokens ?? model.maxCompletionTokens ?? model.contextLength;
  const input = prompt.fillsContext ? model.contextLength : Math.min(prompt.textTokens, model.contextLength);
  return input + output;
}

/**
 * What these calls have used, of those whose generation has ended. Who did not answer used nothing.
 * @returns undefined where the providers told nothing: then what was reserved stands
 */
export function usedBy(calls: readonly ProviderCall[]): number | undefined {
  const served = calls.filter((call) => call.isCallers);
  return served.length === 0
    ? 0
    : totalTokens(served.map(({ charged, usage }) => charged ?? usage).reduce(addUsage, NO_USAGE));
}

function totalTokens(usage: Usage): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens + (outputTokens ?? 0);
}
