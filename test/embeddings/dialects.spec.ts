/**
 * Goal: each dialect computes vectors and rankings as its vendor does, and what exceeds the vendor's maxima is divided,
 * put together in order and billed once. Method: strict doubles of the vendors behind one gateway; every vector follows
 * from its input alone, so that a reply shows which input each came from.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { OpenAIEmbeddings } from '@langchain/openai';
import OpenAI from 'openai';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double, type DoubleAnswer } from '../support/doubles/start-double.js';
import { doubleScore, doubleTokens, doubleVector } from '../support/doubles/task-doubles.js';
import type { JsonBody } from '../support/recorded-request.js';

const PRICE = 0.000001;
const SEARCH = 0.002;

describeOnEmbedded('vectors at vendors', (database) => {
  let gateway: TestGateway;
  let direct: Double;
  let second: Double;
  let azure: Double;
  let bedrock: Double;
  let vertex: Double;

  beforeAll(async () => {
    [direct, second, azure, bedrock, vertex] = await Promise.all([
      startDouble('direct'),
      startDouble('direct'),
      startDouble('azure'),
      startDouble('bedrock'),
      startDouble('vertex'),
    ]);
    const provider = (slug: string, double: Double, dialect: string, more: object = {}): object => ({
      slug,
      name: slug,
      dialect,
      base_url: double.baseUrl(dialect as 'openai-chat'),
      credential: { value: double.credential },
      ...more,
    });
    const model = (
      id: string,
      upstream: string,
      output: string,
      providers: readonly string[],
      more: object = {},
    ): object => ({
      id,
      name: id,
      context_length: 8192,
      input_modalities: ['text', 'image'],
      output_modalities: [output],
      image_tokens_max: 1000,
      ...more,
      endpoints: providers.map((one) => ({
        provider: one,
        model: upstream,
        pricing: output === 'rerank' && !upstream.startsWith('jina') ? { request: String(SEARCH) } : { prompt: '1' },
      })),
    });
    const lengths = { dimensions: [1024, 512, 256] };
    const catalog = {
      version: 1,
      providers: [
        provider('openai-like', direct, 'openai-chat', { quirks: { rerank: 'cohere' } }),
        provider('openai-second', second, 'openai-chat'),
        provider('openai', second, 'openai-chat', { credential: undefined }),
        provider('jina-like', direct, 'openai-chat', { quirks: { rerank: 'jina' } }),
        provider('voyage-like', direct, 'openai-chat', { quirks: { rerank: 'voyage' } }),
        provider('cohere-like', direct, 'cohere-chat'),
        provider('gemini-like', direct, 'google-gemini'),
        provider('azure-like', azure, 'openai-chat', { platform: 'azure', base_url: azure.baseUrl('openai-chat') }),
        provider('bedrock-like', bedrock, 'bedrock-converse', {
          platform: 'bedrock',
          base_url: bedrock.baseUrl('bedrock-converse'),
        }),
        provider('vertex-like', vertex, 'google-gemini', { platform: 'vertex' }),
      ],
      models: [
        model('test/openai', 'text-embedding-3-small', 'embeddings', ['openai-like'], { dimensions: [1536, 4] }),
        model('test/fixed', 'mistral-embed', 'embeddings', ['openai-like'], { dimensions: [1024] }),
        model('test/pair', 'text-embedding-3-small', 'embeddings', ['openai-like', 'openai-second']),
        model('test/own', 'text-embedding-3-small', 'embeddings', ['openai']),
        model('test/azure', 'embeddings', 'embeddings', ['azure-like']),
        model('test/cohere', 'embed-v4.0', 'embeddings', ['cohere-like'], { dimensions: [1536, 1024, 512, 256] }),
        model('test/gemini', 'gemini-embedding-001', 'embeddings', ['gemini-like'], { dimensions: [3072, 1536] }),
        model('test/vertex', 'gemini-embedding-001', 'embeddings', ['vertex-like']),
        model('test/vertex-pair', 'gemini-embedding-001', 'embeddings', ['vertex-like', 'gemini-like']),
        model('test/titan', 'amazon.titan-embed-text-v2:0', 'embeddings', ['bedrock-like'], lengths),
        model('test/bedrock-cohere', 'us.cohere.embed-v4:0', 'embeddings', ['bedrock-like'], lengths),
        model('test/rank-v1', 'rerank-english', 'rerank', ['openai-like']),
        model('test/rank-jina', 'jina-reranker', 'rerank', ['jina-like']),
        model('test/rank-voyage', 'voyage-rerank', 'rerank', ['voyage-like']),
        model('test/rank-cohere', 'rerank-v4.0-pro', 'rerank', ['cohere-like']),
        model('test/rank-bedrock', 'cohere.rerank-v3-5:0', 'rerank', ['bedrock-like']),
        model('test/rank-nobody', 'rerank-english', 'rerank', ['openai-second']),
      ],
    };
    gateway = await startGateway(database, { catalog, coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([direct, second, azure, bedrock, vertex].map((one) => one?.close()));
  });

  const computed: DoubleAnswer = { alter: (body) => body };
  beforeEach(() => {
    for (const double of [direct, second, azure, bedrock, vertex]) {
      double.script(computed);
      double.calls.length = double.violations.length = 0;
    }
  });
  afterEach(() => {
    for (const { violations } of [direct, second, azure, bedrock, vertex]) expect(violations).toEqual([]);
  });

  const send = async (path: string, body: object): Promise<{ status: number; body: JsonBody }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as JsonBody };
  };
  const embed = (body: object): ReturnType<typeof send> => send('/embeddings', body);
  /** Little-endian float32 in base64. */
  const floatsOf = (base64: string): number[] => {
    const bytes = Buffer.from(base64, 'base64');
    return Array.from({ length: bytes.length / 4 }, (_, position) => bytes.readFloatLE(4 * position));
  };
  const vectorsOf = (body: JsonBody): unknown[] => body.data.map(({ embedding }: JsonBody) => embedding);
  const record = async (id: string): Promise<JsonBody> =>
    ((await (await gateway.request(`/generation?id=${id}`)).json()) as JsonBody).data;
  const inputs = (count: number): string[] => Array.from({ length: count }, (_, position) => `input ${position}`);
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

  const DIALECTS: readonly [model: string, most: number][] = [
    ['test/openai', 2_048],
    ['test/azure', 2_048],
    ['test/cohere', 96],
    ['test/gemini', 100],
    ['test/titan', 1],
    ['test/bedrock-cohere', 96],
  ];

  it.each(DIALECTS)(
    '%s computes one vector, several, and more than its vendor takes at once (%i)',
    async (model, most) => {
      for (const count of [1, 2, Math.min(most + 1, 250), Math.min(2 * most + 5, 250)]) {
        const input = inputs(count);
        const { status, body } = await embed({ model, input });
        expect(status).toBe(200);
        expect(vectorsOf(body)).toEqual(input.map((one) => doubleVector(one)));
        const tokens = sum(input.map(doubleTokens));
        expect(body.usage.prompt_tokens).toBe(tokens);
        expect(body.usage.cost).toBeCloseTo(tokens * PRICE, 12);
      }
    },
  );

  it.each(DIALECTS)('%s returns the same vectors in base64', async (model) => {
    const input = inputs(3);
    const { body } = await embed({ model, input, encoding_format: 'base64' });
    const decoded = vectorsOf(body).map((one) => floatsOf(one as string));
    expect(decoded).toEqual(input.map((one) => doubleVector(one)));
  });

  it('divides by the tokens as well', async () => {
    const input = Array.from({ length: 40 }, (_, position) => `${position} `.padEnd(40_000, 'word '));
    const { status, body } = await embed({ model: 'test/openai', input });
    expect(status).toBe(200);
    expect(vectorsOf(body)).toEqual(input.map((one) => doubleVector(one)));
    expect(direct.calls.length).toBeGreaterThan(2);
    expect(sum(direct.calls.map(({ body: sent }) => sent.input.length))).toBe(40);
  }, 240_000);

  it('sends dimensions, the use, and the encoding in the words of each vendor', async () => {
    const body = { input: ['a', 'b'], input_type: 'search_query' };
    await embed({ ...body, model: 'test/openai', dimensions: 4, encoding_format: 'base64', user: 'u' });
    expect(direct.calls.at(-1)!.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['a', 'b'],
      encoding_format: 'base64',
      dimensions: 4,
    });
    await embed({ ...body, model: 'test/cohere', dimensions: 256 });
    expect(direct.calls.at(-1)!.body).toMatchObject({ input_type: 'search_query', output_dimension: 256 });
    await embed({ model: 'test/cohere', input: 'a' });
    expect(direct.calls.at(-1)!.body.input_type).toBe('search_document');
    await embed({ ...body, model: 'test/gemini', dimensions: 1536 });
    expect(direct.calls.at(-1)!.body.requests[1]).toMatchObject({
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 1536,
    });
    await embed({ model: 'test/titan', input: 'a', dimensions: 512 });
    expect(bedrock.calls.at(-1)!.body).toEqual({ inputText: 'a', dimensions: 512 });
  });

  it.each([1_024, 512, 256])('titan has vectors of its length %i, as numbers and in base64', async (dimensions) => {
    for (const encoding_format of ['float', 'base64']) {
      const { status, body } = await embed({ model: 'test/titan', input: ['a', 'b'], dimensions, encoding_format });
      expect(status).toBe(200);
      const numbers = vectorsOf(body).map((one) => (Array.isArray(one) ? one : floatsOf(one as string)));
      expect(numbers).toEqual(['a', 'b'].map((one) => doubleVector(one, dimensions)));
    }
  });

  it('refuses a length that Titan does not have, before anything is sent', async () => {
    for (const dimensions of [255, 700, 1_025]) {
      const { status, body } = await embed({ model: 'test/titan', input: 'a', dimensions });
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^dimensions: /)]);
    }
    expect(bedrock.calls).toEqual([]);
  });

  it('requests no length of a model with one, and refuses others before anything is sent', async () => {
    direct.script({ alter: (body) => ({ ...body, data: [{ index: 0, embedding: doubleVector('a', 1_024) }] }) });
    for (const dimensions of [undefined, 1_024]) {
      const { status, body } = await embed({ model: 'test/fixed', input: 'a', dimensions });
      expect([status, body.data[0].embedding.length]).toEqual([200, 1_024]);
      expect(direct.calls.at(-1)!.body.dimensions).toBeUndefined();
    }
    direct.calls.length = 0;
    for (const dimensions of [1, 512, 1_023, 1_025]) {
      const { status, body } = await embed({ model: 'test/fixed', input: 'a', dimensions });
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^dimensions: /)]);
    }
    expect(direct.calls).toEqual([]);
  });

  it('computes no vectors on Vertex, whose predictions have a format of their own', async () => {
    for (const encoding_format of ['float', 'base64']) {
      const { status, body } = await embed({ model: 'test/vertex', input: ['a', 'b'], encoding_format });
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringMatching(/embeddings are not available from vertex-like/),
      ]);
    }
    const { status, body } = await embed({
      model: 'test/vertex-pair',
      input: ['a', 'b'],
      provider: { order: ['vertex-like'] },
    });
    expect([status, body.provider]).toEqual([200, 'gemini-like']);
    expect(vectorsOf(body)).toEqual([doubleVector('a'), doubleVector('b')]);
    expect(vertex.calls).toEqual([]);
  });

  it('states what the answering vendor was not sent, and passes it by where all is required', async () => {
    const body = { model: 'test/titan', input: 'a', input_type: 'search_query' };
    const headers = { 'content-type': 'application/json', 'x-router-metadata': 'enabled' };
    const response = await gateway.request('/embeddings', { method: 'POST', headers, body: JSON.stringify(body) });
    const { router_metadata: route } = (await response.json()) as JsonBody;
    expect(JSON.stringify(route.attempts ?? route)).toContain('"dropped":["input_type"]');
    const refused = await embed({ ...body, provider: { require_parameters: true } });
    expect([refused.status, refused.body.error.message]).toEqual([404, expect.stringMatching(/input_type/)]);
    expect((await embed({ ...body, model: 'test/cohere', provider: { require_parameters: true } })).status).toBe(200);
  });

  it('sends token ids where the vendor takes them, and refuses them elsewhere', async () => {
    const { body } = await embed({ model: 'test/openai', input: [[1, 2], [3]] });
    expect(vectorsOf(body)).toEqual([doubleVector([1, 2]), doubleVector([3])]);
    const refused = await embed({ model: 'test/cohere', input: [1, 2] });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringMatching(/token ids cannot be sent/),
    ]);
  });

  it('sends pictures where the vendor takes them, and refuses them elsewhere', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const input = [
      {
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ];
    expect((await embed({ model: 'test/cohere', input })).status).toBe(200);
    expect(direct.calls.at(-1)!.body.inputs[0].content[1]).toEqual({ type: 'image_url', image_url: { url } });
    expect((await embed({ model: 'test/gemini', input })).status).toBe(200);
    for (const model of ['test/openai', 'test/titan']) {
      const refused = await embed({ model, input });
      expect([refused.status, refused.body.error.message]).toEqual([
        400,
        expect.stringMatching(/input\.0.*cannot be sent/),
      ]);
    }
  });

  const RANKERS: readonly [model: string, cost: (documents: readonly string[]) => number][] = [
    ['test/rank-v1', (documents) => Math.ceil(documents.length / 100) * SEARCH],
    ['test/rank-cohere', (documents) => Math.ceil(documents.length / 100) * SEARCH],
    ['test/rank-bedrock', (documents) => Math.ceil(documents.length / 100) * SEARCH],
    ['test/rank-voyage', () => SEARCH],
    ['test/rank-jina', (documents) => sum(documents.map((one) => doubleTokens('query') + doubleTokens(one))) * PRICE],
  ];
  it.each(RANKERS)('%s ranks documents, the best first', async (model, cost) => {
    const documents = Array.from({ length: 150 }, (_, position) => 'x'.repeat(1 + ((position * 7) % 60)));
    const { status, body } = await send('/rerank', { model, query: 'query', documents, top_n: 20 });
    expect(status).toBe(200);
    const expected = documents
      .map((text, index) => ({ index, relevance_score: doubleScore(text), document: { text } }))
      .sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index);
    expect(body.results).toEqual(expected.slice(0, 20));
    if (model !== 'test/rank-voyage') expect(body.usage.cost).toBeCloseTo(cost(documents), 12);
  });

  it('ranks nothing where a provider has no form for it', async () => {
    const { status, body } = await send('/rerank', { model: 'test/rank-nobody', query: 'a', documents: ['b'] });
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/rankings are not available from openai-second/),
    ]);
  });

  it('falls back to another endpoint, which alone is charged to the caller', async () => {
    direct.script({ fails: 'overloaded', message: 'Busy' });
    const { status, body } = await embed({ model: 'test/pair', input: ['a'], provider: { order: ['openai-like'] } });
    expect([status, body.provider]).toEqual([200, 'openai-second']);
    const { attempts } = await record(body.id);
    expect(attempts).toMatchObject([{ provider: 'openai-like' }, { provider: 'openai-second', status: 200 }]);
    direct.script({ fails: 'rate-limited', message: 'Slow down' });
    expect((await embed({ model: 'test/openai', input: 'a' })).status).toBe(429);
  });

  it('charges nobody but the operator for the parts before a failed one, exactly', async () => {
    const input = inputs(96 * 7);
    direct.script((_call, index) => (index === 5 ? { fails: 'server-error', message: 'Broken' } : computed));
    const lossOf = async (): Promise<number> => {
      const metrics = await gateway.metrics();
      return Number(
        /fairlead_operator_cost_usd_total\{[^}]*provider="cohere-like"[^}]*\} (\S+)/.exec(metrics)?.[1] ?? 0,
      );
    };
    const before = await lossOf();
    const { status, body } = await embed({ model: 'test/cohere', input });
    expect(status).toBe(502);
    // No further part was begun after the failure; those under way were awaited.
    const answered = direct.calls.filter((_call, index) => index !== 5);
    expect(answered.length).toBeLessThan(7);
    const tokens = sum(answered.flatMap(({ body: sent }) => sent.texts.map(doubleTokens)));
    // The error is sent before the loss is settled.
    while ((await lossOf()) === before) await pause(10);
    expect((await lossOf()) - before).toBeCloseTo(tokens * PRICE, 12);
    expect(body.error.metadata?.cost).toBeUndefined();
  });

  const BROKEN: readonly [what: string, alter: (body: JsonBody) => unknown][] = [
    ['a vector too few', (body) => body.data.pop()],
    ['a vector too many', (body) => body.data.push({ index: 2, embedding: [1, 2, 3, 4] })],
    ['an index twice', (body) => (body.data[1].index = 0)],
    ['an index that does not exist', (body) => (body.data[1].index = 7)],
    ['a short vector', (body) => body.data[1].embedding.pop()],
    ['an empty vector', (body) => { body.data[0].embedding = []; body.data[1].embedding = []; }],
    ['no number', (body) => (body.data[0].embedding[2] = null)],
    ['a word for a number', (body) => (body.data[0].embedding[2] = 'NaN')],
    ['a number beyond float32', (body) => (body.data[0].embedding[2] = 1e39)],
    ['base64 of NaN', (body) => (body.data[0].embedding = Buffer.from(Float32Array.of(1, NaN, 1, 1).buffer).toString('base64'))],
    ['base64 of a broken length', (body) => (body.data[0].embedding = 'AAAAAA==')],
    ['text that is no base64', (body) => (body.data[0].embedding = 'hello!')],
    ['no data', (body) => delete body.data],
    ['an object', (body) => (body.data[0].embedding = {})],
  ]; // oxfmt-ignore
  /** Long lists of numbers are read in another way than short ones. */
  const ofLength = (length: number, body: JsonBody): JsonBody => {
    for (const entry of body.data) entry.embedding = doubleVector(String(entry.index), length);
    return body;
  };
  it.each(BROKEN.flatMap(([what, alter]) => [4, 32].map((length) => [length, what, alter] as const)))(
    'vectors of %i: takes no reply with %s',
    async (length, _what, alter) => {
      direct.script({ alter: (body) => (alter(ofLength(length, body)), body) });
      const { status, body } = await embed({ model: 'test/openai', input: ['a', 'b'] });
      expect([status, body.error.message]).toEqual([502, expect.stringMatching(/./)]);
    },
  );

  it('takes no vectors of another length than the requested one', async () => {
    for (const length of [3, 5]) {
      direct.script({
        alter: (body) => ({ ...body, data: [{ index: 0, embedding: doubleVector('a', length) }] }),
      });
      const { status, body } = await embed({ model: 'test/openai', input: 'a', dimensions: 4 });
      expect([status, body.error.message]).toEqual([502, expect.stringContaining(`${length} numbers instead of 4`)]);
    }
  });

  it.each(['float', 'base64'])('returns long vectors as they are, as %s', async (encoding_format) => {
    direct.script({ alter: (body) => ofLength(1_536, body) });
    const { body } = await embed({ model: 'test/openai', input: ['a', 'b'], encoding_format });
    const numbers = vectorsOf(body).map((vector) =>
      typeof vector === 'string' ? [...new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer)] : vector,
    );
    expect(numbers).toEqual(['0', '1'].map((index) => doubleVector(index, 1_536)));
  });

  it('puts vectors in order by their indexes', async () => {
    direct.script({ alter: (body) => ({ ...body, data: body.data.toReversed() }) });
    const input = inputs(5);
    expect(vectorsOf((await embed({ model: 'test/openai', input })).body)).toEqual(
      input.map((one) => doubleVector(one)),
    );
  });

  const BROKEN_RANKINGS: readonly [what: string, alter: (list: JsonBody[]) => unknown][] = [
    ['a document too few', (list) => list.pop()],
    ['a document too many', (list) => list.push({ index: 2, relevance_score: 0.1 })],
    ['an index that does not exist', (list) => (list[0]!.index = 3)],
    ['an index below 0', (list) => (list[0]!.index = -1)],
    ['half an index', (list) => (list[0]!.index = 0.5)],
    ['an index as text', (list) => (list[0]!.index = '0')],
    ['no index', (list) => delete list[0]!.index],
    ['an index twice', (list) => (list[0]!.index = list[1]!.index)],
    ['no score', (list) => delete list[0]!.relevance_score],
    ['a score that is no number', (list) => (list[0]!.relevance_score = 'NaN')],
    ['null for a score', (list) => (list[0]!.relevance_score = null)],
    ['an entry that is no object', (list) => (list[0] = [0, 0.5])],
    ['null for an entry', (list) => (list[0] = null)],
  ];
  it.each(
    ['test/rank-v1', 'test/rank-jina', 'test/rank-voyage', 'test/rank-cohere', 'test/rank-bedrock'].flatMap((model) =>
      BROKEN_RANKINGS.map(([what, alter]) => [model, what, alter] as const),
    ),
  )('%s: takes no ranking with %s', async (model, _what, alter) => {
    for (const double of [direct, bedrock])
      double.script({
        alter: (body) => {
          const list: JsonBody[] = body.results ?? body.data;
          alter(list);
          return body;
        },
      });
    const { status, body } = await send('/rerank', { model, query: 'q', documents: ['a', 'bcd', 'ef'], top_n: 2 });
    expect([status, body.error.message]).toEqual([502, expect.stringMatching(/./)]);
    expect(JSON.stringify(body)).not.toContain('"cost"');
  });

  it.each<[string, (body: JsonBody) => JsonBody]>([
    ['no list', () => ({})],
    ['an object for the list', (body) => ({ ...body, results: { 0: { index: 0, relevance_score: 1 } } })],
    ['a list for the reply', (body) => body.results],
  ])('takes no ranking with %s', async (_what, alter) => {
    direct.script({ alter });
    expect((await send('/rerank', { model: 'test/rank-v1', query: 'q', documents: ['a'] })).status).toBe(502);
  });

  it('reads an error in place of a reply as what it is', async () => {
    direct.script({
      alter: () => ({ error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' } }),
    });
    expect((await embed({ model: 'test/openai', input: 'a' })).status).toBe(429);
  });

  it('charges an estimate where the vendor reports no usage, and never more than the bound', async () => {
    direct.script({ alter: ({ usage: _usage, ...body }) => body });
    const silent = await embed({ model: 'test/openai', input: 'word word word word' });
    expect(silent.body.usage.prompt_tokens).toBeGreaterThan(0);
    expect((await record(silent.body.id)).is_estimated).toBe(true);
    direct.script({ alter: (body) => ({ ...body, usage: { prompt_tokens: 1e9 } }) });
    const absurd = await embed({ model: 'test/openai', input: 'word' });
    expect(absurd.body.usage.cost).toBeLessThan(0.01);
  });

  it("calls with the caller's own credential, which is charged nothing here", async () => {
    expect((await embed({ model: 'test/own', input: 'a' })).status).toBe(404);
    await gateway.manage('POST', '/byok', { provider: 'openai', key: second.credential });
    const { status, body } = await embed({ model: 'test/own', input: inputs(3) });
    const tokens = sum(inputs(3).map(doubleTokens));
    expect([status, body.usage]).toMatchObject([200, { is_byok: true, cost: 0, prompt_tokens: tokens }]);
    expect(body.usage.cost_details.upstream_inference_cost).toBeCloseTo(tokens * PRICE, 12);
    expect(await record(body.id)).toMatchObject({ is_byok: true, total_cost: 0 });
  });

  it('serves the openai client, which asks for base64 by itself', async () => {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.origin}/api/v1`, maxRetries: 0 });
    for (const model of ['test/openai', 'test/gemini']) {
      const { data, usage } = await client.embeddings.create({ model, input: ['a', 'bc'] });
      expect(data.map(({ embedding }) => [...embedding])).toEqual([doubleVector('a'), doubleVector('bc')]);
      expect(usage.total_tokens).toBe(2);
    }
  });

  it('serves the embeddings of LangChain', async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'test/cohere',
      apiKey: API_KEY,
      maxRetries: 0,
      configuration: { baseURL: `${gateway.origin}/api/v1` },
    });
    expect(await embeddings.embedDocuments(['a', 'bc'])).toEqual([doubleVector('a'), doubleVector('bc')]);
    expect(await embeddings.embedQuery('d')).toEqual(doubleVector('d'));
  });
});
