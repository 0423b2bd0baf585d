import { AggregatorRegistry } from 'prom-client';
import type { Metrics, MetricReport } from './metrics.js';
import type { PrimaryChannel } from './worker-channel.js';

const WAIT_MS = 1000;

interface PendingQuery {
  readonly reports: MetricReport[][];
  expected: number | undefined;
  finish: () => void;
}

/**
 * The metrics of all worker processes together, whichever of them is asked. A worker that does not answer within a
 * second is left out: one stuck process must not hide the others. With one process it is that process's own text.
 */
export class ClusterMetrics {
  private readonly pending = new Map<number, PendingQuery>();
  private nextAsk = 0;

  constructor(
    private readonly metrics: Metrics,
    private readonly channel?: PrimaryChannel,
    private readonly waitMs = WAIT_MS,
  ) {
    channel?.listen((message) => {
      if (message.fairlead === 'metrics-wanted') void this.answer(channel, message.asker, message.ask);
      else if (message.fairlead === 'metrics-expect')
        this.update(message.ask, (query) => (query.expected = message.count));
      else if (message.fairlead === 'metrics-given')
        this.update(message.ask, ({ reports }) => reports.push(message.report));
    });
  }

  /** Prometheus text. */
  async text(): Promise<string> {
    if (!this.channel) return this.metrics.text();
    const others = await this.ask(this.channel);
    return AggregatorRegistry.aggregate([await this.metrics.report(), ...others]).metrics();
  }

  private async answer(channel: PrimaryChannel, asker: number, ask: number): Promise<void> {
    channel.send({ fairlead: 'metrics-answer', asker, ask, report: await this.metrics.report() });
  }

  private async ask(channel: PrimaryChannel): Promise<MetricReport[][]> {
    const ask = this.nextAsk++;
    const reports: MetricReport[][] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.waitMs);
      const finish = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.pending.set(ask, { reports, expected: undefined, finish });
      channel.send({ fairlead: 'metrics-ask', ask });
    });
    this.pending.delete(ask);
    return reports;
  }

  private update(ask: number, change: (query: PendingQuery) => void): void {
    const query = this.pending.get(ask);
    // An answer that comes after its second belongs to no question any more.
    if (!query) return;
    change(query);
    if (query.expected !== undefined && query.reports.length >= query.expected) query.finish();
  }
}
