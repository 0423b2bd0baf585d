/**
 * `openrouter/auto` is answered by a concrete catalog model, chosen by the prompt, the options and what the caller may
 * use; it is reported, explained, stored and charged as that model. A double of three scored models, whole and
 * streamed, on both faces. Rules: docs/use/plugins/auto-router.md.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CHAT, CODE, costOf, FACES, RoutersBench } from './routers-bench.js';

const MODELS = ['test/cheap', 'test/mid', 'test/best'];
const auto = (tradeoff?: number, options: object = {}): object => ({
  model: 'openrouter/auto',
  plugins: [
    {
      id: 'auto-router',
      allowed_models: MODELS,
      ...(tradeoff !== undefined && { cost_quality_tradeoff: tradeoff }),
      ...options,
    },
  ],
});
const stageOf = ({ router_metadata: { pipeline } }: JsonBody): JsonBody =>
  pipeline.find(({ name }: JsonBody) => name === 'auto-router');

describeOnEmbedded('the router openrouter/auto', (database) => {
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
      ['pure quality', 0, 'best'],
      ['the price alone', 10, 'cheap'],
    ] as const)('answers by %s, under its own name and at its own price', async (_, tradeoff, name) => {
      const reply = await bench.ask(route, CODE, { ...auto(tradeoff), stream }, key);
      expect([reply.status, reply.model]).toEqual([200, `test/${name}`]);
      expect(bench.called).toEqual([`test/${name}`]);
      expect(reply.router_metadata).toMatchObject({ requested: 'openrouter/auto', strategy: 'auto', attempt: 1 });
      expect(stageOf(reply)).toMatchObject({
        type: 'plugin',
        summary: `test/${name} of 3 models, code, easy`,
        data: { kind: 'code', tradeoff, considered: 3, left_out: { 'not in the list': expect.any(Number) } },
      });
      expect(JSON.stringify(stageOf(reply).data)).not.toMatch(/usd|dictionaries/);
      expect(await bench.paid(reply.id)).toBe(costOf(name));
    });

    it('calls the next best where the best fails, and charges the one that answered', async () => {
      bench.begin('best');
      const reply = await bench.ask(route, CODE, { ...auto(0), stream }, key);
      expect([reply.model, bench.called]).toEqual(['test/mid', ['test/best', 'test/mid']]);
      expect(await bench.paid(reply.id)).toBe(costOf('mid'));
    });

    it('uses the fallbacks of the request after its own choice', async () => {
      bench.begin('best');
      const reply = await bench.ask(route, CODE, { ...auto(0), models: ['test/cheap'], stream }, key);
      expect([reply.model, bench.called]).toEqual(['test/cheap', ['test/best', 'test/cheap']]);
    });

    it('keeps the model of a session, separately for each key', async () => {
      const session_id = `a session on ${route}, ${stream}`;
      const first = await bench.ask(route, CODE, { ...auto(0), session_id, stream }, key);
      await bench.paid(first.id);
      const next = await bench.ask(route, CHAT, { ...auto(10), session_id, stream }, key);
      expect([first.model, next.model]).toEqual(['test/best', 'test/best']);
      expect(stageOf(next)).toMatchObject({ data: { session: true } });
      const { key: another } = await bench.loop.gateway.newKey();
      expect((await bench.ask(route, CHAT, { ...auto(10), session_id, stream }, another)).model).toBe('test/cheap');
    });

    it("drops the session's model where it is no candidate any more", async () => {
      const session_id = `left on ${route}, ${stream}`;
      const first = await bench.ask(route, CODE, { ...auto(0), session_id, stream }, key);
      await bench.paid(first.id);
      const options = { allowed_models: ['test/mid'] };
      expect((await bench.ask(route, CODE, { ...auto(0, options), session_id, stream }, key)).model).toBe('test/mid');
    });

    it('chooses among the models that a guardrail allows', async () => {
      const narrow = await bench.keyFor('test/m*');
      expect((await bench.ask(route, CODE, { ...auto(0), stream }, narrow)).model).toBe('test/mid');
    });

    it('refuses with 404 and the reasons where nothing is left, and calls nothing', async () => {
      const narrow = await bench.keyFor('test/elsewhere');
      const { status, error } = await bench.ask(route, CODE, { ...auto(0), stream }, narrow);
      expect([status, error.message]).toEqual([404, expect.stringContaining('3 model-not-allowed')]);
      expect(error.message).toContain('No model is left for openrouter/auto');
      expect(bench.called).toEqual([]);
    });
  });

  it.each(['openrouter/auto', 'fairlead/auto', 'openrouter/auto:nitro', 'openrouter/auto:floor'])(
    'is available as %s',
    async (model) => {
      const reply = await bench.ask('/messages', CODE, { ...auto(0), model }, key);
      expect([reply.model, reply.router_metadata.requested]).toEqual(['test/best', model]);
    },
  );

  it('sorts the endpoints of its choice by the suffix', async () => {
    const plan = await bench.explain(CODE, { ...auto(0), model: 'openrouter/auto:floor' }, key);
    expect(plan.ordering).toBe('price');
  });

  it('is no model where it is turned off', async () => {
    const { status } = await bench.ask('/messages', CODE, auto(0, { enabled: false }), key);
    expect(status).toBe(404);
  });

  it('chooses another model for another prompt', async () => {
    const hard = 'Critically evaluate this argument, weigh the hidden premises and objections, and decide. '.repeat(5);
    const easy = await bench.explain(CHAT, auto(9), key);
    const difficult = await bench.explain(hard, auto(9), key);
    expect(easy.choice.details).toMatchObject({ kind: 'chat', difficulty: 'easy' });
    expect(difficult.choice.details).toMatchObject({ kind: 'reasoning', difficulty: 'hard' });
    expect([easy.models[0], difficult.models[0]]).toEqual(['test/cheap', 'test/best']);
  });

  it('explains each position of its ranking', async () => {
    const plan = await bench.explain(CODE, auto(0), key);
    expect(plan).toMatchObject({ strategy: 'auto', models: ['test/best', 'test/mid', 'test/cheap'] });
    expect(plan.choice).toMatchObject({ by: 'auto-router', details: { considered: 3 } });
    expect(plan.choice.ranking).toMatchObject([
      { model: 'test/best', score: 0.9, well: true },
      { model: 'test/mid', score: 0.5, well: true },
      { model: 'test/cheap', score: 0.2, well: true },
    ]);
  });

  it('counts tokens for the model that it would choose', async () => {
    expect(await bench.count(CODE, auto(0), key)).toMatchObject({ status: 200, input_tokens: expect.any(Number) });
  });

  it('stores a small decision without content, which reproduces the choice', async () => {
    const reply = await bench.ask('/messages', CODE, auto(3), key);
    const kept = await bench.decision(reply.id);
    expect(kept).toMatchObject({
      derivation: 'derived',
      requested: 'openrouter/auto',
      choice: { by: 'auto-router', strategy: 'auto', data: { kind: 'code', difficulty: 'easy', tradeoff: 3 } },
      plan: { models: [reply.model, expect.any(String), expect.any(String)] },
      cut: [],
    });
    expect(kept.bytes).toBeLessThanOrEqual(1_024);
    expect(JSON.stringify(kept)).not.toContain('dictionaries');
  });

  it('counts models for which a caller has a credential', async () => {
    const options = auto(0, { allowed_models: ['openai/gpt-5*'] });
    const { key: own, hash } = await bench.loop.gateway.newKey();
    expect(await bench.explain(CODE, options, own)).toMatchObject({ status: 404 });
    const { status } = await bench.manage('/byok', {
      provider: 'openai',
      key: `sk-${'x'.repeat(40)}`,
      allowed_api_key_hashes: [hash],
    });
    expect(status).toBe(201);
    const { models, candidates, choice } = await bench.explain(CODE, options, own);
    expect([models[0], candidates[0].is_byok]).toEqual(['openai/gpt-5.6-sol', true]);
    expect(choice.details.left_out).toMatchObject({ 'no coding score': expect.any(Number) });
  });

  it.each<[string, unknown, string]>([
    ['cost_quality_tradeoff', -1, 'cost_quality_tradeoff'],
    ['cost_quality_tradeoff', 11, 'cost_quality_tradeoff'],
    ['cost_quality_tradeoff', 1.5, 'cost_quality_tradeoff'],
    ['cost_quality_tradeoff', '7', 'cost_quality_tradeoff'],
    ['cost_quality_tradeoff', null, 'cost_quality_tradeoff'],
    ['allowed_models', 'test/*', 'allowed_models'],
    ['allowed_models', [7], 'allowed_models'],
    ['allowed_models', null, 'allowed_models'],
    ['allowed_models', Array.from({ length: 65 }, () => 'a/b'), 'allowed_models'],
    ['enabled', 'yes', 'enabled'],
  ])('refuses the option %s: %j', async (name, value, named) => {
    for (const { route, stream } of FACES) {
      const fields = { model: 'openrouter/auto', plugins: [{ id: 'auto-router', [name]: value }], stream };
      const { status, error } = await bench.ask(route, CODE, fields, key);
      expect([status, error.message]).toEqual([400, expect.stringContaining(named)]);
    }
    expect(bench.called).toEqual([]);
  });
});
