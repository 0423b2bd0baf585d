/**
 * Outside services that plugins and tools buy from are charged when they have answered, however the request ends: the
 * prices of engines times their uses equal the charges plus the operator's loss, to the last digit. An error states the
 * cost, and unpaid results are not kept. Each buyer in each ending, on both faces, with strict doubles whose requests
 * are counted. Rules: docs/use/tools-and-plugins.md#purchases.
 */
import { Metrics } from '../../src/shared/telemetry/metrics.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { MODERATION_MODEL, moderates, moderationRules } from '../support/engines/moderation-double.js';
import { ocrAnswer, ocrRules, paged } from '../support/engines/ocr-engine.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import { garbage, HANG, json, neverAnswers, type Answer, type Script } from '../support/upstream-answers.js';
import { Upstream } from '../support/upstreams.js';
import { anthropicError } from '../support/anthropic-upstream.js';
import {
  CALL,
  calls,
  LoopBench,
  microUsd,
  PRICES,
  TWO_ROUTES,
  answers,
  TOOLS,
  USES,
  type Route,
} from '../tools/faults-bench.js';

/** Prices of a page and of a judgement, in millionths of a USD. */
const PAGE = 2_000;
const JUDGEMENT = 500;
const SECRET = 'PRJ-4711';
const TEXT_ONLY = { model: { input_modalities: ['text'] } };

const scanned = (route: Route, ...texts: string[]): object => {
  const data = paged(...texts).toString('base64');
  return route === '/messages'
    ? { type: 'document', title: 'scan.pdf', source: { type: 'base64', media_type: 'application/pdf', data } }
    : { type: 'file', file: { filename: 'scan.pdf', file_data: `data:application/pdf;base64,${data}` } };
};
const messagesWith = (...parts: object[]): object => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...parts] }],
});
const OCR = { id: 'file-parser', pdf: { engine: 'mistral-ocr' } };
const WEB = { id: 'web', engine: 'exa', max_results: 2 };

/** A plugin or tool that buys, and the price of one use. */
interface Buyer {
  readonly name: string;
  fields(route: Route): JsonBody;
  /** The model's first call; absent: a plugin buys before the model is called. */
  readonly call?: (bench: Bench) => { readonly name: string; readonly input: object };
  /** No outside service bills it. */
  readonly isOwn?: true;
  readonly price: number;
  /** The number of uses outside. */
  uses(bench: Bench): number;
}

/** Parsed files are cached: each request has a separate file. */
let scans = 0;

const searchesOf = ({ loop }: Bench): number => loop.upstreams.engine.requests.length;
const pagesOf = ({ loop }: Bench): number => loop.upstreams.pages.requests.length;

const BUYERS: readonly Buyer[] = [
  { name: 'web', fields: () => ({ tools: undefined, plugins: [WEB] }), price: PRICES.search, uses: searchesOf },
  { name: 'file-parser', fields: (route) => ({ model: 'test/words', tools: undefined, plugins: [OCR], ...messagesWith(scanned(route, `${scans++}`, '')) }), price: 2 * PAGE, uses: ({ ocr }) => ocr.requests.length },
  { name: 'the tool web_search', fields: () => ({ tools: [TOOLS.search] }), call: () => USES.search, price: PRICES.search, uses: searchesOf },
  { name: 'the tool web_fetch', isOwn: true, fields: () => ({ tools: [TOOLS.fetch] }), call: ({ loop }) => loop.fetches, price: PRICES.fetch, uses: pagesOf },
  { name: 'the plugin web-fetch', isOwn: true, fields: () => ({ tools: undefined, plugins: [{ id: 'web-fetch' }] }), call: ({ loop }) => loop.fetches, price: PRICES.fetch, uses: pagesOf },
  { name: 'the tool bash', isOwn: true, fields: () => ({ tools: [TOOLS.bash] }), call: () => ({ name: 'bash', input: { command: "printf 'PRJ-%s' 4711" } }), price: PRICES.bash, uses: () => 1 },
]; // oxfmt-ignore

class Bench {
  private constructor(
    readonly loop: LoopBench,
    readonly ocr: Upstream,
    readonly judge: Upstream,
    readonly key: string,
    readonly guardedKey: string,
  ) {}

  static async start(database: Parameters<typeof LoopBench.start>[0]): Promise<Bench> {
    const [ocr, judge] = await Promise.all([
      new Upstream(ocrRules, () => ocrAnswer([])).listen(),
      new Upstream(
        moderationRules,
        moderates(() => ({})),
      ).listen(),
    ]);
    const credential = { value: KEY };
    const loop = await LoopBench.start(database, {
      plugins: {
        'file-parser': { 'mistral-ocr': { base_url: ocr.url, credential, price_per_page: '0.002' } },
        moderation: {
          engine: 'openai',
          openai: { base_url: judge.url, credential, model: MODERATION_MODEL, price: '0.0005' },
        },
      },
      models: [{ id: 'test/words', ...TEXT_ONLY }],
    });
    const { key } = await loop.gateway.newKey();
    const guarded = await loop.gateway.newKey();
    const manage = async (path: string, body: object): Promise<JsonBody> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', key: MANAGEMENT_KEY, headers, body: JSON.stringify(body) };
      return (await (await loop.gateway.request(path, init)).json()) as JsonBody;
    };
    const content_filters = [{ pattern: 'PRJ-\\d+', action: 'block', label: 'project' }];
    const { data } = await manage('/guardrails', { name: 'block', content_filters });
    await manage(`/guardrails/${data.id}/assignments/keys`, { key_hashes: [guarded.hash] });
    return new Bench(loop, ocr, judge, key, guarded.key);
  }

  begin(buyer: Buyer, last: Script | Answer, words = 'Found.'): void {
    const { loop, ocr, judge } = this;
    const { main, adviser, engine } = loop.upstreams;
    const scripts = [...(buyer.call ? [calls(buyer.call(this))] : []), last];
    loop.begin(...scripts);
    let turn = 0;
    adviser.script((request, index) => {
      const script = scripts[Math.min(turn++, scripts.length - 1)]!;
      return typeof script === 'function' ? script(request, index) : script;
    });
    loop.upstreams.pages.script({ headers: { 'content-type': 'text/plain' }, body: [words] });
    engine.script(SEARCH_DOUBLES.exa.answer([{ url: 'https://one.example/a', title: 'One', text: words }]));
    ocr.script(() => ocrAnswer([{ markdown: words }, { markdown: 'Two' }]));
    judge.script(moderates((text) => (text.includes('Kestrel') ? { flagged: ['violence'] } : {})));
    for (const upstream of [ocr, judge, main, adviser]) upstream.requests.length = 0;
  }

  async close(): Promise<void> {
    await this.loop.close();
    await Promise.all([this.ocr.close(), this.judge.close()]);
  }
}

const refused = (status: number, type: string): Answer => json(anthropicError(type, 'No.'), status);

describeOnEachDatabase('purchases of plugins and tools', (database) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const used = async (): Promise<number> => {
    await bench.loop.ledger.rest();
    return microUsd((await bench.loop.ledger.account()).used);
  };

  const lostOf = async (): Promise<number> => {
    // The metrics route caches its text for a while.
    const text = await bench.loop.gateway.gateway.app.get(Metrics, { strict: false }).text();
    return [...text.matchAll(/^fairlead_operator_cost_usd_total\{.*\} (.*)$/gm)]
      .map(([, amount]) => microUsd(amount!))
      .reduce((sum, amount) => sum + amount, 0);
  };

  /** Sends a request, and compares the ledger with the uses outside. @returns the reply and its row */
  async function buy(
    buyer: Buyer,
    route: Route,
    fields: JsonBody = {},
    key = bench.key,
  ): Promise<{ readonly reply: JsonBody; readonly row: JsonBody }> {
    const [before, lostBefore] = [await used(), await lostOf()];
    const reply = await bench.loop.ask(route, { ...buyer.fields(route), ...fields }, key);
    const row = await bench.loop.row(reply.id);
    const lost = (await lostOf()) - lostBefore;
    const bought = buyer.uses(bench) * buyer.price;
    expect(bought).toBeGreaterThan(0);
    expect([row.cost, row.operator_cost]).toEqual([(await used()) - before, lost]);
    const judged = bench.judge.requests.length > 0 ? JUDGEMENT : 0;
    expect(row.tools_cost + lost).toBe(bought + judged);
    // A stream that has begun ends with its error.
    const stated = /"metadata":\{[^}]*"cost":([\d.e-]+)/.exec(reply.text)?.[1];
    expect(microUsd(row.outcome === 'completed' ? reply.usage.cost : stated!)).toBe(row.cost);
    return { reply, row };
  }

  const EACH = BUYERS.flatMap((buyer) =>
    TWO_ROUTES.flatMap((route) => [false, true].map((stream) => ({ name: buyer.name, route, stream, buyer }))),
  );

  it.each(EACH)('$name, $route, stream $stream: with the answer', async ({ buyer, route, stream }) => {
    bench.begin(buyer, answers('It is one.'));
    const { row } = await buy(buyer, route, { stream });
    expect(row).toMatchObject({ outcome: 'completed', tools_cost: buyer.price });
  });

  it.each([
    ['refused', refused(400, 'invalid_request_error')],
    ['failed', refused(500, 'api_error')],
    ['garbled', garbage()],
  ])('the answer is %s by its provider', async (_, answer) => {
    for (const { buyer, route, stream } of EACH) {
      bench.begin(buyer, answer);
      const { row } = await buy(buyer, route, { stream });
      expect(row.outcome).not.toBe('completed');
      expect(row.tools_cost).toBe(buyer.price);
    }
  });

  it('is blocked by a filter in what was brought in', async () => {
    for (const { buyer, route, stream } of EACH) {
      bench.begin(buyer, answers('Never.'), `It is ${SECRET}.`);
      const { row } = await buy(buyer, route, { stream }, bench.guardedKey);
      expect([row.outcome, row.tools_cost]).toEqual(['forbidden', buyer.price]);
    }
  });

  it('is refused by moderation in what a plugin brought; the caller’s own text is judged before anything is bought', async () => {
    for (const { buyer, route } of EACH.filter(({ buyer: { call } }) => !call)) {
      const { plugins } = buyer.fields(route);
      bench.begin(buyer, answers('Never.'), 'The Kestrel is one.');
      const { reply, row } = await buy(buyer, route, { plugins: [...plugins, { id: 'moderation' }] });
      expect([reply.status, row.outcome, row.tools_cost]).toEqual([403, 'forbidden', buyer.price + JUDGEMENT]);
      bench.begin(buyer, answers('Never.'));
      const own = { ...buyer.fields(route), ...messagesWith({ type: 'text', text: 'Kestrel' }) };
      const { id, status } = await bench.loop.ask(route, { ...own, plugins: [...plugins, { id: 'moderation' }] }, bench.key);
      expect([status, buyer.uses(bench)]).toEqual([403, 0]);
      expect(await bench.loop.row(id)).toMatchObject({ cost: JUDGEMENT, tools_cost: JUDGEMENT, operator_cost: 0 });
    }
  });

  it.each(TWO_ROUTES)("%s: the caller leaves during the model's call, and during the engine's", async (route) => {
    for (const buyer of BUYERS) {
      for (const isEngine of buyer.isOwn ? [false] : [false, true]) {
        bench.begin(buyer, neverAnswers());
        const { engine } = bench.loop.upstreams;
        if (isEngine) for (const upstream of [engine, bench.ocr]) upstream.script({ body: [HANG] });
        const [before, lostBefore] = [await used(), await lostOf()];
        const client = await bench.loop.open(route, buyer.fields(route), bench.key);
        const upstreams = isEngine ? [engine, bench.ocr] : [bench.loop.upstreams.main, bench.loop.upstreams.adviser];
        const position = isEngine || !buyer.call ? 0 : 1;
        while (upstreams.every(({ requests }) => requests.length <= position)) await new Promise((resolve) => setTimeout(resolve, 5));
        const previous = (await bench.loop.ledger.latest())?.id;
        client.destroy();
        while ((await bench.loop.ledger.latest())?.id === previous) await new Promise((resolve) => setTimeout(resolve, 5));
        const row = await bench.loop.row();
        const bought = buyer.uses(bench) * buyer.price;
        expect([row.tools_cost, (await lostOf()) - lostBefore]).toEqual(isEngine ? [0, bought] : [bought, 0]);
        expect((await used()) - before).toBe(row.cost);
      }
    }
  });

  it('an engine that fails is charged to no account, and an unusable answer to the operator', async () => {
    const buyer = BUYERS[0]!;
    const { engine } = bench.loop.upstreams;
    bench.begin(buyer, answers('Never.'));
    engine.script(json({}, 500));
    const [before, lostBefore] = [await used(), await lostOf()];
    expect((await bench.loop.ask('/messages', buyer.fields('/messages'), bench.key)).status).toBe(503);
    expect([await used(), await lostOf()]).toEqual([before, lostBefore]);
    engine.script(json({ results: 'none' }));
    expect((await bench.loop.ask('/messages', buyer.fields('/messages'), bench.key)).status).toBe(503);
    expect([await used(), await lostOf()]).toEqual([before, lostBefore + buyer.price]);
  });

  it('buys nothing unless the limit suffices for it, for its text and for the answer', async () => {
    for (const buyer of BUYERS.filter(({ call }) => !call)) {
      const { key } = await bench.loop.gateway.newKey({ limit: 0.0155 });
      bench.begin(buyer, answers('Never.'));
      const { status } = await bench.loop.ask('/messages', buyer.fields('/messages'), key);
      expect([status, buyer.uses(bench)]).toEqual([402, 0]);
    }
  });

  it('is refused with what it needs: its own reservation is none of other requests, whose end is waited for', async () => {
    const buyer = BUYERS[0]!;
    const newKey = (limit: number): Promise<{ key: string }> => bench.loop.gateway.newKey({ limit });
    const ask = (key: string): Promise<JsonBody> => bench.loop.ask('/messages', buyer.fields('/messages'), key);
    bench.begin(buyer, answers('Never.'));
    const poor = await ask((await newKey(0.0155)).key);
    expect(poor.body.error.message).toMatch(
      /^The key's lifetime limit has no room for this request: 0\.0155 USD left\. With its plugins .* USD too much\. Raise/,
    );
    const needed = Number(/needs ([\d.]+) USD/.exec(poor.body.error.message)![1]);
    // The second one's first call fits, and its purchase does not.
    const { key } = await newKey(needed + 0.016);
    bench.loop.upstreams.engine.script({ body: [HANG] });
    const client = await bench.loop.open('/messages', buyer.fields('/messages'), key);
    const { requests } = bench.loop.upstreams.engine;
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { status, body } = await ask(key);
    client.destroy();
    expect([status, body.error.metadata.limit_source]).toEqual([402, 'openrouter_in_flight_budget']);
    expect(body.error.message).toMatch(/ is reserved for requests that are under way: .* With its plugins .* Retry shortly\.$/);
  });

  it('takes its added prompt from the tokens of the minute of its key, and is cut to the rest', async () => {
    const buyer = BUYERS[0]!;
    const { key } = await bench.loop.gateway.newKey({ rate_limits: { tokens_per_minute: 3_000 } });
    bench.begin(buyer, answers('It is one.'), 'word '.repeat(8_000));
    const fields = { ...buyer.fields('/messages'), plugins: [{ ...WEB, max_results: 10 }] };
    const { status } = await bench.loop.ask('/messages', fields, key);
    const sent = JSON.stringify(bench.loop.upstreams.main.requests[0]?.json ?? '');
    expect([status, sent.length > 1_500, sent.length < 4_000]).toEqual([200, true, true]);
    const { key: poor } = await bench.loop.gateway.newKey({ rate_limits: { tokens_per_minute: 1_100 } });
    bench.begin(buyer, answers('Never.'), 'word '.repeat(8_000));
    const refusal = await bench.loop.ask('/messages', fields, poor);
    expect([refusal.status, buyer.uses(bench), bench.loop.upstreams.main.requests.length]).toEqual([429, 0, 0]);
    expect(refusal.body.error.metadata).not.toHaveProperty('cost');
  });

  it('is refused by the budget that it exceeds, with its message', async () => {
    const buyer = BUYERS[0]!;
    const { ledger } = bench.loop;
    await used();
    const [workspace] = (await ledger.query(`select id from workspaces limit 1`)) as JsonBody[];
    await ledger.query(
      `insert into budgets (account_id, scope, scope_id, interval, limit_usd)
       select id, 'workspace', $1, 'lifetime', 0.0155 from accounts`,
      [workspace.id],
    );
    try {
      bench.begin(buyer, answers('Never.'));
      const { status, body } = await bench.loop.ask('/messages', buyer.fields('/messages'), bench.key);
      expect([status, buyer.uses(bench)]).toEqual([403, 0]);
      expect(body.error.message).toContain('budget');
    } finally {
      await ledger.query('delete from budgets');
    }
  });

  it('a parsed scan is paid before it is kept, even where the next file cannot be read', async () => {
    const buyer = BUYERS.find(({ name }) => name === 'file-parser')!;
    const fields = { ...buyer.fields('/messages'), ...messagesWith(scanned('/messages', '', ' '), scanned('/messages', ' ', '')) };
    bench.begin(buyer, answers('Never.'));
    bench.ocr.script((_, index) => (index === 0 ? ocrAnswer([{ markdown: 'One' }, { markdown: 'Two' }]) : json({}, 500)));
    const reply = await bench.loop.ask('/messages', fields, bench.key);
    expect([reply.status, reply.body.error.metadata.cost, reply.body.error.metadata.file_annotations.length]).toEqual([503, 0.004, 1]);
    expect(await bench.loop.row(reply.id)).toMatchObject({ cost: 2 * PAGE, tools_cost: 2 * PAGE, operator_cost: 0 });
  });

  it('a fusion whose answer fails is charged for its panel', async () => {
    bench.begin(BUYERS[0]!, refused(400, 'invalid_request_error'));
    bench.loop.upstreams.adviser.script(answers('At nine.'));
    const fields = { model: 'openrouter/fusion', tools: undefined, plugins: [{ id: 'fusion', analysis_models: ['test/adviser'], model: 'test/main', tools: [] }] };
    const reply = await bench.loop.ask('/messages', fields, bench.key);
    const row = await bench.loop.row(reply.id);
    expect([row.cost, reply.body.error.metadata.cost]).toEqual([CALL, CALL / 1e6]);
  });
}); // oxfmt-ignore
