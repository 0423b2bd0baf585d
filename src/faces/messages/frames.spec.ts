// The stream of docs/use/streaming.md#events-of-messages, exactly: events compared with the text of their frames. For
// any reply, what a client assembles from the frames equals the whole view, whatever the batches.
import { endpoint } from '../../../test/support/route-inputs.js';
import { generationView } from '../../../test/support/generation-view.js';
import type { Bill } from '../../core/money/bill.js';
import fc from 'fast-check';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import { ReplyBuilder } from '../../core/conversation/reply.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { SseReader, type SseFrame } from '../../core/stream/sse.js';
import { webCitation } from '../../core/conversation/web-citation.js';
import { doAtOnce } from '../../core/steps.js';
import { MessageFrames, failureFrames } from './frames.js';
import { printToken } from './reasoning-token.js';
import { viewReply } from './view-reply.js';

const META = generationView({ id: 'gen-1-a', isByok: true });
const END: StopReason = { unified: 'end-turn', raw: 'end_turn', vendor: 'anthropic' };
const ENDING: ModelEvent[] = [
  { type: 'usage', usage: { outputTokens: 2 } },
  { type: 'reply-end', stop: END },
];

/** A whole reply of these blocks. */
const eventsOf = (blocks: readonly [BlockStart, BlockDelta[]][]): ModelEvent[] => [
  { type: 'reply-start' },
  ...blocks.flatMap(([block, deltas], index): ModelEvent[] => [
    { type: 'block-start', index, block },
    ...deltas.map((delta): ModelEvent => ({ type: 'block-delta', index, delta })),
    { type: 'block-end', index },
  ]),
  ...ENDING,
];

const textOf = (chunk: Uint8Array | string | undefined): string =>
  chunk === undefined ? '' : Buffer.from(chunk as string).toString('utf8');

function framesOf(text: string): SseFrame[] {
  const out: SseFrame[] = [];
  new SseReader().push(Buffer.from(text), out);
  return out;
}
const payloads = (text: string): JsonObject[] =>
  framesOf(text)
    .filter((frame) => frame.data !== '[DONE]')
    .map((frame) => JSON.parse(frame.data) as JsonObject);
const sourced = (text: string) => {
  const bytes = Buffer.from(text);
  return { vendor: 'anthropic', bytes, start: 0, end: bytes.length } as const;
};

const QUARTER = 250_000_000_000n;
const RATE: Bill['rate'] = { endpoint: endpoint('one'), tier: 'standard' };
const BILL: Bill = {
  rate: RATE,
  beyondPlan: 0n,
  isByok: false,
  cost: QUARTER,
  byokCost: 0n,
  list: { prompt: QUARTER, completion: 0n, tools: 0n, total: QUARTER },
};

describe('MessageFrames', () => {
  it('prints a reply from its start to the sentinel', () => {
    const printer = new MessageFrames(META);
    const text = textOf(
      printer.print([
        { type: 'reply-start', id: 'theirs', model: 'theirs' },
        { type: 'usage', usage: { inputTokens: 3 } },
        { type: 'block-start', index: 0, block: { type: 'text' } },
        { type: 'block-delta', index: 0, delta: { type: 'text', text: 'Hi "you"\n' } },
        { type: 'block-end', index: 0 },
        ...ENDING,
      ]),
    );
    const frames = framesOf(text);
    expect(frames.map((frame) => frame.event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      '',
    ]);
    const nulls = { stop_reason: null, stop_sequence: null, stop_details: null, container: null };
    const usage = {
      input_tokens: 3,
      output_tokens: 0,
      cache_creation: null,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      inference_geo: null,
      server_tool_use: null,
      service_tier: null,
      output_tokens_details: null,
      cost: null,
      cost_details: null,
      is_byok: true,
      iterations: [],
      speed: 'standard',
    };
    expect(payloads(text)).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'gen-1-a',
          type: 'message',
          role: 'assistant',
          model: 'author/model',
          content: [],
          ...nulls,
          usage,
          context_management: null,
          provider: 'Provider',
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi "you"\n' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { ...nulls, stop_reason: 'end_turn' },
        usage: { ...usage, output_tokens: 2 },
      },
      { type: 'message_stop' },
    ]);
    expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('holds the start back until another event follows', () => {
    const printer = new MessageFrames(META);
    expect(printer.print([{ type: 'reply-start' }])).toBeUndefined();
    expect(printer.print([{ type: 'usage', usage: { inputTokens: 7 } }])).toBeUndefined();
    const [start, ping] = payloads(textOf(printer.print([{ type: 'ping' }])));
    expect(start).toMatchObject({ type: 'message_start', message: { usage: { input_tokens: 7 } } });
    expect(ping).toEqual({ type: 'ping' });
    expect(payloads(textOf(printer.print([{ type: 'ping' }])))).toEqual([{ type: 'ping' }]);
  });

  it.each<[BlockStart, unknown]>([
    [{ type: 'thinking' }, { type: 'thinking', thinking: '', signature: '' }],
    [
      { type: 'redacted-thinking', data: 'd' },
      { type: 'redacted_thinking', data: 'd' },
    ],
    [
      { type: 'tool-use', id: 'i', name: 'f' },
      { type: 'tool_use', id: 'i', name: 'f', input: {} },
    ],
    [
      { type: 'server-tool-use', id: 'i', name: 'f' },
      { type: 'server_tool_use', id: 'i', name: 'f', input: {} },
    ],
    [
      { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction', content: null } } },
      { type: 'compaction', content: null },
    ],
  ])('begins the block %j in its empty form', (block, expected) => {
    const printer = new MessageFrames(META);
    printer.print([{ type: 'reply-start' }, { type: 'ping' }]);
    const text = textOf(printer.print([{ type: 'block-start', index: 0, block }]));
    expect(payloads(text)).toEqual([{ type: 'content_block_start', index: 0, content_block: expected }]);
  });

  it.each<[BlockDelta, unknown]>([
    [
      { type: 'text', text: '\ud83d' },
      { type: 'text_delta', text: '\ud83d' },
    ],
    [
      { type: 'thinking', text: 'h' },
      { type: 'thinking_delta', thinking: 'h' },
    ],
    [
      { type: 'signature', signature: 's' },
      { type: 'signature_delta', signature: 's' },
    ],
    [
      { type: 'input-json', json: '{"a' },
      { type: 'input_json_delta', partial_json: '{"a' },
    ],
    [
      { type: 'citation', citation: { url: 'u' } },
      { type: 'citations_delta', citation: { url: 'u' } },
    ],
    [
      { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction_delta', content: 'c' } } },
      { type: 'compaction_delta', content: 'c' },
    ],
  ])('prints the delta %j', (delta, expected) => {
    const text = textOf(new MessageFrames(META).print([{ type: 'block-delta', index: 4, delta }]));
    expect(payloads(text)).toEqual([{ type: 'content_block_delta', index: 4, delta: expected }]);
    expect(framesOf(text)[0]!.event).toBe('content_block_delta');
  });

  it('passes on the original bytes of an unchanged frame', () => {
    const source = sourced('event: content_block_delta\ndata: {"any": "spelling"}\n\n');
    const printer = new MessageFrames(META);
    printer.print([{ type: 'reply-start' }, { type: 'ping' }]);
    const delta = { type: 'text', text: 'x' } as const;
    expect(printer.print([{ type: 'block-delta', index: 0, delta, source }])).toEqual(source.bytes);
    expect(printer.print([{ type: 'block-end', index: 0, source }])).toEqual(source.bytes);
    expect(printer.print([{ type: 'ping', source }])).toEqual(source.bytes);
  });

  it('joins adjacent frames of one upstream chunk into one view of it, without a copy', () => {
    const chunk = Buffer.from('AAAABBBBCCCC');
    const delta = { type: 'text', text: 'x' } as const;
    const events = [0, 4, 8].map((offset): ModelEvent => {
      const source = { vendor: 'anthropic', bytes: chunk, start: offset, end: offset + 4 } as const;
      return { type: 'block-delta', index: 0, delta, source };
    });
    const printed = new MessageFrames(META).print(events) as Uint8Array;
    expect(textOf(printed)).toBe('AAAABBBBCCCC');
    expect(printed.buffer).toBe(chunk.buffer);
    const mixed = new MessageFrames(META).print([events[0]!, { type: 'ping' }, events[2]!]);
    expect(textOf(mixed)).toBe('AAAAevent: ping\ndata: {"type":"ping"}\n\nCCCC');
  });

  it('leaves out blocks of another vendor and moves the indexes up', () => {
    const printer = new MessageFrames(META);
    const foreign = { vendor: 'openai', value: { type: 'audio' } } as const;
    const source = sourced('event: content_block_stop\ndata: {"type":"content_block_stop","index":1}\n\n');
    const text = textOf(
      printer.print([
        { type: 'reply-start' },
        { type: 'block-start', index: 0, block: { type: 'opaque', opaque: foreign } },
        { type: 'block-delta', index: 0, delta: { type: 'opaque', opaque: foreign } },
        { type: 'block-end', index: 0 },
        { type: 'block-start', index: 1, block: { type: 'text' } },
        { type: 'block-delta', index: 1, delta: { type: 'text', text: 'a' } },
        { type: 'block-end', index: 1, source },
      ]),
    );
    expect(payloads(text).slice(1)).toMatchObject([
      { type: 'content_block_start', index: 0 },
      { type: 'content_block_delta', index: 0 },
      { type: 'content_block_stop', index: 0 },
    ]);
    expect(
      printer.print([{ type: 'block-start', index: 2, block: { type: 'opaque', opaque: foreign } }]),
    ).toBeUndefined();
  });

  it('computes cost and metadata when the reply ends', () => {
    const routerMetadata = { attempt: 1 };
    const printer = new MessageFrames({
      ...META,
      bill: BILL,
      extras: { router_metadata: routerMetadata, openrouter_metadata: routerMetadata },
    });
    const text = textOf(
      printer.print([
        { type: 'reply-start', extras: { vendor: 'anthropic', value: { container: { id: 'c' } } } },
        { type: 'usage', usage: {} },
        {
          type: 'reply-end',
          stop: { unified: 'stop-sequence', raw: 'stop_sequence', vendor: 'anthropic', sequence: 'END' },
          extras: { vendor: 'anthropic', value: { context_management: { applied_edits: [] }, stop_details: null } },
        },
      ]),
    );
    expect(payloads(text).slice(1)).toMatchObject([
      {
        type: 'message_delta',
        delta: { stop_reason: 'stop_sequence', stop_sequence: 'END', stop_details: null, container: { id: 'c' } },
        usage: { cost: 0.25, cost_details: { upstream_inference_cost: null } },
        context_management: { applied_edits: [] },
      },
      { type: 'message_stop', router_metadata: routerMetadata, openrouter_metadata: routerMetadata },
    ]);
  });

  it('ends a failed stream with an error event and the sentinel', () => {
    expect(failureFrames({ type: 'error' })).toBe('event: error\ndata: {"type":"error"}\n\ndata: [DONE]\n\n');
  });
});

describe('a stream and the whole reply', () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 4 });
  const anyBlock: fc.Arbitrary<[BlockStart, BlockDelta[]]> = fc.oneof(
    fc
      .tuple(pieces, fc.array(fc.jsonValue(), { maxLength: 2 }))
      .map(([texts, citations]): [BlockStart, BlockDelta[]] => [
        { type: 'text' },
        [
          ...texts.map((text): BlockDelta => ({ type: 'text', text })),
          ...citations.map((citation): BlockDelta => ({ type: 'citation', citation: citation as Json })),
        ],
      ]),
    pieces.map((texts): [BlockStart, BlockDelta[]] => [
      { type: 'thinking' },
      [...texts.map((text): BlockDelta => ({ type: 'thinking', text })), { type: 'signature', signature: 's' }],
    ]),
    fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(20)).map(([input, cut]): [BlockStart, BlockDelta[]] => {
      const json = JSON.stringify(input);
      return [
        { type: 'tool-use', id: 'i', name: 'f' },
        [json.slice(0, cut), json.slice(cut)].map((part): BlockDelta => ({ type: 'input-json', json: part })),
      ];
    }),
    fc.constant<[BlockStart, BlockDelta[]]>([{ type: 'redacted-thinking', data: 'd' }, []]),
    fc.constant<[BlockStart, BlockDelta[]]>([
      { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction', content: null } } },
      [{ type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction_delta', content: 'c' } } }],
    ]),
    fc.constant<[BlockStart, BlockDelta[]]>([
      { type: 'opaque', opaque: { vendor: 'openai', value: { type: 'x' } } },
      [],
    ]),
  );

  it('are equal, whatever the batches', () => {
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 4 })), (blocks, sizes) => {
        const events = eventsOf(blocks);
        const builder = new ReplyBuilder();
        events.forEach((event) => builder.push(event));
        const whole = doAtOnce(viewReply(META, builder.finish()));

        const printer = new MessageFrames(META);
        let text = '';
        for (let from = 0, turn = 0; from < events.length; turn++) {
          const size = sizes[turn % Math.max(1, sizes.length)] ?? 1;
          text += textOf(printer.print(events.slice(from, from + size)));
          from += size;
        }
        expect(putTogether(payloads(text))).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
      { numRuns: 200 },
    );
  });
});

/** What a client of the format assembles from a stream. */
function putTogether(events: JsonObject[]): unknown {
  let message: Record<string, unknown> = {};
  const content: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const event of events) {
    const index = event['index'] as number;
    switch (event['type']) {
      case 'message_start':
        message = { ...(event['message'] as JsonObject) };
        break;
      case 'content_block_start':
        expect(index).toBe(content.length);
        content.push({ ...(event['content_block'] as JsonObject) });
        inputs.push('');
        break;
      case 'content_block_delta': {
        const block = content[index]!;
        const delta = event['delta'] as Record<string, string>;
        if (delta['type'] === 'text_delta') block['text'] = `${String(block['text'])}${delta['text']}`;
        if (delta['type'] === 'thinking_delta') block['thinking'] = `${String(block['thinking'])}${delta['thinking']}`;
        if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
        if (delta['type'] === 'citations_delta')
          block['citations'] = [...(block['citations'] as Json[]), delta['citation']];
        if (delta['type'] === 'compaction_delta') block['content'] = delta['content'];
        if (delta['type'] === 'input_json_delta') inputs[index] += delta['partial_json']!;
        break;
      }
      case 'content_block_stop':
        if (inputs[index] !== '') content[index]!['input'] = JSON.parse(inputs[index]!);
        break;
      case 'message_delta':
        message = { ...message, ...(event['delta'] as JsonObject), usage: event['usage'] };
        break;
      default:
        break;
    }
  }
  return { ...message, content };
}

describe('replies of chat upstreams', () => {
  const mark = { format: 'google-gemini-v1', provider: 'p' };
  const citation = webCitation({ url: 'u', quote: 'q', span: { start: 0, end: 1 } });
  const blocks: [BlockStart, BlockDelta[]][] = [
    [
      { type: 'thinking', mark },
      [
        { type: 'thinking', text: 't' },
        { type: 'signature', signature: 's' },
      ],
    ],
    [{ type: 'thinking', mark }, [{ type: 'thinking', text: 'unsigned' }]],
    [{ type: 'redacted-thinking', data: 'd', mark }, []],
    [
      { type: 'thinking', mark: { format: 'anthropic-claude-v1', provider: 'p' } },
      [{ type: 'signature', signature: 'signed by Claude' }],
    ],
    [
      { type: 'text' },
      [
        { type: 'text', text: 'a' },
        { type: 'citation', citation },
      ],
    ],
  ];
  const events = eventsOf(blocks);
  const printedCitation = {
    type: 'web_search_result_location',
    cited_text: 'q',
    url: 'u',
    title: 'u',
    encrypted_index: '',
  };

  it('carries the vendor of reasoning in signature and sealed data, and citations without ranges', () => {
    const builder = new ReplyBuilder();
    for (const event of events) builder.push(event);
    const token = (data: string): string => printToken(data, mark);
    expect(doAtOnce(viewReply(META, builder.finish())).content).toEqual([
      { type: 'thinking', thinking: 't', signature: token('s') },
      { type: 'thinking', thinking: 'unsigned', signature: token('') },
      { type: 'redacted_thinking', data: token('d') },
      { type: 'thinking', thinking: '', signature: 'signed by Claude' },
      { type: 'text', text: 'a', citations: [printedCitation] },
    ]);
    const deltas = payloads(textOf(new MessageFrames(META).print(events))).flatMap((event) => event['delta'] ?? []);
    expect(deltas).toMatchObject([
      { thinking: 't' },
      { type: 'signature_delta', signature: token('s') },
      { thinking: 'unsigned' },
      { type: 'signature_delta', signature: token('') },
      { type: 'signature_delta', signature: 'signed by Claude' },
      { text: 'a' },
      { type: 'citations_delta', citation: printedCitation },
      {},
    ]);
    expect(token('s')).not.toBe('s');
  });
});
