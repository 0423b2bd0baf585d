// Goal: the events of Messages replies, and that nothing malformed gets through. Method: frames in, events out; hostile
// shapes in tables. Whole recordings are played by the contract spec.
import fc from 'fast-check';
import type { ModelEvent } from '../../../core/conversation/event.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { writeFrame, type SseFrame } from '../../../core/stream/sse.js';
import { doAtOnce } from '../../../core/steps.js';
import { decodeContext } from '../../../../test/support/decode-context.js';
import { decodeMessage, MessagesDecoder } from './decode.js';

const CONTEXT = decodeContext();

const frameOf = (payload: JsonObject): SseFrame => {
  const event = typeof payload['type'] === 'string' ? payload['type'] : '';
  const data = JSON.stringify(payload);
  const bytes = Buffer.from(writeFrame(event, data));
  return { event, data, source: { bytes, start: 0, end: bytes.length } };
};

const decode = (...frames: (JsonObject | SseFrame)[]): ModelEvent[] => {
  const decoder = new MessagesDecoder(CONTEXT);
  const out: ModelEvent[] = [];
  for (const frame of frames) decoder.push('data' in frame ? (frame as SseFrame) : frameOf(frame), out);
  return out;
};

const faultOf = (run: () => unknown): ProviderFault => {
  try {
    run();
  } catch (error) {
    if (error instanceof ProviderFault) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', usage: { input_tokens: 10, output_tokens: 1 } },
};
const stop = { type: 'message_stop' };
const ending = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null, ...delta },
  ...more,
});
const block = (content_block: JsonObject): JsonObject => ({ type: 'content_block_start', index: 0, content_block });
const delta = (value: JsonObject): JsonObject => ({ type: 'content_block_delta', index: 0, delta: value });
const blockStop = { type: 'content_block_stop', index: 0 };

describe('blocks', () => {
  it('carries keys that core does not model', () => {
    expect(decode(block({ type: 'tool_use', id: 'a', name: 'f', input: {}, caller: { type: 'direct' } }))).toEqual([
      {
        type: 'block-start',
        index: 0,
        block: {
          type: 'tool-use',
          id: 'a',
          name: 'f',
          extras: { vendor: 'anthropic', value: { caller: { type: 'direct' } } },
        },
      },
    ]);
  });

  it.each([
    [
      { type: 'text', text: 'a', citations: [{ n: 1 }] },
      [
        { type: 'text', text: 'a' },
        { type: 'citation', citation: { n: 1 } },
      ],
    ],
    [
      { type: 'thinking', thinking: 't', signature: 's' },
      [
        { type: 'thinking', text: 't' },
        { type: 'signature', signature: 's' },
      ],
    ],
    [{ type: 'thinking', thinking: '' }, []],
    [{ type: 'text', text: '', citations: null }, []],
  ])('emits what the start already contains: %j', (content, deltas) => {
    const events = decode(block(content));
    expect(events.slice(1).map((event) => event.type === 'block-delta' && event.delta)).toEqual(deltas);
  });

  it('emits arguments of the start at the end, unless deltas brought others', () => {
    const call = block({ type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } });
    const json = (partial_json: string): JsonObject => delta({ type: 'input_json_delta', partial_json });
    const argumentsOf = (...frames: JsonObject[]): string =>
      decode(...frames, blockStop)
        .map((event) => (event.type === 'block-delta' && event.delta.type === 'input-json' ? event.delta.json : ''))
        .join('');
    expect(argumentsOf(call, json(''))).toBe('{"a":1}');
    expect(argumentsOf(call, json('{"b":'), json('2}'))).toBe('{"b":2}');
  });

  it.each<[Json, string]>([
    ['{"a":1}', '{"a":1}'],
    ['', ''],
    [' \n', ''],
    [null, ''],
  ])('takes arguments that a start has as the text %j for %j', (input, json) => {
    const events = decode(start, block({ type: 'tool_use', id: 'a', name: 'f', input }), blockStop);
    const given = events.filter((event) => event.type === 'block-delta');
    expect(given).toEqual(json === '' ? [] : [{ type: 'block-delta', index: 0, delta: { type: 'input-json', json } }]);
  });

  it('takes space as arguments for none', () => {
    const call = block({ type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } });
    const json = (partial_json: string): JsonObject => delta({ type: 'input_json_delta', partial_json });
    const deltas = (...frames: JsonObject[]): unknown[] =>
      decode(...frames, blockStop).flatMap((event) => (event.type === 'block-delta' ? [event.delta] : []));
    expect(deltas(call, json(' \n'))).toEqual([{ type: 'input-json', json: '{"a":1}' }]);
    expect(deltas(call, json(' '), json('{'), json(' }'))).toEqual([
      { type: 'input-json', json: '{' },
      { type: 'input-json', json: ' }' },
    ]);
  });

  it('reads a reply that is complete in its start, as code that calls tools gets it', () => {
    const content = [
      { type: 'text', text: 'a' },
      {
        type: 'tool_use',
        id: 't',
        name: 'f',
        input: { a: 1 },
        caller: { type: 'code_execution_20250825', tool_id: 's' },
      },
    ];
    const container = { id: 'c' };
    const message = { ...start.message, container, content, stop_reason: 'tool_use', stop_sequence: null };
    const streamed = decode({ type: 'message_start', message }, stop);
    expect(streamed.filter(({ type }) => type !== 'reply-start' && type !== 'reply-end')).toEqual(
      doAtOnce(decodeMessage(message, CONTEXT)).filter(({ type }) => type !== 'reply-start' && type !== 'reply-end'),
    );
    expect(streamed[0]).toMatchObject({ type: 'reply-start', extras: { value: { container } } });
    expect(streamed.at(-1)).toEqual({
      type: 'reply-end',
      stop: { unified: 'tool-use', raw: 'tool_use', vendor: 'anthropic' },
    });
  });

  it('carries blocks that only the vendor understands whole', () => {
    const value = { type: 'code_execution_tool_result', tool_use_id: 'a', content: { stdout: 'x' } };
    expect(decode(block(value))).toEqual([
      { type: 'block-start', index: 0, block: { type: 'opaque', opaque: { vendor: 'anthropic', value } } },
    ]);
  });

  it('carries unknown deltas of such blocks, and passes over those of known ones', () => {
    const unknown = delta({ type: 'sparkle_delta', sparkle: 1 });
    expect(decode(block({ type: 'compaction', content: null }), unknown)[1]).toMatchObject({
      delta: { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'sparkle_delta', sparkle: 1 } } },
    });
    expect(decode(block({ type: 'text', text: '' }), unknown)).toHaveLength(1);
  });

  it('attaches source bytes to deltas, ends and pings whose name is their type, and to nothing else', () => {
    const named = [
      start,
      block({ type: 'text', text: 'a' }),
      delta({ type: 'text_delta', text: 'b' }),
      blockStop,
      { type: 'ping' },
    ];
    const sources = decode(...named, ending({}), stop).map((event) => [event.type, 'source' in event]);
    expect(sources).toEqual([
      ['reply-start', false],
      ['usage', false],
      ['block-start', false],
      ['block-delta', false],
      ['block-delta', true],
      ['block-end', true],
      ['ping', true],
      ['reply-end', false],
    ]);
    const misnamed = { ...frameOf(delta({ type: 'text_delta', text: 'b' })), event: '' };
    expect(decode(block({ type: 'text', text: '' }), misnamed)[1]).not.toHaveProperty('source');
  });
});

describe('frames', () => {
  it('go by the type in their data when they have no name', () => {
    const unnamed = { event: '', data: JSON.stringify({ type: 'ping' }) };
    expect(decode(unnamed, { event: 'message', data: unnamed.data }, { event: 'ping', data: '{}' })).toHaveLength(3);
  });

  it.each<[string, SseFrame]>([
    ['the sentinel', { event: '', data: '[DONE]' }],
    ['an unknown name, whatever it holds', { event: 'sparkle', data: 'not json' }],
    ['an unknown type', { event: '', data: '{"type":"sparkle"}' }],
    ['no data', { event: 'ping', data: '' }],
  ])('pass over %s', (_name, frame) => {
    expect(decode(frame)).toEqual([]);
  });

  it('are passed over after the end', () => {
    const events = decode(start, ending({}), stop, { type: 'ping' }, start, { type: 'error' });
    expect(events.at(-1)?.type).toBe('reply-end');
  });

  it.each<[string, JsonObject | SseFrame]>([
    ['broken JSON', { event: 'ping', data: '{"type":' }],
    ['JSON that is no object', { event: 'ping', data: '[]' }],
    ['a start without a message', { type: 'message_start' }],
    ['a block that is null', { type: 'content_block_start', index: 0, content_block: null }],
    ['a block without a type', block({})],
    ['a text block without text', block({ type: 'text' })],
    ['a call without a name', block({ type: 'tool_use', id: 'a' })],
    ['a delta that is text', { type: 'content_block_delta', index: 0, delta: 'x' }],
    ['a text delta without text', delta({ type: 'text_delta' })],
    ['a citation delta without citation', delta({ type: 'citations_delta' })],
    ['no index', { type: 'content_block_stop' }],
    ['an ending without a delta', { type: 'message_delta' }],
    ['a stop without a reason', stop],
  ])('are refused for %s', (_name, frame) => {
    expect(faultOf(() => decode(frame)).kind).toBe('malformed-reply');
  });

  it('that stop before the end are a cut reply', () => {
    const decoder = new MessagesDecoder(CONTEXT);
    decoder.push(frameOf(start), []);
    expect(faultOf(() => decoder.end()).kind).toBe('malformed-reply');
  });

  it('of any shape give events or a fault of the provider, never another error', () => {
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'error',
    ];
    const payload = fc.record(
      {
        type: fc.constantFrom(...types),
        index: fc.oneof(fc.integer(), fc.jsonValue()),
        message: fc.jsonValue(),
        content_block: fc.jsonValue(),
        delta: fc.jsonValue(),
        usage: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 6 }), fc.jsonValue(), (payloads, body) => {
        const allowed = (run: () => unknown): void => {
          try {
            run();
          } catch (error) {
            if (!(error instanceof ProviderFault)) throw error;
          }
        };
        allowed(() => decode(...payloads.map((value) => frameOf(JSON.parse(JSON.stringify(value)) as JsonObject))));
        allowed(() => doAtOnce(decodeMessage(body, CONTEXT)));
        allowed(() =>
          doAtOnce(
            decodeMessage(isJsonObject(body) ? { ...body, content: [body], stop_reason: 'end_turn' } : body, CONTEXT),
          ),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('the end', () => {
  it.each([
    ['end_turn', 'end-turn'],
    ['max_tokens', 'output-limit'],
    ['stop_sequence', 'stop-sequence'],
    ['tool_use', 'tool-use'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['compaction', 'compaction'],
    ['model_context_window_exceeded', 'context-limit'],
    ['something_new', 'other'],
  ])('keeps %s beside %s', (raw, unified) => {
    expect(decode(start, ending({ stop_reason: raw }), stop).at(-1)).toEqual({
      type: 'reply-end',
      stop: { unified, raw, vendor: 'anthropic' },
    });
  });

  it('carries the sequence met and every other field beside the reason', () => {
    const details = { type: 'refusal', category: null };
    expect(
      decode(
        start,
        ending(
          { stop_sequence: 'X', stop_details: details, container: null },
          { context_management: { applied_edits: [] } },
        ),
        stop,
      ).at(-1),
    ).toEqual({
      type: 'reply-end',
      stop: { unified: 'end-turn', raw: 'end_turn', vendor: 'anthropic', sequence: 'X' },
      extras: {
        vendor: 'anthropic',
        value: { context_management: { applied_edits: [] }, stop_details: details, container: null },
      },
    });
  });
});

describe('usage', () => {
  const usageOf = (first: JsonObject, last: JsonObject): unknown => {
    const events = decode({ type: 'message_start', message: { usage: first } }, ending({}, { usage: last }), stop);
    const usage = events.findLast((event) => event.type === 'usage')?.usage;
    return { ...usage, extras: undefined };
  };

  it('replaces figures, never adds them', () => {
    expect(
      usageOf(
        { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 1 },
        { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 50 },
      ),
    ).toEqual({ inputTokens: 10, cacheReadTokens: 100, outputTokens: 50 });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['null means no figure', { input_tokens: 10 }, { input_tokens: null }, { inputTokens: 10 }],
    ['negative figures are passed over', { output_tokens: 1 }, { output_tokens: -5 }, { outputTokens: 1 }],
    ['fractions are not judged here', {}, { output_tokens: 1.5 }, { outputTokens: 1.5 }],
    ['what no integer can be is passed over', {}, { output_tokens: 1e300 }, {}],
    ['text is passed over', {}, { output_tokens: '7' }, {}],
    ['zero is a figure', {}, { output_tokens: 0 }, { outputTokens: 0 }],
    [
      'a prompt of 0 that cost nothing',
      { input_tokens: 0 },
      { output_tokens: 5, cost_details: { upstream_inference_prompt_cost: 0 } },
      { inputTokens: 0, outputTokens: 5, promptIsFree: true },
    ],
    ['writes without parts are of five minutes', { cache_creation_input_tokens: 7 }, {}, { cacheWriteTokens: 7 }],
    [
      'writes are parted',
      {
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 },
      },
      {},
      { cacheWriteTokens: 4, cacheWrite1hTokens: 6 },
    ],
    [
      'a newer total than its parts',
      {
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 },
      },
      { cache_creation_input_tokens: 30 },
      { cacheWriteTokens: 24, cacheWrite1hTokens: 6 },
    ],
    [
      'newer parts than their total',
      { cache_creation_input_tokens: 10 },
      { cache_creation: { ephemeral_5m_input_tokens: 14, ephemeral_1h_input_tokens: 6 } },
      { cacheWriteTokens: 14, cacheWrite1hTokens: 6 },
    ],
    [
      'details, tools, tier and speed',
      { service_tier: 'standard', speed: 'standard' },
      {
        output_tokens_details: { thinking_tokens: 3 },
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 },
        speed: 'fast',
      },
      { reasoningTokens: 3, webSearchRequests: 1, webFetchRequests: 2, serviceTier: 'standard', speed: 'fast' },
    ],
  ])('%s', (_name, first, last, expected) => {
    expect(usageOf(first, last)).toEqual(expected);
  });

  it("reports the vendor's iterations of known kinds", () => {
    const tokens = { input_tokens: 5, output_tokens: 2 };
    const iterations = [
      { type: 'compaction', ...tokens, cache_creation_input_tokens: 3, cache_read_input_tokens: 1 },
      { type: 'advisor_message', model: 'm-2', ...tokens },
      { type: 'message', input_tokens: '5', output_tokens: null },
      { type: 'fallback_message', ...tokens },
      'message',
    ];
    expect(usageOf({}, { iterations })).toEqual({
      iterations: [
        { kind: 'compaction', inputTokens: 5, outputTokens: 2, cacheWriteTokens: 3, cacheReadTokens: 1 },
        { kind: 'advisor', model: 'm-2', inputTokens: 5, outputTokens: 2 },
        { kind: 'message' },
      ],
    });
  });

  it("marks the start's report as interim, and that of the end or of a whole reply as final", () => {
    const streamed = (usage: JsonObject): ModelEvent[] =>
      decode({ type: 'message_start', message: { usage: {} } }, ending({}, { usage }), stop);
    const whole = doAtOnce(
      decodeMessage({ content: [], stop_reason: 'end_turn', usage: { output_tokens: 1 } }, CONTEXT),
    );
    const interim = (events: readonly ModelEvent[]): unknown =>
      events.filter((event) => event.type === 'usage').map(({ isInterim }) => isInterim);
    expect(interim(streamed({ output_tokens: 1 }))).toEqual([true, undefined]);
    expect(interim(streamed({ output_tokens: 0 }))).toEqual([true, undefined]);
    expect(interim(streamed({}))).toEqual([true, true]);
    expect(interim(whole)).toEqual([undefined]);
  });

  it('keeps the raw object, later over earlier', () => {
    const events = decode(
      { type: 'message_start', message: { usage: { input_tokens: 1, inference_geo: 'us' } } },
      ending({}, { usage: { output_tokens: 2, iterations: [] } }),
    );
    expect(events.at(-1)).toMatchObject({
      usage: {
        extras: {
          vendor: 'anthropic',
          value: { input_tokens: 1, inference_geo: 'us', output_tokens: 2, iterations: [] },
        },
      },
    });
  });
});

describe('errors inside a 200', () => {
  it.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate-limited'],
    ['api_error', 'server-error'],
    ['invalid_request_error', 'rejected-request'],
    ['request_too_large', 'too-large'],
    ['authentication_error', 'refused-credential'],
    ['permission_error', 'refused-credential'],
    ['not_found_error', 'not-found'],
    ['billing_error', 'payment-required'],
    ['timeout_error', 'timed-out'],
    ['sparkle_error', 'server-error'],
  ])('%s is %s, streamed and whole', (type, kind) => {
    const payload = { type: 'error', error: { type, message: 'Said so' } };
    for (const fault of [faultOf(() => decode(payload)), faultOf(() => doAtOnce(decodeMessage(payload, CONTEXT)))]) {
      expect(fault).toMatchObject({ kind, message: 'Said so', detail: { providerCode: type } });
    }
  });

  it.each([
    [{ type: 'error' }],
    [{ type: 'error', error: null }],
    [{ type: 'error', error: { type: 1, message: {} } }],
  ])('reads %j tolerantly', (payload) => {
    expect(faultOf(() => decode(payload)).kind).toBe('server-error');
  });
});

describe('a whole reply', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['text', 'x'],
    ['without content', { type: 'message', stop_reason: 'end_turn' }],
    ['with content that is no list', { content: 'x', stop_reason: 'end_turn' }],
    ['without a stop reason', { content: [] }],
    ['with a null stop reason', { content: [], stop_reason: null }],
  ])('%s is malformed', (_name, body) => {
    expect(faultOf(() => doAtOnce(decodeMessage(body, CONTEXT))).kind).toBe('malformed-reply');
  });

  it('with input nested past what can be printed is malformed', () => {
    const input: unknown = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000));
    const body = { content: [{ type: 'tool_use', id: 'a', name: 'f', input }], stop_reason: 'tool_use' };
    expect(faultOf(() => doAtOnce(decodeMessage(body, CONTEXT))).kind).toBe('malformed-reply');
  });

  it('carries unknown keys with its end', () => {
    const events = doAtOnce(
      decodeMessage({ id: 'm', content: [], stop_reason: 'end_turn', usage: {}, diagnostics: { a: 1 } }, CONTEXT),
    );
    expect(events.at(-1)).toMatchObject({ extras: { vendor: 'anthropic', value: { diagnostics: { a: 1 } } } });
  });
});
