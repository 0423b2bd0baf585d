import { AggregatorRegistry } from 'prom-client';
import { GatheredAnswers } from '../queues/gathered-answers.js';
import type { Metrics, MetricReport } from './metrics.js';
import { RateLimitedValue } from '../queues/rate-limited-value.js';
import type { PrimaryChannel } from '../worker-channel.js';

const WAIT_MS = 1000;
/** A tenth of a process's time where rendering takes four milliseconds, as with metrics of a few providers. */
const MADE_A_SECOND_MAX = 25;
/** Each gathering sends a message to all workers, and one back from each. */
export const GATHERED_A_SECOND_MAX = 2;

/**
 * The combined metrics of all worker processes, from any of them. A worker that does not answer within a second is left
 * out. With one process it is that process's own text.
 */
export class ClusterMetrics {
  private readonly others: GatheredAnswers<MetricReport[]>;
  private readonly texts: RateLimitedValue<string>;
  private readonly reports: RateLimitedValue<MetricReport[]>;

  constructor(
    private readonly metrics: Metrics,
    private readonly channel?: PrimaryChannel,
    waitMs = WAIT_MS,
  ) {
    this.others = new GatheredAnswers(waitMs);
    this.texts = new RateLimitedValue(() => this.gather(), channel ? GATHERED_A_SECOND_MAX : MADE_A_SECOND_MAX);
    this.reports = new RateLimitedValue(() => this.metrics.report(), MADE_A_SECOND_MAX);
    channel?.listen((message) => {
      if (message.fairlead === 'metrics-wanted') void this.answer(channel, message.asker, message.ask);
      else if (message.fairlead === 'metrics-expect') this.others.expect(message.ask, message.count);
      else if (message.fairlead === 'metrics-given') this.others.give(message.ask, message.report);
    });
  }

  /** Prometheus text, at most a second old. */
  text(): Promise<string> {
    return this.texts.latest();
  }

  private async gather(): Promise<string> {
    const { channel } = this;
    if (!channel) return this.metrics.text();
    const others = await this.others.gather((ask) => channel.send({ fairlead: 'metrics-ask', ask }));
    return textOf([await this.reports.latest(), ...others]);
  }

  private async answer(channel: PrimaryChannel, asker: number, ask: number): Promise<void> {
    channel.send({ fairlead: 'metrics-answer', asker, ask, report: await this.reports.latest() });
  }
}

/** The sum of several processes' metrics, as Prometheus text. */
export const textOf = (reports: readonly MetricReport[][]): Promise<string> =>
  AggregatorRegistry.aggregate([...reports]).metrics();
