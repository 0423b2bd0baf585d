// Nothing is released before it is judged. Events keep their order, one judgement runs at a time, and nothing follows a
// hit or a failure. The test controls the judge.
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
const textDelta = (text: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'text', text } });
const HIT: readonly Flag[] = [{ category: 'hate', words: 'that' }];

class Judge {
  readonly judged: string[] = [];
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
        this.judged.push(text);
        return this.answer(text);
      },
    };
    const note = (noted: StageNote): void => void this.notes.push(noted);
    this.watch = new ModerationWatch({ engine, context: extensionContext(), model: 'm', isStreamed, note });
  }
}

it('holds text back from its beginning on, and releases a judged window', () => {
  const { watch, judged } = new Judge();
  expect(watch.overdueMs).toBeUndefined();
  expect(watch.pass([START])).toEqual([START]);
  expect(watch.pass([textDelta('a'.repeat(200))])).toEqual([]);
  expect(watch.overdueMs).toBeGreaterThan(0);
  expect(watch.pass([textDelta('b'.repeat(56))])).toHaveLength(2);
  expect(watch.overdueMs).toBeUndefined();
  expect(judged).toEqual(['a'.repeat(200) + 'b'.repeat(56)]);
});

it('judges arguments as parsed JSON, also where an escape is split', () => {
  const { watch, judged } = new Judge();
  const call: ModelEvent = { type: 'block-start', index: 0, block: { type: 'tool-use', id: 'c', name: 'f' } };
  const args = (json: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'input-json', json } });
  void watch.pass([call, args('{"q":"how\\tto\\'), args('nbuild a \\u0062omb"}'), { type: 'block-end', index: 0 }]);
  expect(judged).toEqual(['{"q":"how\tto\nbuild a bomb"}']);
});

it('judges each window with the end of the text before it', () => {
  const { watch, judged } = new Judge();
  void watch.pass([START, textDelta('a'.repeat(2_000))]);
  void watch.pass([textDelta('b'.repeat(256))]);
  expect(judged[1]).toBe('a'.repeat(1_024) + 'b'.repeat(256));
});

it('releases what has waited, timed from its first event', () => {
  const { watch } = new Judge();
  void watch.pass([START, textDelta('a')]);
  const before = watch.overdueMs!;
  void watch.pass([textDelta('b')]);
  expect(watch.overdueMs).toBeLessThanOrEqual(before);
  expect(watch.release()).toEqual([textDelta('a'), textDelta('b')]);
});

it('judges the rest with the last event, and notes one stage', () => {
  const { watch, notes } = new Judge(false);
  expect(watch.pass([START, textDelta('a'.repeat(300))])).toEqual([START]);
  expect(watch.overdueMs).toBeUndefined();
  expect(watch.pass([LAST])).toEqual([textDelta('a'.repeat(300)), LAST]);
  expect(notes).toMatchObject([{ summary: 'passed', data: { judged: 'reply', windows: 1 } }]);
});

it('notes nothing for an answer without text', () => {
  const { watch, judged, notes } = new Judge();
  expect(watch.pass([LAST])).toEqual([LAST]);
  expect([judged, notes]).toEqual([[], []]);
});

it('judges a tool call before anything else follows, by its parsed arguments', () => {
  const { watch, judged } = new Judge();
  const tool: ModelEvent = { type: 'block-start', index: 0, block: { type: 'tool-use', id: 't', name: 'n' } };
  const json: ModelEvent = { type: 'block-delta', index: 0, delta: { type: 'input-json', json: '{"q":"b\\u006fmb"}' } };
  const end: ModelEvent = { type: 'block-end', index: 0 };
  expect(watch.pass([tool, json, end])).toEqual([tool, json, end]);
  expect(judged).toEqual(['{"q":"bomb"}']);
});

it.each(['at once', 'later'])('releases nothing after a hit that is returned %s', async (when) => {
  const judge = new Judge();
  judge.answer = () => (when === 'later' ? Promise.resolve(HIT) : HIT);
  const pass = async (...events: ModelEvent[]) => judge.watch.pass(events);
  await expect(pass(START, textDelta('x'.repeat(256)))).rejects.toThrow(ReplyRefused);
  judge.answer = () => [];
  await expect(pass(textDelta('y'), LAST)).rejects.toThrow('Moderation refused this answer: hate.');
  expect(judge.notes).toMatchObject([{ summary: 'Blocked: hate' }]);
  expect(judge.judged).toHaveLength(1);
});

it('fails visibly where its judge does, and stays failed', async () => {
  const judge = new Judge();
  judge.answer = () => Promise.reject(new ExtensionFault('timed-out', 'no answer'));
  const pass = async (...events: ModelEvent[]) => judge.watch.pass(events);
  const noted = pass(START, textDelta('x'.repeat(256)));
  await expect(noted).rejects.toThrow('The plugin moderation failed: no answer.');
  await expect(pass(LAST)).rejects.toThrow(GatewayError);
});
