// Goal: the request's own cache marker goes to the right block, and there are never more than four. Method: tables over
// small prompts.
import type { JsonObject } from '../../../core/json/json.js';
import { markLastBlock, type Prompt } from './cache-marker.js';

const OWN = { type: 'ephemeral', ttl: '1h' };
const CALLERS = { type: 'ephemeral' };
const text = (words: string, marked = false): JsonObject => ({
  type: 'text',
  text: words,
  ...(marked && { cache_control: CALLERS }),
});
const prompt = (parts: Partial<Prompt>): Prompt => ({ tools: undefined, system: undefined, messages: [], ...parts });
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
const mark = (parts: Partial<Prompt>): Prompt => markLastBlock(prompt(parts), { ttl: '1h' });
const markers = (value: unknown): number => JSON.stringify(value).split('"cache_control":{').length - 1;

describe('markLastBlock', () => {
  it('marks the last block of the last message and leaves the input alone', () => {
    const given = prompt({ messages: [user(text('a')), user(text('b'), text('c'))] });
    const before = structuredClone(given);
    expect(markLastBlock(given, { ttl: '1h' }).messages).toEqual([
      user(text('a')),
      user(text('b'), { ...text('c'), cache_control: OWN }),
    ]);
    expect(given).toEqual(before);
  });

  it('turns a string into a block that can bear it', () => {
    expect(mark({ messages: [{ role: 'user', content: 'Hi' }] }).messages).toEqual([
      user({ type: 'text', text: 'Hi', cache_control: OWN }),
    ]);
  });

  it('passes over reasoning and empty text, back to an earlier message if need be', () => {
    const thinking = { type: 'thinking', thinking: 't', signature: 's' };
    const redacted = { type: 'redacted_thinking', data: 'd' };
    const { messages } = mark({
      messages: [user(text('a')), user(thinking, redacted, text(''), text(' \n')), { role: 'user', content: '' }],
    });
    expect(messages[0]).toEqual(user({ ...text('a'), cache_control: OWN }));
    expect(markers(messages)).toBe(1);
  });

  it('falls back to the system, then to the tools', () => {
    expect(mark({ system: 'S', tools: [{ name: 'f' }] }).system).toEqual([
      { type: 'text', text: 'S', cache_control: OWN },
    ]);
    const deferred = { name: 'g', defer_loading: true };
    expect(mark({ tools: [{ name: 'f' }, deferred] }).tools).toEqual([{ name: 'f', cache_control: OWN }, deferred]);
  });

  it("keeps the caller's own marker on the last block", () => {
    expect(mark({ messages: [user(text('a', true))] }).messages).toEqual([user(text('a', true))]);
  });

  const nested = { type: 'tool_result', tool_use_id: 'a', content: [text('x', true)] };
  const document = { type: 'document', source: { type: 'content', content: [text('x', true)] } };
  it.each<[string, number, Partial<Prompt>]>([
    [
      'three of the caller',
      4,
      { system: [text('s', true)], messages: [user(text('a', true), text('b', true)), user(text('c'))] },
    ],
    [
      'four over all places',
      4,
      {
        tools: [{ name: 'f', cache_control: CALLERS }],
        system: [text('s', true)],
        messages: [user(nested, document), user(text('c'))],
      },
    ],
    [
      'five of the caller',
      5,
      {
        system: [text('s', true), text('t', true)],
        messages: [user(text('a', true), text('b', true), nested), user(text('c'))],
      },
    ],
  ])('%s give %i in all', (_name, count, parts) => {
    expect(markers(mark(parts))).toBe(count);
  });

  it('does not count null as a marker', () => {
    const unmarked = { type: 'text', text: 'a', cache_control: null };
    expect(markers(mark({ messages: [user(unmarked, unmarked, unmarked, unmarked)] }))).toBe(1);
  });
});
