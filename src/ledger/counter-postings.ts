import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import type { CounterName } from './hold.js';
import { POSTED_MAX, type LedgerRepository } from './ledger.repository.js';
import type { Postings } from './postings.js';

/** How soon the same counter is posted again, in milliseconds (docs/reasons/money.md#a-refusal-is-true). */
const POST_AGAIN_AFTER_MS = 50;

/** A counter that was posted a moment ago. */
interface Rest {
  /** Resolves when it may be posted again. */
  readonly over: Promise<void>;
  /** Its next posting, where somebody waits for one. */
  next?: Promise<void>;
}

/**
 * Moves counters for all that is settled by now, whichever replica settled it, for those who would be refused by them
 * otherwise. However many ask, a counter is posted once in 50 ms, and one statement is under way at a time.
 */
export class CounterPostings {
  /** By the counter's name: those whose last posting began less than 50 ms ago. */
  private readonly resting = new Map<string, Rest>();
  private readonly statements: GroupCommit<CounterName, void>;

  constructor(
    private readonly repository: LedgerRepository,
    private readonly postings: Postings,
    private readonly options: GroupCommitOptions,
  ) {
    this.statements = new GroupCommit((counters) => this.send(counters), options);
  }

  /**
   * Resolves when all that was settled before the call is in these counters.
   * @throws what the database failed with; GatewayError `unavailable` when it did not answer in time
   */
  async post(counters: readonly CounterName[]): Promise<void> {
    await Promise.all(counters.map((counter) => this.postOne(counter)));
  }

  private postOne({ scope, scopeId, interval }: CounterName): Promise<void> {
    const name = JSON.stringify([scope, scopeId, interval]);
    const begin = (): Promise<void> => {
      this.rest(name);
      return this.statements.submit({ scope, scopeId, interval });
    };
    const rest = this.resting.get(name);
    // What was settled after that posting began may not be in it: all who come now share the next one.
    return rest ? (rest.next ??= rest.over.then(begin)) : begin();
  }

  private rest(name: string): void {
    const over = new Promise<void>((resolve) => setTimeout(resolve, POST_AGAIN_AFTER_MS).unref());
    const rest: Rest = { over };
    this.resting.set(name, rest);
    void over.then(() => {
      if (!rest.next) this.resting.delete(name);
    });
  }

  private async send(counters: readonly CounterName[]): Promise<readonly void[]> {
    // Holds that nothing was sent for are known here alone.
    await this.postings.flush();
    // Past it those who waited have been told: what is left is posted for whoever asks next.
    const until = performance.now() + this.options.timeoutMs;
    let found: number;
    do found = await this.repository.postCounters(counters);
    while (found >= POSTED_MAX && performance.now() < until);
    return counters.map(() => undefined);
  }
}
