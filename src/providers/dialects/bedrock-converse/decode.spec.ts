// Goal: every reply of Converse becomes the one sequence of events, streamed or whole. Method: tables of hand-written
// events and bodies beside the recordings of contract.spec.ts; a property over interleaved blocks.
import fc from 'fast-check';
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import type { ModelEvent } from '../../../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../../core/conversation/reply.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { DecodeContext, Target } from '../../../core/provider.js';
import { assertGrammar } from '../../../core/stream/grammar.js';
import { doAtOnce } from '../../../core/steps.js';
import { ToolNames } from '../tool-names.js';
import { ConverseStreamDecoder, decodeWholeConverse } from './decode.js';

type Event = readonly [name: string, body: object];

function contextOf(upstreamModel = 'us.amazon.nova-2-lite-v1:0', request: Partial<ModelRequest> = {}): DecodeContext {
  const one = endpoint('amazon-bedrock', { upstreamModel });
  const definition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} } as const;
  const target: Target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
  return { target, request: modelRequest(request) };
}

function eventsOf(events: readonly Event[], context = contextOf()): ModelEvent[] {
  const decoder = new ConverseStreamDecoder(context);
  const out: ModelEvent[] = [];
  for (const [event, body] of events) decoder.push({ event, data: JSON.stringify(body) }, out);
  decoder.end(out);
  assertGrammar(out);
  return out;
}

function fold(events: readonly ModelEvent[]): Reply {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  return builder.finish();
}

const start: Event = ['messageStart', { role: 'assistant' }];
const delta = (contentBlockIndex: number, value: object): Event => [
  'contentBlockDelta',
  { contentBlockIndex, delta: value },
];
const stop = (contentBlockIndex: number): Event => ['contentBlockStop', { contentBlockIndex }];
const call = (contentBlockIndex: number, toolUse: object): Event => [
  'contentBlockStart',
  { contentBlockIndex, start: { toolUse } },
];
const ends = (stopReason: string, more: object = {}): Event => ['messageStop', { stopReason, ...more }];
const metadata = (usage: object, more: object = {}): Event => ['metadata', { usage, ...more }];
const USAGE = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };

const wholeOf = (content: readonly object[], more: object = {}): object => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
  usage: USAGE,
  ...more,
});

describe('a stream', () => {
  it('ends with the figures that come behind the stop, and without them with itself', () => {
    const endOf = (events: readonly Event[]): number => {
      const decoder = new ConverseStreamDecoder(contextOf());
      return events.findIndex(([event, body]) => {
        const out: ModelEvent[] = [];
        decoder.push({ event, data: JSON.stringify(body) }, out);
        return out.some(({ type }) => type === 'reply-end');
      });
    };
    const text = delta(0, { text: 'x' });
    expect(endOf([text, ends('end_turn'), metadata(USAGE), delta(1, { text: 'late' })])).toBe(2);
    expect(endOf([text, metadata(USAGE), ends('end_turn')])).toBe(-1);
    expect(endOf([text, ends('end_turn'), ['metadata', { metrics: {} }]])).toBe(-1);
  });

  it('gives each piece at once', () => {
    const decoder = new ConverseStreamDecoder(contextOf());
    const out: ModelEvent[] = [];
    const push = ([event, body]: Event): ModelEvent[] => {
      decoder.push({ event, data: JSON.stringify(body) }, out);
      return out.splice(0);
    };
    expect(push(start)).toEqual([{ type: 'reply-start' }]);
    expect(push(delta(0, { text: 'He' }))).toEqual([
      { type: 'block-start', index: 0, block: { type: 'text' } },
      { type: 'block-delta', index: 0, delta: { type: 'text', text: 'He' } },
    ]);
    push(stop(0));
    expect(push(call(1, { toolUseId: 't1', name: 'f' }))).toEqual([
      { type: 'block-end', index: 0 },
      { type: 'block-start', index: 1, block: { type: 'tool-use', id: 't1', name: 'f' } },
    ]);
    for (const json of ['{"a', '":1', '}']) {
      expect(push(delta(1, { toolUse: { input: json } }))).toEqual([
        { type: 'block-delta', index: 1, delta: { type: 'input-json', json } },
      ]);
    }
  });

  it('A27: passes arguments on that the limit cut off', () => {
    const cut = [call(0, { toolUseId: 't', name: 'f' }), delta(0, { toolUse: { input: '{"city":"Kyo' } }), stop(0)];
    const { blocks, stop: ending } = fold(eventsOf([start, ...cut, ends('max_tokens'), metadata(USAGE)]));
    expect([blocks[0]?.text, ending.unified]).toEqual(['{"city":"Kyo', 'output-limit']);
  });

  it.each<[string, Event[]]>([
    ['does not report that it has finished', [start, delta(0, { text: 'Half' }), stop(0)]],
    ['is empty', []],
    ['has only figures', [start, metadata(USAGE)]],
  ])('is cut where it %s', (_, events) => {
    expect(() => eventsOf(events)).toThrow(
      expect.objectContaining({ kind: 'malformed-reply', detail: { isCut: true } }),
    );
  });

  it('ignores unknown events, and blocks that were not requested', () => {
    const { blocks, usage } = fold(
      eventsOf([
        start,
        ['aNewEvent', { x: 1 }],
        call(0, { toolUseId: 's', name: 'nova_grounding', type: 'server_tool_use' }),
        delta(0, { toolUse: { input: '{"query":"x"}' } }),
        stop(0),
        ['contentBlockStart', { contentBlockIndex: 1, start: { toolResult: { toolUseId: 's' } } }],
        delta(1, { toolResult: [{ text: 'found' }] }),
        stop(1),
        delta(2, { text: 'Answer' }),
        delta(2, { aNewKind: {} }),
        stop(2),
        ends('end_turn'),
        metadata(USAGE),
      ]),
    );
    expect(blocks.map(({ start: { type }, text }) => [type, text])).toEqual([['text', 'Answer']]);
    expect(usage).toMatchObject({ inputTokens: 3, ranVendorTools: true });
  });

  it('has no usage where none was reported, and closes open blocks', () => {
    const reply = fold(eventsOf([delta(0, { text: 'Hi' }), ends('end_turn')]));
    expect(reply).toMatchObject({ usage: {}, blocks: [{ text: 'Hi' }] });
  });

  it('names a call that has no id, or that of another call, itself', () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'tool-use', id: 't', name: 'f', input: {} }] },
    ] as unknown as ModelRequest['messages'];
    const events = [start, call(0, { name: 'f' }), stop(0), call(1, { toolUseId: 't', name: 'f' }), stop(1)];
    const { blocks } = fold(eventsOf([...events, ends('tool_use')], contextOf(undefined, { messages })));
    expect(blocks.map((block) => ('id' in block.start ? block.start.id : ''))).toEqual(['tooluse_1_0', 'tooluse_1_1']);
    expect(blocks.map(({ text }) => text)).toEqual(['{}', '{}']);
  });

  it.each<[string, Event]>([
    ['a call without a name', call(0, { toolUseId: 't' })],
    ['arguments of no call', delta(0, { toolUse: { input: '{}' } })],
  ])('is malformed with %s', (_, event) => {
    expect(() => eventsOf([start, event])).toThrow(expect.objectContaining({ kind: 'malformed-reply' }));
  });

  it('is malformed where an event is no JSON', () => {
    const decoder = new ConverseStreamDecoder(contextOf());
    expect(() => decoder.push({ event: 'contentBlockDelta', data: '{' }, [])).toThrow(
      expect.objectContaining({ kind: 'malformed-reply' }),
    );
  });

  it('has the same content however its blocks are interleaved', () => {
    const calls = ['a', 'b', 'c'].map((name, index) => [
      call(index, { toolUseId: name, name }),
      delta(index, { toolUse: { input: '{"n":' } }),
      delta(index, { toolUse: { input: `"${name}"}` } }),
      stop(index),
    ]);
    const orders = fc.shuffledSubarray([0, 0, 0, 1, 1, 1, 2, 2, 2], { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(orders, (order) => {
        // Calls begin in order; their other events come in any order.
        const rest = calls.map((events) => events.slice(1));
        const mixed = [...calls.map(([first]) => first!), ...order.map((index) => rest[index]!.shift()!)];
        const { blocks } = fold(eventsOf([start, ...mixed, ends('tool_use')]));
        expect(blocks.map(({ text }) => text)).toEqual(['{"n":"a"}', '{"n":"b"}', '{"n":"c"}']);
      }),
    );
  });
});

describe('the stop', () => {
  const ofText = (stopReason: string) => fold(eventsOf([delta(0, { text: 'x' }), stop(0), ends(stopReason)])).stop;

  it.each([
    ['end_turn', 'end-turn'],
    ['max_tokens', 'output-limit'],
    ['stop_sequence', 'stop-sequence'],
    ['guardrail_intervened', 'content-filter'],
    ['content_filtered', 'content-filter'],
    ['model_context_window_exceeded', 'context-limit'],
    ['refusal', 'refusal'],
    ['tool_use', 'end-turn'],
    ['a_new_one', 'other'],
    ['constructor', 'other'],
  ])('%s is %s', (raw, unified) => {
    expect(ofText(raw)).toEqual({ unified, raw, vendor: 'amazon' });
  });

  it.each(['end_turn', 'tool_use'])('%s after a call is tool use', (raw) => {
    expect(fold(eventsOf([call(0, { toolUseId: 't', name: 'f' }), stop(0), ends(raw)])).stop.unified).toBe('tool-use');
  });

  it.each(['malformed_model_output', 'malformed_tool_use'])('%s is a fault', (raw) => {
    expect(() => ofText(raw)).toThrow(
      expect.objectContaining({ kind: 'malformed-reply', detail: { providerCode: raw } }),
    );
  });

  it.each([[{ stop_sequence: 'END' }], [{ delta: { stop_sequence: 'END' } }]])('names the sequence of %j', (fields) => {
    const events = [delta(0, { text: 'x' }), ends('stop_sequence', { additionalModelResponseFields: fields })];
    expect(fold(eventsOf(events)).stop.sequence).toBe('END');
  });
});

describe('usage', () => {
  it.each<[object, object]>([
    [{ inputTokens: 5, outputTokens: 2 }, { inputTokens: 5, outputTokens: 2 }],
    [
      { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 7, cacheWriteInputTokens: 0 },
      { inputTokens: 5, outputTokens: 2, cacheReadTokens: 7, cacheWriteTokens: 0 },
    ],
    [
      {
        inputTokens: 5,
        outputTokens: 2,
        cacheWriteInputTokens: 10,
        cacheDetails: [
          { ttl: '1h', inputTokens: 6 },
          { ttl: '5m', inputTokens: 4 },
        ],
      },
      { inputTokens: 5, outputTokens: 2, cacheWriteTokens: 4, cacheWrite1hTokens: 6 },
    ],
    [
      { inputTokens: 5, outputTokens: 2, cacheReadInputTokenCount: 1, cacheWriteInputTokenCount: 2 },
      { inputTokens: 5, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 2 },
    ],
    [{ inputTokens: 5, cacheWriteInputTokens: 1, cacheDetails: [{ ttl: '1h', inputTokens: 9 }] }, { inputTokens: 5, cacheWriteTokens: 0, cacheWrite1hTokens: 1 }],
    [{ inputTokens: -1, outputTokens: 'x' }, {}],
  ])('%j', (raw, expected) => {
    const { usage } = fold(eventsOf([delta(0, { text: 'x' }), ends('end_turn'), metadata(raw)]));
    const { extras: _extras, ...figures } = usage;
    expect(figures).toEqual(expected);
  }); // oxfmt-ignore

  it('reports which tier was served', () => {
    const { usage } = fold(
      eventsOf([delta(0, { text: 'x' }), ends('end_turn'), metadata(USAGE, { serviceTier: { type: 'flex' } })]),
    );
    expect(usage.serviceTier).toBe('flex');
  });
});

describe('reasoning', () => {
  const thought = (value: object): Event => delta(0, { reasoningContent: value });

  it.each([
    ['us.anthropic.claude-sonnet-4-5-v1:0', 'anthropic-claude-v1'],
    ['us.amazon.nova-2-lite-v1:0', 'bedrock-amazon'],
    ['arn:aws:bedrock:us-east-1:1:application-inference-profile/x', 'bedrock-a'],
  ])('of %s is marked %s', (upstreamModel, format) => {
    const events = [
      thought({ text: 'Hm' }),
      thought({ signature: 'si' }),
      thought({ signature: 'gn' }),
      stop(0),
      ends('end_turn'),
    ];
    const [block] = fold(eventsOf(events, contextOf(upstreamModel))).blocks;
    expect(block).toMatchObject({
      start: { type: 'thinking', mark: { format, provider: 'amazon-bedrock' } },
      text: 'Hm',
      signature: 'sign',
    });
  });

  it('that is encrypted is emitted whole', () => {
    const events = [
      thought({ redactedContent: 'c2Vh' }),
      thought({ redactedContent: 'bGVk' }),
      stop(0),
      delta(1, { text: 'x' }),
    ];
    const { blocks } = fold(eventsOf([...events, stop(1), ends('end_turn')]));
    expect(blocks.map(({ start: block }) => block)).toMatchObject([
      { type: 'redacted-thinking', data: 'c2VhbGVk' },
      { type: 'text' },
    ]);
  });

  it('ends where words begin, though they have its index', () => {
    const { blocks } = fold(eventsOf([thought({ text: 'Hm' }), delta(0, { text: 'x' }), stop(0), ends('end_turn')]));
    expect(blocks.map(({ start: { type }, text }) => [type, text])).toEqual([['thinking', 'Hm'], ['text', 'x']]);
  }); // oxfmt-ignore
});

describe('citations', () => {
  const cited = (location: object, more: object = {}) => {
    const citation = { title: 'T', sourceContent: [{ text: 'one ' }, { text: 'two' }], location, ...more };
    const events = [delta(0, { text: 'x' }), delta(0, { citation }), stop(0), ends('end_turn')];
    return fold(eventsOf(events)).blocks[0]!.citations;
  };
  const document = { cited_text: 'one two', document_index: 1, document_title: 'T', file_id: null };
  const location = { documentIndex: 1, start: 2, end: 5 };

  it.each<[object, object]>([
    [{ documentChar: location }, { type: 'char_location', ...document, start_char_index: 2, end_char_index: 5 }],
    [{ documentPage: location }, { type: 'page_location', ...document, start_page_number: 2, end_page_number: 5 }],
    [
      { documentChunk: location },
      { type: 'content_block_location', ...document, start_block_index: 2, end_block_index: 5 },
    ],
    [
      { web: { url: 'https://a.test/', domain: 'a.test' } },
      {
        type: 'web_search_result_location',
        cited_text: 'one two',
        url: 'https://a.test/',
        title: 'T',
        encrypted_index: '',
      },
    ],
    [
      { documentPage: { ...location, start: 1.5, end: -1 } },
      { type: 'page_location', ...document, start_page_number: 0, end_page_number: 0 },
    ],
  ])('%j', (location, expected) => {
    expect(cited(location)).toEqual([expected]);
  });

  it('of the caller’s own searches', () => {
    const found = { searchResultLocation: { searchResultIndex: 1, start: 0, end: 1 } };
    expect(cited(found, { source: 'https://a.test/' })).toEqual([
      {
        type: 'search_result_location', cited_text: 'one two', title: 'T', source: 'https://a.test/',
        search_result_index: 1, start_block_index: 0, end_block_index: 1,
      },
    ]);
  }); // oxfmt-ignore

  it('without a location are dropped', () => {
    expect(cited({})).toEqual([]);
  });
});

describe('a whole reply', () => {
  it.each<[string, readonly object[], readonly [string, string][]]>([
    ['of nothing', [], []],
    ['with arguments that are not there', [{ toolUse: { toolUseId: 't', name: 'f' } }], [['tool-use', '{}']]],
    ['with unknown blocks', [{ image: {} }, { text: 'x' }, { toolResult: {} }], [['text', 'x']]],
    ['with empty words', [{ text: '' }, { text: 'x' }], [['text', 'x']]],
    [
      'with words that are cited',
      [{ citationsContent: { content: [{ text: 'a' }, { text: 'b' }], citations: [] } }],
      [['text', 'ab']],
    ],
  ])('%s', (_, content, expected) => {
    const events = doAtOnce(decodeWholeConverse(wholeOf(content), contextOf()));
    assertGrammar(events);
    expect(fold(events).blocks.map(({ start: { type }, text }) => [type, text])).toEqual(expected);
  });

  it('gives the caller’s own names of tools back', () => {
    const name = 'a name with blanks';
    const request = { tools: [{ type: 'function', name, inputSchema: {} }] } as Partial<ModelRequest>;
    const toolUse = { toolUseId: 't', name: doAtOnce(ToolNames.of(modelRequest(request))).toWire(name) };
    const { blocks } = fold(doAtOnce(decodeWholeConverse(wholeOf([{ toolUse }]), contextOf(undefined, request))));
    expect(blocks[0]!.start).toEqual({ type: 'tool-use', id: 't', name });
  });

  it.each([[{}], [{ output: {} }], [{ output: { message: [] } }], [{ message: 'Forbidden' }]])(
    'is none: %j',
    (body) => {
      expect(() => doAtOnce(decodeWholeConverse(body, contextOf()))).toThrow(
        expect.objectContaining({ kind: 'malformed-reply' }),
      );
    },
  );
});
