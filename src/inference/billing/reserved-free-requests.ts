import type { GenerationObserver } from '../../core/generation/generation.js';
import type { FreeRequestCount } from '../../rate-limits/free-variants-gate.js';

/** Counts one free request. */
export interface FreeCounting {
  /** @throws GatewayError `rate-limited` */
  count(): Promise<FreeRequestCount>;
  /** Never throws. */
  giveBack(counted: FreeRequestCount): Promise<void>;
}

/**
 * Free requests that are counted before a purchase, for free models that will read it. Those that are not used are
 * given back at the end.
 */
export class ReservedFreeRequests implements GenerationObserver {
  /** Counted, and not yet used by a call. */
  private readonly unused = new Set<FreeRequestCount>();
  private readonly spare: FreeRequestCount[] = [];
  private isOver = false;

  constructor(private readonly counting: FreeCounting) {}

  /**
   * Counts so many, as far as none are spare.
   * @returns releases them to the further calls of the same generation
   * @throws GatewayError `rate-limited`: then nothing is reserved
   */
  async reserve(count: number): Promise<() => void> {
    const taken: FreeRequestCount[] = [];
    const release = (): void => void this.spare.push(...taken.splice(0));
    try {
      while (taken.length < count) taken.push(this.spare.pop() ?? (await this.countOne()));
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  /** @throws GatewayError `rate-limited` */
  async take(): Promise<FreeRequestCount> {
    const counted = this.spare.pop();
    if (!counted) return this.counting.count();
    this.unused.delete(counted);
    return counted;
  }

  ended(): Promise<void> | undefined {
    this.isOver = true;
    if (this.unused.size === 0) return undefined;
    return Promise.all(Array.from(this.unused, (counted) => this.counting.giveBack(counted))).then(() => undefined);
  }

  private async countOne(): Promise<FreeRequestCount> {
    const counted = await this.counting.count();
    if (this.isOver) await this.counting.giveBack(counted);
    else this.unused.add(counted);
    return counted;
  }
}
