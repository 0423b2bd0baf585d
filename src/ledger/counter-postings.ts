import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import type { CounterName } from './hold.js';
import { POSTED_MAX, type LedgerRepository } from './ledger.repository.js';
import type { Postings } from './postings.js';

/** How soon the same counter is posted again, in milliseconds (docs/contribute/reasons/money.md#a-refusal-is-true). */
const POST_AGAIN_AFTER_MS = 50;

/** A counter that was posted a moment ago. */
interface Rest {
  /** Resolves when it may be posted again. */
  readonly over: Promise<void>;
  /** Its next posting, where a caller waits for one. */
  next?: Promise<void>;
}

/**
 * Posts to counters what any replica has settled by now, for callers that these counters would otherwise refuse.
 * However many callers request it, a counter is posted once in 50 ms, and one statement runs at a time.
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
   * Resolves when everything settled before the call is in these counters.
   * @throws the database's error; GatewayError `service-unavailable` when it did not answer in time
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
    // That posting may lack what was settled after it began: all later callers share the next one.
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
