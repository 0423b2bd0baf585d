import type { ModelEvent } from '../../core/conversation/event.js';
import type { ReplyWatch } from '../../core/plugin.js';

type Batch = readonly ModelEvent[];

/** Several watches as one: each sees what those before it passed. */
export class ReplyWatches implements ReplyWatch {
  constructor(private readonly watches: readonly ReplyWatch[]) {}

  get overdueMs(): number | undefined {
    let least: number | undefined;
    for (const { overdueMs } of this.watches) {
      if (overdueMs !== undefined && (least === undefined || overdueMs < least)) least = overdueMs;
    }
    return least;
  }

  pass(batch: Batch): Batch | Promise<Batch> {
    return this.passFrom(0, batch);
  }

  /** Releases all of them: every watch behind the most urgent one then releases as well. */
  async release(): Promise<Batch> {
    let released: Batch = [];
    for (const watch of this.watches) {
      const passed = released.length > 0 ? await watch.pass(released) : released;
      const own = watch.overdueMs === undefined ? undefined : await watch.release?.();
      released = own && own.length > 0 ? [...passed, ...own] : passed;
    }
    return released;
  }

  private passFrom(index: number, batch: Batch): Batch | Promise<Batch> {
    let passed = batch;
    for (let next = index; next < this.watches.length && passed.length > 0; next++) {
      const answer = this.watches[next]!.pass(passed);
      // Avoids an await when the result is synchronous.
      if (answer instanceof Promise) return answer.then((later) => this.passFrom(next + 1, later));
      passed = answer;
    }
    return passed;
  }
}
