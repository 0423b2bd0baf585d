/**
 * `openrouter/pareto` is answered by the cheapest model of the requested tier, or by the next of it, and charged as
 * that model. A double of three scored models, whole and streamed, on both faces. Rules:
 * docs/use/plugins/pareto-router.md.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CODE, costOf, FACES, RoutersBench } from './routers-bench.js';

const pareto = (options: object = {}, model = 'openrouter/pareto'): object => ({
  model,
  plugins: [{ id: 'pareto-router', ...options }],
});
const stageOf = ({ router_metadata: { pipeline } }: JsonBody): JsonBody => pipeline[0];

describeOnEmbedded('the router openrouter/pareto', (database) => {
  let bench: RoutersBench;
  let key: string;
  beforeAll(async () => {
    bench = await RoutersBench.start(database);
    ({ key } = await bench.loop.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin());

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    it.each([
      [{}, 'best', 'high'],
      [{ min_coding_score: 1 }, 'best', 'high'],
      [{ min_coding_score: 0.5 }, 'mid', 'medium'],
      [{ min_coding_score: 0 }, 'cheap', 'low'],
    ] as const)('%j', async (options, name, tier) => {
      const reply = await bench.ask(route, CODE, { ...pareto(options), stream }, key);
      expect([reply.status, reply.model]).toEqual([200, `test/${name}`]);
      expect(reply.router_metadata).toMatchObject({ requested: 'openrouter/pareto', strategy: 'pareto' });
      expect(stageOf(reply)).toMatchObject({
        type: 'plugin',
        name: 'pareto-router',
        data: { tier, by: 'price of prompt' },
      });
      expect(await bench.paid(reply.id)).toBe(costOf(name));
    });

    it('calls the fallbacks of the request where its choice fails', async () => {
      bench.begin('best');
      const reply = await bench.ask(route, CODE, { ...pareto(), models: ['test/mid'], stream }, key);
      expect([reply.model, bench.called]).toEqual(['test/mid', ['test/best', 'test/mid']]);
      expect(await bench.paid(reply.id)).toBe(costOf('mid'));
    });

    it('uses the next higher tier, visibly, and refuses with 404 where there is none', async () => {
      const onlyBest = await bench.keyFor('test/best');
      const reply = await bench.ask(route, CODE, { ...pareto({ min_coding_score: 0.5 }), stream }, onlyBest);
      expect([reply.model, stageOf(reply).data]).toEqual([
        'test/best',
        expect.objectContaining({ tier: 'high', requested: 'medium' }),
      ]);
      const onlyMid = await bench.keyFor('test/mid');
      const { status, error } = await bench.ask(route, CODE, { ...pareto(), stream }, onlyMid);
      expect([status, error.message]).toEqual([404, expect.stringContaining('1 below the tier high')]);
    });

    it('keeps the model of a session while it is in the tier', async () => {
      const session_id = `on ${route}, ${stream}`;
      const first = await bench.ask(route, CODE, { ...pareto(), session_id, stream }, key);
      await bench.paid(first.id);
      const again = await bench.ask(route, CODE, { ...pareto(), session_id, stream }, key);
      expect(stageOf(again).data).toMatchObject({ session: true });
      const lower = await bench.ask(route, CODE, { ...pareto({ min_coding_score: 0 }), session_id, stream }, key);
      expect([first.model, again.model, lower.model]).toEqual(['test/best', 'test/best', 'test/cheap']);
    });
  });

  it.each(['openrouter/pareto-code', 'openrouter/pareto-code:nitro'])('is available as %s', async (model) => {
    const reply = await bench.ask('/messages', CODE, pareto({}, model), key);
    expect([reply.model, reply.router_metadata.requested]).toEqual(['test/best', model]);
  });

  it('explains, counts and stores its choice', async () => {
    const plan = await bench.explain(CODE, pareto({ min_coding_score: 0.4, price_source: 'weighted_avg' }), key);
    expect(plan).toMatchObject({
      strategy: 'pareto',
      models: ['test/mid'],
      choice: { details: { by: 'price of weighted_avg' } },
    });
    expect(plan.choice.ranking).toEqual([{ model: 'test/mid', score: 0.5, usd: 5, well: true }]);
    expect((await bench.count(CODE, pareto(), key)).status).toBe(200);
    const reply = await bench.ask('/messages', CODE, pareto(), key);
    expect(await bench.decision(reply.id)).toMatchObject({
      derivation: 'derived',
      choice: { by: 'pareto-router', strategy: 'pareto', data: { tier: 'high', figures: [{ score: 0.9, usd: 20 }] } },
      plan: { models: ['test/best'] },
      cut: [],
    });
  });

  it.each<[string, unknown]>([
    ['min_coding_score', -0.01],
    ['min_coding_score', 1.01],
    ['min_coding_score', '0.5'],
    ['min_coding_score', null],
    ['price_source', 'completion'],
    ['price_source', null],
    ['price_source', 1],
    ['enabled', 1],
  ])('refuses the option %s: %j', async (name, value) => {
    for (const { route, stream } of FACES) {
      const { status, error } = await bench.ask(route, CODE, { ...pareto({ [name]: value }), stream }, key);
      expect([status, error.message]).toEqual([400, expect.stringContaining(name)]);
    }
  });
});
