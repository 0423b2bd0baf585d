/**
 * The tools of the black-box tests are correct: the upstreams answer as the real ones do, the checker of streams finds
 * every violation, the plain client reads what it received. The upstreams' own answers through the client and the
 * checker; streams broken by hand, one rule each.
 */
import { anthropicThinking, anthropicToolUse } from './anthropic-upstream.js';
import { openaiTools } from './openai-upstream.js';
import { exchange, RawClient, type RawResponse } from './raw-client.js';
import { messagesGrammarFaults, readFrames, readMessagesEvents } from './sse.js';
import { cutAfter, endless, frame, HANG, sse } from './upstream-answers.js';
import { startUpstream, type Upstream } from './upstreams.js';

const DONE = 'data: [DONE]\n\n';
const MESSAGES = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const ANTHROPIC_HEADERS = [
  ['x-api-key', 'k'],
  ['anthropic-version', '2023-06-01'],
] as const;
const OPENAI_HEADERS = [['authorization', 'Bearer k']] as const;

let upstream: Upstream;

const askAnthropic = (body: Record<string, unknown>): Promise<RawResponse> =>
  exchange(upstream.origin, { path: '/v1/messages', headers: ANTHROPIC_HEADERS, body });
const askOpenai = (body: Record<string, unknown>): Promise<RawResponse> =>
  exchange(upstream.origin, { path: '/v1/chat/completions', headers: OPENAI_HEADERS, body });

describe('the Anthropic upstream', () => {
  beforeEach(async () => {
    upstream = await startUpstream('anthropic');
  });
  afterEach(() => upstream.close());

  it('answers whole and streamed with the same text', async () => {
    const whole = await askAnthropic(MESSAGES);
    expect(whole).toMatchObject({ status: 200, json: { content: [{ type: 'text', text: 'Hello from upstream.' }] } });
    const streamed = await askAnthropic({ ...MESSAGES, stream: true });
    const events = readMessagesEvents(Buffer.concat([streamed.body, Buffer.from(DONE)]));
    expect(events.map(({ delta }) => delta?.text ?? '').join('')).toBe('Hello from upstream.');
    expect(upstream.requests.map(({ json }) => json.stream)).toEqual([undefined, true]);
  });

  it.each([
    ['tool use', anthropicToolUse({ name: 'a', input: { x: 'é' } }, { name: 'b', input: {} })],
    ['thinking', anthropicThinking('Let me see…', 'Yes.')],
  ])('streams %s by the grammar', async (_, script) => {
    upstream.script(script);
    const { body } = await askAnthropic({ ...MESSAGES, stream: true });
    expect(messagesGrammarFaults(readFrames(Buffer.concat([body, Buffer.from(DONE)])))).toEqual([]);
  });

  it.each([
    ['an unknown field', { ...MESSAGES, api_base: 'x' }],
    ['no max_tokens', { ...MESSAGES, max_tokens: undefined }],
    ['no messages', { ...MESSAGES, messages: [] }],
    ['a foreign role', { ...MESSAGES, messages: [{ role: 'developer', content: 'x' }] }],
    ['a small thinking budget', { ...MESSAGES, thinking: { type: 'enabled', budget_tokens: 1023 } }],
    [
      'a call without result',
      { ...MESSAGES, messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't' }] }] },
    ],
    [
      'a result without call',
      { ...MESSAGES, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] }] },
    ],
  ])('refuses %s', async (_, body) => {
    expect(await askAnthropic(body)).toMatchObject({ status: 400, json: { error: { type: 'invalid_request_error' } } });
  });

  it('requires its headers', async () => {
    const statuses = [[], ANTHROPIC_HEADERS.slice(0, 1)].map(async (headers) => {
      return (await exchange(upstream.origin, { path: '/v1/messages', headers, body: MESSAGES })).status;
    });
    expect(await Promise.all(statuses)).toEqual([401, 400]);
  });
});

describe('the OpenAI upstream', () => {
  beforeEach(async () => {
    upstream = await startUpstream('openai');
  });
  afterEach(() => upstream.close());

  it('streams usage only on request', async () => {
    for (const include_usage of [true, false]) {
      const { body } = await askOpenai({ ...CHAT, stream: true, stream_options: { include_usage } });
      const frames = readFrames(body);
      expect(frames.at(-1)?.data).toBe('[DONE]');
      expect(frames.some(({ data }) => data?.includes('"usage"'))).toBe(include_usage);
    }
  });

  it('streams the arguments of each tool in pieces that join', async () => {
    upstream.script(openaiTools({ name: 'a', input: { long: 'argument' } }, { name: 'b', input: [1] }));
    const { body } = await askOpenai({ ...CHAT, stream: true });
    const joined: Record<number, string> = {};
    for (const { data } of readFrames(body)) {
      if (data === '[DONE]') continue;
      for (const call of JSON.parse(data ?? '').choices[0].delta.tool_calls ?? []) {
        joined[call.index] = (joined[call.index] ?? '') + call.function.arguments;
      }
    }
    expect(joined).toEqual({ 0: '{"long":"argument"}', 1: '[1]' });
  });

  it.each([
    ['an unknown field', { ...CHAT, system: 'x' }],
    ['a foreign role', { ...CHAT, messages: [{ role: 'function', content: 'x' }] }],
    ['a foreign part', { ...CHAT, messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] }],
    [
      'a cache marker',
      { ...CHAT, messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
    ],
    ['stream options without stream', { ...CHAT, stream_options: {} }],
    ['a long tool name', { ...CHAT, tools: [{ type: 'function', function: { name: 'a'.repeat(65) } }] }],
    ['an unanswered call', { ...CHAT, messages: [{ role: 'assistant', tool_calls: [{ id: 'c' }] }] }],
    ['a stray result', { ...CHAT, messages: [{ role: 'tool', tool_call_id: 'c', content: '' }] }],
  ])('refuses %s', async (_, body) => {
    expect(await askOpenai(body)).toMatchObject({ status: 400, json: { error: { type: 'invalid_request_error' } } });
  });
});

describe('the plain client', () => {
  beforeEach(async () => {
    upstream = await startUpstream('openai');
    upstream.strict = false;
  });
  afterEach(() => upstream.close());

  it('stops reading and continues', async () => {
    upstream.script(endless('x'.repeat(65_536)));
    const client = await RawClient.connect(upstream.origin);
    client.pause();
    client.send({ path: '/' });
    await upstream.request(0);
    expect(client.segments).toHaveLength(0);
    client.resume();
    await client.until('xxxx');
    client.destroy();
    await upstream.requests[0]!.closed;
    expect(upstream.requests[0]!.aborted).toBe(true);
  });

  it('distinguishes a cut response from a whole one', async () => {
    upstream.script(cutAfter(sse(['data: 1\n\n', 'data: 2\n\n']), 12));
    await expect(askOpenai({})).rejects.toThrow('cut off');
    upstream.script(sse(['data: 1\n\n', HANG]));
    const client = await RawClient.connect(upstream.origin);
    client.send({ path: '/' });
    expect(await client.until('data: 1')).toContain('200 OK');
    client.reset();
    await client.closed;
  });
});

describe('the checker of Messages streams', () => {
  const start = frame('message_start', { type: 'message_start' });
  const open = (index: number, type = 'text'): string =>
    frame('content_block_start', { type: 'content_block_start', index, content_block: { type } });
  const delta = (index: number, type = 'text_delta'): string =>
    frame('content_block_delta', { type: 'content_block_delta', index, delta: { type } });
  const close = (index: number): string => frame('content_block_stop', { type: 'content_block_stop', index });
  const last = frame('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' } });
  const stop = frame('message_stop', { type: 'message_stop' });
  const error = frame('error', { type: 'error' });

  it.each([
    ['a whole stream', [start, open(0), delta(0), close(0), ': warm\n\n', last, stop, DONE]],
    ['an error instead of the end', [start, open(0), delta(0), error, DONE]],
    ['an error instead of the start', [error, DONE]],
  ])('passes %s', (_, frames) => {
    expect(messagesGrammarFaults(readFrames(frames.join('')))).toEqual([]);
  });

  it.each([
    ['no start', [last, stop, DONE]],
    ['two starts', [start, start, last, stop, DONE]],
    ['an index that skips', [start, open(1), close(1), last, stop, DONE]],
    ['a block inside another', [start, open(0), open(1), close(1), last, stop, DONE]],
    ['a delta of another kind', [start, open(0), delta(0, 'thinking_delta'), close(0), last, stop, DONE]],
    ['a delta outside', [start, delta(0), last, stop, DONE]],
    ['a block left open', [start, open(0), last, stop, DONE]],
    ['no message_delta', [start, stop, DONE]],
    ['two message_deltas', [start, last, last, stop, DONE]],
    ['no message_stop', [start, last, DONE]],
    ['no sentinel', [start, last, stop]],
    ['a named sentinel', [start, last, stop, 'event: data\ndata: [DONE]\n\n']],
    ['anything after the sentinel', [start, last, stop, DONE, frame('ping', { type: 'ping' })]],
    ['anything after an error', [start, error, last, stop, DONE]],
    ['an unknown event', [start, frame('novel', { type: 'novel' }), last, stop, DONE]],
    ['a name that is not the type', [start, frame('message_stop', { type: 'ping' }), last, stop, DONE]],
  ])('finds %s', (_, frames) => {
    expect(messagesGrammarFaults(readFrames(frames.join('')))).not.toEqual([]);
  });

  it('refuses a stream that ends inside a frame', () => {
    expect(() => readFrames('data: 1\n\ndata: 2\n')).toThrow('inside a frame');
  });
});
