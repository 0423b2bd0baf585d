/**
 * Goal: the fast path reads exactly what the parser reads, or leaves the frame to it. Method: any text, spelling and
 * padding, read both ways; a table of frames that must be left alone.
 */
import fc from 'fast-check';
import type { ModelEvent } from '../../../core/conversation/event.js';
import { PlainDelta } from './plain-delta.js';

const EVENT = 'content_block_delta';
const read = (data: string, event = EVENT): ModelEvent | undefined => {
  const out: ModelEvent[] = [];
  return new PlainDelta(3, 'text').read({ event, data }, out) ? out[0] : undefined;
};
const delta = (text: string, padding = ''): string =>
  `{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}${padding}}`;

describe('PlainDelta', () => {
  it('reads any text as the parser does, or not at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(5), (text, spaces) => {
        const event = read(delta(text, ' '.repeat(spaces)));
        if (event) expect(event).toEqual({ type: 'block-delta', index: 3, delta: { type: 'text', text } });
        else expect(JSON.stringify(text).slice(1, -1) === text).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('reads plain text, with the padding some vendors add', () => {
    expect(read(delta('héllo wörld 😀', '      '))).toMatchObject({ delta: { text: 'héllo wörld 😀' } });
    expect(read(delta(''))).toMatchObject({ delta: { text: '' } });
  });

  it('leaves frames of another name to the parser', () => {
    expect(read(delta('a'), 'ping')).toBeUndefined();
  });

  it.each([
    ['another block', delta('a').replace('"index":3', '"index":4')],
    ['another order of keys', '{"index":3,"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}'],
    ['further keys', delta('a').replace('"a"', '"a","more":1')],
    ['an escape', delta('a"b')],
    ['a raw control character', delta('X').replace('X', '\u0007')],
    ['text that never ends', delta('a').slice(0, -3)],
    ['something after the end', `${delta('a')}}`],
    ['nothing after the quote', delta('a').slice(0, -2)],
  ])('leaves %s to the parser', (_, data) => {
    expect(read(data)).toBeUndefined();
  });
});
