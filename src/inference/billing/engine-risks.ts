import type { ToolUseRecord } from '../../core/generation/generation.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { EngineRisks } from './charged-tool-use.js';

/** The amount that one engine may bill. */
interface EngineRisk {
  readonly engine: string;
  readonly price: PicoUsd;
}

/**
 * The engine calls of one generation whose outcome is not known yet. If this process dies, the operator bears them: an
 * engine may bill a call although its answer was lost.
 */
export class OpenRisks implements EngineRisks {
  private readonly open = new Set<EngineRisk>();
  /** The number of all of them so far. */
  count = 0;

  /** @param note writes the state of the generation; it never rejects */
  constructor(private readonly note: () => Promise<void>) {}

  get areOpen(): boolean {
    return this.open.size > 0;
  }

  get total(): PicoUsd {
    let sum = 0n;
    for (const { price } of this.open) sum += price;
    return sum;
  }

  async take(engine: string, price: PicoUsd): Promise<() => void> {
    const risk = { engine, price };
    this.open.add(risk);
    this.count++;
    await this.note();
    return () => void this.open.delete(risk);
  }

  /**
   * The cost of each engine to the operator if this process dies now.
   * @param uses of the generation, with their losses
   */
  costsWith(uses: readonly ToolUseRecord[]): ReadonlyMap<string, PicoUsd> {
    const costs = new Map<string, PicoUsd>();
    const add = (engine: string, cost: PicoUsd): void => void costs.set(engine, (costs.get(engine) ?? 0n) + cost);
    for (const { engine, lost } of uses) if (engine !== undefined && lost > 0n) add(engine, lost);
    for (const { engine, price } of this.open) add(engine, price);
    return costs;
  }
}
