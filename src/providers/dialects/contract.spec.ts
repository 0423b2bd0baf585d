// Goal: every dialect, also a future one, keeps the same laws. Method: walk DIALECTS; play its recordings at any byte
// cut, whole against streamed, through the grammar; encode one rich conversation turn by turn.
import { modelRequest } from '../../../test/support/model-request.js';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printJson, type Json, type JsonObject } from '../../core/json/json.js';
import type { Message } from '../../core/conversation/content.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../core/conversation/reply.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { ProviderFault, Untranslatable } from '../../core/errors.js';
import type { Dialect, Target } from '../../core/provider.js';
import { DIALECT_IDS, type DialectId } from '../../core/routing/catalog.js';
import { assertGrammar, GrammarCheck } from '../../core/stream/grammar.js';
import { SseReader } from '../../core/stream/sse.js';
import { chain } from '../../core/stream/stream-stage.js';
import { doAtOnce } from '../../core/steps.js';
import { DIALECTS } from './index.js';

const GATEWAY_RESULT: JsonObject = { type: 'openrouter_shell_tool_result', tool_use_id: 'x', content: {} };
const RECORDINGS = join(process.cwd(), 'test', 'providers', 'recordings');
/** The sandbox answers in another dialect's format. */
const FOLDER_OF: Readonly<Record<DialectId, string>> = {
  'anthropic-messages': 'anthropic-messages',
  'cohere-chat': 'cohere-chat',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  'google-gemini': 'google-gemini',
  'bedrock-converse': 'bedrock-converse',
  simulated: 'anthropic-messages',
};

const targetOf = (dialect: DialectId): Target => {
  const endpoint: Target['endpoint'] = {
    tag: 'test',
    provider: {
      slug: 'test',
      name: 'Test',
      dialect,
      baseUrl: 'https://provider.test',
      policy: { collectsData: false, zeroDataRetention: false },
    },
    upstreamModel: 'upstream-model',
    pricing: null,
    quantization: 'unknown',
    contextLength: 200_000,
    supportedParameters: [],
  };
  return {
    endpoint,
    model: {
      id: 'test/model',
      name: 'Model',
      contextLength: 200_000,
      inputModalities: ['text'],
      outputModalities: ['text'],
      scores: {},
      endpoints: [endpoint],
    },
    tier: 'standard',
    definition: { slug: 'test', credential: 'none', quirks: {} },
  };
};

/** A loop of two tool calls with a turn of instructions inside it. */
const CONVERSATION: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Compare the weather.', cacheMarker: { ttl: '5m' } }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Looking.' },
      { type: 'tool-use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
      { type: 'tool-use', id: 'call_2', name: 'get_weather', input: { city: 'Rome' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool-result', toolUseId: 'call_1', content: [{ type: 'text', text: 'rain' }] },
      { type: 'tool-result', toolUseId: 'call_2', content: [{ type: 'text', text: 'sun' }], isError: true },
    ],
  },
  { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'Rome.' }] },
  { role: 'user', content: [{ type: 'text', text: 'Why?' }] },
];

const requestOf = (messages: readonly Message[]): ModelRequest =>
  modelRequest({
    model: 'test/model',
    system: [{ type: 'text', text: 'You are a guide.' }],
    messages,
    stream: true,
    maxOutputTokens: 500,
    sampling: { temperature: 0.5 },
    tools: [
      {
        type: 'function',
        name: 'get_weather',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
      { type: 'function', name: 'get_time', inputSchema: { type: 'object', properties: {} } },
    ],
  });

const contextOf = (dialect: DialectId): { request: ModelRequest; target: Target } => ({
  request: requestOf(CONVERSATION),
  target: targetOf(dialect),
});

/** The events of a stream that arrives in these pieces, after the grammar check. */
function play(dialect: Dialect, pieces: readonly Uint8Array[]): ModelEvent[] {
  const step = new GrammarCheck(chain(new SseReader(), dialect.decodeStream(contextOf(dialect.id))));
  const out: ModelEvent[] = [];
  for (const piece of pieces) step.push(piece, out);
  step.end(out);
  return out;
}

function fold(events: readonly ModelEvent[]): Reply {
  const reply = new ReplyBuilder();
  for (const event of events) reply.push(event);
  return reply.finish();
}

/** The content of a reply, whatever the whitespace of its arguments and the pieces of its vendor's own blocks. */
function meaningOf(reply: Reply): unknown {
  const blocks = reply.blocks.map((block) => {
    if (block.start.type === 'tool-use' || block.start.type === 'server-tool-use') {
      return { ...block, text: block.text === '' ? {} : (JSON.parse(block.text) as Json) };
    }
    if (block.start.type !== 'opaque') return block;
    const grown: JsonObject = Object.assign(
      {},
      block.start.opaque.value,
      ...block.opaqueDeltas.map(({ value }) => value),
    );
    return { ...grown, type: block.start.opaque.value['type'] };
  });
  return { ...reply, blocks };
}

/** Everything but the source bytes, which nothing else depends on. */
const bare = (event: ModelEvent): unknown => ({ ...event, source: undefined });

it('covers every dialect of the catalog', () => {
  expect(Object.keys(DIALECTS).sort()).toEqual([...DIALECT_IDS].sort());
  for (const id of DIALECT_IDS) expect(DIALECTS[id].id).toBe(id);
});

describe.each(Object.values(DIALECTS))('$id', (dialect) => {
  const folder = join(RECORDINGS, FOLDER_OF[dialect.id]);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sse')).map((name) => name.slice(0, -4)); // oxfmt-ignore

  it('has recordings', () => {
    expect(names.length).toBeGreaterThanOrEqual(5);
  });

  describe.each(names)('recording %s', (name) => {
    const bytes = readFileSync(join(folder, `${name}.sse`));

    it('obeys the grammar and has the same content whole and streamed', () => {
      const whole = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as unknown;
      const events = doAtOnce(dialect.decodeWhole(whole, contextOf(dialect.id)));
      assertGrammar(events);
      expect(meaningOf(fold(play(dialect, [bytes])))).toEqual(meaningOf(fold(events)));
    });

    it('gives the same events at any byte cut', () => {
      const expected = play(dialect, [bytes]).map(bare);
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }), (cuts) => {
          const positions = [0, ...cuts.sort((a, b) => a - b), bytes.length];
          const pieces = positions.slice(1).map((end, index) => bytes.subarray(positions[index], end));
          expect(play(dialect, pieces).map(bare)).toEqual(expected);
        }),
        { numRuns: 50 },
      );
    });

    it('is a fault of the provider when it is cut in its midst', () => {
      const text = bytes.toString();
      const cut = text.indexOf('\n\n', text.length / 3) + 2;
      expect(() => play(dialect, [Buffer.from(text.slice(0, cut))])).toThrow(ProviderFault);
    });
  });

  it('encodes equal requests to equal bytes and leaves them untouched', () => {
    const request = requestOf(CONVERSATION);
    const before = structuredClone(request);
    const media = new Map();
    const first = doAtOnce(dialect.encode(request, targetOf(dialect.id), media));
    expect(doAtOnce(dialect.encode(request, targetOf(dialect.id), media))).toEqual(first);
    expect(request).toEqual(before);
  });

  it.each<readonly [string, Message['content']]>([
    ['no block', []],
    ['an empty text', [{ type: 'text', text: '' }]],
    ['space', [{ type: 'text', text: ' \n' }]],
    ['what a gateway ran', [{ type: 'opaque', opaque: { vendor: 'anthropic', value: GATEWAY_RESULT } }]],
  ])('sends no conversation without a turn, but names it: %s', (_, content) => {
    try {
      const { body } = doAtOnce(
        dialect.encode(requestOf([{ role: 'user', content }]), targetOf(dialect.id), new Map()),
      );
      const { messages, contents, input } = JSON.parse(printJson(body)) as JsonObject;
      expect(messages ?? contents ?? input).not.toEqual([]);
    } catch (error) {
      expect(error).toBeInstanceOf(Untranslatable);
      expect((error as Error).message).toMatch(/^messages\b/);
    }
  });

  it('names a misplaced block by its name on the wire', () => {
    const addition: JsonObject = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } };
    const system: Message = {
      role: 'system',
      content: [{ type: 'opaque', opaque: { vendor: 'anthropic', value: addition } }],
    };
    const encode = () =>
      doAtOnce(dialect.encode(requestOf([...CONVERSATION, system]), targetOf(dialect.id), new Map()));
    // The vendor judges its own block itself.
    if (FOLDER_OF[dialect.id] === 'anthropic-messages')
      expect(JSON.stringify(encode().body)).toContain('tool_addition');
    else expect(encode).toThrow(`messages.${CONVERSATION.length}.content.0: a block of type tool_addition in `);
  });

  it('gives equal prefixes of a conversation equal bytes', () => {
    // Without the closing brackets: where turns of one role are joined, the last one of a shorter conversation
    // continues.
    const historyOf = (length: number): string => {
      const call = doAtOnce(dialect.encode(requestOf(CONVERSATION.slice(0, length)), targetOf(dialect.id), new Map()));
      const { messages, contents, input } = JSON.parse(printJson(call.body)) as JsonObject;
      return JSON.stringify(messages ?? contents ?? input).replace(/[\]}]*$/, '');
    };
    const full = historyOf(CONVERSATION.length);
    for (let length = 1; length < CONVERSATION.length; length++) {
      const part = historyOf(length);
      expect(full.slice(0, part.length)).toBe(part);
    }
  });

  it.each([[undefined], [null], ['x'], [1], [[]], [{}], [{ error: 'x' }], [{ content: {} }], [{ choices: [null] }]])(
    'takes the whole body %j for no completion',
    (body) => {
      expect(() => doAtOnce(dialect.decodeWhole(body, contextOf(dialect.id)))).toThrow(ProviderFault);
    },
  );

  it.each(['', '<html>', 'null', '{"error":[]}'])('reads a failure with the body %j', (body) => {
    expect(dialect.fault({ status: 503, headers: {}, body })).toMatchObject({
      kind: 'unavailable',
      detail: { status: 503 },
    });
  });
});
