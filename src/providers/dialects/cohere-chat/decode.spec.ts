// Goal: for every form of Cohere's answers, the events obey the grammar and have the same content. Method: events and
// bodies written from the vendor's public reference; every sequence passes GrammarCheck; a property over cuts of
// arguments.
import fc from 'fast-check';
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import type { ContentBlock } from '../../../core/conversation/content.js';
import { ReplyBuilder, type Reply } from '../../../core/conversation/reply.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { ModelEvent } from '../../../core/conversation/event.js';
import { isForeignCitation } from '../../../core/conversation/web-citation.js';
import { ProviderFault } from '../../../core/errors.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import { GrammarCheck } from '../../../core/stream/grammar.js';
import { cohereChat } from './dialect.js';

function context(parts: Partial<ModelRequest> = {}): DecodeContext {
  const one = endpoint('cohere');
  const definition = { slug: 'cohere', credential: 'bearer', quirks: {} } as const;
  const target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition } as const;
  return {
    request: modelRequest({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], ...parts }),
    target,
  };
}

type Event = JsonObject | string;

function play(events: readonly Event[], parts: Partial<ModelRequest> = {}): ModelEvent[] {
  const step = new GrammarCheck(cohereChat.decodeStream(context(parts)));
  const out: ModelEvent[] = [];
  for (const event of events)
    step.push({ event: '', data: typeof event === 'string' ? event : JSON.stringify(event) }, out);
  step.end(out);
  return out;
}

function fold(events: readonly ModelEvent[]): Reply {
  const reply = new ReplyBuilder();
  for (const event of events) reply.push(event);
  return reply.finish();
}

const START = { type: 'message-start', id: 'r1', delta: { message: { role: 'assistant' } } };
const end = (
  reason: string | null,
  usage: Json = { billed_units: { input_tokens: 3, output_tokens: 4 } },
): JsonObject => ({
  type: 'message-end',
  delta: { ...(reason !== null && { finish_reason: reason }), usage },
});
const content = (piece: JsonObject, type = 'content-delta'): JsonObject => ({
  type,
  index: 0,
  delta: { message: { content: piece } },
});
const callStart = (index: number, id: string | null, name: string, json: string | null = ''): JsonObject => ({
  type: 'tool-call-start',
  index,
  delta: {
    message: { tool_calls: { ...(id !== null && { id }), type: 'function', function: { name, arguments: json } } },
  },
});
const callDelta = (index: number, json: string): JsonObject => ({
  type: 'tool-call-delta',
  index,
  delta: { message: { tool_calls: { function: { arguments: json } } } },
});
const callEnd = (index: number): JsonObject => ({ type: 'tool-call-end', index });
const cite = (citation: JsonObject): JsonObject => ({
  type: 'citation-start',
  index: 0,
  delta: { message: { citations: citation } },
});

const blocksOf = (reply: Reply): unknown[] => reply.blocks.map(({ start, text }) => [start.type, text]);

describe('a stream', () => {
  it('emits each piece at once', () => {
    const step = cohereChat.decodeStream(context());
    const emitted = (event: JsonObject): string[] => {
      const out: ModelEvent[] = [];
      step.push({ event: '', data: JSON.stringify(event) }, out);
      return out.map(({ type }) => type);
    };
    expect(emitted(START)).toEqual(['reply-start']);
    expect(emitted(content({ type: 'text', text: '' }, 'content-start'))).toEqual([]);
    expect(emitted(content({ text: 'a' }))).toEqual(['block-start', 'block-delta']);
    expect(emitted(callStart(0, 'c', 'f'))).toEqual(['block-end', 'block-start']);
    expect(emitted(callDelta(0, '{"a"'))).toEqual(['block-delta']);
    expect(emitted(callDelta(0, ':1}'))).toEqual(['block-delta']);
    expect(emitted(end('TOOL_CALL'))).toEqual(['block-end', 'usage', 'reply-end']);
  });

  it('keeps plan, reasoning, text and calls apart', () => {
    const plan = { type: 'tool-plan-delta', delta: { message: { tool_plan: 'P' } } };
    const events = [
      START,
      plan,
      content({ type: 'thinking', thinking: 'T' }, 'content-start'),
      content({ type: 'text', text: 'A' }, 'content-start'),
      content({ type: 'text', text: 'B' }, 'content-start'),
      content({ text: 'C' }),
      callStart(0, 'c', 'f'),
      callEnd(0),
      callStart(1, 'd', 'g', '{}'),
      end('TOOL_CALL'),
      '[DONE]',
    ];
    const reply = fold(play(events));
    expect(blocksOf(reply)).toEqual([
      ['text', 'P'],
      ['thinking', 'T'],
      ['text', 'A'],
      ['text', 'BC'],
      ['tool-use', '{}'],
      ['tool-use', '{}'],
    ]);
    expect(reply.blocks[1]?.start).toMatchObject({ mark: { format: 'cohere-chat-v2', provider: 'cohere' } });
    expect(reply.stop).toEqual({ unified: 'tool-use', raw: 'TOOL_CALL', vendor: 'cohere' });
  });

  it('gives calls without an id, or with a shared one, ids of their own', () => {
    const events = [START, callStart(0, 'c', 'f'), callStart(1, 'c', 'f'), callStart(2, null, 'f'), end('TOOL_CALL')];
    const ids = fold(play(events)).blocks.map(({ start }) => start.type === 'tool-use' && start.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe('c');
  });

  it('A27: passes arguments on that the limit cut off', () => {
    const cut = [callStart(0, 'c', 'f'), callDelta(0, '{"city":"Kyo'), callEnd(0)];
    const { blocks, stop } = fold(play([START, ...cut, end('MAX_TOKENS')]));
    expect([blocks[0]?.text, stop.unified]).toEqual(['{"city":"Kyo', 'output-limit']);
  });

  it('emits the same arguments, wherever they are cut', () => {
    const json = fc.constantFrom('null', ' null ', '', '{}', '{"a":"null"}', ' {"b":[1,2]}', 'nul');
    fc.assert(
      fc.property(json, fc.array(fc.nat(14), { maxLength: 6 }), (text, cuts) => {
        const positions = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const pieces = positions
          .slice(1)
          .map((position, index) => callDelta(0, text.slice(positions[index], position)));
        const [block] = fold(play([START, callStart(0, 'c', 'f'), ...pieces, callEnd(0), end('TOOL_CALL')])).blocks;
        expect(block?.text).toBe(text.trim() === 'null' || text === '' ? '{}' : text.trim());
      }),
    );
  });

  it.each<[string, Event[], Partial<ProviderFault>]>([
    ['nothing', [], { kind: 'malformed-reply' }],
    ['no end', [START, content({ text: 'a' })], { kind: 'malformed-reply', detail: { isCut: true } }],
    ['broken JSON', [START, '{"type":'], { kind: 'malformed-reply' }],
    ['a failure', [START, { id: 'x', message: 'overrun' }], { kind: 'server-error', message: 'overrun' }],
    ['an end in failure', [START, { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'lost' } }], { kind: 'server-error', message: 'lost' }],
    ['an end in time', [START, end('TIMEOUT')], { kind: 'timed-out' }],
    ['arguments of no call', [START, callDelta(0, '{}')], { kind: 'malformed-reply' }],
    ['a call without a name', [START, callStart(0, 'c', '')], { kind: 'malformed-reply' }],
  ])('of %s is the fault of the provider', (_, events, fault) => {
    expect(() => play(events)).toThrow(expect.objectContaining({ name: 'ProviderFault', ...fault }));
  }); // oxfmt-ignore

  it('passes over what it does not know', () => {
    const events = [START, ': x', '', '[]', { type: 'debug', prompt: 'x' }, content({ text: 'a' }), end('COMPLETE')];
    expect(blocksOf(fold(play(events)))).toEqual([['text', 'a']]);
  });
});

it.each([
  ['COMPLETE', 'end-turn'],
  ['STOP_SEQUENCE', 'stop-sequence'],
  ['MAX_TOKENS', 'output-limit'],
  ['TOOL_CALL', 'end-turn'],
  ['ERROR_LIMIT', 'context-limit'],
  ['ERROR_TOXIC', 'content-filter'],
  ['USER_CANCEL', 'other'],
  ['constructor', 'other'],
  [null, 'end-turn'],
])('the word %s, without calls, is the stop %s', (raw, unified) => {
  expect(fold(play([START, content({ text: 'a' }), end(raw)])).stop).toEqual({ unified, raw, vendor: 'cohere' });
});

it.each<[string, Json, object]>([
  ['what is billed', { billed_units: { input_tokens: 3, output_tokens: 40 }, tokens: { input_tokens: 500, output_tokens: 43, reasoning_tokens: 30 }, cached_tokens: 448 }, { inputTokens: 3, outputTokens: 40, reasoningTokens: 30 }],
  ['what was counted, where nothing is', { tokens: { input_tokens: 5, output_tokens: 6 } }, { inputTokens: 5, outputTokens: 6 }],
  ['no more reasoning than was put out', { billed_units: { input_tokens: 1, output_tokens: 2 }, tokens: { reasoning_tokens: 9 } }, { inputTokens: 1, outputTokens: 2 }],
  ['nothing', { billed_units: { search_units: 1 } }, {}],
  ['nothing of a word', 'many', {}],
])('usage reports %s', (_, usage, expected) => {
  const { extras: _own, ...emitted } = fold(play([START, end('COMPLETE', usage)])).usage;
  expect(emitted).toEqual(expected);
}); // oxfmt-ignore

describe('citations', () => {
  const at = (start: number, end: number, words: string, ...sources: Json[]): JsonObject => ({ start, end, text: words, sources, type: 'TEXT_CONTENT' }); // oxfmt-ignore
  const page = { type: 'tool', id: 't:0', tool_output: { url: 'https://x.test/', title: 'X', snippet: 'S' } };

  it('of pages have their address and range, also after characters of two units', () => {
    const events = [START, content({ text: '😀 sun' }), cite(at(2, 5, 'sun', page)), end('COMPLETE')];
    expect(fold(play(events)).blocks[0]?.citations).toEqual([
      { type: 'web_search_result_location', url: 'https://x.test/', title: 'X', cited_text: 'S', encrypted_index: '', start_index: 3, end_index: 6 },
    ]); // oxfmt-ignore
  });

  it('whose text is elsewhere have no range, and those without an address are dropped', () => {
    const nowhere = { type: 'tool', id: 't:1', tool_output: { content: 'x', url: 'file:///etc' } };
    const events = [START, content({ text: 'sun' }), cite(at(1, 4, 'sun', page, nowhere)), end('COMPLETE')];
    expect(fold(play(events)).blocks[0]?.citations).toEqual([expect.not.objectContaining({ start_index: 1 })]);
  });

  it('of the caller’s own blocks are emitted in the form of the Messages format, and as none of Anthropic’s', () => {
    const note: ContentBlock = {
      type: 'document',
      source: { type: 'text', text: 'Dusk' },
      title: 'N',
      wantsCitations: true,
    };
    const found: ContentBlock = { type: 'search-result', source: 'shelf 4', title: 'F', content: [{ type: 'text', text: 'a' }], wantsCitations: true }; // oxfmt-ignore
    const sources = ['doc_0', 'doc_1', 'doc_7'].map((id) => ({ type: 'document', id, document: { id } }));
    const events = [START, content({ text: 'Dusk' }), cite(at(0, 4, 'Dusk', ...sources)), end('COMPLETE')];
    const emitted = fold(play(events, { messages: [{ role: 'user', content: [note, found] }] })).blocks[0]!.citations;
    expect(emitted).toEqual([
      { type: 'char_location', cited_text: '', document_index: 0, document_title: 'N', start_char_index: 0, end_char_index: 4 },
      { type: 'search_result_location', cited_text: '', source: 'shelf 4', title: 'F', search_result_index: 0, start_block_index: 0, end_block_index: 1 },
    ]); // oxfmt-ignore
    expect(emitted.every(isForeignCitation)).toBe(true);
  });

  it('of reasoning, and of a plan behind it, are dropped', () => {
    for (const type of ['THINKING_CONTENT', 'PLAN']) {
      const events = [START, content({ text: 'sun' }), cite({ ...at(0, 3, 'sun', page), type }), end('COMPLETE')];
      expect(fold(play(events)).blocks[0]?.citations).toEqual([]);
    }
  });
});

it('emits log probabilities where they were requested, a piece as the sum of its tokens', () => {
  const piece = { text: 'ab', token_ids: [1, 2], logprobs: [-0.5, -0.25] };
  const events = [START, { ...content({ text: 'ab' }), logprobs: piece }, end('COMPLETE')];
  const logprobs = (parts: Partial<ModelRequest>) =>
    play(events, parts).flatMap((event) =>
      event.type === 'block-delta' && event.delta.type === 'opaque' ? [event.delta.opaque.value] : [],
    );
  expect(logprobs({})).toEqual([]);
  expect(logprobs({ sampling: { logprobs: true } })).toEqual([
    { logprobs: { content: [{ token: 'ab', logprob: -0.75, bytes: null, top_logprobs: [] }] } },
  ]);
});

it.each([
  [401, '{"id":"x","message":"invalid api token"}', 'refused-credential', 'invalid api token'],
  [429, '{"message":"Please wait"}', 'rate-limited', 'Please wait'],
  [498, '{"message":"blocked"}', 'rejected-request', 'blocked'],
  [400, 'plain words', 'rejected-request', 'plain words'],
  [500, '{"message":', 'server-error', 'The provider answered with status 500.'],
])('status %i with %s is %s', (status, body, kind, message) => {
  expect(cohereChat.fault({ status, headers: {}, body })).toMatchObject({ kind, message, detail: { status } });
});
