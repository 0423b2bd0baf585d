import type { Percentiles } from '../core/routing/health.js';
import { LogScale } from './log-sketch.js';
import { RollingSketch } from './rolling-sketch.js';

/** Seconds. */
const LATENCIES = new LogScale(0.001, 1_000);
/** Tokens per second. */
const THROUGHPUTS = new LogScale(0.1, 100_000);

/** The measured figures of a successful call. */
export interface CallFigures {
  readonly secondsToFirstToken?: number;
  readonly tokensPerSecond?: number;
}

/**
 * Distributions over the successful calls of the last five minutes. Memory is allocated with the first value of each.
 */
export class RollingFigures {
  private latencies: RollingSketch | undefined;
  private throughputs: RollingSketch | undefined;

  add({ secondsToFirstToken, tokensPerSecond }: CallFigures, now: number): void {
    if (secondsToFirstToken !== undefined && isFigure(secondsToFirstToken)) {
      (this.latencies ??= new RollingSketch(LATENCIES)).add(secondsToFirstToken, now);
    }
    if (tokensPerSecond !== undefined && isFigure(tokensPerSecond)) {
      (this.throughputs ??= new RollingSketch(THROUGHPUTS)).add(tokensPerSecond, now);
    }
  }

  /** Upper bounds of shares of the calls, seconds. Undefined: too few calls. */
  latency(now: number): Percentiles | undefined {
    return this.latencies?.percentiles(now);
  }

  /** Lower bounds of shares of the calls, tokens per second. Undefined: too few calls. */
  throughput(now: number): Percentiles | undefined {
    return this.throughputs?.floors(now);
  }
}

export const isFigure = (value: number): boolean => Number.isFinite(value) && value >= 0;
