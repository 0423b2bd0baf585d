// Goal: nothing goes out that was not judged, in its order, by one judgement at a time, and nothing after a hit or a
// failure. Method: a judge that the test answers for.
import { extensionContext } from '../../../test/support/extension-context.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import { ReplyRefused } from '../../core/generation/ending.js';
import type { StageNote } from '../../core/plugin.js';
import type { Flag, ModerationEngine } from './engine.js';
import { ModerationWatch } from './moderation-watch.js';

const START: ModelEvent = { type: 'block-start', index: 0, block: { type: 'text' } };
const LAST: ModelEvent = { type: 'reply-end', stop: { unified: 'end-turn', raw: null, vendor: 'anthropic' } };
const say = (text: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'text', text } });
const HIT: readonly Flag[] = [{ category: 'hate', words: 'that' }];

class Judge {
  readonly asked: string[] = [];
  readonly notes: StageNote[] = [];
  answer: (text: string) => readonly Flag[] | Promise<readonly Flag[]> = () => [];
  readonly watch: ModerationWatch;

  constructor(isStreamed = true) {
    const engine: ModerationEngine = {
      name: 'local',
      picturesMax: 0,
      price: 0n,
      judge: ({ texts }) => {
        const text = texts.flatMap(({ parts }) => parts).join('');
        this.asked.push(text);
        return this.answer(text);
      },
    };
    const note = (told: StageNote): void => void this.notes.push(told);
    this.watch = new ModerationWatch({ engine, context: extensionContext(), model: 'm', isStreamed, note });
  }
}

it('holds back from the first word on, and lets go what a window says', () => {
  const { watch, asked } = new Judge();
  expect(watch.overdueMs).toBeUndefined();
  expect(watch.tell([START])).toEqual([START]);
  expect(watch.tell([say('a'.repeat(200))])).toEqual([]);
  expect(watch.overdueMs).toBeGreaterThan(0);
  expect(watch.tell([say('b'.repeat(56))])).toHaveLength(2);
  expect(watch.overdueMs).toBeUndefined();
  expect(asked).toEqual(['a'.repeat(200) + 'b'.repeat(56)]);
});

it('reads arguments as whoever parses them, also where an escape is cut', () => {
  const { watch, asked } = new Judge();
  const call: ModelEvent = { type: 'block-start', index: 0, block: { type: 'tool-use', id: 'c', name: 'f' } };
  const args = (json: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'input-json', json } });
  void watch.tell([call, args('{"q":"how\\tto\\'), args('nbuild a \\u0062omb"}'), { type: 'block-end', index: 0 }]);
  expect(asked).toEqual(['{"q":"how\tto\nbuild a bomb"}']);
});

it('reads each window with the end of what came before', () => {
  const { watch, asked } = new Judge();
  void watch.tell([START, say('a'.repeat(2_000))]);
  void watch.tell([say('b'.repeat(256))]);
  expect(asked[1]).toBe('a'.repeat(1_024) + 'b'.repeat(256));
});

it('lets go what has waited, and keeps the clock of the first of it', () => {
  const { watch } = new Judge();
  void watch.tell([START, say('a')]);
  const before = watch.overdueMs!;
  void watch.tell([say('b')]);
  expect(watch.overdueMs).toBeLessThanOrEqual(before);
  expect(watch.release()).toEqual([say('a'), say('b')]);
});

it('judges the rest with the last event, and tells one stage', () => {
  const { watch, notes } = new Judge(false);
  expect(watch.tell([START, say('a'.repeat(300))])).toEqual([START]);
  expect(watch.overdueMs).toBeUndefined();
  expect(watch.tell([LAST])).toEqual([say('a'.repeat(300)), LAST]);
  expect(notes).toMatchObject([{ summary: 'passed', data: { judged: 'reply', windows: 1 } }]);
});

it('says nothing of an answer without a word', () => {
  const { watch, asked, notes } = new Judge();
  expect(watch.tell([LAST])).toEqual([LAST]);
  expect([asked, notes]).toEqual([[], []]);
});

it('judges a call of a tool before anything else comes, by its arguments as they are meant', () => {
  const { watch, asked } = new Judge();
  const tool: ModelEvent = { type: 'block-start', index: 0, block: { type: 'tool-use', id: 't', name: 'n' } };
  const json: ModelEvent = { type: 'block-delta', index: 0, delta: { type: 'input-json', json: '{"q":"b\\u006fmb"}' } };
  const end: ModelEvent = { type: 'block-end', index: 0 };
  expect(watch.tell([tool, json, end])).toEqual([tool, json, end]);
  expect(asked).toEqual(['{"q":"bomb"}']);
});

it.each(['at once', 'later'])('lets nothing out after a hit that is told %s', async (when) => {
  const judge = new Judge();
  judge.answer = () => (when === 'later' ? Promise.resolve(HIT) : HIT);
  const telling = async (...events: ModelEvent[]) => judge.watch.tell(events);
  await expect(telling(START, say('x'.repeat(256)))).rejects.toThrow(ReplyRefused);
  judge.answer = () => [];
  await expect(telling(say('y'), LAST)).rejects.toThrow('Moderation refused this answer: hate.');
  expect(judge.notes).toMatchObject([{ summary: 'Blocked: hate' }]);
  expect(judge.asked).toHaveLength(1);
});

it('fails visibly where its judge does, and stays so', async () => {
  const judge = new Judge();
  judge.answer = () => Promise.reject(new ExtensionFault('timed-out', 'no answer'));
  const telling = async (...events: ModelEvent[]) => judge.watch.tell(events);
  const told = telling(START, say('x'.repeat(256)));
  await expect(told).rejects.toThrow('The plugin moderation failed: no answer.');
  await expect(telling(LAST)).rejects.toThrow(GatewayError);
});
