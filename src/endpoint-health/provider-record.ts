import type { FaultKind } from '../core/errors.js';
import type { Percentiles } from '../core/routing/health.js';
import { HALF_HOUR_MS, HALF_HOUR_SLICE_MS, HALF_HOUR_SLICES } from './endpoint-record.js';
import { RollingFigures, type CallFigures } from './rolling-figures.js';
import { CallWindow, type CallCounts } from './slice-ring.js';

/** A call that failed through its provider. Holds no message of the provider. */
export interface SeenFault {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: FaultKind;
  /** HTTP status of the provider's answer; absent where none arrived. */
  readonly status?: number;
  /** Id of the model in the catalog. */
  readonly model: string;
}

/** Figures of the calls to a provider with the operator's own credential. */
export interface ProviderFigures {
  /** Seconds to the first committing event, over the last five minutes. Absent: too few calls. */
  readonly latency?: Percentiles | undefined;
  /** Output tokens per second, over the last five minutes. Absent: too few calls. */
  readonly throughput?: Percentiles | undefined;
  /** Refusals for too many calls are neither calls nor faults. Absent: this process made none. */
  readonly last30m?: CallCounts;
  /**
   * Failed calls since the last answer, refusals for too many calls included; 0 when half an hour has passed since the
   * last failure.
   */
  readonly failuresInARow?: number;
  /** The last fault within a day, at any replica. */
  readonly lastFault?: SeenFault;
}

/** The calls to all endpoints of one provider together. Counted as they end, so that reading adds nothing up. */
export class ProviderRecord {
  private readonly figures = new RollingFigures();
  private readonly halfHour = new CallWindow(HALF_HOUR_SLICE_MS, HALF_HOUR_SLICES);
  private failuresInARow = 0;
  private failedAt = -Infinity;

  /** @param figures absent where none could be measured */
  succeeded(figures: CallFigures | undefined, now: number): void {
    this.failuresInARow = 0;
    this.halfHour.record(false, now);
    if (figures) this.figures.add(figures, now);
  }

  /** @param isRefusal it was refused as one call too many: neither a call nor a fault in the figures */
  failed(now: number, isRefusal: boolean): void {
    this.failuresInARow++;
    this.failedAt = now;
    if (!isRefusal) this.halfHour.record(true, now);
  }

  view(now: number): Omit<ProviderFigures, 'lastFault'> {
    return {
      latency: this.figures.latency(now),
      throughput: this.figures.throughput(now),
      last30m: this.halfHour.counts(now),
      failuresInARow: now - this.failedAt < HALF_HOUR_MS ? this.failuresInARow : 0,
    };
  }
}
