/**
 * One reply of every block type, and usage reports in order: a built reply contains everything from its events. Rules:
 * docs/contribute/reasons/money.md.
 */
import { arrivesWhole, isCommitting, type ModelEvent } from './event.js';
import { ReplyBuilder } from './reply.js';

const stop = { unified: 'tool-use', raw: 'tool_use', vendor: 'anthropic' } as const;

function build(events: readonly ModelEvent[]) {
  const reply = new ReplyBuilder();
  for (const event of events) reply.push(event);
  return reply.finish();
}

describe('ReplyBuilder', () => {
  it('joins the deltas of every block type', () => {
    const reply = build([
      { type: 'reply-start', id: 'msg_1', model: 'm', extras: { vendor: 'anthropic', value: { a: 1 } } },
      { type: 'block-start', index: 0, block: { type: 'thinking' } },
      { type: 'block-delta', index: 0, delta: { type: 'thinking', text: 'hm' } },
      { type: 'block-delta', index: 0, delta: { type: 'thinking', text: 'm' } },
      { type: 'block-delta', index: 0, delta: { type: 'signature', signature: 's1' } },
      { type: 'block-delta', index: 0, delta: { type: 'signature', signature: 's2' } },
      { type: 'block-end', index: 0 },
      { type: 'block-start', index: 1, block: { type: 'text' } },
      { type: 'block-delta', index: 1, delta: { type: 'text', text: 'hello' } },
      { type: 'block-delta', index: 1, delta: { type: 'citation', citation: { type: 'c' } } },
      { type: 'block-end', index: 1 },
      { type: 'ping' },
      { type: 'block-start', index: 2, block: { type: 'tool-use', id: 't1', name: 'look' } },
      { type: 'block-delta', index: 2, delta: { type: 'input-json', json: '{"a"' } },
      { type: 'block-delta', index: 2, delta: { type: 'input-json', json: ':1}' } },
      { type: 'block-end', index: 2 },
      {
        type: 'block-start',
        index: 3,
        block: { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction', content: null } } },
      },
      {
        type: 'block-delta',
        index: 3,
        delta: { type: 'opaque', opaque: { vendor: 'anthropic', value: { content: 'x' } } },
      },
      { type: 'block-end', index: 3 },
      { type: 'usage', usage: { outputTokens: 3 } },
      { type: 'reply-end', stop, extras: { vendor: 'anthropic', value: { container: null } } },
    ]);
    expect(reply.blocks.map((block) => [block.start.type, block.text])).toEqual([
      ['thinking', 'hmm'],
      ['text', 'hello'],
      ['tool-use', '{"a":1}'],
      ['opaque', ''],
    ]);
    expect(reply.blocks[0]!.signature).toBe('s1s2');
    expect(reply.blocks[1]!.citations).toEqual([{ type: 'c' }]);
    expect(reply.blocks[3]!.opaqueDeltas).toEqual([{ vendor: 'anthropic', value: { content: 'x' } }]);
    expect(reply).toMatchObject({
      id: 'msg_1',
      model: 'm',
      stop,
      startExtras: { value: { a: 1 } },
      endExtras: { value: { container: null } },
    });
  });

  it('lets a later usage report replace the figures it gives, and keep the others', () => {
    const reply = build([
      { type: 'reply-start' },
      { type: 'usage', usage: { inputTokens: 10, cacheReadTokens: 100, outputTokens: 1 } },
      { type: 'usage', usage: { cacheReadTokens: 100, outputTokens: 50 } },
      { type: 'reply-end', stop },
    ]);
    expect(reply.usage).toEqual({ inputTokens: 10, cacheReadTokens: 100, outputTokens: 50 });
  });

  it('does not build a reply that has not ended', () => {
    expect(() => build([{ type: 'reply-start' }])).toThrow('before it ended');
  });
});

describe('isCommitting', () => {
  const delta = (inner: Extract<ModelEvent, { type: 'block-delta' }>['delta']): ModelEvent => ({
    type: 'block-delta',
    index: 0,
    delta: inner,
  });
  it.each<[boolean, string, ModelEvent]>([
    [false, 'a start', { type: 'reply-start' }],
    [false, 'usage', { type: 'usage', usage: {} }],
    [false, 'a ping', { type: 'ping' }],
    [false, 'an empty block', { type: 'block-start', index: 0, block: { type: 'text' } }],
    [false, 'the end of a block', { type: 'block-end', index: 0 }],
    [false, 'an empty text delta', delta({ type: 'text', text: '' })],
    [false, 'an empty argument delta', delta({ type: 'input-json', json: '' })],
    [true, 'text', delta({ type: 'text', text: 'a' })],
    [true, 'reasoning', delta({ type: 'thinking', text: 'a' })],
    [true, 'arguments', delta({ type: 'input-json', json: '{' })],
    [true, 'a whole block', { type: 'block-start', index: 0, block: { type: 'redacted-thinking', data: 'x' } }],
    [true, 'the end', { type: 'reply-end', stop }],
  ])('returns %s for %s', (expected, _, event) => {
    expect(isCommitting(event)).toBe(expected);
  });

  it('distinguishes a compaction that is still empty from a whole result', () => {
    expect(
      arrivesWhole({ type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction', content: null } } }),
    ).toBe(false);
    expect(
      arrivesWhole({
        type: 'opaque',
        opaque: { vendor: 'anthropic', value: { type: 'web_search_tool_result', content: [] } },
      }),
    ).toBe(true);
  });
});
