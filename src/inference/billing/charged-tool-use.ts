import { ExtensionFault, type EngineClient, type WebRequest } from '../../core/extension.js';
import type { ToolUseRecord } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { PicoUsd } from '../../core/money/credits.js';

/** Engines that are called and may bill, before it is known whether they do. */
export interface EngineRisks {
  /**
   * Records that an engine may bill so much from now on.
   * @returns when the end of this process can no longer lose that. It resolves to a function that is called once it is
   *   known whether the engine may bill
   */
  take(engine: string, price: PicoUsd): Promise<() => void>;
}

/** The parameters of a use. */
export interface UseStart {
  /** A type of `tools[]`, or the id of the plugin. */
  readonly type: string;
  readonly isOfPlugin?: boolean;
  /** The highest charge, whatever engines answer. */
  readonly reserved: PicoUsd;
  /** Adds the record to its generation: at its first cost, or at its end. */
  readonly enter: (use: ToolUseRecord) => void;
}

/**
 * A use of a tool or plugin with its purchases from engines: the one rule for both. An answer is charged when it
 * arrives, however the request ends. The operator bears what an engine may bill and no caller is charged for: the
 * engine was called and abandoned, or its answer cannot be used.
 */
export class ChargedToolUse implements ToolUseRecord {
  readonly type: string;
  readonly isOfPlugin: boolean;
  readonly consulted: ModelRun[] = [];
  web?: WebRequest;
  /** The engine that was called last. */
  engine?: string;
  cost: PicoUsd = 0n;
  lost: PicoUsd = 0n;
  milliseconds = 0;
  isError = false;
  /** Prices of answers that are not charged yet. */
  private answered: PicoUsd = 0n;
  /** Prices of calls that have not reached their engines yet. */
  private risked: PicoUsd = 0n;
  private isEntered = false;
  private readonly beganAt = performance.now();

  constructor(private readonly start: UseStart) {
    this.type = start.type;
    this.isOfPlugin = start.isOfPlugin === true;
  }

  /** See `ExtensionContext.charge`. */
  charge(cost: PicoUsd, billed = 0n): void {
    const left = this.start.reserved - this.cost;
    const charged = cost < left ? cost : left;
    this.cost += charged;
    this.lost += (billed > charged ? billed - charged : 0n) - this.answered;
    this.answered = 0n;
    if (cost > 0n) this.enter();
  }

  countWeb(web: WebRequest): void {
    this.web = web;
    this.enter();
  }

  /** An engine client whose calls are accounted to this use. */
  engines(client: EngineClient, risksOf: { readonly risks: EngineRisks }): EngineClient {
    return {
      call: async (call, signal, reached) => {
        const left = this.start.reserved - this.cost - this.lost - this.risked;
        const price = call.price === undefined || call.price < left ? (call.price ?? 0n) : left;
        if (price === 0n) return client.call(call, signal, reached);
        let isReached = false;
        this.risked += price;
        const end = await risksOf.risks.take(call.name, price);
        const known = (): void => {
          if (isReached) return;
          this.risked -= price;
          end();
        };
        const begun = (): void => {
          known();
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
          // An abandoned engine may bill; one that refused does not.
          if (isReached && error instanceof ExtensionFault && !error.mayBeBilled) this.lost -= price;
          throw error;
        } finally {
          known();
        }
      },
    };
  }

  /** @param isError it failed */
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
