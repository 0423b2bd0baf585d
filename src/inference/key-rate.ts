import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Plan, PlannedLeg } from '../core/routing/plan.js';
import type { KeyGate, LimitedCaller } from '../limits/key-gate.js';
import type { LimitSlot } from '../limits/limit-slot.js';
import { reservedFor, usedBy } from './call-tokens.js';

/** What any of these legs may use. */
export const mostTokens = (legs: readonly Pick<PlannedLeg, 'model'>[], prompt: MeasuredPrompt): number =>
  legs.reduce((most, { model }) => Math.max(most, reservedFor(model, prompt)), 0);

/**
 * What one generation takes of the limits of its key: one request, and the tokens of all its calls, those of further
 * steps and of models that are consulted in the minutes in which they begin. Set right at its end, as far as those
 * minutes last.
 */
export class KeyRate implements GenerationObserver {
  /** By the prompts of their runs. */
  private readonly further = new Map<MeasuredPrompt, LimitSlot>();
  /** Taken for the same call beside what it was admitted with. */
  private readonly grown: LimitSlot[] = [];
  private claims = 0;

  /** @param first what the request itself was admitted with */
  constructor(
    private readonly gate: KeyGate,
    private readonly generation: Generation,
    private readonly caller: LimitedCaller,
    private readonly first: LimitSlot,
  ) {}

  /**
   * Takes what a further call needs.
   * @param prompt of its run alone
   * @throws GatewayError `rate-limited`
   */
  async claim({ legs }: Plan, prompt: MeasuredPrompt): Promise<void> {
    const owner = `${this.generation.id}:${++this.claims}`;
    const slot = await this.gate.enterFurther(this.caller, owner, mostTokens(legs, prompt));
    if (this.generation.phase === 'ended') slot.release(0);
    else this.further.set(prompt, slot);
  }

  /**
   * Takes what the call that was admitted needs more, since its prompt has grown.
   * @throws GatewayError `rate-limited`
   */
  async grow({ legs }: Plan, before: MeasuredPrompt, prompt: MeasuredPrompt): Promise<void> {
    const more = mostTokens(legs, prompt) - mostTokens(legs, before);
    if (more <= 0) return;
    const slot = await this.gate.enterFurther(this.caller, `${this.generation.id}:${++this.claims}`, more);
    if (this.generation.phase === 'ended') slot.release(0);
    else this.grown.push(slot);
  }

  ended({ calls }: Generation): undefined {
    const { further } = this;
    for (const slot of this.grown) slot.release(0);
    this.first.release(usedBy(calls.filter(({ run }) => !further.has(run.prompt))));
    for (const [prompt, slot] of further) slot.release(usedBy(calls.filter(({ run }) => run.prompt === prompt)));
  }
}
