import type { Usage } from '../core/conversation/usage.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Model } from '../core/routing/catalog.js';
import type { ModelGate } from '../limits/model-gate.js';
import type { ModelSlot } from '../limits/model-slot.js';

/** The places that one request has taken at the limits of its models, one after another as they are tried. */
export class ModelSlots {
  /** What the first model that had no place was refused with. */
  refusal: unknown;
  private readonly taken: { readonly model: Model; readonly slot: ModelSlot }[] = [];

  constructor(
    private readonly gate: ModelGate,
    private readonly accountId: string,
    private readonly owner: string,
  ) {}

  /** Takes a place. @returns false where there is none */
  enter(model: Model, prompt: MeasuredPrompt): boolean | Promise<boolean> {
    return model.limits ? this.enterLimited(model, prompt) : true;
  }

  /**
   * Gives all places back. Safe to call again.
   * @param answering the model that the usage is of; the others used nothing
   */
  leave(answering: Model | undefined, usage: Usage): void {
    for (const { model, slot } of this.taken) slot.leave(model === answering ? totalTokens(usage) : 0);
  }

  private async enterLimited(model: Model, prompt: MeasuredPrompt): Promise<boolean> {
    const output = prompt.maxOutputTokens ?? model.maxCompletionTokens ?? model.contextLength;
    const input = prompt.fillsContext ? model.contextLength : Math.min(prompt.textTokens, model.contextLength);
    try {
      const slot = await this.gate.enter(this.accountId, model, this.owner, input + output);
      this.taken.push({ model, slot });
      return true;
    } catch (error) {
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
