/**
 * Each plugin has its effect with any other routing of the request: where an endpoint or a model fails and another one
 * answers, and with the caller's own credential. Each of its stages reports time and cost, its decision is stored and
 * reproduced, and charges are exact. A table of plugins, each with a request on which it has an effect, by these axes,
 * with strict doubles, on both faces, whole and streamed. Guardrails, sessions and explanations:
 * matrix-policies.spec.ts.
 */
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CELLS, costOf, MatrixBench, ownCostOf, SLUGS, type AttemptSlot } from './matrix-bench.js';
import type { Outcome, PluginCase } from './matrix-cases.js';

describeOnEachDatabase('each plugin', (database) => {
  let bench: MatrixBench;
  let key: string;
  let owning: string;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
    ({ key } = await bench.loop.gateway.newKey());
    owning = await bench.owning(SLUGS.first, SLUGS.asides);
  }, 240_000);
  afterAll(() => bench?.close());

  /** The plugin had its effect, reported it, and was charged accordingly. */
  async function assertDone(plugin: PluginCase, outcome: Outcome, cost: number, stages = plugin.stages): Promise<void> {
    const { reply } = outcome;
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(reply.shownText).toBe(plugin.shownText);
    plugin.shows(outcome);
    expect(outcome.stages).toMatchObject(stages as object[]);
    for (const { data, cost_usd } of outcome.stages) {
      expect([data.milliseconds, cost_usd]).toEqual([expect.any(Number), expect.any(Number)]);
    }
    expect(await bench.paid(reply.id)).toBe(Math.round(cost));
  }

  /** Asserts that the stored decision names the called endpoints and reproduces the plan. */
  async function assertKept(
    { kept = {}, consulted = [] }: PluginCase,
    { reply: { id, metadata } }: Outcome,
    ...slots: readonly AttemptSlot[]
  ): Promise<void> {
    const decision = await bench.decision(id);
    expect(decision).toMatchObject({ ...kept, derivation: 'derived', cut: [] });
    expect(decision.calls.map(({ tag, status }) => [tag, status])).toEqual(
      slots.map((slot, index) => [SLUGS[slot], index === slots.length - 1 ? 200 : 500]),
    );
    const planned = decision.plan!.legs.map(({ provider, model }) => `${provider} ${model}`);
    const { available } = metadata.endpoints;
    expect([...new Set(planned)]).toEqual(available.map(({ provider, model }: JsonBody) => `${provider} ${model}`));
    const others = await bench.consulted(id);
    expect(others.map((one) => [one.purpose, one.derivation, one.calls.map(({ status }) => status)])).toEqual(
      consulted.map((purpose) => [purpose, 'derived', [200]]),
    );
  }

  const fallbackOn = (route: string): JsonBody =>
    route === '/messages' ? { fallbacks: [{ model: 'test/next' }] } : { models: ['test/next'] };

  describe.each(CELLS)('$id on $route, stream $stream', ({ plugin, route, stream }) => {
    const ask = (fields: JsonBody = {}, by = key): Promise<Outcome> =>
      bench.ask(plugin, route, bench.body(plugin, route, { stream, ...fields }), by);
    const calls = plugin.calls ?? 1;

    it.each<[string, readonly AttemptSlot[], AttemptSlot]>([
      ['has its effect', [], 'first'],
      ['does it where another endpoint answers', ['first'], 'second'],
    ])('%s', async (_, failing, slot) => {
      bench.begin(plugin, failing);
      const outcome = await ask();
      await assertDone(plugin, outcome, costOf(plugin, slot));
      expect(outcome.reply.model).toBe('test/best');
      const failed = Object.fromEntries(failing.map((one) => [one, 1]));
      expect(bench.called).toEqual({ first: 0, second: 0, next: 0, ...failed, [slot]: calls });
      await assertKept(plugin, outcome, ...failing, slot);
    });

    it('has its effect where another model answers', async () => {
      bench.begin(plugin, ['first', 'second']);
      const outcome = await ask(fallbackOn(route));
      await assertDone(plugin, outcome, costOf(plugin, 'next'));
      expect(outcome.reply.model).toBe('test/next');
      expect(bench.called).toEqual({ first: 1, second: 1, next: calls });
      await assertKept(plugin, outcome, 'first', 'second', 'next');
    });

    it("has its effect with the caller's own credentials, billed as those", async () => {
      bench.begin(plugin);
      const outcome = await ask({}, owning);
      const { stages } = plugin;
      await assertDone(plugin, outcome, ownCostOf(plugin), stages.map(byOwn));
      expect(outcome.reply.usage.is_byok).toBe(true);
      expect(outcome.reply.metadata).toMatchObject({ is_byok: true });
      const own = bench.requestsOf('first').map(({ headers }) => headers['x-api-key']);
      expect(own).toEqual(Array(calls).fill(`${SLUGS.first}-own`));
      const asides = bench.loop.upstreams.adviser.requests.map(({ headers }) => headers['x-api-key']);
      expect(asides).toEqual(Array(plugin.consulted?.length ?? 0).fill(`${SLUGS.asides}-own`));
      await assertKept(plugin, outcome, 'first');
    });

    /** Consulted models cost only the fee. */
    const byOwn = (stage: JsonBody): JsonBody =>
      plugin.consulted ? { ...stage, cost_usd: expect.closeTo(stage.cost_usd * 0.2, 12) } : stage;
  });
});
