// Watches that hold text back: each sees what those before it passed, synchronously where none waits, and held-back
// events are not lost.
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ReplyWatch } from '../../core/plugin.js';
import { ReplyWatches } from './reply-watches.js';

const text = (words: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'text', text: words } });
const wordsOf = (batch: readonly ModelEvent[]): string[] =>
  batch.map((event) => (event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : event.type));

/** Appends its name to each word; synchronously or later. */
const marks = (name: string, isLater = false): ReplyWatch => ({
  pass: (batch) => {
    const passed = wordsOf(batch).map((word) => text(word + name));
    return isLater ? Promise.resolve(passed) : passed;
  },
});

/** Holds everything back until its time is over, or a word ends with a full stop. */
class Holds implements ReplyWatch {
  private held: ModelEvent[] = [];
  constructor(private readonly milliseconds: number) {}
  get overdueMs(): number | undefined {
    return this.held.length > 0 ? this.milliseconds : undefined;
  }
  pass(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    this.held.push(...batch);
    return wordsOf(batch).some((word) => word.includes('.')) ? this.release() : [];
  }
  release(): readonly ModelEvent[] {
    return this.held.splice(0);
  }
}

it('passes to each what those before it passed, synchronously', () => {
  const passed = new ReplyWatches([marks('1'), marks('2')]).pass([text('a'), text('b')]);
  expect(wordsOf(passed as ModelEvent[])).toEqual(['a12', 'b12']);
});

it('awaits a watch that is asynchronous', async () => {
  const passed = new ReplyWatches([marks('1'), marks('2', true), marks('3')]).pass([text('a')]);
  expect(passed).toBeInstanceOf(Promise);
  expect(wordsOf(await passed)).toEqual(['a123']);
});

it('reports the shortest delay, and then releases all of them', async () => {
  const watches = new ReplyWatches([new Holds(20), marks('1'), new Holds(10)]);
  expect(watches.overdueMs).toBeUndefined();
  expect(watches.pass([text('a')])).toEqual([]);
  expect(watches.overdueMs).toBe(20);
  expect(wordsOf(await watches.pass([text('b.')]))).toEqual(['a1', 'b.1']);
  await watches.pass([text('c')]);
  expect(wordsOf(await watches.release())).toEqual(['c1']);
  expect(watches.overdueMs).toBeUndefined();
});
