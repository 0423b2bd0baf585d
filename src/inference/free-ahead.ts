import type { GenerationObserver } from '../core/generation/generation.js';
import type { FreePlace } from '../rate-limits/free-variants-gate.js';

/** Counts one free request. */
export interface FreeCounting {
  /** @throws GatewayError `rate-limited` */
  count(): Promise<FreePlace>;
  /** Never throws. */
  giveBack(place: FreePlace): Promise<void>;
}

/**
 * Free requests that are counted before a purchase, for free models that will read it. Those that are not used are
 * given back at the end.
 */
export class FreeAhead implements GenerationObserver {
  /** Counted, and not yet used by a call. */
  private readonly unused = new Set<FreePlace>();
  private readonly spare: FreePlace[] = [];
  private isOver = false;

  constructor(private readonly counting: FreeCounting) {}

  /**
   * Counts so many, as far as none are spare.
   * @returns releases them to the further calls of the same generation
   * @throws GatewayError `rate-limited`: then nothing is reserved
   */
  async reserve(count: number): Promise<() => void> {
    const places: FreePlace[] = [];
    const release = (): void => void this.spare.push(...places.splice(0));
    try {
      while (places.length < count) places.push(this.spare.pop() ?? (await this.countOne()));
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  /** @throws GatewayError `rate-limited` */
  async take(): Promise<FreePlace> {
    const place = this.spare.pop();
    if (!place) return this.counting.count();
    this.unused.delete(place);
    return place;
  }

  ended(): Promise<void> | undefined {
    this.isOver = true;
    if (this.unused.size === 0) return undefined;
    return Promise.all(Array.from(this.unused, (place) => this.counting.giveBack(place))).then(() => undefined);
  }

  private async countOne(): Promise<FreePlace> {
    const place = await this.counting.count();
    if (this.isOver) await this.counting.giveBack(place);
    else this.unused.add(place);
    return place;
  }
}
