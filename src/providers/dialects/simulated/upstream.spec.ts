// Goal: each sandbox model behaves as described, streamed and whole, and an abort ends it at once. Method: open calls
// as a transport would, decode the bytes with the dialect; time is a recorded list of pauses.
import type { ModelEvent } from '../../../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../../core/conversation/reply.js';
import { ProviderFault } from '../../../core/errors.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { GrammarCheck } from '../../../core/stream/grammar.js';
import { pump } from '../../../core/stream/pump.js';
import { SseReader } from '../../../core/stream/sse.js';
import { chain } from '../../../core/stream/stream-stage.js';
import { doAtOnce } from '../../../core/steps.js';
import type { OutgoingCall, UpstreamResponse } from '../../transport/transport.js';
import { decodeContext } from '../../../../test/support/decode-context.js';
import { decodeMessage, MessagesDecoder } from '../anthropic-messages/decode.js';
import { BEHAVIOURS } from './behaviours.js';
import { TASKS } from './tasks.js';
import { SANDBOX_MODELS } from './models.js';
import { SimulatedUpstream } from './upstream.js';

const READ_MAX = 1_000_000;

const callOf = (model: string, stream: boolean, more: JsonObject = {}): OutgoingCall => ({
  url: 'sandbox:/v1/messages',
  headers: {},
  body: JSON.stringify({ model, max_tokens: 8192, messages: [{ role: 'user', content: 'Hello  big world' }], ...more }),
  stream,
  connectTimeoutMs: 1000,
  idleTimeoutMs: 1000,
});

/** A provider that does not wait, and the list of its pauses. */
const hurried = (): { upstream: SimulatedUpstream; pauses: number[] } => {
  const pauses: number[] = [];
  return { upstream: new SimulatedUpstream(async (ms) => void pauses.push(ms)), pauses };
};

const open = (model: string, stream: boolean, more?: JsonObject): Promise<UpstreamResponse> =>
  hurried().upstream.open(callOf(model, stream, more), new AbortController().signal);

async function eventsOf(response: UpstreamResponse, seen: ModelEvent[] = []): Promise<ModelEvent[]> {
  const step = new GrammarCheck(chain(new SseReader(), new MessagesDecoder(decodeContext())));
  for await (const events of pump(response.chunks, step)) seen.push(...events);
  return seen;
}

async function streamed(model: string, more?: JsonObject): Promise<Reply> {
  const reply = new ReplyBuilder();
  for (const event of await eventsOf(await open(model, true, more))) reply.push(event);
  return reply.finish();
}

async function whole(model: string, more?: JsonObject): Promise<Reply> {
  const response = await open(model, false, more);
  const body = JSON.parse((await response.read(READ_MAX)).toString()) as unknown;
  const reply = new ReplyBuilder();
  for (const event of doAtOnce(decodeMessage(body, decodeContext()))) reply.push(event);
  return reply.finish();
}

/**
 * Checks that whole and streamed replies are the same, apart from the raw usage and the text of empty arguments;
 * returns the reply.
 */
async function ask(model: string, more?: JsonObject): Promise<Reply> {
  const [first, second] = [await streamed(model, more), await whole(model, more)];
  const bare = ({ blocks, stop, usage }: Reply): unknown => ({
    blocks: blocks.map((block) => (block.text === '{}' ? { ...block, text: '' } : block)),
    stop,
    usage: { ...usage, extras: undefined },
  });
  expect(bare(first)).toEqual(bare(second));
  return first;
}

const tool = (name: string, input_schema: JsonObject = { type: 'object' }): JsonObject => ({ name, input_schema });
const cityTool = tool('get_weather', {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 2 } },
  required: ['city', 'days'],
});

it('lists exactly the models that have a behaviour, and one for each task', () => {
  const tasks = Object.keys(TASKS).map((address) => address.slice(1));
  const [withTask, answering] = [true, false].map((is) =>
    SANDBOX_MODELS.map(({ name }) => name).filter((name) => tasks.includes(name) === is),
  );
  expect([withTask, answering]).toEqual([tasks, Object.keys(BEHAVIOURS)]);
});

it('answers equal calls with equal bytes', async () => {
  for (const stream of [true, false]) {
    const [first, second] = [await open('echo', stream), await open('echo', stream)];
    expect(await first.read(READ_MAX)).toEqual(await second.read(READ_MAX));
  }
});

it.each(['nobody', 'constructor', '__proto__', ''])('knows no model %j', async (model) => {
  const response = await open(model, false);
  expect(response.status).toBe(404);
  expect(JSON.parse((await response.read(READ_MAX)).toString())).toMatchObject({
    type: 'error',
    error: { type: 'not_found_error', message: `model: ${model}` },
  });
});

it('refuses to read a body past the limit', async () => {
  await expect((await open('long', false)).read(10)).rejects.toThrow(ProviderFault);
});

describe('echo', () => {
  it('repeats the last user text, word by word', async () => {
    const events = await eventsOf(await open('echo', true));
    const words = events.map((event) =>
      event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : '',
    );
    expect(words.filter((word) => word !== '')).toEqual(['Hello  ', 'big ', 'world']);
  });

  it('joins the parts of the text and counts words and bytes', async () => {
    const content = [
      { type: 'text', text: 'a b' },
      { type: 'image', source: {} },
      { type: 'text', text: 'ü' },
    ];
    const reply = await ask('echo', { messages: [{ role: 'user', content }] });
    expect(reply.blocks[0]?.text).toBe('a b\nü');
    // Six bytes of text over four; three words.
    expect(reply.usage).toMatchObject({ inputTokens: 2, outputTokens: 3 });
    expect(reply.stop.unified).toBe('end-turn');
  });

  it.each(['echo', 'thinking'])('%s answers a message without text', async (model) => {
    const content = [{ type: 'image', source: {} }];
    const reply = await ask(model, { messages: [{ role: 'user', content }] });
    expect(reply.blocks.at(-1)?.text).toBe('There is no text to repeat.');
  });

  it.each([
    [3, 'Hello  big world', 'end-turn', 3],
    [2, 'Hello  big ', 'output-limit', 2],
    [0, '', 'output-limit', 0],
  ])('within %i tokens answers %j', async (max_tokens, text, unified, outputTokens) => {
    const reply = await ask('echo', { max_tokens });
    expect(reply.blocks.map((block) => block.text).join('')).toBe(text);
    expect(reply).toMatchObject({ stop: { unified }, usage: { outputTokens } });
  });
});

describe('tools', () => {
  const callsOf = (reply: Reply): [string, Json][] =>
    reply.blocks.map((block) => [
      block.start.type === 'tool-use' ? block.start.name : '',
      JSON.parse(block.text) as Json,
    ]);

  it('calls two of the tools offered, with arguments made from their schemas, in fragments', async () => {
    const tools = [cityTool, tool('f'), tool('g')];
    const reply = await streamed('tools', { tools });
    expect(reply.stop.unified).toBe('tool-use');
    expect(callsOf(reply)).toEqual([['get_weather', { city: 'sample', days: 2 }], ['f', {}]]); // oxfmt-ignore
    const events = await eventsOf(await open('tools', true, { tools }));
    expect(events.filter((event) => event.type === 'block-delta' && event.index === 0).length).toBeGreaterThan(2);
  });

  it.each<[string, JsonObject, string[]]>([
    ['one where only one is offered', {}, ['get_weather']],
    [
      'one where parallel use is off',
      { tools: [tool('f'), tool('g')], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      ['f'],
    ],
    ['the forced one', { tools: [tool('f'), tool('g')], tool_choice: { type: 'tool', name: 'g' } }, ['g']],
  ])('calls %s', async (_name, more, expected) => {
    const reply = await ask('tools', { tools: [cityTool], ...more });
    expect(callsOf(reply).map(([name]) => name)).toEqual(expected);
  });

  it('gives each call of a conversation an id of its own', async () => {
    const idsOf = async (turns: number): Promise<string[]> => {
      const messages = Array.from({ length: turns }, () => ({ role: 'user', content: 'Hi' }));
      const { blocks } = await ask('tools', { tools: [tool('f'), tool('g')], messages });
      return blocks.map(({ start }) => (start.type === 'tool-use' ? start.id : ''));
    };
    expect(new Set([...(await idsOf(1)), ...(await idsOf(5))]).size).toBe(4);
  });

  it.each<[string, JsonObject, string]>([
    ['without tools', {}, 'There is no tool to call.'],
    ['when it may call none', { tools: [cityTool], tool_choice: { type: 'none' } }, 'There is no tool to call.'],
    [
      'after a result',
      {
        tools: [cityTool],
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'rain' }] }],
      },
      'The tool answered: rain',
    ],
  ])('answers in text %s', async (_name, more, text) => {
    const reply = await ask('tools', more);
    expect(reply.blocks.map((block) => block.text)).toEqual([text]);
    expect(reply.stop.unified).toBe('end-turn');
  });
});

it('thinking: a signed thinking block, then text; without where thinking is off', async () => {
  const reply = await ask('thinking');
  expect(reply.blocks.map((block) => block.start.type)).toEqual(['thinking', 'text']);
  expect(reply.blocks[0]?.signature).toMatch(/^[\w+/]+=*$/);
  expect(reply.usage.reasoningTokens).toBe(9);
  expect((await ask('thinking', { thinking: { type: 'disabled' } })).blocks).toHaveLength(1);
});

it('refusal: no content, and the details beside the reason', async () => {
  const reply = await ask('refusal');
  expect(reply).toMatchObject({ blocks: [], stop: { unified: 'refusal' } });
  expect(reply.endExtras?.value['stop_details']).toMatchObject({ type: 'refusal' });
});

it('max-tokens: stops at three words, or at a lower limit', async () => {
  expect(await ask('max-tokens')).toMatchObject({ stop: { raw: 'max_tokens' }, usage: { outputTokens: 3 } });
  expect(await ask('max-tokens', { max_tokens: 1 })).toMatchObject({ usage: { outputTokens: 1 } });
});

it('long: two thousand words', async () => {
  expect(await ask('long')).toMatchObject({ stop: { unified: 'end-turn' }, usage: { outputTokens: 2000 } });
});

it('json: an object made from the schema, or one of its own', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['a'] };
  const output_config = { format: { type: 'json_schema', schema } };
  expect(JSON.parse((await ask('json', { output_config })).blocks[0]!.text)).toEqual({ a: 'sample', b: true });
  expect(JSON.parse((await ask('json')).blocks[0]!.text)).toEqual({ text: 'Hello  big world' });
});

it('cache: half of the prompt read, a quarter written', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(400) }];
  expect((await ask('cache', { messages })).usage).toMatchObject({
    inputTokens: 25,
    cacheReadTokens: 50,
    cacheWriteTokens: 25,
    cacheWrite1hTokens: 0,
  });
});

describe.each([true, false])('refusals, streamed: %s', (stream) => {
  it.each([
    ['overloaded', 529, 'overloaded_error'],
    ['rate-limited', 429, 'rate_limit_error'],
    ['unavailable', 503, 'api_error'],
    ['server-error', 500, 'api_error'],
    ['bad-request', 400, 'invalid_request_error'],
    ['unauthorized', 401, 'authentication_error'],
  ])('%s: %i', async (model, status, type) => {
    const response = await open(model, stream);
    expect(response).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
    expect(response.headers['retry-after']).toBe(status === 429 ? '2' : undefined);
    expect(JSON.parse((await response.read(READ_MAX)).toString())).toMatchObject({ type: 'error', error: { type } });
  });
});

describe('damaged replies', () => {
  it.each([
    ['malformed', 0, 'malformed-reply'],
    ['cut', 3, 'malformed-reply'],
    ['error-event', 3, 'overloaded'],
  ])('%s: streamed, after %i pieces a fault', async (model, pieces, kind) => {
    const seen: ModelEvent[] = [];
    await expect(eventsOf(await open(model, true), seen)).rejects.toMatchObject({ kind });
    expect(seen.filter((event) => event.type === 'block-delta')).toHaveLength(pieces);
  });

  it.each(['malformed', 'cut'])('%s: whole, not JSON', async (model) => {
    const body = (await (await open(model, false)).read(READ_MAX)).toString();
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
  });

  it('error-event: whole, an error inside a 200', async () => {
    await expect(whole('error-event')).rejects.toMatchObject({ kind: 'overloaded' });
  });
});

describe('time', () => {
  it('slow: two seconds to the first word, then a fifth of a second each; whole, all of it before the answer', async () => {
    const signal = new AbortController().signal;
    const stream = hurried();
    await eventsOf(await stream.upstream.open(callOf('slow', true), signal));
    expect(stream.pauses).toEqual([2000, ...Array<number>(stream.pauses.length - 1).fill(200)]);
    const atOnce = hurried();
    await atOnce.upstream.open(callOf('slow', false), signal);
    expect(atOnce.pauses).toEqual([2000 + (stream.pauses.length - 1) * 200]);
  });

  const reason = new Error('gone');

  it.each([true, false])('silent: pending until aborted, streamed: %s', async (stream) => {
    const abort = new AbortController();
    const pending = new SimulatedUpstream().open(callOf('silent', stream), abort.signal);
    abort.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('an abort ends the wait of a slow stream at once, with its own reason', async () => {
    const abort = new AbortController();
    const response = await new SimulatedUpstream().open(callOf('slow', true), abort.signal);
    const reading = eventsOf(response);
    setImmediate(() => abort.abort(reason));
    await expect(reading).rejects.toBe(reason);
  });

  it('an abort between two events ends the stream, one before ends the call', async () => {
    const abort = new AbortController();
    const response = await hurried().upstream.open(callOf('long', true), abort.signal);
    const chunks = response.chunks[Symbol.asyncIterator]();
    await chunks.next();
    abort.abort(reason);
    await expect(chunks.next()).rejects.toBe(reason);
    await expect(hurried().upstream.open(callOf('echo', true), abort.signal)).rejects.toBe(reason);
  });
});

it.each([
  '',
  '[]',
  '{',
  '{"model":"echo","messages":7,"tools":"x","system":[1],"max_tokens":"a","output_config":null}',
])('takes the body %j without failing', async (body) => {
  const response = await hurried().upstream.open({ ...callOf('echo', false), body }, new AbortController().signal);
  expect([200, 404]).toContain(response.status);
});
