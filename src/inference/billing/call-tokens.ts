import type { Usage } from '../../core/conversation/usage.js';
import type { ProviderCall } from '../../core/generation/provider-call.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import { possibleUsage } from '../../core/money/possible-usage.js';
import type { Model } from '../../core/routing/catalog.js';

/** The tokens of a model call that are reserved from token limits: its prompt, and the longest answer. */
export function reservedFor(model: Model, prompt: MeasuredPrompt): number {
  const output = prompt.maxOutputTokens ?? model.maxCompletionTokens ?? model.contextLength;
  const input = prompt.fillsContext ? model.contextLength : Math.min(prompt.textTokens, model.contextLength);
  return input + output;
}

/**
 * The tokens that these calls have used, for a generation that has ended. A call without an answer used none. One that
 * reported more than is possible used what was reserved for it at most.
 * @returns undefined where the providers reported nothing: then the reserved tokens are kept
 */
export function usedBy(calls: readonly ProviderCall[]): number | undefined {
  const served = calls.filter((call) => call.isCallers);
  if (served.length === 0) return 0;
  const reported = served.map(tokensOf).filter((tokens) => tokens !== undefined);
  return reported.length === 0 ? undefined : reported.reduce((sum, tokens) => sum + tokens);
}

function tokensOf(call: ProviderCall): number | undefined {
  const total = totalTokens(call.charged ?? possibleUsage(call));
  return total === undefined || call.isPlausible
    ? total
    : Math.min(total, reservedFor(call.leg.model, call.run.prompt));
}

function totalTokens(usage: Usage): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens + (outputTokens ?? 0);
}
