import { ExtensionFault, type EngineClient, type WebRequest } from '../core/extension.js';
import type { ToolUseRecord } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import type { PicoUsd } from '../core/money/credits.js';

/** What a use is opened with. */
export interface UseStart {
  /** A type of `tools[]`, or the id of the plugin. */
  readonly type: string;
  readonly isOfPlugin?: boolean;
  /** The most that it may be charged: no more is charged, whatever engines answer. */
  readonly reserved: PicoUsd;
  /** Puts the record where it counts: at its first cost, or at its end. */
  readonly enter: (use: ToolUseRecord) => void;
}

/**
 * A use of a tool or plugin, and what it buys of engines: the one rule for both. An answer is
 * charged when it comes, however the request ends. What an engine may bill and nobody is charged for is the operator's:
 * it was reached and left, or its answer cannot be used.
 */
export class OpenUse implements ToolUseRecord {
  readonly type: string;
  readonly isOfPlugin: boolean;
  readonly consulted: ModelRun[] = [];
  web?: WebRequest;
  /** The one that was reached last. */
  engine?: string;
  cost: PicoUsd = 0n;
  lost: PicoUsd = 0n;
  milliseconds = 0;
  isError = false;
  /** Prices of answers that are not charged yet. */
  private answered: PicoUsd = 0n;
  private isEntered = false;
  private readonly beganAt = performance.now();

  constructor(private readonly start: UseStart) {
    this.type = start.type;
    this.isOfPlugin = start.isOfPlugin === true;
  }

  /** As `ExtensionContext.charge`. */
  charge(cost: PicoUsd): void {
    const left = this.start.reserved - this.cost;
    this.cost += cost < left ? cost : left;
    this.lost -= this.answered;
    this.answered = 0n;
    if (cost > 0n) this.enter();
  }

  countWeb(web: WebRequest): void {
    this.web = web;
    this.enter();
  }

  /** The same engines, whose calls are accounted with this use. */
  engines(client: EngineClient): EngineClient {
    return {
      call: async (call, signal, reached) => {
        const left = this.start.reserved - this.cost - this.lost;
        const price = call.price === undefined || call.price < left ? (call.price ?? 0n) : left;
        if (price === 0n) return client.call(call, signal, reached);
        let isReached = false;
        const begun = (): void => {
          isReached = true;
          this.lost += price;
          this.engine = call.name;
          this.enter();
          reached?.();
        };
        try {
          const answer = await client.call(call, signal, begun);
          this.answered += price;
          return answer;
        } catch (error) {
          // Who was left may bill; who refused does not.
          if (isReached && error instanceof ExtensionFault && !error.mayBeBilled) this.lost -= price;
          throw error;
        }
      },
    };
  }

  /** @param isError it came to nothing */
  end(isError: boolean): void {
    this.isError = isError;
    this.milliseconds = performance.now() - this.beganAt;
  }

  enter(): void {
    if (this.isEntered) return;
    this.isEntered = true;
    this.start.enter(this);
  }
}
