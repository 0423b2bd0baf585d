import { GatewayError } from '../core/errors.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Model } from '../core/routing/catalog.js';
import type { ModelGate } from '../rate-limits/model-gate.js';
import type { LimitSlot } from '../rate-limits/limit-slot.js';
import type { ModelLimiter } from '../routing/plan-runner.js';
import { reservedFor, usedBy } from './billing/call-tokens.js';

/** Slots at the limits of models, for all generations. Most models have no limits, and then nothing is stored. */
export class GenerationModelSlots implements ModelLimiter {
  private readonly slots = new WeakMap<Generation, ModelSlots>();

  constructor(private readonly gate: ModelGate) {}

  acquire(generation: Generation, model: Model, prompt: MeasuredPrompt): true | Promise<true | GatewayError> {
    if (!model.limits) return true;
    let slots = this.slots.get(generation);
    if (!slots) {
      slots = new ModelSlots(this.gate, generation);
      this.slots.set(generation, slots);
      generation.observe(slots);
    }
    return slots.acquire(model, prompt);
  }
}

/**
 * The slots that one generation has taken at the limits of its models, one after another as they are tried; released at
 * its end. The limits count requests: however often a generation calls a model, it has one slot there.
 */
class ModelSlots implements GenerationObserver {
  /** The outcome for each model id. A later run may try a refused model again. */
  private readonly entered = new Map<string, Promise<true | GatewayError>>();
  private readonly taken: { readonly model: string; readonly slot: LimitSlot }[] = [];

  constructor(
    private readonly gate: ModelGate,
    private readonly generation: Generation,
  ) {}

  acquire(model: Model, prompt: MeasuredPrompt): Promise<true | GatewayError> {
    let entering = this.entered.get(model.id);
    if (!entering) this.entered.set(model.id, (entering = this.enterLimited(model, prompt)));
    return entering;
  }

  /**
   * No caller waits for the call any more: its slot is released, so that it does not block the caller's next request
   * (docs/contribute/decisions/0037). Its usage is not known yet: the reserved tokens stay counted.
   */
  abandoned(): void {
    for (const { slot } of this.taken) slot.release();
  }

  ended({ calls }: Generation): undefined {
    for (const { model, slot } of this.taken) slot.release(usedBy(calls.filter((call) => call.leg.model.id === model)));
  }

  private async enterLimited(model: Model, prompt: MeasuredPrompt): Promise<true | GatewayError> {
    const { generation } = this;
    try {
      const slot = await this.gate.enter(generation.caller.accountId, model, generation.id, reservedFor(model, prompt));
      if (generation.phase === 'ended') slot.release(0);
      else this.taken.push({ model: model.id, slot });
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.entered.delete(model.id);
      return error;
    }
  }
}
