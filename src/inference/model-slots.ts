import { addUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import { GatewayError } from '../core/errors.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Model } from '../core/routing/catalog.js';
import type { ModelGate } from '../limits/model-gate.js';
import type { ModelSlot } from '../limits/model-slot.js';
import type { ModelLimiter } from '../routing/plan-runner.js';

/**
 * The places that one generation has taken at the limits of its models, one after another as they are
 * tried; given back at its end.
 */
export class ModelSlots implements GenerationObserver, ModelLimiter {
  refusal: Error | undefined;
  private readonly taken: { readonly model: Model; readonly slot: ModelSlot }[] = [];

  constructor(
    private readonly gate: ModelGate,
    private readonly generation: Generation,
    private readonly prompt: MeasuredPrompt,
  ) {}

  acquire(model: Model): boolean | Promise<boolean> {
    return model.limits ? this.enterLimited(model) : true;
  }

  ended({ calls }: Generation): undefined {
    for (const { model, slot } of this.taken) {
      const answers = calls.filter((call) => call.answers && call.leg.model === model);
      // Who did not answer used nothing.
      slot.release(
        answers.length === 0 ? 0 : totalTokens(answers.map(({ usage }) => usage).reduce(addUsage, NO_USAGE)),
      );
    }
  }

  private async enterLimited(model: Model): Promise<boolean> {
    const { prompt, generation } = this;
    const output = prompt.maxOutputTokens ?? model.maxCompletionTokens ?? model.contextLength;
    const input = prompt.fillsContext ? model.contextLength : Math.min(prompt.textTokens, model.contextLength);
    try {
      const slot = await this.gate.enter(generation.caller.accountId, model, generation.id, input + output);
      this.taken.push({ model, slot });
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.refusal ??= error;
      return false;
    }
  }
}

/** Undefined where the provider told nothing: then what was reserved stands. */
function totalTokens(usage: Usage): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens + (outputTokens ?? 0);
}
