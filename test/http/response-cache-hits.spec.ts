/**
 * Hits of the response cache at each route that it serves, whole and streamed, by both names of its headers: their ids
 * and times are their own, all figures of their usage are 0 under the names of the route, metadata is absent though it
 * is requested, and records name the source. The first reply uses every figure that a provider reports. The real
 * application over HTTP, on both databases.
 */
import { DataSource } from 'typeorm';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicReply } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { readChunks } from '../support/chat-stream.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { readMessagesEvents } from '../support/sse.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

const NATIVE = 'test/one';
const VECTORS = 'test/vectors';
const LIFE_SECONDS = 300;
const AGE_SECONDS = 100;

interface Shown {
  readonly id: string;
  /** Epoch seconds; undefined: the format has none. */
  readonly created: number | undefined;
  readonly usage: JsonBody;
  /** What the model has answered. */
  readonly content: unknown;
}
interface Form {
  readonly path: string;
  readonly stream: boolean;
  readonly bodyOf: (text: string) => object;
  readonly read: (reply: string) => Shown;
  /** The names of the figures of a usage that are not 0 in the first reply. */
  readonly figures: readonly string[];
}

const CHAT_FIGURES = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'cost'];
const INPUT_FIGURES = ['input_tokens', 'output_tokens', 'cost'];

const FORMS: readonly Form[] = [
  {
    path: '/messages',
    stream: false,
    bodyOf: (content) => ask(NATIVE, { messages: [{ role: 'user', content }] }),
    read: (reply) => {
      const { id, usage, content } = JSON.parse(reply);
      return { id, created: undefined, usage, content };
    },
    figures: [...INPUT_FIGURES, 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  },
  {
    path: '/messages',
    stream: true,
    bodyOf: (content) => ask(NATIVE, { messages: [{ role: 'user', content }] }),
    read: (reply) => {
      const events = readMessagesEvents(reply);
      const { message } = events[0];
      const content = events.map(({ delta }) => delta?.text ?? '').join('');
      const { usage } = events.find(({ type }) => type === 'message_delta');
      return { id: message.id, created: undefined, usage: { ...message.usage, ...usage }, content };
    },
    figures: [...INPUT_FIGURES, 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  },
  {
    path: '/chat/completions',
    stream: false,
    bodyOf: (content) => ({ model: NATIVE, messages: [{ role: 'user', content }] }),
    read: (reply) => {
      const { id, created, usage, choices } = JSON.parse(reply);
      return { id, created, usage, content: choices };
    },
    figures: [...CHAT_FIGURES, 'prompt_tokens_details.cached_tokens', 'prompt_tokens_details.cache_write_tokens'],
  },
  {
    path: '/chat/completions',
    stream: true,
    bodyOf: (content) => ({
      model: NATIVE,
      messages: [{ role: 'user', content }],
      stream_options: { include_usage: true },
    }),
    read: (reply) => {
      const chunks = readChunks(reply);
      const [{ id, created }] = chunks as [JsonBody];
      const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      return { id, created, usage: chunks.findLast(({ usage }) => usage)!.usage, content };
    },
    figures: [...CHAT_FIGURES, 'prompt_tokens_details.cached_tokens', 'prompt_tokens_details.cache_write_tokens'],
  },
  {
    path: '/responses',
    stream: false,
    bodyOf: (input) => ({ model: NATIVE, input }),
    read: (reply) => {
      const { id, created_at: created, usage, output } = JSON.parse(reply);
      return { id, created, usage, content: output.map(({ content }: JsonBody) => content) };
    },
    figures: [...INPUT_FIGURES, 'total_tokens', 'input_tokens_details.cached_tokens'],
  },
  {
    path: '/responses',
    stream: true,
    bodyOf: (input) => ({ model: NATIVE, input }),
    read: (reply) => {
      const { response } = readResponseEvents(reply).at(-1)!;
      const { id, created_at: created, usage, output } = response;
      return { id, created, usage, content: output.map(({ content }: JsonBody) => content) };
    },
    figures: [...INPUT_FIGURES, 'total_tokens', 'input_tokens_details.cached_tokens'],
  },
  {
    path: '/embeddings',
    stream: false,
    bodyOf: (input) => ({ model: VECTORS, input }),
    read: (reply) => {
      const { id, usage, data } = JSON.parse(reply);
      return { id, created: undefined, usage, content: data };
    },
    figures: ['prompt_tokens', 'total_tokens', 'cost'],
  },
];

/** Every figure of a usage, by its path. */
function figuresOf(usage: JsonBody, path = ''): Record<string, number> {
  const entries = Object.entries(usage ?? {}).flatMap(([name, value]) =>
    typeof value === 'number'
      ? [[`${path}${name}`, value]]
      : value !== null && typeof value === 'object'
        ? Object.entries(figuresOf(value, `${path}${name}.`))
        : [],
  );
  return Object.fromEntries(entries);
}

describeOnEachDatabase('a hit of the response cache', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let vectors: Upstream;
  let gateway: TestGateway;
  let texts = 0;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    vectors = await startUpstream('openai');
    // The double's rules are those of conversations.
    vectors.strict = false;
    upstream.script(
      anthropicReply([{ type: 'text', text: 'Kept.' }], {
        usage: { cache_read_input_tokens: 40, cache_creation_input_tokens: 30 },
      }),
    );
    vectors.script(() =>
      json({
        object: 'list',
        model: 'm',
        data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
        usage: { prompt_tokens: 7, total_tokens: 7 },
      }),
    );
    gateway = await startGateway(database, {
      clock,
      catalog: catalogOf(
        { id: NATIVE, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] },
        {
          id: VECTORS,
          at: [{ url: vectors.url, dialect: 'openai-chat' }],
          model: { output_modalities: ['embeddings'], input_modalities: ['text'], max_completion_tokens: undefined },
          endpoint: { pricing: { prompt: '3' } },
        },
      ),
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
    await vectors?.close();
  });

  const cases = FORMS.flatMap((form) =>
    (['X-Fairlead', 'X-OpenRouter'] as const).map((vendor) => [form.path, form.stream, vendor, form] as const),
  );
  it.each(cases)('at %s, streamed %s, by the headers of %s', async (path, stream, vendor, form) => {
    const { bodyOf, read, figures } = form;
    const prefix = `${vendor}-Cache`;
    const other = vendor === 'X-Fairlead' ? 'x-openrouter' : 'x-fairlead';
    const body = JSON.stringify({ ...bodyOf(`Text ${++texts}`), ...(stream && { stream }) });
    const headers = {
      'content-type': 'application/json',
      [prefix]: 'true',
      [`${prefix}-TTL`]: String(LIFE_SECONDS),
      'X-Router-Metadata': 'enabled',
    };
    const send = async () => {
      const reply = await gateway.request(path, { method: 'POST', headers, body });
      const text = await reply.text();
      expect([reply.status, text]).toEqual([200, expect.any(String)]);
      const own = ['Status', 'Age', 'TTL', 'Source-Id'].map((name) => reply.headers.get(`${prefix}-${name}`));
      // Only the names that the request used.
      expect([...reply.headers.keys()].filter((name) => name.startsWith(`${other}-cache`))).toEqual([]);
      return { id: reply.headers.get('x-generation-id')!, text, cache: own, shown: read(text) };
    };
    const first = await send();
    expect(first.cache).toEqual(['MISS', null, String(LIFE_SECONDS), null]);
    expect(first.text).toContain('"router_metadata"');
    const used = figuresOf(first.shown.usage);
    for (const name of figures) expect([name, used[name]! > 0]).toEqual([name, true]);
    await gateway.gateway.app.get(DataSource, { strict: false }).query(
      `UPDATE kept_replies SET ended_at = ended_at - $2 * interval '1 s', expires_at = expires_at - $2 * interval '1 s'
       WHERE generation_id = $1`,
      [first.id, AGE_SECONDS],
    );
    clock.aheadMs += 10_000;
    const calls = upstream.requests.length + vectors.requests.length;
    const hit = await send();
    expect(upstream.requests.length + vectors.requests.length).toBe(calls);

    const [status, age, left, source] = hit.cache;
    expect([status, source]).toEqual(['HIT', first.id]);
    expect(Number(age)).toBeGreaterThanOrEqual(AGE_SECONDS);
    expect(Number(left)).toBeLessThanOrEqual(LIFE_SECONDS - AGE_SECONDS);
    expect(Number(left)).toBeGreaterThan(0);
    expect(hit.id).toMatch(/^gen-/);
    expect(hit.id).not.toBe(first.id);
    expect([first.shown.id, hit.shown.id]).toEqual([first.id, hit.id]);
    if (first.shown.created !== undefined) expect(hit.shown.created! - first.shown.created).toBeGreaterThanOrEqual(10);
    expect(hit.shown.content).toEqual(first.shown.content);
    // The usage has the same names, each with 0.
    expect(figuresOf(hit.shown.usage)).toEqual(Object.fromEntries(Object.keys(used).map((name) => [name, 0])));
    expect(hit.text).not.toMatch(/router_metadata|openrouter_metadata/);

    // A hit does not wait for its record.
    await new LedgerReader(gateway).rest();
    const { data } = await gateway.manage('GET', `/generation?id=${hit.id}`);
    expect(data).toMatchObject({
      response_cache_source_id: first.id,
      model: path === '/embeddings' ? VECTORS : NATIVE,
      streamed: stream,
      total_cost: 0,
      usage: 0,
      attempts: [],
      cache_discount: null,
    });
    for (const [name, value] of Object.entries(data)) if (/tokens/.test(name)) expect([name, value || 0]).toEqual([name, 0]); // oxfmt-ignore
    const record = (await gateway.manage('GET', `/generation?id=${first.id}`)).data;
    expect([record.response_cache_source_id, record.total_cost > 0]).toEqual([null, true]);
  });
});
