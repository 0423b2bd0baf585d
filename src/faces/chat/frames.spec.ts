// A reply is the same whole and streamed, and contains exactly what the format can express. Sequences of neutral events
// are built and viewed whole, and printed as chunks, which are joined again.
import { generationView } from '../../../test/support/generation-view.js';
import { joinChunks, readChunks } from '../../../test/support/chat-stream.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import { ReplyBuilder } from '../../core/conversation/reply.js';
import { parseJson, type Json } from '../../core/json/json.js';
import type { Usage } from '../../core/conversation/usage.js';
import { webCitation } from '../../core/conversation/web-citation.js';
import { doAtOnce } from '../../core/steps.js';
import { ChatFrames, chunkHead, failureFrames, type ReplyOptions } from './frames.js';
import { viewReply } from './view-reply.js';

const VIEW = generationView({ model: 'a/m', provider: 'P' });
const OPTIONS: ReplyOptions = { hidesReasoning: false, sendsUsageSeparately: true };
const END: StopReason = { unified: 'end-turn', raw: 'end_turn', vendor: 'anthropic' };
const USAGE: Usage = { inputTokens: 3, outputTokens: 2 };

type Block = readonly [BlockStart, ...BlockDelta[]];
const textDeltas = (...words: string[]): BlockDelta[] => words.map((text) => ({ type: 'text', text }));
const text = (...words: string[]): Block => [{ type: 'text' }, ...textDeltas(...words)];
const phased = (phase: string, ...words: string[]): Block => [{ type: 'text', phase }, ...textDeltas(...words)];
const thought = (words: string, signature?: string): Block => [
  { type: 'thinking' },
  { type: 'thinking', text: words },
  ...(signature === undefined ? [] : [{ type: 'signature', signature } as const]),
];
const json = (...pieces: string[]): BlockDelta[] => pieces.map((piece) => ({ type: 'input-json', json: piece }));
const call = (id: string, ...pieces: string[]): Block => [{ type: 'tool-use', id, name: 'f' }, ...json(...pieces)];
const search: Block = [{ type: 'server-tool-use', id: 's', name: 'web_search' }, ...json('{"q":1}')];
const found: Block = [
  { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'web_search_tool_result', content: [] } } },
];
const cite = (citation: object): BlockDelta => ({ type: 'citation', citation: { ...citation } });

function eventsOf(blocks: readonly Block[], stop: StopReason = END, usage = USAGE): ModelEvent[] {
  return [
    { type: 'reply-start' },
    { type: 'usage', usage: { inputTokens: 3 } },
    ...blocks.flatMap(([block, ...deltas], index): ModelEvent[] => [
      { type: 'block-start', index, block },
      ...deltas.map((delta): ModelEvent => ({ type: 'block-delta', index, delta })),
      { type: 'block-end', index },
    ]),
    { type: 'ping' },
    { type: 'usage', usage },
    { type: 'reply-end', stop },
  ];
}

function whole(events: readonly ModelEvent[], hidesReasoning = false) {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  const body = doAtOnce(viewReply(builder.finish(), VIEW, hidesReasoning));
  return JSON.parse(JSON.stringify(body));
}

const streamed = (events: readonly ModelEvent[], wishes = OPTIONS): string =>
  new ChatFrames(VIEW, wishes).print(events)!;

it('sends the upstream body in a chunk of its own before all others, where that is requested', () => {
  const sent = parseJson('{"model":"m","n":12345678901234567890}') as Json;
  const printer = new ChatFrames({ ...VIEW, upstreamBody: sent }, OPTIONS);
  const stream = printer.print(eventsOf([text('a')]))!;
  const [first, second] = readChunks(stream);
  expect(first.choices).toEqual([]);
  expect(first.debug.echo_upstream_body).toMatchObject({ model: 'm' });
  // Numbers keep their digits, as everywhere.
  expect(stream).toContain('"n":12345678901234567890');
  expect(second.choices[0].delta).toEqual({ role: 'assistant', content: '' });
  expect(readChunks(streamed(eventsOf([text('a')])))[0].debug).toBeUndefined();
});

const tool = (id: string, index: number, args: string) => ({
  id,
  type: 'function',
  index,
  function: { name: 'f', arguments: args },
});
const url = (title: string, start: number, end: number, more: object = {}) => ({
  type: 'url_citation',
  url_citation: { url: 'https://a.test', title, start_index: start, end_index: end, ...more },
});

const CASES: readonly [string, readonly Block[], object][] = [
  ['nothing', [], { content: '' }],
  ['words in pieces', [text('a', '', 'b')], { content: 'ab' }],
  ['texts that citations cut', [text('a'), text('b')], { content: 'ab' }],
  ['texts of one phase', [phased('x', 'a'), call('t', '{}'), phased('x', 'b')], { content: 'a\n\nb', phase: 'x', tool_calls: [{ id: 't', type: 'function', index: 0, function: { name: 'f', arguments: '{}' } }] }], // oxfmt-ignore
  ['texts of several phases', [phased('x', 'a'), phased('y', 'b')], { content: 'ab' }],
  ['a text with a phase and one without', [phased('x', 'a'), text('b')], { content: 'ab' }],
  ['texts with something between', [text('a'), search, found, text('b', 'c')], { content: 'a\n\nbc' }],
  ['a text after something else only', [search, found, text('b')], { content: 'b' }],
  [
    'signed reasoning',
    [thought('r', 's'), text('a')],
    {
      content: 'a',
      reasoning: 'r',
      reasoning_details: [
        { type: 'reasoning.text', text: 'r', signature: 's', format: 'anthropic-claude-v1', index: 0 },
      ],
    },
  ],
  [
    'reasoning of several kinds',
    [thought('r'), [{ type: 'redacted-thinking', data: 'd' }], thought('q', 't'), text('a')],
    {
      content: 'a',
      reasoning: 'rq',
      reasoning_details: [
        { type: 'reasoning.text', text: 'r', index: 0 },
        { type: 'reasoning.encrypted', data: 'd', format: 'anthropic-claude-v1', index: 1 },
        { type: 'reasoning.text', text: 'q', signature: 't', format: 'anthropic-claude-v1', index: 2 },
      ],
    },
  ],
  [
    'reasoning of chat upstreams',
    [
      [
        { type: 'thinking', mark: { format: 'f', provider: 'p', id: 'rs', isSummary: true } },
        { type: 'thinking', text: 'r' },
      ],
      [{ type: 'redacted-thinking', data: 'd', mark: { format: 'f', provider: 'p' } }],
      [
        { type: 'thinking', mark: { format: 'anthropic-claude-v1', provider: 'p' } },
        { type: 'thinking', text: 'q' },
        { type: 'signature', signature: 's' },
      ],
    ],
    {
      content: '',
      reasoning: 'rq',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'r', format: 'f', id: 'rs', provider: 'p', index: 0 },
        { type: 'reasoning.encrypted', data: 'd', format: 'f', provider: 'p', index: 1 },
        {
          type: 'reasoning.text',
          text: 'q',
          signature: 's',
          format: 'anthropic-claude-v1',
          provider: 'p',
          index: 2,
        },
      ],
    },
  ],
  [
    'calls of tools',
    [text('a'), call('1', '{"x"', ':1}'), call('2'), call('3', '{"cut')],
    { content: 'a', tool_calls: [tool('1', 0, '{"x":1}'), tool('2', 1, '{}'), tool('3', 2, '{"cut')] },
  ],
  ['calls alone', [call('1', '{}')], { content: null, tool_calls: [tool('1', 0, '{}')] }],
  [
    'a refusal of a vendor of this format',
    [[{ type: 'text', extras: { vendor: 'openai', value: { type: 'refusal' } } }, ...textDeltas('n', 'o')]],
    { content: null, refusal: 'no' },
  ],
  [
    'sources',
    [
      text('a '),
      [
        { type: 'text' },
        cite({ url: 'https://a.test', title: 't', cited_text: 'c' }),
        cite({ type: 'char_location', cited_text: 'of a document' }),
        ...textDeltas('👋b'),
        cite({ url: 'https://a.test', title: null }),
      ],
    ],
    { content: 'a 👋b', annotations: [url('t', 2, 5, { content: 'c' }), url('https://a.test', 2, 5)] },
  ],
  [
    'sources of a text behind another one',
    [text('go '), call('1', '{}'), [{ type: 'text' }, ...textDeltas('b'), cite({ url: 'https://a.test', title: 't' })]],
    { content: 'go \n\nb', tool_calls: [tool('1', 0, '{}')], annotations: [url('t', 5, 6)] },
  ],
  [
    'sources of an empty text',
    [text('go'), call('1', '{}'), [{ type: 'text' }, cite({ url: 'https://a.test', title: 't' })]],
    { content: 'go', tool_calls: [tool('1', 0, '{}')], annotations: [url('t', 2, 2)] },
  ],
  [
    'sources of a chat upstream, at the cited words where their place is given',
    [
      [
        { type: 'text' },
        ...textDeltas('abcdef'),
        cite(webCitation({ url: 'https://a.test', title: 't', quote: 'c', span: { start: 1, end: 3 } })),
        cite(webCitation({ url: 'https://a.test', span: { start: 1, end: 99 } })),
      ],
    ],
    { content: 'abcdef', annotations: [url('t', 1, 3, { content: 'c' }), url('https://a.test', 0, 6)] },
  ],
];

it.each(CASES)('shows %s, whole and streamed', (_what, blocks, message) => {
  const events = eventsOf(blocks);
  const body = whole(events);
  const complete = { role: 'assistant', refusal: null, reasoning: null, ...message };
  expect(body.choices).toEqual([
    { index: 0, logprobs: null, finish_reason: 'stop', native_finish_reason: 'end_turn', message: complete },
  ]);
  expect(joinChunks(readChunks(streamed(events)))).toEqual({
    finish_reason: 'stop',
    native_finish_reason: 'end_turn',
    usage: body.usage,
    message: complete,
  });
});

it('hides reasoning, and its signatures', () => {
  const events = eventsOf([thought('secret', 'sig'), [{ type: 'redacted-thinking', data: 'sealed' }], text('a')]);
  const wishes = { ...OPTIONS, hidesReasoning: true };
  expect(JSON.stringify(whole(events, true)) + streamed(events, wishes)).not.toMatch(/secret|sig|sealed/);
  expect(joinChunks(readChunks(streamed(events, wishes))).message.content).toBe('a');
});

it.each<[StopReason, string]>([
  [{ unified: 'end-turn', raw: null, vendor: 'openai' }, 'stop'],
  [{ unified: 'tool-use', raw: 'stop', vendor: 'openai' }, 'tool_calls'],
  [{ unified: 'output-limit', raw: 'max_tokens', vendor: 'anthropic' }, 'length'],
  [{ unified: 'context-limit', raw: 'model_length', vendor: 'openai' }, 'length'],
  [{ unified: 'refusal', raw: 'refusal', vendor: 'anthropic' }, 'content_filter'],
  [{ unified: 'refusal', raw: 'stop', vendor: 'openai' }, 'stop'],
  [{ unified: 'content-filter', raw: 'sensitive', vendor: 'openai' }, 'content_filter'],
  [{ unified: 'pause', raw: 'pause_turn', vendor: 'anthropic' }, 'stop'],
  [{ unified: 'other', raw: 'owl', vendor: 'openai' }, 'stop'],
])('shows the end %j as %s', (stop, expected) => {
  const events = eventsOf([text('a')], stop);
  expect(whole(events).choices[0]).toMatchObject({ finish_reason: expected, native_finish_reason: stop.raw });
  expect(joinChunks(readChunks(streamed(events)))).toMatchObject({ finish_reason: expected });
});

it.each<[Usage, object]>([
  [{}, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  [
    {
      inputTokens: 1,
      cacheReadTokens: 2,
      cacheWriteTokens: 4,
      cacheWrite1hTokens: 8,
      outputTokens: 16,
      reasoningTokens: 5,
    },
    {
      prompt_tokens: 15,
      completion_tokens: 16,
      total_tokens: 31,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 12, audio_tokens: 0, video_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 5,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  ],
  [
    { webSearchRequests: 2, webFetchRequests: 1 },
    { server_tool_use_details: { tool_calls_requested: 3, tool_calls_executed: 3, web_search_requests: 2 } },
  ],
  [
    {
      inputTokens: 1,
      extras: {
        vendor: 'openai',
        value: { prompt_tokens_details: { audio_tokens: 3 }, completion_tokens_details: { audio_tokens: -1 } },
      },
    },
    { prompt_tokens_details: expect.objectContaining({ audio_tokens: 3 }) },
  ],
])('counts %j', (usage, expected) => {
  expect(whole(eventsOf([text('a')], END, { inputTokens: 0, outputTokens: 0, ...usage })).usage).toMatchObject(
    expected,
  );
});

it('omits an unknown price, and names the tier in the words of this format', () => {
  const body = whole(eventsOf([text('a')], END, { ...USAGE, serviceTier: 'standard' }));
  expect('cost' in body.usage).toBe(false);
  expect(body.service_tier).toBe('default');
});

it('names the model that answers in each chunk', () => {
  const view = { ...generationView({ model: 'a/m', provider: 'P' }) };
  const frames = new ChatFrames(view, OPTIONS);
  const events = eventsOf([text('a'), text('b')]);
  const next = events.findIndex((event) => event.type === 'block-start' && event.index === 1);
  const first = frames.print(events.slice(0, next))!;
  Object.assign(view, { model: 'b/n', provider: 'Q' });
  const rest = frames.print(events.slice(next))!;
  const heads = (text: string) => [...new Set(readChunks(text).map(({ model, provider }) => `${model} ${provider}`))];
  expect([heads(`${first}data: [DONE]\n\n`), heads(rest)]).toEqual([['a/m P'], ['b/n Q']]);
});

it('prints a failure as the last chunk', () => {
  const frames = failureFrames(chunkHead(VIEW), { error: { code: 502, message: 'Gone.' } });
  expect(readChunks(frames)).toEqual([
    {
      id: 'gen-7-a',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'a/m',
      provider: 'P',
      error: { code: 502, message: 'Gone.' },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
    },
  ]);
});
