/**
 * Goal: vectors and rankings are requests of the one inference: their replies, records, charges, refusals and routes.
 * Method: the sandbox's models over HTTP on both databases, with the figures that its words give.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const MODEL = 'sandbox/embeddings';
const RANKER = 'sandbox/rerank';
const QUERY = 'Where does the rope run?';
const DOCUMENTS = ['A cat sleeps.', { text: 'The rope runs where it should run.' }];

describeOnEachDatabase('embeddings and rerank', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { coolsDown: false });
  }, 240_000);
  afterAll(() => gateway?.close());

  interface Reply {
    readonly status: number;
    readonly body: JsonBody;
    readonly headers: Headers;
  }
  const send = async (path: string, body: object, init: RequestInit & { key?: string } = {}): Promise<Reply> => {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
    const response = await gateway.request(path, { method: 'POST', ...init, headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as JsonBody, headers: response.headers };
  };
  const embed = (body: object, init?: RequestInit & { key?: string }): Promise<Reply> =>
    send('/embeddings', { model: MODEL, ...body }, init);
  const usage = async (key: string): Promise<JsonBody> =>
    ((await (await gateway.request('/key', { key })).json()) as JsonBody).data;
  const record = async (id: string): Promise<JsonBody> =>
    ((await (await gateway.request(`/generation?id=${id}`)).json()) as JsonBody).data;

  it('answers one text with one vector, charged by its tokens', async () => {
    const { status, body, headers } = await embed({ input: 'The rope runs.' });
    expect([status, body]).toMatchObject([
      200,
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: expect.arrayContaining([expect.any(Number)]) }],
        model: MODEL,
        provider: 'Sandbox',
        usage: { prompt_tokens: 4, total_tokens: 4, cost: 0.000004, is_byok: false },
      },
    ]);
    expect(body.data[0].embedding).toHaveLength(64);
    expect(body.id).toBe(headers.get('x-generation-id'));
    expect(await record(body.id)).toMatchObject({
      api: 'embeddings',
      api_type: 'embeddings',
      model: MODEL,
      tokens_prompt: 4,
      tokens_completion: 0,
      total_cost: 0.000004,
      streamed: false,
      outcome: 'completed',
      is_estimated: false,
    });
  });

  it('returns the same vectors as numbers and as base64, in the order of the inputs', async () => {
    const input = ['A boat.', 'A rope.', 'A boat.'];
    const [numbers, bytes] = await Promise.all([embed({ input }), embed({ input, encoding_format: 'base64' })]);
    const decoded = bytes.body.data.map(({ embedding }: { embedding: string }) => {
      const buffer = Buffer.from(embedding, 'base64');
      return Array.from({ length: buffer.length / 4 }, (_, position) => buffer.readFloatLE(4 * position));
    });
    expect(decoded).toEqual(numbers.body.data.map(({ embedding }: { embedding: number[] }) => embedding));
    expect(numbers.body.data.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
    expect(decoded[0]).toEqual(decoded[2]);
    expect(decoded[0]).not.toEqual(decoded[1]);
  });

  it('takes token ids, alone and in lists, and counts them', async () => {
    const one = await embed({ input: [1, 2, 3] });
    expect([one.status, one.body.data.length, one.body.usage.prompt_tokens]).toEqual([200, 1, 3]);
    const two = await embed({ input: [[1, 2, 3], [4]] });
    expect([two.status, two.body.data.length, two.body.usage.prompt_tokens]).toEqual([200, 2, 4]);
  });

  it('shortens vectors to a length that the model has, and refuses others', async () => {
    const short = await embed({ input: 'a', dimensions: 16 });
    expect(short.body.data[0].embedding).toHaveLength(16);
    const long = await embed({ input: 'a', dimensions: 65 });
    expect([long.status, long.body.error.message]).toEqual([
      400,
      expect.stringMatching(/dimensions: 65 is above 64, the longest vectors of sandbox\/embeddings/),
    ]);
  });

  it.each([
    ['/embeddings', { model: MODEL, input: ['A boat.', 'A rope.'] }],
    ['/embeddings', { model: MODEL, input: 'A boat.', encoding_format: 'base64' }],
    ['/rerank', { model: RANKER, query: QUERY, documents: DOCUMENTS }],
  ])('run once for an idempotency key: %s %j', async (path, body) => {
    const { key } = await gateway.newKey();
    const init = { key, headers: { 'idempotency-key': 'vectors' } };
    const first = await send(path, body, init);
    const again = await send(path, body, init);
    expect([first.status, again.status, again.headers.get('x-fairlead-idempotent-replay')]).toEqual([200, 200, 'true']);
    expect(again.body).toEqual(first.body);
    const other = await send(path, { ...body, user: 'u' }, init);
    expect([other.status, other.body.error.error_type ?? other.body.error.metadata.error_type]).toEqual([
      409,
      'idempotency_conflict',
    ]);
    while (Number((await usage(key)).usage) === 0) await pause(20);
    expect(Number((await usage(key)).usage)).toBeCloseTo(first.body.usage.cost, 10);
  });

  it.each(['float', 'base64'])('come from the response cache, for nothing: %s', async (encoding) => {
    const { key } = await gateway.newKey();
    const init = { key, headers: { 'x-fairlead-cache': 'true' } };
    const body = { input: ['A boat.', 'A rope.'], encoding_format: encoding };
    const first = await embed(body, init);
    const again = await embed(body, init);
    const statuses = [first, again].map(({ headers }) => headers.get('x-fairlead-cache-status'));
    expect(statuses).toEqual(['MISS', 'HIT']);
    expect(again.body.data).toEqual(first.body.data);
    expect(again.body.usage).toMatchObject({ prompt_tokens: 0, total_tokens: 0, cost: 0 });
    const ranked = await send('/rerank', { model: RANKER, query: QUERY, documents: DOCUMENTS }, init);
    expect(ranked.headers.get('x-fairlead-cache-status')).toBeNull();
  });

  it('ranks documents, charged by the search', async () => {
    const { status, body } = await send('/rerank', { model: RANKER, query: QUERY, documents: DOCUMENTS });
    expect([status, body]).toMatchObject([
      200,
      {
        model: RANKER,
        provider: 'Sandbox',
        results: [
          { index: 1, relevance_score: expect.any(Number), document: { text: 'The rope runs where it should run.' } },
          { index: 0, relevance_score: 0, document: { text: 'A cat sleeps.' } },
        ],
        usage: { total_tokens: 0, search_units: 1, cost: 0.001 },
      },
    ]);
    expect(await record(body.id)).toMatchObject({ api: 'rerank', api_type: 'rerank', total_cost: 0.001 });
    const best = await send('/rerank', { model: RANKER, query: QUERY, documents: DOCUMENTS, top_n: 1 });
    expect(best.body.results).toMatchObject([{ index: 1 }]);
  });

  it('charges a unit of search for each hundred documents', async () => {
    const documents = Array.from({ length: 201 }, (_, position) => `Document ${position}`);
    const { body } = await send('/rerank', { model: RANKER, query: 'seven', documents, top_n: 5 });
    expect(body.usage).toMatchObject({ search_units: 3, cost: 0.003 });
    expect(body.results).toHaveLength(5);
  });

  it.each([
    [
      'a chat model at /embeddings',
      '/embeddings',
      { model: 'sandbox/echo', input: 'a' },
      /sandbox\/echo answers conversations, and POST \/embeddings takes the models of GET \/embeddings\/models/,
    ],
    [
      'a ranking model at /embeddings',
      '/embeddings',
      { model: RANKER, input: 'a' },
      /ranks documents; send it to POST \/rerank/,
    ],
    [
      'an embedding model at /rerank',
      '/rerank',
      { model: MODEL, query: 'a', documents: ['a'] },
      /computes embeddings; send it to POST \/embeddings/,
    ],
    [
      'an embedding model at /messages',
      '/messages',
      { model: MODEL, max_tokens: 5, messages: [{ role: 'user', content: 'a' }] },
      /computes embeddings; send it to POST \/embeddings/,
    ],
    [
      'an embedding model at /chat/completions',
      '/chat/completions',
      { model: MODEL, messages: [{ role: 'user', content: 'a' }] },
      /computes embeddings/,
    ],
    ['an embedding model at /responses', '/responses', { model: MODEL, input: 'a' }, /computes embeddings/],
  ] as const)('refuses %s', async (_name, path, body, message) => {
    const refused = await send(path, body);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('knows no router, and 404s an unknown model', async () => {
    expect((await embed({ model: 'openrouter/auto', input: 'a' })).status).toBe(404);
    expect((await embed({ model: 'nobody/nothing', input: 'a' })).status).toBe(404);
  });

  it('moves on to a further model, past one of another task', async () => {
    const { status, body } = await embed({ model: 'sandbox/echo', models: [MODEL], input: 'a' });
    expect([status, body.model]).toEqual([200, MODEL]);
  });

  it('explains where it would go, with its bound', async () => {
    for (const [format, body] of [
      ['embeddings', { model: MODEL, input: ['a', 'b'] }],
      ['rerank', { model: RANKER, query: QUERY, documents: DOCUMENTS }],
    ] as const) {
      const { status, body: explained } = await send(`/routing/explain?format=${format}`, body);
      expect([status, explained.data.candidates]).toMatchObject([200, [{ provider: 'sandbox' }]]);
    }
    const mistaken = await send('/routing/explain?format=embeddings', { model: 'sandbox/echo', input: 'a' });
    expect(mistaken.status).toBe(400);
  });

  it('reports its route where the header asks for it', async () => {
    const { body } = await embed({ input: 'a' }, { headers: { 'x-router-metadata': 'enabled' } });
    expect(body.router_metadata).toMatchObject({ requested: MODEL, is_byok: false });
    expect(body.openrouter_metadata).toEqual(body.router_metadata);
  });

  it('keeps session, user and tags, and pins nothing', async () => {
    const { body } = await embed(
      { input: 'a', user: 'u-1', session_id: 's-1', trace: { trace_id: 't', tags: { team: 'search' } } },
      { headers: { 'x-session-id': 'other' } },
    );
    expect(await record(body.id)).toMatchObject({ session_id: 's-1', user: 'u-1', tags: { team: 'search' } });
  });

  it('lists models by their output, in pages', async () => {
    const list = async (path: string): Promise<JsonBody> => (await gateway.request(path)).json() as Promise<JsonBody>;
    const all = await list('/embeddings/models');
    expect(all.data.length).toBe(all.total_count);
    expect(all.data.find(({ id }: { id: string }) => id === MODEL)).toMatchObject({
      architecture: { output_modalities: ['embeddings'] },
      dimensions: [64, 32, 16],
      pricing: { prompt: '0.000001', completion: '0' },
    });
    const { dimensions } = all.data.find(({ id }: { id: string }) => id === 'mistralai/mistral-embed');
    expect(dimensions).toEqual([1024]);
    for (const { architecture } of all.data) expect(architecture.output_modalities).toEqual(['embeddings']);
    const page = await list('/embeddings/models?limit=1&offset=0');
    expect([page.data.length, page.links.next]).toEqual([1, expect.stringMatching(/^\/api\/v1\/embeddings\/models\?/)]);
    const ids = ({ data }: JsonBody): string[] => data.map(({ id }: { id: string }) => id);
    expect(ids(await list('/models?output_modalities=embeddings'))).toEqual(ids(all));
    expect(ids(await list('/models?output_modalities=rerank'))).toContain(RANKER);
    expect(ids(await list('/models'))).not.toContain(MODEL);
    const one = await list(`/models/${RANKER}`);
    expect(one).toMatchObject({ id: RANKER, data: { id: RANKER, pricing: { request: '0.001' } } });
  });

  it('requires an inference key', async () => {
    expect((await embed({ input: 'a' }, { key: 'sk-nobody' })).status).toBe(401);
    expect((await gateway.request('/embeddings/models', { key: API_KEY })).status).toBe(200);
  });

  it('holds the highest cost, and neither overspends a limit nor charges beyond it in a race', async () => {
    // Each costs 16 tokens and holds at most 2 + 64 more.
    const input = 'x'.repeat(64);
    const { key } = await gateway.newKey({ limit: 0.0005 });
    const replies = await Promise.all(Array.from({ length: 30 }, () => embed({ input }, { key })));
    const passed = replies.filter(({ status }) => status === 200);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 402]));
    const { data } = (await (await gateway.request('/key', { key })).json()) as JsonBody;
    expect(data.usage).toBeCloseTo(passed.length * 0.000016, 12);
    expect(data.usage).toBeLessThanOrEqual(0.0005);
    expect(data.limit_held).toBe(0);
  });

  it('applies limits of requests, allowed models, and guardrails to the inputs', async () => {
    const slow = await gateway.newKey({ rate_limits: { requests_per_minute: 1 } });
    expect((await embed({ input: 'a' }, slow)).status).toBe(200);
    expect((await embed({ input: 'a' }, slow)).status).toBe(429);
    const other = await gateway.newKey({ allowed_models: ['sandbox/echo'] });
    expect((await embed({ input: 'a' }, other)).status).toBe(403);

    const filtered = await gateway.guardedKey({ content_filters: [{ pattern: 'secret-\\d+', action: 'block' }] });
    expect((await embed({ input: ['fine', 'my secret-42'] }, filtered)).status).toBe(403);
    expect((await embed({ input: ['my secret-', '42'] }, filtered)).status).toBe(200);
    expect((await embed({ input: ['fine'], input_type: 'secret-42' }, filtered)).status).toBe(403);
    const ids = await embed({ input: [[1, 2]] }, filtered);
    expect([ids.status, ids.body.error.message]).toEqual([
      403,
      expect.stringMatching(/^input: the content filters of this request cannot read token ids/),
    ]);
    const documents = ['my secret-42'];
    expect((await send('/rerank', { model: RANKER, query: 'a', documents }, filtered)).status).toBe(403);

    const redacted = await gateway.guardedKey({
      content_filters: [{ pattern: 'secret-\\d+', action: 'redact', label: 'S' }],
    });
    const [own, plain] = await Promise.all([
      embed({ input: 'a secret-42' }, redacted),
      embed({ input: 'a [REDACTED:S]' }),
    ]);
    expect(own.body.data).toEqual(plain.body.data);
  });

  it('counts in the activity of its interface', async () => {
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const { data } = await gateway.manage('GET', `/activity?granularity=day&group_by=api&api=embeddings&from=${from}`);
    expect(data.every(({ api }: { api: string }) => api === 'embeddings')).toBe(true);
    const listed = await gateway.manage('GET', `/generations?api=rerank&limit=100&from=${from}`);
    expect(listed.data.length).toBeGreaterThan(2);
    expect(new Set(listed.data.map(({ api }: { api: string }) => api))).toEqual(new Set(['rerank']));
  });
});
