import type { FaultKind } from '../core/errors.js';
import type { Percentiles } from '../core/routing/health.js';
import { HALF_HOUR_MS, HALF_HOUR_SLICE_MS, HALF_HOUR_SLICES } from './endpoint-record.js';
import { RollingFigures, type CallFigures } from './rolling-figures.js';
import { CallWindow, type CallCounts } from './slice-ring.js';

/** A call that failed through its provider: what happened, never in anybody's words. */
export interface SeenFault {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: FaultKind;
  /** HTTP status the provider answered with; absent: none came. */
  readonly status?: number;
  /** Id of the model in the catalog. */
  readonly model: string;
}

/** How the calls to a provider went, by the operator's own credential. */
export interface ProviderFigures {
  /** Seconds to the first committing event, over the last five minutes. Absent: too few calls. */
  readonly latency?: Percentiles | undefined;
  /** Output tokens per second, over the last five minutes. Absent: too few calls. */
  readonly throughput?: Percentiles | undefined;
  /** Refusals for too many calls are neither calls nor faults. Absent: this process made none. */
  readonly last30m?: CallCounts;
  /** Calls that failed since the last answer, refusals for too many calls among them; 0 half an hour after the last. */
  readonly failuresInARow?: number;
  /** Within the last day, at any replica. */
  readonly lastFault?: SeenFault;
}

/** The calls to all endpoints of one provider together. Counted as they end, so that nothing is added up to be read. */
export class ProviderRecord {
  private readonly figures = new RollingFigures();
  private readonly halfHour = new CallWindow(HALF_HOUR_SLICE_MS, HALF_HOUR_SLICES);
  private failuresInARow = 0;
  private failedAt = -Infinity;

  /** @param figures absent: it could show none */
  succeeded(figures: CallFigures | undefined, now: number): void {
    this.failuresInARow = 0;
    this.halfHour.record(false, now);
    if (figures) this.figures.add(figures, now);
  }

  /** @param isRefusal it refused a call for too many: neither a call nor a fault in the figures */
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
