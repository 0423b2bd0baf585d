/**
 * Goal: nothing is bought that cannot be used: whatever the credit, what an engine has answered is judged, and read by
 * a model, whole or shortened. Method: each buyer with keys of ever more credit, from too little to plenty, before
 * strict doubles that bring long results. Rules: docs/use/tools-and-plugins.md#purchases.
 */
import { describeOnEachDatabase } from '../support/database.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import { calls, LoopBench, microUsd, PRICES, TWO_ROUTES, answers, TOOLS, USES } from '../tools/faults-bench.js';

const GUARD = 'test/guard';
/** USD: from less than the first call is reserved at to more than everything needs. */
const LIMITS = [0.0155, 0.02, 0.0245, 0.038, 0.051, 0.055, 0.063, 0.079, 0.14, 0.16, 0.17, 1];
const LONG = 'word '.repeat(8_000);
const RESULTS = Array.from({ length: 10 }, (_, index) => ({
  url: `https://one.example/${index}`,
  title: 'One',
  text: LONG,
}));
const WEB = { id: 'web', engine: 'exa', max_results: 10 };
const SEARCH = { ...TOOLS.search, parameters: { max_results: 10 } };
const FUSION = { id: 'fusion', analysis_models: ['test/adviser'], model: 'test/adviser', tools: [] };

/** What a request with so much credit led to. */
interface Outcome {
  readonly status: number;
  readonly bought: number;
  /** Calls of the model that answers. */
  readonly answers: number;
  /** Length of the prompt of its last call, in characters. */
  readonly promptLength: number;
}

describeOnEachDatabase('the credit for what is bought', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, {
      plugins: { moderation: { engine: 'model', model: GUARD } },
      models: [{ id: GUARD }],
    });
  }, 240_000);
  afterAll(() => bench?.close());

  async function ask(
    route: (typeof TWO_ROUTES)[number],
    limit: number,
    fields: JsonBody,
    tool?: object,
  ): Promise<Outcome> {
    const { main, adviser, engine } = bench.upstreams;
    const { key } = await bench.gateway.newKey({ limit });
    bench.begin(...(tool ? [calls(tool as typeof USES.search)] : []), answers('It is one.'));
    engine.script(SEARCH_DOUBLES.exa.answer(RESULTS));
    // A guard model and a panel alike.
    adviser.script(answers('safe'));
    const reply = await bench.ask(route, { ...fields, plugins: fields['plugins'] ?? [] }, key);
    const bought = engine.requests.length;
    if (main.requests.length + adviser.requests.length + bought > 0) {
      const row = await bench.row(reply.id);
      expect(microUsd(limit)).toBeGreaterThanOrEqual(row.cost);
      expect(row.tools_cost + row.operator_cost).toBe(bought * PRICES.search);
    }
    const promptLength = JSON.stringify(main.requests.at(-1)?.json ?? '').length;
    return { status: reply.status, bought, answers: main.requests.length, promptLength };
  }

  /** With little credit less of it is read than with plenty. */
  function expectShortened(used: readonly Outcome[]): void {
    const lengths = used.map(({ promptLength }) => promptLength);
    expect(lengths.at(-1)! - lengths[0]!).toBeGreaterThan(1_000);
  }

  describe.each(TWO_ROUTES)('%s', (route) => {
    it.each<[string, JsonBody]>([
      ['web before the model', { tools: undefined, plugins: [WEB] }],
      ['web before a guard model and the model', { tools: undefined, plugins: [WEB, { id: 'moderation' }] }],
      ['web before a panel and the model', { tools: undefined, plugins: [WEB, FUSION] }],
    ])('%s: is bought where the credit suffices for all of them', async (_, fields) => {
      const outcomes: Outcome[] = [];
      for (const limit of LIMITS) outcomes.push(await ask(route, limit, fields));
      for (const { status, bought, answers } of outcomes)
        expect([status, answers]).toEqual(bought > 0 ? [200, 1] : [402, 0]);
      const used = outcomes.filter(({ bought }) => bought > 0);
      expect(used.length).toBeLessThan(outcomes.length);
      expectShortened(used);
    });

    it('a tool: is bought where the credit suffices for the model to read it', async () => {
      const outcomes: Outcome[] = [];
      for (const limit of LIMITS) outcomes.push(await ask(route, limit, { tools: [SEARCH] }, USES.search));
      const called = outcomes.filter(({ answers }) => answers > 0);
      for (const { status, bought, answers } of called) expect([status, answers]).toEqual([200, bought > 0 ? 2 : 1]);
      const used = called.filter(({ bought }) => bought > 0);
      expect([used.length < called.length, called.length > 0]).toEqual([true, true]);
      expectShortened(used);
    });

    it('several tools of a step: those that the credit suffices for are read, and no more are called', async () => {
      const { main, engine } = bench.upstreams;
      let isPart = false;
      for (const limit of LIMITS) {
        const { key } = await bench.gateway.newKey({ limit });
        bench.begin(calls(USES.search, USES.search, USES.search), answers('It is one.'));
        const { status } = await bench.ask(route, { tools: [TOOLS.search] }, key);
        const bought = engine.requests.length;
        if (bought > 0) expect([status, main.requests.length]).toEqual([200, 2]);
        isPart ||= bought > 0 && bought < 3;
      }
      expect(isPart).toBe(true);
    });
  });
});
