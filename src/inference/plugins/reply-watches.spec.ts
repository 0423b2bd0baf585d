// Goal: watches see what those before them let through, at once where none has to wait, and nothing is lost of what one
// holds back. Method: watches that hold text back until they are asked.
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ReplyWatch } from '../../core/plugin.js';
import { ReplyWatches } from './reply-watches.js';

const text = (words: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'text', text: words } });
const wordsOf = (batch: readonly ModelEvent[]): string[] =>
  batch.map((event) => (event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : event.type));

/** Writes its name behind each word; at once, or later. */
const marks = (name: string, isLater = false): ReplyWatch => ({
  tell: (batch) => {
    const told = wordsOf(batch).map((word) => text(word + name));
    return isLater ? Promise.resolve(told) : told;
  },
});

/** Holds all back until its time is over, or a word ends with a stop. */
class Holds implements ReplyWatch {
  private held: ModelEvent[] = [];
  constructor(private readonly milliseconds: number) {}
  get overdueMs(): number | undefined {
    return this.held.length > 0 ? this.milliseconds : undefined;
  }
  tell(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    this.held.push(...batch);
    return wordsOf(batch).some((word) => word.includes('.')) ? this.release() : [];
  }
  release(): readonly ModelEvent[] {
    return this.held.splice(0);
  }
}

it('tells each what those before it let through, at once', () => {
  const told = new ReplyWatches([marks('1'), marks('2')]).tell([text('a'), text('b')]);
  expect(wordsOf(told as ModelEvent[])).toEqual(['a12', 'b12']);
});

it('waits for one that has to', async () => {
  const told = new ReplyWatches([marks('1'), marks('2', true), marks('3')]).tell([text('a')]);
  expect(told).toBeInstanceOf(Promise);
  expect(wordsOf(await told)).toEqual(['a123']);
});

it('says how long the most impatient waits, and lets all go then', async () => {
  const watches = new ReplyWatches([new Holds(20), marks('1'), new Holds(10)]);
  expect(watches.overdueMs).toBeUndefined();
  expect(watches.tell([text('a')])).toEqual([]);
  expect(watches.overdueMs).toBe(20);
  expect(wordsOf(await watches.tell([text('b.')]))).toEqual(['a1', 'b.1']);
  await watches.tell([text('c')]);
  expect(wordsOf(await watches.release())).toEqual(['c1']);
  expect(watches.overdueMs).toBeUndefined();
});
