import type { ModelEvent } from '../../core/conversation/event.js';
import type { ReplyWatch } from '../../core/plugin.js';

type Batch = readonly ModelEvent[];

/** Several watches as one: each is told what those before it let through. */
export class ReplyWatches implements ReplyWatch {
  constructor(private readonly watches: readonly ReplyWatch[]) {}

  get overdueMs(): number | undefined {
    let least: number | undefined;
    for (const { overdueMs } of this.watches) {
      if (overdueMs !== undefined && (least === undefined || overdueMs < least)) least = overdueMs;
    }
    return least;
  }

  tell(batch: Batch): Batch | Promise<Batch> {
    return this.tellFrom(0, batch);
  }

  /** All of them: whoever held back least long has waited long enough as well. */
  async release(): Promise<Batch> {
    let released: Batch = [];
    for (const watch of this.watches) {
      const passed = released.length > 0 ? await watch.tell(released) : released;
      const own = watch.overdueMs === undefined ? undefined : await watch.release?.();
      released = own && own.length > 0 ? [...passed, ...own] : passed;
    }
    return released;
  }

  private tellFrom(index: number, batch: Batch): Batch | Promise<Batch> {
    let told = batch;
    for (let next = index; next < this.watches.length && told.length > 0; next++) {
      const answer = this.watches[next]!.tell(told);
      // No turn of the microtask queue for what is at hand.
      if (answer instanceof Promise) return answer.then((later) => this.tellFrom(next + 1, later));
      told = answer;
    }
    return told;
  }
}
