// Goal: for every form of a chat provider's answers, the events obey the grammar and have the same content. Method:
// chunks written from the providers' public documentation, given as SSE bytes or as whole bodies; every sequence passes
// GrammarCheck; properties over cuts. Rules: docs/contribute/reasons/money.md, docs/use/streaming.md,
// docs/contribute/reasons/translation.md.
import { modelRequest } from '../../../../test/support/model-request.js';
import fc from 'fast-check';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { ModelEvent } from '../../../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../../core/conversation/reply.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { ProviderFault } from '../../../core/errors.js';
import type { DecodeContext } from '../../../core/provider.js';
import { assertGrammar, GrammarCheck } from '../../../core/stream/grammar.js';
import { SseReader } from '../../../core/stream/sse.js';
import { chain } from '../../../core/stream/stream-stage.js';
import { doAtOnce } from '../../../core/steps.js';
import { openaiChat } from './dialect.js';

function context(parts: Partial<ModelRequest> = {}): DecodeContext {
  const endpoint: DecodeContext['target']['endpoint'] = {
    tag: 'acme',
    provider: {
      slug: 'acme',
      name: 'Acme',
      dialect: 'openai-chat',
      baseUrl: 'https://provider.test/v1',
      policy: { collectsData: false, zeroDataRetention: false },
    },
    upstreamModel: 'acme-upstream',
    pricing: null,
    quantization: 'unknown',
    contextLength: 128_000,
    supportedParameters: [],
  };
  return {
    request: modelRequest({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: true,
      ...parts,
    }),
    target: {
      endpoint,
      model: {
        id: 'acme/model',
        name: 'Acme Model',
        contextLength: 128_000,
        inputModalities: ['text'],
        outputModalities: ['text'],
        scores: {},
        endpoints: [endpoint],
      },
      tier: 'standard',
      definition: { slug: 'acme', credential: 'bearer', quirks: {} },
    },
  };
}

type Chunk = JsonObject | string;

const chunk = (delta: JsonObject | null, rest: JsonObject = {}): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'acme-upstream',
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});
const textPiece = (content: string): JsonObject => chunk({ content });
const thinks = (reasoning_content: string): JsonObject => chunk({ reasoning_content });
const calls = (...tool_calls: JsonObject[]): JsonObject => chunk({ tool_calls });
const begins = (index: number, id: string, name: string, args = ''): JsonObject => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: args },
});
const argues = (index: number, args: string): JsonObject => ({ index, function: { arguments: args } });
const stops = (finish_reason: string): JsonObject => chunk({}, { finish_reason });
const reports = (usage: JsonObject): JsonObject => ({ id: 'chatcmpl-1', choices: [], usage });
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const ENDING: Chunk[] = [stops('stop'), reports(USAGE), '[DONE]'];

const sse = (chunks: readonly Chunk[]): string =>
  chunks.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join('');

function decodeBytes(pieces: readonly Uint8Array[], where = context()): ModelEvent[] {
  const step = new GrammarCheck(chain(new SseReader(), openaiChat.decodeStream(where)));
  const out: ModelEvent[] = [];
  for (const piece of pieces) step.push(piece, out);
  step.end(out);
  return out;
}

const decode = (chunks: readonly Chunk[], where = context()): ModelEvent[] =>
  decodeBytes([Buffer.from(sse(chunks))], where);

function decodeWhole(body: unknown, where = context()): ModelEvent[] {
  const events = doAtOnce(openaiChat.decodeWhole(body, where));
  assertGrammar(events);
  return events;
}

function fold(events: readonly ModelEvent[]): Reply {
  const reply = new ReplyBuilder();
  for (const event of events) reply.push(event);
  return reply.finish();
}

const blocksOf = (chunks: readonly Chunk[], where = context()): [string, string][] =>
  fold(decode(chunks, where)).blocks.map(({ start, text }) => [
    start.type === 'tool-use' ? `${start.id}:${start.name}` : start.type,
    text,
  ]);

function faultOf(run: () => unknown): ProviderFault {
  try {
    run();
  } catch (error) {
    if (error instanceof ProviderFault) return error;
    throw error;
  }
  throw new Error('There was no fault.');
}

describe('a streamed reply', () => {
  it('begins once, closes thinking before text and numbers the blocks', () => {
    const events = decode([
      chunk({ role: 'assistant', content: '' }),
      thinks('a'),
      thinks('b'),
      textPiece('c'),
      textPiece('d'),
      ...ENDING,
    ]);
    expect(events).toEqual([
      { type: 'reply-start', id: 'chatcmpl-1', model: 'acme-upstream' },
      { type: 'block-start', index: 0, block: { type: 'thinking' } },
      { type: 'block-delta', index: 0, delta: { type: 'thinking', text: 'a' } },
      { type: 'block-delta', index: 0, delta: { type: 'thinking', text: 'b' } },
      { type: 'block-end', index: 0 },
      { type: 'block-start', index: 1, block: { type: 'text' } },
      { type: 'block-delta', index: 1, delta: { type: 'text', text: 'c' } },
      { type: 'block-delta', index: 1, delta: { type: 'text', text: 'd' } },
      { type: 'block-end', index: 1 },
      {
        type: 'usage',
        usage: { inputTokens: 10, outputTokens: 5, extras: { vendor: 'openai', value: USAGE } },
      },
      { type: 'reply-end', stop: { unified: 'end-turn', raw: 'stop', vendor: 'openai' } },
    ]);
  });

  it.each<[string, JsonObject[]]>([
    ['reasoning_content', [{ reasoning_content: 'a' }, { reasoning_content: 'b' }]],
    ['reasoning', [{ reasoning: 'a' }, { reasoning: 'b' }]],
    [
      'details',
      [
        { reasoning_details: [{ type: 'reasoning.text', text: 'a' }] },
        { reasoning_details: [{ type: 'reasoning.text', text: 'b' }, { type: 'reasoning.owl' }] },
      ],
    ],
    [
      'both, with the same content',
      [
        { reasoning: 'a', reasoning_details: [{ text: 'a' }] },
        { reasoning: 'b', reasoning_details: [{ text: 'b' }] },
      ],
    ],
    [
      'thinking parts',
      [
        {
          content: [
            {
              type: 'thinking',
              thinking: [
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b' },
              ],
            },
          ],
        },
      ],
    ],
  ])('reads reasoning as %s', (_, deltas) => {
    const events = [
      ...deltas.map((delta) => chunk(delta)),
      chunk({ content: [{ type: 'text', text: 'c' }] }),
      ...ENDING,
    ];
    expect(blocksOf(events)).toEqual([
      ['thinking', 'ab'],
      ['text', 'c'],
    ]);
  });

  it.each<[string, Chunk[]]>([
    [
      'role-only, null and empty deltas',
      [
        chunk({ role: 'assistant', content: null, reasoning_content: null, tool_calls: null }),
        chunk({ content: '', reasoning: '' }),
        chunk(null),
        chunk({}),
      ],
    ],
    [
      'no choices',
      [
        { id: 'x', choices: null, usage: null },
        { id: 'x', choices: [] },
        { prompt_filter_results: [], choices: [] },
      ],
    ],
    ['keep-alives', ['', 'ping', '{"type":"ping"}', 'null', '17', '"x"']],
    ['another choice', [{ choices: [{ index: 1, delta: { content: 'no' }, finish_reason: 'stop' }] }]],
    ['a null error', [{ ...chunk({}), error: null }]],
  ])('passes over %s', (_, chunks) => {
    expect(blocksOf([...chunks, textPiece('a'), ...chunks, ...ENDING])).toEqual([['text', 'a']]);
  });

  it('reads a choice without an index', () => {
    expect(blocksOf([{ choices: [{ delta: { content: 'a' } }] }, ...ENDING])).toEqual([['text', 'a']]);
  });

  it('needs no sentinel', () => {
    expect(fold(decode([textPiece('a'), stops('stop'), reports(USAGE)])).usage.outputTokens).toBe(5);
  });

  it('passes over whatever follows the sentinel', () => {
    expect(blocksOf([textPiece('a'), ...ENDING, textPiece('b'), '[DONE]', '{broken'])).toEqual([['text', 'a']]);
  });

  it('keeps the first of two finish reasons, and content behind it', () => {
    const reply = fold(
      decode([textPiece('a'), stops('length'), textPiece('b'), stops('stop'), reports(USAGE), '[DONE]']),
    );
    expect(reply.stop).toMatchObject({ unified: 'output-limit', raw: 'length' });
    expect(reply.blocks[0]?.text).toBe('ab');
  });

  it('ends at the sentinel where usage was reported behind the last words, though no reason was given', () => {
    const reply = fold(decode([textPiece('a'), reports(USAGE), '[DONE]']));
    expect(reply.stop).toEqual({ unified: 'end-turn', raw: null, vendor: 'openai' });
    expect(reply.blocks[0]?.text).toBe('a');
  });

  it.each<[string, Chunk[]]>([
    ['beside the last words', [{ ...textPiece('a'), usage: USAGE }, '[DONE]']],
    ['before the last words', [textPiece('a'), reports(USAGE), textPiece('b'), '[DONE]']],
    ['without the sentinel', [textPiece('a'), reports(USAGE)]],
  ])('does not take a reply for whole whose usage came %s', (_, chunks) => {
    expect(faultOf(() => decode(chunks)).kind).toBe('malformed-reply');
  });

  it('reads usage that Groq gives beside the choice', () => {
    const { usage } = fold(decode([textPiece('a'), { ...stops('stop'), x_groq: { id: 'r', usage: USAGE } }, '[DONE]']));
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(usage.estimated).toBeUndefined();
  });

  it('takes space as arguments for none', () => {
    const chunks = [
      calls(begins(0, 'a', 'f', ' \n'), begins(1, 'b', 'g')),
      calls(argues(0, '\t')),
      stops('tool_calls'),
    ];
    expect(blocksOf([...chunks, reports(USAGE), '[DONE]'])).toEqual([
      ['a:f', '{}'],
      ['b:g', '{}'],
    ]);
  });

  it.each<[string, Chunk[]]>([
    ['before anything', []],
    ['after content', [textPiece('a')]],
    ['after content, with a clean sentinel', [textPiece('a'), '[DONE]']],
  ])('is malformed when it stops %s without a finish reason', (_, chunks) => {
    expect(faultOf(() => decode(chunks)).kind).toBe('malformed-reply');
  });

  it('is malformed when a chunk is broken JSON', () => {
    expect(faultOf(() => decode([textPiece('a'), '{"choices":[{', ...ENDING])).kind).toBe('malformed-reply');
  });

  it('gives a refusal as text and as the stop', () => {
    const reply = fold(decode([chunk({ refusal: 'I ' }), chunk({ refusal: 'cannot.' }), ...ENDING]));
    expect(reply.blocks.map(({ text }) => text)).toEqual(['I cannot.']);
    expect(reply.stop).toEqual({ unified: 'refusal', raw: 'stop', vendor: 'openai' });
  });
});

describe('stop reasons', () => {
  it.each([
    ['stop', 'end-turn'],
    ['eos', 'end-turn'],
    ['length', 'output-limit'],
    ['model_length', 'context-limit'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'end-turn'],
    ['something_new', 'other'],
    ['constructor', 'other'],
  ])('%s without tool calls is %s', (raw, unified) => {
    expect(fold(decode([textPiece('a'), stops(raw), '[DONE]'])).stop).toEqual({ unified, raw, vendor: 'openai' });
  });

  it.each([
    ['stop', 'tool-use'],
    ['tool_calls', 'tool-use'],
    ['function_call', 'tool-use'],
    ['length', 'output-limit'],
  ])('%s with tool calls is %s', (raw, unified) => {
    expect(fold(decode([calls(begins(0, 't', 'f', '{}')), stops(raw), '[DONE]'])).stop.unified).toBe(unified);
  });

  it('names the stop sequence where the provider does', () => {
    const last = chunk({}, { finish_reason: 'stop', stop_reason: 'END' });
    const stopOf = (stopSequences: string[]) => fold(decode([textPiece('a'), last], context({ stopSequences }))).stop;
    expect(stopOf(['END'])).toEqual({ unified: 'stop-sequence', raw: 'stop', vendor: 'openai', sequence: 'END' });
    expect(stopOf(['OTHER'])).toEqual({ unified: 'end-turn', raw: 'stop', vendor: 'openai' });
  });

  it.each([
    ['error', 'server-error'],
    ['network_error', 'server-error'],
    ['insufficient_system_resource', 'unavailable'],
  ])('%s is a fault', (raw, kind) => {
    expect(faultOf(() => decode([textPiece('a'), stops(raw), '[DONE]']))).toMatchObject({
      kind,
      detail: { providerCode: raw },
    });
  });
});

describe('tool calls', () => {
  it('forwards each piece at once as its own delta', () => {
    const step = openaiChat.decodeStream(context());
    const push = (data: JsonObject): ModelEvent[] => {
      const out: ModelEvent[] = [];
      step.push({ event: '', data: JSON.stringify(data) }, out);
      return out;
    };
    expect(push(calls(begins(0, 't1', 'look')))).toMatchObject([
      { type: 'reply-start' },
      { type: 'block-start', block: { type: 'tool-use', id: 't1', name: 'look' } },
    ]);
    for (const piece of ['{"a', '":', '"x"', '}']) {
      expect(push(calls(argues(0, piece)))).toEqual([
        { type: 'block-delta', index: 0, delta: { type: 'input-json', json: piece } },
      ]);
    }
    expect(push(calls(begins(1, 't2', 'look', '{"b"')))).toMatchObject([
      { type: 'block-end', index: 0 },
      { type: 'block-start', index: 1 },
      { type: 'block-delta', index: 1, delta: { json: '{"b"' } },
    ]);
  });

  const two: [string, string][] = [
    ['t1:f', '{"a":"}"}'],
    ['t2:g', '{"b":[1]}'],
  ];
  it.each<[string, Chunk[]]>([
    [
      'one after the other',
      [
        calls(begins(0, 't1', 'f')),
        calls(argues(0, '{"a":"}"}')),
        calls(begins(1, 't2', 'g')),
        calls(argues(1, '{"b":[1]}')),
      ],
    ],
    ['in one chunk', [calls(begins(0, 't1', 'f', '{"a":"}"}'), begins(1, 't2', 'g', '{"b":[1]}'))]],
    [
      'interleaved',
      [
        calls(begins(0, 't1', 'f'), begins(1, 't2', 'g')),
        calls(argues(1, '{"b"')),
        calls(argues(0, '{"a"')),
        calls(argues(1, ':[1]}')),
        calls(argues(0, ':"}"}')),
      ],
    ],
    [
      'without indexes',
      [
        calls({ id: 't1', function: { name: 'f', arguments: '{"a":' } }),
        calls({ function: { arguments: '"}"}' } }),
        calls({ id: 't2', function: { name: 'g', arguments: '{"b":[1]}' } }),
      ],
    ],
    ['all with index 0', [calls(begins(0, 't1', 'f', '{"a":"}"}')), calls(begins(0, 't2', 'g', '{"b":[1]}'))]],
    [
      'with the name and id in each piece',
      [
        calls(begins(0, 't1', 'f', '{"a":')),
        calls(begins(0, 't1', 'f', '"}"}')),
        calls(begins(1, 't2', 'g', '{"b":[1]}')),
      ],
    ],
    [
      'with objects as arguments',
      [
        calls({ index: 0, id: 't1', function: { name: 'f', arguments: { a: '}' } } }),
        calls({ index: 1, id: 't2', function: { name: 'g', arguments: { b: [1] } } }),
      ],
    ],
    [
      'with something behind a complete object',
      [
        calls(begins(0, 't1', 'f', '{"a":"}"}  ')),
        calls(argues(0, '{"a":"}"}')),
        calls(begins(1, 't2', 'g', '{"b":[1]}')),
        calls(argues(0, '\n')),
      ],
    ],
  ])('reads two calls %s', (_, chunks) => {
    expect(blocksOf([...chunks, stops('tool_calls'), '[DONE]'])).toEqual(two);
  });

  it('gives a call without arguments none of them', () => {
    expect(blocksOf([calls(begins(0, 't1', 'f'), begins(1, 't2', 'g', '{}')), stops('tool_calls')])).toEqual([
      ['t1:f', '{}'],
      ['t2:g', '{}'],
    ]);
  });

  it('keeps text that interrupts a call for behind it', () => {
    const chunks = [
      textPiece('a'),
      calls(begins(0, 't1', 'f', '{"x"')),
      textPiece('b'),
      calls(argues(0, ':1}')),
      textPiece('c'),
      stops('stop'),
    ];
    expect(blocksOf(chunks)).toEqual([
      ['text', 'a'],
      ['t1:f', '{"x":1}'],
      ['text', 'bc'],
    ]);
  });

  it.each(['{"a":1', '"text"', 'nonsense', '}{'])('gives broken arguments as they are: %s', (json) => {
    expect(blocksOf([calls(begins(0, 't1', 'f', json)), stops('length')])).toEqual([['t1:f', json]]);
  });

  it('names calls that the provider did not, each by itself and the same each time', () => {
    const chunks = [
      calls({ index: 0, id: '', function: { name: 'f', arguments: '{}' } }),
      calls({ index: 1, function: { name: 'g', arguments: '{}' } }),
      stops('tool_calls'),
    ];
    expect(blocksOf(chunks).map(([name]) => name)).toEqual(['call_1_0:f', 'call_1_1:g']);
  });

  it('reads a name that comes behind the id and the arguments', () => {
    const sent = [
      { index: 0, id: 't1', function: { arguments: '{"a"' } },
      { index: 1, id: 't2', function: { arguments: '{}' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, function: { name: 'g' } },
      { index: 0, function: { name: 'f' } },
    ];
    const { blocks } = fold(decode([...sent.map((piece) => calls(piece)), stops('tool_calls'), '[DONE]']));
    expect(blocks.map(({ start, text }) => [start, text])).toEqual([
      [{ type: 'tool-use', id: 't2', name: 'g' }, '{}'],
      [{ type: 'tool-use', id: 't1', name: 'f' }, '{"a":1}'],
    ]);
    expect(() => decode([calls(sent[0]!), stops('tool_calls'), '[DONE]'])).toThrow('did not name');
  });

  it('gives a call an id of its own where the provider repeats one, in the reply or its conversation', () => {
    const twice = [calls(begins(0, 'x', 'f', '{}')), calls(begins(1, 'x', 'g', '{}')), stops('tool_calls')];
    expect(blocksOf(twice).map(([name]) => name)).toEqual(['x:f', 'call_1_1:g']);
    const listed = { tool_calls: [begins(0, 'x', 'f', '{}'), begins(0, 'x', 'g', '{}')] };
    const { blocks } = fold(decodeWhole({ choices: [{ message: listed, finish_reason: 'tool_calls' }] }));
    expect(blocks.map(({ start }) => 'id' in start && start.id)).toEqual(['x', 'call_1_1']);
    const messages: ModelRequest['messages'] = [
      { role: 'assistant', content: ['x', 'call_2_0'].map((id) => ({ type: 'tool-use', id, name: 'f', input: {} })) },
      { role: 'user', content: [{ type: 'tool-result', toolUseId: 'x', content: [] }] },
    ];
    expect(blocksOf(twice, context({ messages })).map(([name]) => name)).toEqual(['call_2_0_1:f', 'call_2_1:g']);
  });

  it.each(['content', 'arguments'])('is malformed where an object as %s is nested past the stack', (member) => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const piece =
      member === 'content' ? { content: 1 } : { tool_calls: [{ index: 0, function: { name: 'f', arguments: 1 } }] };
    const whole = JSON.stringify({ choices: [{ message: piece, finish_reason: 'stop' }] });
    const streamed = JSON.stringify(chunk(piece));
    const withDeep = (text: string): string => text.replace(`"${member}":1`, `"${member}":${deep}`);
    expect(faultOf(() => decode([withDeep(streamed), ...ENDING])).kind).toBe('malformed-reply');
    expect(faultOf(() => decodeWhole(JSON.parse(withDeep(whole)))).kind).toBe('malformed-reply');
  });

  it('distinguishes the pieces of calls by their ids, where their indexes do not', () => {
    const begun: JsonObject[] = [begins(0, 'a', 'f', '{"x":'), begins(0, 'b', 'g', '{"y":')];
    const grown: JsonObject[] = [
      { id: 'a', ...argues(0, '1}') },
      { id: 'b', ...argues(0, '2}') },
    ];
    for (const pieces of [[...begun, ...grown], [...begun, ...grown].map(({ index: _, ...piece }) => piece)]) {
      expect(blocksOf([...pieces.map((piece) => calls(piece)), stops('tool_calls')])).toEqual([
        ['a:f', '{"x":1}'],
        ['b:g', '{"y":2}'],
      ]);
    }
  });

  it('keeps the id of a call whose name comes behind it', () => {
    const chunks = [
      calls({ index: 0, id: 'a', type: 'function', function: { arguments: '' } }),
      calls({ index: 1, id: 'b', function: {} }),
      calls({ index: 0, function: { name: 'f' } }),
      calls(argues(0, '{"x":1}')),
      calls({ index: 1, function: { name: 'g', arguments: '{}' } }),
      ...ENDING,
    ];
    expect(blocksOf(chunks)).toEqual([
      ['a:f', '{"x":1}'],
      ['b:g', '{}'],
    ]);
  });

  const LEGACY = { name: 'f', arguments: '{"x":1}' };
  it.each<[string, Chunk[]]>([
    ['at once', [chunk({ role: 'assistant', content: null, function_call: LEGACY }), stops('function_call')]],
    [
      'in pieces',
      [
        chunk({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } }),
        chunk({ function_call: { arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
        stops('function_call'),
      ],
    ],
    [
      'in pieces that repeat the name',
      [
        chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
        chunk({ function_call: { name: 'f', arguments: ':1}' } }),
        stops('stop'),
      ],
    ],
    [
      'beside the newer form',
      [chunk({ function_call: LEGACY, tool_calls: [begins(0, 'a', 'f', '{"x":1}')] }), stops('tool_calls')],
    ],
  ])('reads a call of the older form, %s', (_, chunks) => {
    const events = decode([...chunks, reports(USAGE), '[DONE]']);
    expect(fold(events).blocks.map(({ text }) => text)).toEqual(['{"x":1}']);
    expect(fold(events).blocks[0]!.start).toMatchObject({
      type: 'tool-use',
      name: 'f',
      id: expect.stringMatching(/./),
    });
    expect(events.at(-1)).toMatchObject({ type: 'reply-end', stop: { unified: 'tool-use' } });
  });

  it.each([{}, { tool_calls: null }, { tool_calls: [] }])('reads a whole call of the older form beside %j', (more) => {
    const message = { role: 'assistant', content: null, function_call: LEGACY, ...more };
    const events = decodeWhole({ choices: [{ message, finish_reason: 'function_call' }], usage: USAGE });
    expect(fold(events).blocks).toMatchObject([{ start: { type: 'tool-use', name: 'f' }, text: '{"x":1}' }]);
    expect(events.at(-1)).toMatchObject({ stop: { unified: 'tool-use' } });
  });

  it('is malformed when arguments come for no named call', () => {
    expect(faultOf(() => decode([calls(argues(0, '{}')), ...ENDING])).kind).toBe('malformed-reply');
  });

  it('gives tools back their own names', () => {
    const names = ['n'.repeat(69) + '1', 'n'.repeat(69) + '2', 'files.read'];
    const where = context({ tools: names.map((name) => ({ type: 'function', name, inputSchema: {} })) });
    const body = JSON.parse(printJson(doAtOnce(openaiChat.encode(where.request, where.target, new Map())).body)) as {
      tools: { function: { name: string } }[];
    };
    const sent = body.tools.map((tool, index) => begins(index, `t${index}`, tool.function.name, '{}'));
    expect(blocksOf([calls(...sent), stops('tool_calls')], where).map(([name]) => name)).toEqual(
      names.map((name, index) => `t${index}:${name}`),
    );
  });

  it('is cut when more waits than can be put in order', () => {
    const step = openaiChat.decodeStream(context());
    const piece = JSON.stringify(calls(argues(1, 'x'.repeat(1024 * 1024))));
    step.push({ event: '', data: JSON.stringify(calls(begins(0, 't1', 'f'), begins(1, 't2', 'g'))) }, []);
    const fault = faultOf(() => {
      for (let count = 0; count < 9; count++) step.push({ event: '', data: piece }, []);
    });
    expect(fault.kind).toBe('malformed-reply');
  });
});

describe('usage', () => {
  const usageOf = (chunks: Chunk[], where = context()) => {
    const { extras: _extras, ...usage } = fold(decode(chunks, where)).usage;
    return usage;
  };

  it('counts cached tokens once', () => {
    const usage = { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 800 }, completion_tokens: 5 };
    expect(usageOf([textPiece('a'), stops('stop'), reports(usage), '[DONE]'])).toEqual({
      inputTokens: 200,
      cacheReadTokens: 800,
      outputTokens: 5,
    });
  });

  const PROMPT = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 };
  const CACHED = { inputTokens: 200, cacheReadTokens: 700, cacheWriteTokens: 100, outputTokens: 5 };
  const inDetails = (details: JsonObject, more: JsonObject = {}): JsonObject => ({ ...PROMPT, prompt_tokens_details: details, ...more }); // oxfmt-ignore

  it.each<[string, JsonObject, object]>([
    ['OpenAI, OpenRouter', inDetails({ cached_tokens: 700, cache_write_tokens: 100 }), CACHED],
    ['LiteLLM', inDetails({ cached_tokens: 700, cache_creation_tokens: 100 }, { cache_read_input_tokens: 700, cache_creation_input_tokens: 100 }), CACHED],
    ['LiteLLM, at the top level alone', { ...PROMPT, cache_read_input_tokens: 700, cache_creation_input_tokens: 100 }, CACHED],
    ['a zero beside it', inDetails({ cached_tokens: 0, cache_write_tokens: 0 }, { cache_read_input_tokens: 700, cache_creation_input_tokens: 100 }), CACHED],
    ['Alibaba', inDetails({ cached_tokens: 700, cache_creation_input_tokens: 100, cache_creation: { ephemeral_5m_input_tokens: 100 }, cache_type: 'ephemeral' }), CACHED],
    ['writes for an hour', inDetails({ cached_tokens: 700, cache_creation_tokens: 100, cache_creation_token_details: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 } }), { ...CACHED, cacheWriteTokens: 60, cacheWrite1hTokens: 40 }],
    ['DeepSeek', { ...PROMPT, prompt_cache_hit_tokens: 700, prompt_cache_miss_tokens: 300 }, { inputTokens: 300, cacheReadTokens: 700, outputTokens: 5 }],
    ['DeepSeek, and OpenAI beside it', inDetails({ cached_tokens: 700 }, { prompt_cache_hit_tokens: 700, prompt_cache_miss_tokens: 300 }), { inputTokens: 300, cacheReadTokens: 700, outputTokens: 5 }],
    ['Mistral', { ...PROMPT, num_cached_tokens: 700 }, { inputTokens: 300, cacheReadTokens: 700, outputTokens: 5 }],
    ['Moonshot', { ...PROMPT, cached_tokens: 700 }, { inputTokens: 300, cacheReadTokens: 700, outputTokens: 5 }],
    ['beside the prompt, by their size', { prompt_tokens: 31, completion_tokens: 467, total_tokens: 498, prompt_tokens_details: { cached_tokens: 0 }, cache_creation_input_tokens: 1253, cache_read_input_tokens: 0 }, { inputTokens: 31, cacheReadTokens: 0, cacheWriteTokens: 1253, outputTokens: 467 }],
    ['beside the prompt, by the total', { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1805, cache_read_input_tokens: 700, cache_creation_input_tokens: 100 }, { ...CACHED, inputTokens: 1000 }],
    ['a total with reasoning as large as what was cached', inDetails({ cached_tokens: 700 }, { total_tokens: 1705, completion_tokens_details: { reasoning_tokens: 700 } }), { inputTokens: 300, cacheReadTokens: 700, outputTokens: 705, reasoningTokens: 700 }],
    ['more than the prompt under other names', inDetails({ cached_tokens: 1200 }), { inputTokens: 1000, outputTokens: 5 }],
    ['a prompt of 0 that cost nothing', { prompt_tokens: 0, completion_tokens: 5, total_tokens: 5, cost: 0.1, cost_details: { upstream_inference_prompt_cost: 0 } }, { inputTokens: 0, outputTokens: 5, promptIsFree: true }],
    ['a prompt of 0 that cost something', { prompt_tokens: 0, completion_tokens: 5, cost_details: { upstream_inference_prompt_cost: 0.01 } }, { inputTokens: 0, outputTokens: 5 }],
    ['a prompt of 0 of a call that cost nothing', { prompt_tokens: 0, completion_tokens: 5, cost: 0 }, { inputTokens: 0, outputTokens: 5 }],
    ['a prompt that cost nothing', { ...PROMPT, cost_details: { upstream_inference_prompt_cost: 0 } }, { inputTokens: 1000, outputTokens: 5 }],
  ])('counts each token of a prompt once: %s', (_, usage, figures) => {
    expect(usageOf([textPiece('a'), stops('stop'), reports(usage), '[DONE]'])).toEqual(figures);
    const whole = fold(decodeWhole({ id: 'x', choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }], usage }));
    expect(whole.usage).toEqual({ ...figures, extras: { vendor: 'openai', value: usage } });
  }); // oxfmt-ignore

  it('replaces earlier reports, never adds', () => {
    const chunks = [1, 2, 3].map((count) => ({
      ...textPiece('a'),
      usage: { prompt_tokens: 10, completion_tokens: count, total_tokens: 10 + count },
    }));
    const events = decode([...chunks, stops('stop'), '[DONE]']);
    expect(fold(events).usage).toMatchObject({ inputTokens: 10, outputTokens: 3 });
    expect(events.filter((event) => event.type === 'usage')).toHaveLength(2);
  });

  it('takes a report in the last chunk, or inside the choice', () => {
    expect(usageOf([textPiece('a'), { ...stops('stop'), usage: USAGE }])).toEqual({ inputTokens: 10, outputTokens: 5 });
    expect(usageOf([textPiece('a'), chunk({}, { finish_reason: 'stop', usage: USAGE })])).toMatchObject({
      outputTokens: 5,
    });
  });

  it('counts nothing of its own where the provider reports nothing', () => {
    expect(usageOf([textPiece('12345'), stops('stop'), '[DONE]'])).toEqual({});
    expect(usageOf([textPiece('12345678'), stops('stop'), reports({ prompt_tokens: 77 })])).toEqual({
      inputTokens: 77,
    });
  });

  it.each<[string, readonly (JsonObject | '[DONE]')[], readonly (true | undefined)[]]>([
    ['at the end', [textPiece('a'), stops('stop'), reports(USAGE), '[DONE]'], [undefined]],
    ['with the last words', [{ ...textPiece('a'), usage: USAGE }, stops('stop'), '[DONE]'], [true, undefined]],
    [
      'before further words',
      [{ ...textPiece('a'), usage: USAGE }, textPiece('b'), stops('stop'), '[DONE]'],
      [true, true],
    ],
    ['never', [textPiece('a'), stops('stop'), '[DONE]'], [true]],
    ['never, of nothing', [stops('stop'), '[DONE]'], [undefined]],
  ])('states whether output followed a report: %s', (_, chunks, interim) => {
    const reported = decode(chunks).filter((event) => event.type === 'usage');
    expect(reported.map(({ isInterim }) => isInterim)).toEqual(interim);
  });

  it('reports that the vendor ran tools without giving a figure', () => {
    const ran = chunk({ executed_tools: [{ index: 0, type: 'search', arguments: '{}' }] });
    expect(usageOf([textPiece('a'), ran, ...ENDING])).toMatchObject({ ranVendorTools: true });
    expect(usageOf([chunk({ content: 'a', executed_tools: [] }), ...ENDING])).not.toHaveProperty('ranVendorTools');
  });

  it('reports the tier that served', () => {
    expect(usageOf([{ ...textPiece('a'), service_tier: 'flex' }, ...ENDING])).toMatchObject({ serviceTier: 'flex' });
  });
});

describe('errors inside a 200', () => {
  it.each<[string, JsonObject, string, string | undefined]>([
    [
      'a limit',
      { error: { message: 'slow down', code: 'rate_limit_exceeded', type: 'tokens' } },
      'rate-limited',
      'rate_limit_exceeded',
    ],
    ['a numeric code', { error: { message: 'x', code: 503 } }, 'unavailable', '503'],
    [
      'a numeric code beside a choice',
      { ...chunk({ content: '' }, { finish_reason: 'error' }), error: { code: 529, message: 'x' } },
      'overloaded',
      '529',
    ],
    [
      'a type',
      { error: { message: 'x', type: 'invalid_request_error', code: null } },
      'rejected-request',
      'invalid_request_error',
    ],
    [
      'too long a prompt',
      { error: { message: 'x', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      'rejected-request',
      'context_length_exceeded',
    ],
    ['words alone', { error: 'it broke' }, 'server-error', undefined],
    [
      'an error object',
      { object: 'error', message: 'x', code: 400, type: 'BadRequestError' },
      'rejected-request',
      '400',
    ],
    [
      'an error in the choice',
      { choices: [{ index: 0, error: { code: 502, message: 'x' }, finish_reason: 'error' }] },
      'server-error',
      '502',
    ],
  ])('reads %s', (_, body, kind, code) => {
    for (const fault of [faultOf(() => decode([textPiece('a'), body, '[DONE]'])), faultOf(() => decodeWhole(body))]) {
      expect(fault.kind).toBe(kind);
      expect(fault.detail.providerCode).toBe(code);
      expect(fault.detail.status).toBeUndefined();
    }
  });

  it.each(['{"message":"broke","type":"overloaded_error"}', '{"error":{"message":"broke","type":"overloaded_error"}}'])(
    'reads a frame named error: %s',
    (data) => {
      const fault = faultOf(() => decodeBytes([Buffer.from(`event: error\ndata: ${data}\n\n`)]));
      expect(fault).toMatchObject({ kind: 'overloaded', message: 'broke' });
    },
  );

  it('reads a frame named error that holds words', () => {
    const fault = faultOf(() => decodeBytes([Buffer.from('event: error\ndata: it broke\n\n')]));
    expect(fault).toMatchObject({ kind: 'server-error', message: 'it broke' });
  });
});

describe('a whole reply', () => {
  const whole = (message: JsonObject | undefined, rest: JsonObject = { finish_reason: 'stop' }): JsonObject => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'acme-upstream',
    choices: [{ index: 0, message, ...rest }],
    usage: USAGE,
  });

  it.each<[string, Chunk[], JsonObject]>([
    [
      'text',
      [chunk({ role: 'assistant' }), textPiece('Hel'), textPiece('lo'), ...ENDING],
      whole({ role: 'assistant', content: 'Hello' }),
    ],
    [
      'reasoning, text and calls',
      [
        thinks('hm'),
        textPiece('a'),
        calls(begins(0, 't1', 'f')),
        calls(argues(0, '{"x":1}')),
        calls(begins(1, 't2', 'g', '{}')),
        stops('tool_calls'),
        reports(USAGE),
      ],
      whole(
        {
          content: 'a',
          reasoning_content: 'hm',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 't2', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
        { finish_reason: 'tool_calls' },
      ),
    ],
    [
      'calls without ids',
      [
        calls(
          { index: 0, function: { name: 'f', arguments: '{}' } },
          { index: 1, function: { name: 'f', arguments: '{}' } },
        ),
        stops('stop'),
        reports(USAGE),
      ],
      whole({
        content: null,
        tool_calls: [{ function: { name: 'f', arguments: '{}' } }, { function: { name: 'f', arguments: '{}' } }],
      }),
    ],
    ['a refusal', [chunk({ refusal: 'no' }), ...ENDING], whole({ content: null, refusal: 'no' })],
    ['nothing', [...ENDING], whole({ content: null })],
    [
      'a cut call',
      [calls(begins(0, 't', 'f', '{"a":1')), stops('length'), reports(USAGE)],
      whole({ tool_calls: [{ id: 't', function: { name: 'f', arguments: '{"a":1' } }] }, { finish_reason: 'length' }),
    ],
  ])('folds to the same as its stream: %s', (_, chunks, body) => {
    const { model: _streamModel, ...streamed } = fold(decode(chunks));
    const { model: _wholeModel, ...atOnce } = fold(decodeWhole(body));
    expect(atOnce).toEqual(streamed);
  });

  it('has ended even without a reason', () => {
    expect(fold(decodeWhole(whole({ content: 'a' }, {}))).stop).toEqual({
      unified: 'end-turn',
      raw: null,
      vendor: 'openai',
    });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'x'],
    ['a list', []],
    ['an empty object', {}],
    ['no choices', { choices: [] }],
    ['null choices', { choices: null }],
    ['a choice without a message', whole(undefined)],
    ['a null choice', { choices: [null] }],
  ])('is malformed as %s', (_, body) => {
    expect(faultOf(() => decodeWhole(body)).kind).toBe('malformed-reply');
  });
});

describe('properties', () => {
  const chunks: Chunk[] = [
    thinks('é€𝄞'),
    textPiece('Grüße 🌊'),
    calls(begins(0, 't1', 'f', '{"ü":')),
    calls(argues(0, '"🌊"}')),
    stops('tool_calls'),
    reports(USAGE),
    '[DONE]',
  ];
  const bytes = Buffer.from(sse(chunks).replace(/\n/g, '\r\n') + ': bye\r\n\r\n');

  it('any cut of the bytes gives the same events', () => {
    const expected = decodeBytes([bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((left, right) => left - right), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(decodeBytes(pieces)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it('any order of the pieces of several calls gives each its arguments', () => {
    const perCall = ['{"a":[1,2]}', '{"b":"}\\""}', '{}'].map((json, index) => ({ index, pieces: [...json] }));
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          perCall.flatMap(({ index, pieces }) => pieces.map(() => index)),
          { minLength: 24 },
        ),
        (order) => {
          const used = [0, 0, 0];
          const mixed = order.map((index) => calls(argues(index, perCall[index]!.pieces[used[index]!++]!)));
          const starts = perCall.map(({ index }) => calls(begins(index, `t${index}`, 'f')));
          expect(blocksOf([...starts, ...mixed, stops('tool_calls')])).toEqual(
            perCall.map(({ index, pieces }) => [`t${index}:f`, pieces.join('')]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('any JSON in place of a chunk or body ends in events that obey the grammar, or in a fault', () => {
    const piece = fc.oneof(
      fc.jsonValue(),
      fc.record({ content: fc.jsonValue(), tool_calls: fc.jsonValue(), reasoning_details: fc.jsonValue() }),
    );
    const anyChunk = fc.oneof(
      fc.jsonValue(),
      fc.record({
        choices: fc.array(fc.record({ delta: piece, message: piece, finish_reason: fc.jsonValue() }), { maxLength: 2 }),
        usage: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 6 }), (values) => {
        const read = (run: () => unknown): void => {
          try {
            run();
          } catch (error) {
            if (!(error instanceof ProviderFault)) throw error;
          }
        };
        read(() => decode([...values.map((value) => JSON.stringify(value)), ...ENDING]));
        for (const value of values) read(() => decodeWhole(value));
      }),
      { numRuns: 200 },
    );
  });
});

describe('citations', () => {
  const page = (url: string, more: JsonObject = {}): JsonObject => ({ url, ...more });
  const annotation = (url: string, more: JsonObject = {}): JsonObject => ({
    type: 'url_citation',
    url_citation: page(url, more),
  });
  const citation = (url: string, more: JsonObject = {}): JsonObject => ({
    type: 'web_search_result_location',
    cited_text: '',
    url,
    title: null,
    encrypted_index: '',
    ...more,
  });
  const whole = (message: JsonObject, beside: JsonObject = {}): JsonObject => ({
    id: 'x',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: USAGE,
    ...beside,
  });
  const search = { citations: ['https://a.test', 'https://b.test'] };
  const results = { search_results: [{ url: 'https://b.test', title: 'B', snippet: 'has b' }] };

  it.each<[string, JsonObject, JsonObject, JsonObject[]]>([
    [
      'annotations, with the words they are about',
      { annotations: [annotation('https://a.test', { title: 'A', content: 'says', start_index: 1, end_index: 3 })] },
      {},
      [citation('https://a.test', { title: 'A', cited_text: 'says', start_index: 1, end_index: 3 })],
    ],
    [
      'annotations of no words, before lists of a search',
      { annotations: [annotation('https://a.test', { start_index: 0, end_index: 0 }), { type: 'file' }] },
      search,
      [citation('https://a.test')],
    ],
    ['addresses of a search', {}, search, [citation('https://a.test'), citation('https://b.test')]],
    [
      'addresses, and what was found there',
      {},
      { ...search, ...results },
      [citation('https://a.test'), citation('https://b.test', { title: 'B', cited_text: 'has b' })],
    ],
    ['what was found alone', {}, results, [citation('https://b.test', { title: 'B', cited_text: 'has b' })]],
    ['nothing', { annotations: [] }, { citations: null, search_results: 'x' }, []],
  ])('reads %s', (_, message, beside, expected) => {
    const { blocks } = fold(decodeWhole(whole({ content: 'text', ...message }, beside)));
    expect(blocks.map(({ citations }) => citations)).toEqual([expected]);
    // Search lists are repeated in every chunk.
    const behind = [chunk({ content: 'xt', ...message }), chunk({ content: '' }), stops('stop'), reports(USAGE)];
    const chunks = behind.map((piece) => ({ ...piece, ...beside }));
    expect(fold(decode([textPiece('te'), ...chunks, '[DONE]'])).blocks).toEqual(blocks);
  });

  it('emits each cited range once, even where each chunk repeats earlier citations', () => {
    const first = annotation('https://a.test', { start_index: 0, end_index: 1 });
    const second = annotation('https://a.test', { start_index: 1, end_index: 2 });
    const third = annotation('https://b.test', { start_index: 1, end_index: 2 });
    const chunks = [
      chunk({ content: 'a', annotations: [first] }),
      chunk({ content: 'b', annotations: [first, second] }),
    ];
    const all = [...chunks, chunk({ annotations: [first, second, third] }), ...ENDING];
    expect(fold(decode(all)).blocks[0]!.citations).toHaveLength(3);
  });

  it('keeps them for the text that follows, and gives those behind a call a text of their own', () => {
    const call = calls(begins(0, 'a', 'f', '{}'));
    const early = fold(decode([{ ...chunk({ role: 'assistant' }), ...search }, textPiece('a'), call, ...ENDING]));
    expect(early.blocks.map(({ citations }) => citations.length)).toEqual([2, 0]);
    const late = fold(decode([textPiece('a'), call, { ...stops('tool_calls'), ...search }, reports(USAGE), '[DONE]']));
    expect(late.blocks.map(({ text, citations }) => [text, citations.length])).toEqual([
      ['a', 0],
      ['{}', 0],
      ['', 2],
    ]);
  });
});

describe('reasoning that must go back', () => {
  const details = (...reasoning_details: JsonObject[]): JsonObject => chunk({ reasoning_details });
  const format = 'anthropic-claude-v1';
  const mark = { format, provider: 'acme' };

  it('keeps pieces of one index together until they are signed', () => {
    const piece = (more: JsonObject): JsonObject => details({ type: 'reasoning.text', format, index: 0, ...more });
    const { blocks } = fold(
      decode([piece({ text: '', signature: '' }), piece({ text: 'a' }), piece({ text: 'b' }), piece({ signature: 's' }), piece({ text: 'c' }), textPiece('d'), ...ENDING]),
    ); // oxfmt-ignore
    expect(blocks).toMatchObject([
      { start: { type: 'thinking', mark }, text: 'ab', signature: 's' },
      { start: { type: 'thinking', mark }, text: 'c' },
      { start: { type: 'text' }, text: 'd' },
    ]);
    expect(blocks[1]?.signature).toBeUndefined();
  });

  it('separates summaries and encrypted reasoning, with their ids, and emits text once', () => {
    const message = {
      content: 'a',
      reasoning: 'short',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'short', format: 'openai-responses-v1', index: 0 },
        { type: 'reasoning.encrypted', data: 'sealed', id: 'rs_1', format: 'openai-responses-v1', index: 0 },
        { type: 'reasoning.encrypted', data: '', format: 'openai-responses-v1' },
      ],
    };
    const body = { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE };
    const openai = { format: 'openai-responses-v1', provider: 'acme' };
    expect(fold(decodeWhole(body)).blocks).toMatchObject([
      { start: { type: 'thinking', mark: { ...openai, isSummary: true } }, text: 'short' },
      { start: { type: 'redacted-thinking', data: 'sealed', mark: { ...openai, id: 'rs_1' } } },
      { start: { type: 'text' }, text: 'a' },
    ]);
  });

  it('takes the words of the plain field where the details have none', () => {
    const sealed = { type: 'reasoning.encrypted', data: 'sealed' };
    const { blocks } = fold(
      decode([chunk({ reasoning: 'a', reasoning_details: [sealed] }), textPiece('b'), ...ENDING]),
    );
    expect(blocks.map(({ start, text }) => [start.type, text])).toEqual([
      ['thinking', 'a'],
      ['redacted-thinking', ''],
      ['text', 'b'],
    ]);
    expect(blocks[1]?.start).toMatchObject({ mark: { format: 'unknown', provider: 'acme' } });
  });
});

describe('a whole reply of another form', () => {
  const body = (choice: JsonObject): JsonObject => ({ id: 'x', choices: [{ index: 0, ...choice }], usage: USAGE });

  it('may answer with an object', () => {
    const message = { content: { title: 'Apples', n: 1 } };
    expect(fold(decodeWhole(body({ message, finish_reason: 'stop' }))).blocks).toMatchObject([
      { start: { type: 'text' }, text: '{"title":"Apples","n":1}' },
    ]);
  });

  it.each(['content_filter', 'refusal'])('may have no message where it is withheld: %s', (finish_reason) => {
    const reply = fold(decodeWhole(body({ finish_reason })));
    expect(reply.blocks).toEqual([]);
    expect(reply.stop.raw).toBe(finish_reason);
    expect(reply.usage.outputTokens).toBe(5);
  });

  it('is malformed without a message elsewhere', () => {
    expect(faultOf(() => decodeWhole(body({ finish_reason: 'stop' }))).kind).toBe('malformed-reply');
  });
});
