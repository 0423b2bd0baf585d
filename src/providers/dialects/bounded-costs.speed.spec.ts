// Goal: the cost of reading a reply or writing a request grows linearly with its length, and what is kept of a reply is
// bounded, however hostile the provider is. Method: bodies of about a mebibyte of equal parts, against a bound that
// quadratic time would exceed many times over; endless replies until they are given up.
import { decodeContext } from '../../../test/support/decode-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { FunctionTool } from '../../core/conversation/tools.js';
import { readWebCitation } from '../../core/conversation/web-citation.js';
import { ProviderFault } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { DialectId } from '../../core/routing/catalog.js';
import { doAtOnce } from '../../core/steps.js';
import type { SseFrame } from '../../core/stream/sse.js';
import { DIALECTS } from './index.js';

/** Milliseconds on the usual machine; in quadratic time each of these took several times as much. */
const MS_MAX = 250;
const MANY = 20_000;

const dialect = (id: DialectId) => DIALECTS[id];
const times = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index)); // oxfmt-ignore

interface NamedFrame {
  readonly event: string;
  readonly body: JsonObject;
}

/**
 * Frames as they arrive.
 * @param frames bodies, or frames whose event has a name
 */
function* received(frames: Iterable<JsonObject | NamedFrame>): Generator<SseFrame> {
  for (const frame of frames) {
    const { event, body } = 'event' in frame ? (frame as NamedFrame) : { event: '', body: frame };
    yield { event, data: JSON.stringify(body) };
  }
}

function read(id: DialectId, events: Iterable<SseFrame>): ModelEvent[] {
  const decoder = dialect(id).decodeStream(decodeContext());
  const out: ModelEvent[] = [];
  for (const event of events) decoder.push(event, out);
  decoder.end(out);
  return out;
}

/** The events of a streamed reply. */
const play = (id: DialectId, frames: Iterable<JsonObject | NamedFrame>): ModelEvent[] => read(id, received(frames));

/** Prepares the reading of a complete reply, so that only the reading is measured. */
function replay(id: DialectId, frames: Iterable<JsonObject | NamedFrame>): () => ModelEvent[] {
  const events = [...received(frames)];
  return () => read(id, events);
}

const cohereText = (text: string): JsonObject => ({ type: 'content-delta', delta: { message: { content: { text } } } });
const cohereEnd: JsonObject = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } };
const cohereArguments = (json: string): JsonObject => ({ type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: json } } } } }); // oxfmt-ignore
const cohereCall: JsonObject = {
  type: 'tool-call-start',
  index: 0,
  delta: { message: { tool_calls: { id: 'a', function: { name: 'f', arguments: '' } } } },
};
const geminiText = (text: string, beside: JsonObject = {}): JsonObject => ({ candidates: [{ content: { parts: [{ text }] }, ...beside }] }); // oxfmt-ignore
const geminiEnd = geminiText('', { finishReason: 'STOP' });
const grounded = (supports: readonly JsonObject[]): JsonObject => ({
  groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.test' } }], groundingSupports: supports },
});
const added = (location: Json, id: string): JsonObject => ({
  type: 'response.output_item.added',
  output_index: location,
  item_id: id,
  item: { type: 'message', id },
});

const REPLIES: readonly (readonly [string, () => ModelEvent[]])[] = [
  [
    'items that the end replaces by others',
    replay('openai-responses', [
        ...times(MANY, (index) => added(null, `a${index}`)),
        { type: 'response.completed', response: { output: times(MANY, (index) => ({ type: 'message', id: `b${index}` })) } },
      ]),
  ],
  [
    'items of one id',
    replay('openai-responses', [
        ...times(MANY, (index) => added(MANY + index, 'same')),
        { type: 'response.completed', response: { output: times(MANY, () => ({ type: 'message', id: 'same' })) } },
      ]),
  ],
  [
    'parts and citations of each',
    () =>
      doAtOnce(dialect('cohere-chat').decodeWhole(
        {
          finish_reason: 'COMPLETE',
          message: {
            content: times(MANY, () => ({ type: 'text', text: 'x' })),
            citations: times(MANY, (content_index) => ({ content_index, start: 0, end: 1, text: 'x' })),
          },
        },
        decodeContext(),
      )),
  ],
  [
    'citations of a long text',
    replay('cohere-chat', [
        cohereText('\u{1F600}'.repeat(200_000)),
        { type: 'citation-start', delta: { message: { citations: times(MANY, (index) => ({ start: 100_000 - index, end: 1, text: 'b' })) } } },
        cohereEnd,
      ]),
  ],
  [
    'arguments of blanks',
    replay('cohere-chat', [cohereCall, ...times(4 * MANY, () => cohereArguments(' ')), cohereEnd]),
  ],
  [
    'arguments of nothing and blanks',
    replay('cohere-chat', [cohereCall, cohereArguments('null'), ...times(4 * MANY, () => cohereArguments(' ')), cohereEnd]),
  ],
  [
    'addresses of what was found',
    replay('openai-chat', [
        { choices: [{ delta: { content: 'x' } }], citations: times(MANY, (index) => `https://a.test/${index}`), search_results: times(MANY, (index) => ({ url: `https://a.test/${MANY - index}`, title: 't' })) },
        { choices: [{ delta: {}, finish_reason: 'stop' }] },
      ]),
  ],
  [
    'pages of passages',
    replay('google-gemini', [
        geminiText('hello', grounded(times(2_000, () => ({ segment: { endIndex: 3 }, groundingChunkIndices: times(200, () => 0) })))),
        geminiEnd,
      ]),
  ],
  [
    'passages that are not there',
    replay('google-gemini', [
        geminiText('a'.repeat(1_000_000)),
        geminiText('', grounded(times(2_000, (index) => ({ segment: { text: `aaab${index}` }, groundingChunkIndices: [0] })))),
        geminiEnd,
      ]),
  ],
]; // oxfmt-ignore

it.each(REPLIES)('reads many %s in time', async (_, act) => {
  act();
  expect(await fastest(() => computedMs(act), MS_MAX)).toBeLessThan(MS_MAX);
});

const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const tool = (inputSchema: JsonObject): FunctionTool => ({ type: 'function', name: 'f', inputSchema });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const callOf = (index: number): ContentBlock => ({ type: 'tool-use', id: `t${index}`, name: 'f', input: {} });
const resultOf = (index: number): ContentBlock => ({ type: 'tool-result', toolUseId: `t${index}`, content: [] });
const mark = { format: 'openai-responses-v1', provider: 'acme' };

const REQUESTS = [
  ['documents of one title', 'bedrock-converse', { messages: [user(...times(MANY, (): ContentBlock => ({ type: 'document', title: 't', source: { type: 'text', text: 'x' }, wantsCitations: true })))] }],
  ['schemas that all hold', 'google-gemini', { messages: [user({ type: 'text', text: 'x' })], tools: [tool({ allOf: times(MANY / 4, (index) => ({ properties: { [`p${index}`]: {} }, required: [`p${index}`] })) })] }],
  ['turns of calls', 'openai-chat', { messages: [user({ type: 'text', text: 'x' }), ...times(MANY, (index) => assistant(callOf(index))), user(...times(MANY, resultOf))] }],
  ['turns of instructions', 'anthropic-messages', { messages: [user({ type: 'text', text: 'x' }), ...times(MANY, (): Message => ({ role: 'system', content: [{ type: 'text', text: 'x' }] }))] }],
  ['instructions of a turn', 'anthropic-messages', { messages: [user({ type: 'text', text: 'x' }), { role: 'system', content: times(4 * MANY, (): ContentBlock => ({ type: 'text', text: 'x' })) }] }],
  ['drawn pictures', 'openai-chat', { messages: [user({ type: 'text', text: 'x' }), ...times(2 * MANY, () => assistant({ type: 'image', source: { type: 'url', url: 'https://a.test' } })), user({ type: 'text', text: 'x' })] }],
  ['pictures of failed calls', 'anthropic-messages', { messages: [user({ type: 'text', text: 'x' }), assistant(...times(MANY, callOf)), user(...times(MANY, (index) => ({ ...resultOf(index), isError: true, content: [{ type: 'image', source: { type: 'url', url: 'https://a.test' } }] }) as ContentBlock))] }],
  ['tools that are allowed', 'openai-chat', { messages: [user({ type: 'text', text: 'x' })], tools: times(MANY, (index) => ({ ...tool({ type: 'object', properties: {} }), name: `f${index}` })), toolChoice: { type: 'auto', allowed: times(MANY, (index) => `f${MANY - index - 1}`) } }],
  ['thoughts', 'openai-responses', { messages: [{ role: 'assistant', content: [...times(2 * MANY, (): ContentBlock => ({ type: 'thinking', thinking: 'x', mark })), { type: 'redacted-thinking', data: 'd', mark }, { type: 'text', text: 'x' }] }] }],
] as const; // oxfmt-ignore

it.each(REQUESTS)('writes many %s in time', async (_, id, parts) => {
  const { target } = decodeContext();
  const encode = () => doAtOnce(dialect(id).encode(modelRequest(parts), target, new Map()));
  expect(await fastest(() => computedMs(encode), MS_MAX)).toBeLessThan(MS_MAX);
});

const LONG = 'x'.repeat(65_536);

/** An endless sequence. */
function* endless<Item>(make: (index: number) => Item, first: readonly Item[] = []): Generator<Item> {
  yield* first;
  for (let index = 0; ; index++) yield make(index);
}

const ofText = { output_index: 0, content_index: 0 };
const page = (index: number, title = ''): JsonObject => ({
  type: 'url_citation',
  url: `https://a.test/${index}`,
  title,
});
const cites = (annotation: JsonObject, at: JsonObject = ofText): JsonObject => ({ type: 'response.output_text.annotation.added', ...at, annotation }); // oxfmt-ignore
const textPiece = (at: JsonObject = ofText): JsonObject => ({ type: 'response.output_text.delta', ...at, delta: 'x' });
const chatDelta = (delta: JsonObject): JsonObject => ({ choices: [{ delta }] });
const chatCites = (index: number): JsonObject => {
  const { type, ...url_citation } = page(index, LONG);
  return chatDelta({ annotations: [{ type: type!, url_citation }] });
};
const converse = (event: string, body: JsonObject): NamedFrame => ({ event, body });

it.each<[string, DialectId, Iterable<JsonObject | NamedFrame>]>([
  ['items', 'openai-responses', endless((index) => added(index, `a${index}`))],
  ['parts', 'openai-responses', endless((index) => ({ type: 'response.output_text.delta', output_index: 0, content_index: index, delta: 'x' }))],
  ['parts', 'cohere-chat', endless((index) => ({ type: 'content-start', index, delta: { message: { content: { text: 'x' } } } }))],
  ['calls', 'openai-chat', endless((index) => ({ choices: [{ delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } }] } }] }))],
  ['calls', 'google-gemini', endless(() => ({ candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] } }] }))],
  ['blocks', 'bedrock-converse', endless((index) => converse('contentBlockDelta', { contentBlockIndex: index, delta: { text: 'x' } }))],
  ['blocks of others', 'bedrock-converse', endless((index) => converse('contentBlockStart', { contentBlockIndex: index, start: { image: {} } }))],
  ['seals', 'bedrock-converse', endless(() => converse('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent: LONG } } }))],
  ['signatures', 'bedrock-converse', endless(() => converse('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: LONG } } }))],
  ['signatures on an open text', 'google-gemini', endless(() => ({ candidates: [{ content: { parts: [{ text: '', thoughtSignature: LONG }] } }] }), [geminiText('x')])],
  ['sources', 'google-gemini', endless((index) => ({ candidates: [{ citationMetadata: { citations: [{ uri: `https://a.test/${index}`, title: LONG }] } }] }))],
  ['queries', 'google-gemini', endless((index) => ({ candidates: [{ groundingMetadata: { webSearchQueries: [`${index} ${LONG}`] } }] }))],
  ['pages before any text', 'openai-chat', endless(chatCites)],
  ['pages of a text', 'openai-chat', endless(chatCites, [chatDelta({ content: 'x' })])],
  ['addresses before any text', 'openai-chat', endless((index) => ({ ...chatDelta({}), citations: [`https://a.test/${index}/${LONG}`] }))],
  ['pages of a text', 'openai-responses', endless((index) => cites({ ...page(index), url: `https://a.test/${index}/${LONG}` }), [textPiece()])],
  ['pages of a text that waits', 'openai-responses', endless((index) => cites(page(index, LONG), { output_index: 1, content_index: 0 }), [textPiece(), textPiece({ output_index: 1, content_index: 0 })])],
])('gives up a reply of endless %s (%s)', (_, id, frames) => {
  expect(() => play(id, frames)).toThrow(ProviderFault);
}); // oxfmt-ignore

it('keeps only the part of a long text in which citations are located', () => {
  const long = 'x'.repeat(600_000);
  const citation = (start: number, text: string): JsonObject => ({
    type: 'citation-start',
    delta: { message: { citations: { start, end: 1, text, sources: [{ id: 'a', document: { url: 'https://a.test' } }] } } },
  }); // oxfmt-ignore
  const cited = play('cohere-chat', [cohereText(`a\u{1F600}b${long}`), citation(2, 'b'), cohereText(long), citation(2, 'b'), cohereEnd]); // oxfmt-ignore
  const starts = cited.flatMap((event) =>
    event.type === 'block-delta' && event.delta.type === 'citation'
      ? [readWebCitation(event.delta.citation)?.span?.start]
      : [],
  );
  expect(starts).toEqual([3, undefined]);
});

const LONG_CONVERSATION: readonly Message[] = [
  user({ type: 'text', text: 'x' }),
  { role: 'assistant', content: times(MANY, (index): ContentBlock => ({ type: 'tool-use', id: `é${index}`, name: 'f', input: {} })) },
  user(...times(MANY, (index): ContentBlock => ({ type: 'tool-result', toolUseId: `é${index}`, content: [] }))),
  ...times(MANY, (index): Message => ({ role: index % 2 ? 'system' : 'assistant', content: [{ type: 'text', text: 'x' }] })),
]; // oxfmt-ignore

const textsOf: Readonly<Record<string, (texts: readonly string[]) => unknown>> = {
  'anthropic-messages': (texts) => ({ type: 'message', id: 'm', role: 'assistant', model: 'm', content: texts.map((text) => ({ type: 'text', text })), stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }),
  'openai-chat': (texts) => ({ choices: [{ message: { content: null, tool_calls: texts.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })) }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
  'openai-responses': (texts) => ({ status: 'completed', output: [{ type: 'message', content: texts.map((text) => ({ type: 'output_text', text })) }], usage: {} }),
  'google-gemini': (texts) => ({ candidates: [{ content: { parts: texts.map((text) => ({ text })) }, finishReason: 'STOP' }], usageMetadata: {} }),
  'bedrock-converse': (texts) => ({ output: { message: { content: texts.map((text) => ({ text })) } }, stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } }),
  'cohere-chat': (texts) => ({ finish_reason: 'COMPLETE', message: { content: texts.map((text) => ({ type: 'text', text })) }, usage: {} }),
}; // oxfmt-ignore

it.each<DialectId>(['anthropic-messages', 'bedrock-converse'])('%s: fits many strict tools in many steps', (id) => {
  const { target } = decodeContext();
  const claude = { ...target, endpoint: { ...target.endpoint, upstreamModel: 'anthropic.claude-sonnet-4-5' } };
  const map = { type: 'object', properties: { a: { type: 'object', additionalProperties: true } } };
  const tools = times(2_000, (index): FunctionTool => ({ ...tool(map), name: `f${index}`, strict: true }));
  const request = modelRequest({ messages: [user({ type: 'text', text: 'x' })], tools });
  const stepsOf = (asked: ModelRequest): number => [...dialect(id).encode(asked, claude, new Map())].length;
  const plain = modelRequest({ ...request, tools: tools.map(({ strict: _strict, ...rest }) => rest) });
  expect(stepsOf(request)).toBeGreaterThan(stepsOf(plain) + 50);
});

describe.each(Object.keys(textsOf) as DialectId[])('%s', (id) => {
  const { target } = decodeContext();

  it('encodes a long conversation in many steps, and a short one at once', () => {
    const encode = (messages: readonly Message[]) =>
      dialect(id).encode(modelRequest({ messages, tools: [tool({})] }), target, new Map());
    expect([...encode(LONG_CONVERSATION)].length).toBeGreaterThan((3 * MANY) / 500);
    expect(encode(LONG_CONVERSATION.slice(0, 1)).next().done).toBe(true);
  });

  it('decodes a long reply in many steps, and a short one at once', () => {
    const decode = (count: number) =>
      dialect(id).decodeWhole(textsOf[id]!(times(count, (index) => `t${index}`)), decodeContext());
    expect([...decode(MANY / 4)].length).toBeGreaterThan(5);
    expect(decode(5).next().done).toBe(true);
  });
});
