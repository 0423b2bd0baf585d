/** Goal: every sequence that obeys the grammar passes untouched, every other is the provider's fault. Method: a table of breaches. */
import type { ModelEvent } from '../conversation/event.js';
import { ProviderFault } from '../errors.js';
import { GrammarCheck } from './grammar.js';

const start: ModelEvent = { type: 'reply-start' };
const text = (index: number): ModelEvent => ({ type: 'block-start', index, block: { type: 'text' } });
const thinking = (index: number): ModelEvent => ({ type: 'block-start', index, block: { type: 'thinking' } });
const word = (index: number): ModelEvent => ({ type: 'block-delta', index, delta: { type: 'text', text: 'a' } });
const thought = (index: number): ModelEvent => ({ type: 'block-delta', index, delta: { type: 'thinking', text: 'a' } });
const stop = (index: number): ModelEvent => ({ type: 'block-end', index });
const usage: ModelEvent = { type: 'usage', usage: { outputTokens: 1 } };
const ping: ModelEvent = { type: 'ping' };
const end: ModelEvent = { type: 'reply-end', stop: { unified: 'end-turn', raw: 'end_turn', vendor: 'anthropic' } };

function check(events: readonly ModelEvent[]): ModelEvent[] {
  const out: ModelEvent[] = [];
  const grammar = new GrammarCheck();
  for (const event of events) grammar.push(event, out);
  grammar.end();
  return out;
}

describe('GrammarCheck', () => {
  it.each([
    ['an empty reply', [start, usage, end]],
    [
      'blocks one after another',
      [ping, start, usage, thinking(0), thought(0), stop(0), ping, text(1), word(1), usage, stop(1), usage, end],
    ],
  ])('lets %s pass untouched', (_, events) => {
    expect(check(events)).toEqual(events);
  });

  it.each<[string, ModelEvent[]]>([
    ['nothing', []],
    ['no end', [start, usage]],
    ['no usage', [start, end]],
    ['two starts (FAILURES A02)', [start, start, usage, end]],
    ['a block before the start', [text(0)]],
    ['usage before the start', [usage]],
    ['an index that skips', [start, text(1)]],
    ['an index that repeats', [start, text(0), stop(0), text(0)]],
    ['a block inside a block', [start, text(0), text(1)]],
    ['a delta without a block', [start, word(0)]],
    ['a delta of another block', [start, text(0), word(1)]],
    ['reasoning in a text block (FAILURES A02)', [start, text(0), thought(0)]],
    ['text in a thinking block', [start, thinking(0), word(0)]],
    ['a block ended twice', [start, text(0), stop(0), stop(0)]],
    ['an end inside a block', [start, usage, text(0), end]],
    ['two ends', [start, usage, end, end]],
    ['a block after the end', [start, usage, end, text(0)]],
  ])('calls a reply with %s malformed', (_, events) => {
    expect(() => check(events)).toThrow(ProviderFault);
  });
});
