/**
 * Goal: no counted limit refuses the call that reads a purchase. Whatever the tokens of the key or the model, a buyer
 * is refused before it buys anything, or its request is completed. Method: each buyer with limits of ever more tokens,
 * from less than the first call needs to plenty, before strict doubles that return long results; models whose slots and
 * free requests are used up. Rules: docs/use/tools-and-plugins.md#purchases, docs/use/limits.md#limits-of-keys.
 */
import { KeyGate, type LimitedCaller } from '../../src/rate-limits/key-gate.js';
import { StandingClock } from '../support/ahead-clock.js';
import { describeOnEachDatabase } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { ocrAnswer, ocrRules, paged } from '../support/engines/ocr-engine.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import { Upstream } from '../support/upstreams.js';
import { answers, calls, LoopBench, PRICES, ROUTES, TOOLS, USES, type Route } from '../tools/faults-bench.js';

const GUARD = 'test/guard';
const FREE_GUARD = 'test/guard:free';
/** Free requests of an account in a minute. */
const FREE_A_MINUTE = 20;
/** Tokens of each call: its prompt has 12, its reply 7. */
const CALL_TOKENS = 19;
/** Tokens of a minute for everything at once. */
const ROOMY = 400_000;
const LONG = 'word '.repeat(8_000);
/** Text of a page. */
const DENSE = 'word '.repeat(1_100);
const RESULTS = Array.from({ length: 10 }, (_, index) => ({
  url: `https://one.example/${index}`,
  title: 'One',
  text: LONG,
}));
const PAGE = 2_000;
const WEB = { id: 'web', engine: 'exa', max_results: 10 };
const OCR = { id: 'file-parser', pdf: { engine: 'mistral-ocr' } };
const SEARCH = { ...TOOLS.search, parameters: { max_results: 10 } };
const FUSION = { id: 'fusion', analysis_models: ['test/adviser', 'test/second'], model: 'test/adviser', tools: [] };
const MODERATION = { id: 'moderation' };
const FREE = { pricing: { prompt: '0', completion: '0' } };
const LONG_TURN = { messages: [{ role: 'user', content: 'word '.repeat(20_000) }] };

/** A buyer of something that a model reads afterwards. */
interface Buyer {
  readonly name: string;
  readonly fields: (route: Route) => JsonBody;
  /** The model calls it in its first answer. */
  readonly use?: { readonly name: string; readonly input: object };
  /** Tokens of a minute around which it is refused or not. */
  readonly ladder: readonly number[];
}

const steps = (from: number, to: number, by: number): readonly number[] =>
  Array.from({ length: Math.ceil((to - from) / by) + 1 }, (_, step) => from + step * by);

/** Each file is read once. */
let scans = 0;
const scanned = (route: Route): object => {
  const data = paged(`${scans++}`, '').toString('base64');
  const part =
    route === '/messages'
      ? { type: 'document', title: 'scan.pdf', source: { type: 'base64', media_type: 'application/pdf', data } }
      : { type: 'file', file: { filename: 'scan.pdf', file_data: `data:application/pdf;base64,${data}` } };
  return { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, part] }] };
};

const BUYERS: readonly Buyer[] = [
  { name: 'web', fields: () => ({ tools: undefined, plugins: [WEB] }), ladder: [400, 900, 1_400, 1_500, 20_000, 200_000] },
  { name: 'web before a guard model', fields: () => ({ tools: undefined, plugins: [WEB, MODERATION] }), ladder: [2_000, 4_000, 8_500, 8_700, 200_000] },
  { name: 'web before a panel', fields: () => ({ tools: undefined, plugins: [WEB, FUSION] }), ladder: [2_000, 4_000, 8_000, 64_000, 200_000] },
  { name: 'a panel', fields: () => ({ tools: undefined, plugins: [FUSION] }), ladder: [1_350, 4_000, 64_000, 200_000] },
  { name: 'a guard model that is asked several times', fields: () => ({ tools: undefined, plugins: [MODERATION], ...LONG_TURN }), ladder: [68_000, ...steps(92_000, 124_000, 8_000), 1_000_000] },
  { name: 'file-parser', fields: (route) => ({ model: 'test/words', tools: undefined, plugins: [OCR], ...scanned(route) }), ladder: [400, 2_000, ...steps(6_200, 6_800, 200), 200_000] },
  { name: 'a tool', fields: () => ({ tools: [SEARCH] }), use: USES.search, ladder: [1_500, ...steps(2_000, 2_600, 200), 200_000] },
  { name: 'an adviser', fields: () => ({ tools: [TOOLS.advisor] }), use: USES.advisor, ladder: [1_500, ...steps(2_000, 2_600, 200), 200_000] },
]; // oxfmt-ignore

describeOnEachDatabase('limits and what is bought', (database) => {
  const clock = new StandingClock();
  let bench: LoopBench;
  let ocr: Upstream;
  beforeAll(async () => {
    ocr = await new Upstream(ocrRules, () => ocrAnswer([])).listen();
    bench = await LoopBench.start(database, {
      clock,
      plugins: {
        moderation: { engine: 'model', model: GUARD },
        'file-parser': {
          'mistral-ocr': { base_url: ocr.url, credential: { value: KEY }, price_per_page: String(PAGE / 1e6) },
        },
      },
      models: [
        { id: GUARD },
        { id: 'test/second' },
        { id: 'test/words', model: { input_modalities: ['text'] } },
        { id: 'test/few', model: { limits: { tokens_per_minute: 1_440 } } },
        { id: 'test/once', model: { limits: { requests_per_minute: 1 } } },
      ],
    });
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await ocr?.close();
  });
  const nextMinute = (): void => void (clock.aheadMs += 60_000 - (clock.now() % 60_000) + 5_000);
  beforeEach(nextMinute);

  function begin(use?: Buyer['use']): void {
    const { adviser, engine } = bench.upstreams;
    bench.begin(...(use ? [calls(use)] : []), answers('It is one.'));
    engine.script(SEARCH_DOUBLES.exa.answer(RESULTS));
    // Also the answer of a panel, and of models with limits.
    adviser.script(answers('safe'));
    ocr.requests.length = 0;
    ocr.script(() => ocrAnswer([{ markdown: DENSE }, { markdown: DENSE }]));
  }

  const boughtSoFar = (): number => bench.upstreams.engine.requests.length + ocr.requests.length;
  const paidOf = (): number => bench.upstreams.engine.requests.length * PRICES.search + ocr.requests.length * 2 * PAGE;

  describe.each(ROUTES)('%s', (route) => {
    it.each(BUYERS)(
      '$name: the tokens of a key refuse it before the purchase, or not',
      async ({ fields, use, ladder }) => {
        const outcomes: string[] = [];
        for (const tokens_per_minute of ladder) {
          const { key } = await bench.gateway.newKey({ rate_limits: { tokens_per_minute } });
          nextMinute();
          // A call takes all of an unused minute, however much it needs.
          begin();
          const first = await bench.ask(route, { tools: undefined, plugins: [], max_tokens: 300 }, key);
          expect(first.status).toBe(200);
          begin(use);
          const body = { ...fields(route), max_tokens: 300 };
          const reply = await bench.ask(route, { ...body, plugins: body['plugins'] ?? [] }, key);
          const { main, adviser } = bench.upstreams;
          const words = body['model'] === 'test/words';
          const models = main.requests.length + adviser.requests.length;
          const seen = { tokens_per_minute, status: reply.status, bought: boughtSoFar() };
          if (reply.status === 429) {
            expect({ ...seen, models }).toEqual({ tokens_per_minute, status: 429, bought: 0, models: 0 });
            outcomes.push('refused');
            continue;
          }
          expect(seen.status).toBe(200);
          const row = await bench.row(reply.id);
          expect({ ...seen, paid: row.tools_cost }).toEqual({ ...seen, paid: paidOf() });
          expect(row.operator_cost).toBe(0);
          const stop = reply.stop_reason ?? reply.finish_reason;
          const isPaused = stop === 'pause_turn' || stop === 'length';
          if (use && isPaused) {
            // A loop ends before it buys.
            expect({ ...seen, asked: adviser.requests.length }).toEqual({ ...seen, bought: 0, asked: 0 });
            outcomes.push('refused');
            continue;
          }
          expect({ ...seen, answered: (words ? adviser : main).requests.length > (use ? 1 : 0) }).toEqual({
            ...seen,
            answered: true,
          });
          outcomes.push('completed');
        }
        expect(new Set(outcomes)).toEqual(new Set(['refused', 'completed']));
        // From the first limit that suffices on, each larger one suffices.
        expect(outcomes.slice(outcomes.indexOf('completed'))).not.toContain('refused');
      },
      120_000,
    );

    it.each([
      ['few', 1],
      ['once', 1],
    ])('web before test/%s: the limits of its model refuse it before the purchase', async (name, most) => {
      const statuses: number[] = [];
      for (let call = 0; call <= most; call++) {
        begin();
        const fields = { model: `test/${name}`, tools: undefined, plugins: [WEB], max_tokens: 300 };
        const { status } = await bench.ask(route, fields, (await bench.gateway.newKey()).key);
        expect([status, boughtSoFar(), bench.upstreams.adviser.requests.length]).toEqual(
          status === 200 ? [200, 1, 1] : [429, 0, 0],
        );
        statuses.push(status);
      }
      expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    });

    it('web before a panel: the limits of its only model refuse it before the purchase', async () => {
      const statuses: number[] = [];
      for (let call = 0; call < 2; call++) {
        begin();
        const panel = { ...FUSION, analysis_models: ['test/once'] };
        const fields = { tools: undefined, plugins: [WEB, panel], max_tokens: 300 };
        const { status } = await bench.ask(route, fields, (await bench.gateway.newKey()).key);
        expect([status, boughtSoFar()]).toEqual(status === 200 ? [200, 1] : [429, 0]);
        statuses.push(status);
      }
      expect(statuses).toEqual([200, 429]);
    });

    it('returns the tokens that were reserved and not used', async () => {
      const rateLimits = { tokensPerMinute: ROOMY };
      const { key, hash } = await bench.gateway.newKey({ rate_limits: { tokens_per_minute: ROOMY } });
      begin();
      const body = { tools: undefined, plugins: [WEB, MODERATION, FUSION], max_tokens: 300 };
      const { status, id } = await bench.ask(route, body, key);
      expect(status).toBe(200);
      const { account_id: accountId } = await bench.row(id);
      const { main, adviser } = bench.upstreams;
      const used = (main.requests.length + adviser.requests.length) * CALL_TOKENS;
      const gate = bench.gateway.gateway.app.get(KeyGate, { strict: false });
      const caller = { accountId, keyHash: hash, rateLimits } as LimitedCaller;
      await expect(gate.enterFurther(caller, 'probe', ROOMY)).rejects.toMatchObject({
        detail: { headers: { 'X-RateLimit-Remaining': String(ROOMY - used) } },
      });
    });
  });
});

describeOnEachDatabase('free models and what is bought', (database) => {
  const clock = new StandingClock();
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, {
      clock,
      plugins: { moderation: { engine: 'model', model: FREE_GUARD } },
      models: [{ id: FREE_GUARD, endpoint: FREE }],
    });
    clock.aheadMs += 60_000 - (clock.now() % 60_000) + 5_000;
  }, 240_000);
  afterAll(() => bench?.close());

  it('their number in a minute refuses a request before the purchase that a free guard model judges', async () => {
    const { key } = await bench.gateway.newKey();
    const ask = async (fields: JsonBody): Promise<readonly [status: number, bought: number]> => {
      bench.begin(answers('It is one.'));
      bench.upstreams.adviser.script(answers('safe'));
      const { status } = await bench.ask('/messages', { tools: undefined, ...fields }, key);
      return [status, bench.upstreams.engine.requests.length];
    };
    // Moderation checks the request, the results and the reply. In the end two free requests are left.
    for (let used = 0; used < FREE_A_MINUTE - 2; used += 3)
      expect(await ask({ plugins: [WEB, MODERATION] })).toEqual([200, 1]);
    expect(await ask({ plugins: [WEB, MODERATION] })).toEqual([429, 0]);
    // What was counted for it is given back.
    expect(await ask({ plugins: [MODERATION] })).toEqual([200, 0]);
    expect(await ask({ plugins: [MODERATION] })).toEqual([429, 0]);
  }, 240_000);
});
