/**
 * Every sequence that follows the grammar passes unchanged, every other is the provider's fault. A table of violations.
 * Rules: docs/contribute/reasons/translation.md.
 */
import type { ModelEvent } from '../conversation/event.js';
import { ProviderFault } from '../errors.js';
import { assertGrammar, GrammarCheck } from './grammar.js';
import type { StreamStage } from './stream-stage.js';

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
  const step = new GrammarCheck(given);
  for (const event of events) step.push(event, out);
  step.end(out);
  return out;
}

/** Returns its input. */
const given: StreamStage<ModelEvent, ModelEvent> = { push: (event, out) => void out.push(event), end: () => undefined };

describe('GrammarCheck', () => {
  it.each([
    ['an empty reply', [start, usage, end]],
    [
      'blocks one after another',
      [ping, start, usage, thinking(0), thought(0), stop(0), ping, text(1), word(1), usage, stop(1), usage, end],
    ],
  ])('lets %s pass unchanged', (_, events) => {
    expect(check(events)).toEqual(events);
    expect(() => assertGrammar(events)).not.toThrow();
  });

  it.each<[string, ModelEvent[]]>([
    ['nothing', []],
    ['no end', [start, usage]],
    ['no usage', [start, end]],
    ['two starts', [start, start, usage, end]],
    ['a block before the start', [text(0)]],
    ['usage before the start', [usage]],
    ['an index that skips', [start, text(1)]],
    ['an index that repeats', [start, text(0), stop(0), text(0)]],
    ['a block inside a block', [start, text(0), text(1)]],
    ['a delta without a block', [start, word(0)]],
    ['a delta of another block', [start, text(0), word(1)]],
    ['reasoning in a text block', [start, text(0), thought(0)]],
    ['text in a thinking block', [start, thinking(0), word(0)]],
    ['a block ended twice', [start, text(0), stop(0), stop(0)]],
    ['an end inside a block', [start, usage, text(0), end]],
    ['two ends', [start, usage, end, end]],
    ['a block after the end', [start, usage, end, text(0)]],
  ])('treats a reply with %s as malformed', (_, events) => {
    expect(() => check(events)).toThrow(ProviderFault);
    expect(() => assertGrammar(events)).toThrow(ProviderFault);
  });

  it('keeps events before a violation, also of the same chunk and of a step that fails', () => {
    const out: ModelEvent[] = [];
    const several = new GrammarCheck<readonly ModelEvent[]>({
      push(events, out) {
        out.push(...events);
        if (events.includes(ping)) throw new Error('broken');
      },
      end: (out) => void out.push(usage, text(0), word(1)),
    });
    several.push([start], out);
    expect(() => several.push([usage, ping], out)).toThrow('broken');
    expect(out).toEqual([start, usage, ping]);
    expect(() => several.end(out)).toThrow('no open block');
    expect(out).toEqual([start, usage, ping, usage, text(0)]);
    expect(() => several.push([stop(0), stop(0), ping], out)).toThrow('not open');
    expect(out).toEqual([start, usage, ping, usage, text(0), stop(0)]);
  });
});
