import { StatementBatcher, type StatementBatcherOptions } from './statement-batcher.js';
import type { CounterName } from './hold.js';
import { POSTED_MAX, type LedgerRepository } from './ledger.repository.js';
import type { Postings } from './postings.js';

/**
 * Milliseconds between two postings of the same counter
 * (docs/contribute/reasons/money.md#refusals-consider-all-settled-amounts).
 */
const POST_AGAIN_AFTER_MS = 50;

/** A counter that was posted a moment ago. */
interface RecentPosting {
  /** Resolves when it may be posted again. */
  readonly over: Promise<void>;
  /** The next posting of this counter, if a caller waits for it. */
  next?: Promise<void>;
}

/**
 * Posts to counters what any replica has settled by now, for callers that these counters would otherwise refuse.
 * However many callers request it, a counter is posted once in 50 ms, and one statement runs at a time.
 */
export class CounterPostings {
  /** The counters whose last posting began less than 50 ms ago, by name. */
  private readonly recentlyPosted = new Map<string, RecentPosting>();
  private readonly postingBatches: StatementBatcher<CounterName, void>;

  constructor(
    private readonly repository: LedgerRepository,
    private readonly postings: Postings,
    private readonly options: StatementBatcherOptions,
  ) {
    this.postingBatches = new StatementBatcher((counters) => this.send(counters), options);
  }

  /**
   * Resolves when everything settled before the call is in these counters.
   * @throws the database's error; GatewayError `service-unavailable` when it did not answer in time
   */
  async post(counters: readonly CounterName[]): Promise<void> {
    await Promise.all(counters.map((counter) => this.postOne(counter)));
  }

  private postOne({ scope, scopeId, interval }: CounterName): Promise<void> {
    const name = JSON.stringify([scope, scopeId, interval]);
    const begin = (): Promise<void> => {
      this.recent(name);
      return this.postingBatches.submit({ scope, scopeId, interval });
    };
    const recent = this.recentlyPosted.get(name);
    // The running posting may lack settlements that came after its beginning: all later callers share the next one.
    return recent ? (recent.next ??= recent.over.then(begin)) : begin();
  }

  private recent(name: string): void {
    const over = new Promise<void>((resolve) => setTimeout(resolve, POST_AGAIN_AFTER_MS).unref());
    const recent: RecentPosting = { over };
    this.recentlyPosted.set(name, recent);
    void over.then(() => {
      if (!recent.next) this.recentlyPosted.delete(name);
    });
  }

  private async send(counters: readonly CounterName[]): Promise<readonly void[]> {
    // Releases (holds that nothing was sent for) may still be queued in this process only.
    await this.postings.flush();
    // After this the waiting callers have timed out: the rest is posted for the next caller.
    const until = performance.now() + this.options.timeoutMs;
    let found: number;
    do found = await this.repository.postCounters(counters);
    while (found >= POSTED_MAX && performance.now() < until);
    return counters.map(() => undefined);
  }
}
