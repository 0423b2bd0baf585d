/**
 * Goal: of a list that is sent in several calls, an input that the vendor cannot carry is named by its index before
 * anything is sent; where the vendor refuses a part, the caller pays nothing, the operator's cost is recorded exactly,
 * and a key that repeats it is soon refused. Broken bytes of a reply are no reply. Method: strict doubles of vendors on
 * both databases.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { doubleTokens, doubleVector } from '../support/doubles/task-doubles.js';
import { startDouble, type Double, type DoubleAnswer } from '../support/doubles/start-double.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

/** Inputs that Cohere takes at once. */
const PART = 96;
const PARTS = 7;
/** Wasted calls of a key within a minute. */
const WASTED_MAX = 2 * PARTS;
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const computed: DoubleAnswer = { alter: (body) => body };
const inputs = (count: number): string[] => Array.from({ length: count }, (_, position) => `input ${position}`);
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

describeOnEachDatabase('a list in several calls', (database) => {
  let gateway: TestGateway;
  let ledger: LedgerReader;
  let vendor: Double;
  let second: Double;
  let bytes: Upstream;

  beforeAll(async () => {
    [vendor, second] = [await startDouble('direct'), await startDouble('direct')];
    bytes = await startUpstream('openai');
    bytes.strict = false;
    const provider = (slug: string, double: Double, dialect: 'cohere-chat' | 'openai-chat'): object => ({
      slug,
      name: slug,
      dialect,
      base_url: double.baseUrl(dialect),
      credential: { value: double.credential },
    });
    const model = (id: string, output: string, ...endpoints: readonly (readonly [string, string])[]): object => ({
      id,
      name: id,
      context_length: 8192,
      input_modalities: ['text', 'image', 'file'],
      output_modalities: [output],
      image_tokens_max: 1000,
      endpoints: endpoints.map(([slug, upstream]) => ({ provider: slug, model: upstream, pricing: { prompt: '1' } })),
    });
    gateway = await startGateway(database, {
      coolsDown: false,
      variables: { FAIRLEAD_FLOOD: `wasted=${WASTED_MAX}/60s` },
      catalog: {
        version: 1,
        providers: [
          provider('first', vendor, 'cohere-chat'),
          provider('second', second, 'cohere-chat'),
          { ...provider('bytes', vendor, 'openai-chat'), base_url: bytes.url, quirks: { rerank: 'jina' } },
        ],
        models: [
          model('test/one', 'embeddings', ['first', 'embed-v4.0']),
          model('test/pair', 'embeddings', ['first', 'embed-v4.0'], ['second', 'embed-v4.0']),
          model('test/bytes', 'embeddings', ['bytes', 'embed']),
          model('test/rank', 'rerank', ['bytes', 'jina-reranker']),
        ],
      },
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([vendor, second, bytes].map((one) => one?.close()));
  });
  beforeEach(() => {
    for (const double of [vendor, second]) {
      double.script(computed);
      double.calls.length = double.violations.length = 0;
    }
  });

  async function send(
    path: string,
    body: object,
    key: string,
  ): Promise<{ status: number; body: JsonBody; id: string }> {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.request(path, { method: 'POST', key, headers, body: JSON.stringify(body) });
    const { status, headers: answered } = response;
    return { status, body: (await response.json()) as JsonBody, id: answered.get('x-generation-id')! };
  }
  const embed = (body: object, key: string) => send('/embeddings', body, key);
  const failing = (fails: 'invalid' | 'server-error', message: string) => (_call: unknown, index: number) =>
    index === 5 ? { fails, message } : computed;
  const tokensOf = (double: Double): number =>
    sum(double.calls.flatMap(({ body }, index) => (index === 5 ? [] : body.texts.map(doubleTokens))));
  const microUsd = (amount: unknown): number => Math.round(Number(amount) * 1e6);

  it('names an input that cannot be carried by its index, and sends nothing', async () => {
    const { key } = await gateway.newKey();
    const text = (words: string): object => ({ content: [{ type: 'text', text: words }] });
    const file = { content: [{ type: 'input_file', input_file: { data: 'JVBERi0=', format: 'pdf' } }] };
    for (const position of [0, PART - 1, PART, 2 * PART + 3]) {
      const input = inputs(PART * 3).map((words, index) => (index === position ? file : text(words)));
      const { status, body } = await embed({ model: 'test/one', input }, key);
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(new RegExp(`^input\\.${position}\\b`))]);
      const row = await ledger.latest();
      expect([vendor.calls, microUsd(row?.operator_cost ?? 0)]).toEqual([[], 0]);
    }
    const pictured = inputs(PART + 1).map((words, index) =>
      index === PART ? { content: [{ type: 'image_url', image_url: { url: PNG } }] } : text(words),
    );
    expect((await embed({ model: 'test/one', input: pictured }, key)).status).toBe(200);
    expect(vendor.calls.map(({ body }) => (body.texts ?? body.inputs).length)).toEqual([PART, 1]);
  });

  it('costs the caller nothing where the vendor refuses a part, and the operator exactly what was computed', async () => {
    const { key } = await gateway.newKey();
    vendor.script(failing('invalid', 'input 480 is bad'));
    const { status, body, id } = await embed({ model: 'test/one', input: inputs(PART * PARTS) }, key);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('input 480 is bad')]);
    await ledger.rest();
    const row = await ledger.generation(id);
    expect([microUsd(row.cost), microUsd(row.operator_cost)]).toEqual([0, tokensOf(vendor)]);
    expect(await ledger.openHolds()).toBe(0);
    const { data } = (await (await gateway.request('/key', { key })).json()) as JsonBody;
    expect([data.usage, data.limit_held ?? 0]).toEqual([0, 0]);
  });

  it('refuses a key that repeats it, by the number of its calls, and no other key', async () => {
    const [{ key }, { key: other }] = await Promise.all([gateway.newKey(), gateway.newKey()]);
    const statuses: number[] = [];
    const input = inputs(PART * PARTS);
    let answered = 0;
    for (let times = 0; times < 4 && statuses.at(-1) !== 429; times++) {
      vendor.script(failing('invalid', 'no'));
      const before = vendor.calls.length;
      statuses.push((await embed({ model: 'test/one', input }, key)).status);
      answered += vendor.calls.length - before;
      // The answer may precede the count.
      await pause(50);
    }
    expect([statuses.at(-1), statuses.slice(0, -1).every((status) => status === 400)]).toEqual([429, true]);
    // One refused call more than the limit permits, at most.
    expect(answered).toBeGreaterThanOrEqual(WASTED_MAX);
    expect(answered).toBeLessThan(WASTED_MAX + PARTS);
    vendor.script(computed);
    expect((await embed({ model: 'test/one', input: 'a' }, other)).status).toBe(200);
    expect((await embed({ model: 'test/one', input: 'a' }, key)).status).toBe(429);
  });

  it('charges the calls of the endpoint that answers, where another takes the whole list after a failure', async () => {
    const { key } = await gateway.newKey();
    const input = inputs(PART * PARTS);
    const body = { model: 'test/pair', input, provider: { order: ['first', 'second'] } };
    vendor.script(failing('server-error', 'broken'));
    const reply = await embed(body, key);
    const tokens = sum(input.map(doubleTokens));
    expect([reply.status, reply.body.provider, second.calls.length]).toEqual([200, 'second', PARTS]);
    expect(reply.body.usage.prompt_tokens).toBe(tokens);
    expect(reply.body.data.map(({ embedding }: JsonBody) => embedding)).toEqual(input.map((one) => doubleVector(one)));
    await ledger.rest();
    const row = await ledger.generation(reply.id);
    expect([microUsd(row.cost), microUsd(row.operator_cost)]).toEqual([tokens, tokensOf(vendor)]);
    // What one endpoint of a model refuses is not computed at another.
    vendor.calls.length = second.calls.length = 0;
    vendor.script(failing('invalid', 'no'));
    expect([(await embed(body, key)).status, second.calls]).toEqual([400, []]);
  });

  const WHOLE = JSON.stringify({ data: [{ index: 0, embedding: [0.5, 0.25] }], usage: { prompt_tokens: 1 } });
  const RANKED = JSON.stringify({ results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 1 } });
  it.each<[string, (whole: string) => string]>([
    ['a cut', (whole) => whole.slice(0, -7)],
    ['nothing', () => ''],
    ['a page', () => '<html></html>'],
    ['NaN', (whole) => whole.replace('0.5', 'NaN')],
    ['infinity', (whole) => whole.replace('0.5', '1e999')],
    ['broken characters', (whole) => `${whole}\u0000`],
    ['null', () => 'null'],
  ])('takes no reply with %s, and charges nothing', async (_what, alter) => {
    const { key } = await gateway.newKey();
    for (const [path, whole, body] of [
      ['/embeddings', WHOLE, { model: 'test/bytes', input: 'a' }],
      ['/rerank', RANKED, { model: 'test/rank', query: 'q', documents: ['a'] }],
    ] as const) {
      bytes.script({ headers: { 'content-type': 'application/json' }, body: [alter(whole)] });
      const refused = await send(path, body, key);
      expect([path, refused.status]).toEqual([path, 502]);
      await ledger.rest();
      expect(microUsd((await ledger.generation(refused.id)).cost)).toBe(0);
      bytes.script({ headers: { 'content-type': 'application/json' }, body: [whole] });
      expect((await send(path, body, key)).status).toBe(200);
    }
  });
});
