import { hash01 } from '../../src/core/routing/draw.js';
import type { Range } from './scenario.js';

/**
 * Random numbers from a seed. Each draw is named by what it decides, so that two policies meet the same day: the same
 * session, at the same endpoint, draws the same under both, and differences between their results come from the
 * policies.
 */
export class SeededRandom {
  constructor(private readonly seed: string) {}

  /** Above 0 and below 1. */
  chance(subject: string, what: string): number {
    return hash01(this.seed, subject, what);
  }

  /** A number of the range. */
  between({ min, max }: Range, subject: string, what: string): number {
    return min === max ? min : min + (max - min) * this.chance(subject, what);
  }

  /** A whole number of the range. */
  whole({ min, max }: Range, subject: string, what: string): number {
    return min === max ? min : min + Math.floor((max - min + 1) * this.chance(subject, what));
  }

  /** Log-normal with median 1 and this deviation of the logarithm. */
  factor(spread: number, subject: string, what: string): number {
    if (spread === 0) return 1;
    const radius = Math.sqrt(-2 * Math.log(this.chance(subject, `${what} radius`)));
    return Math.exp(spread * radius * Math.cos(2 * Math.PI * this.chance(subject, `${what} angle`)));
  }
}
