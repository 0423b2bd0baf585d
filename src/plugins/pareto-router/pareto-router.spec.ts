// The pareto-router chooses the cheapest or the fastest model of a tier of coding scores, and another tier only where
// that one is empty. Called directly over made-up catalogs.
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, healthOf, inputsOf, model, perMillion, price } from '../../../test/support/route-inputs.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Model } from '../../core/routing/catalog.js';
import type { Choice, ChoiceInputs } from '../../core/routing/route-inputs.js';
import { paretoRouter } from './pareto-router.js';

/** @param usd of a million prompt and completion tokens */
const coder = (slug: string, coding: number | undefined, usd: readonly [prompt: number, completion: number]): Model =>
  model(
    `x/${slug}`,
    [endpoint(slug, { pricing: { ...price(0), prompt: perMillion(usd[0]), completion: perMillion(usd[1]) } })],
    {
      scores: coding === undefined ? {} : { coding: { value: coding, source: 's' } },
    },
  );

const ALL = [
  coder('h1', 0.9, [5, 25]),
  coder('h2', 0.66, [2, 40]),
  coder('h3', 0.7, [3, 15]),
  coder('h4', 0.8, [9, 30]),
  coder('m1', 0.659, [1, 5]),
  coder('m2', 0.33, [0.5, 9]),
  coder('l1', 0.329, [0.1, 0.2]),
  coder('none', undefined, [0, 0]),
];

const choose = (
  options: JsonObject = {},
  parts: Partial<ChoiceInputs> = {},
  name = 'openrouter/pareto',
  models = ALL,
): Choice => paretoRouter.choose!(modelRequest({ model: name }), options, { ...inputsOf(models), ...parts });

it.each<[JsonObject, readonly string[], string]>([
  [{}, ['x/h2', 'x/h3', 'x/h1'], 'high'],
  [{ min_coding_score: 1 }, ['x/h2', 'x/h3', 'x/h1'], 'high'],
  [{ min_coding_score: 0.66 }, ['x/h2', 'x/h3', 'x/h1'], 'high'],
  [{ min_coding_score: 0.6599 }, ['x/m2', 'x/m1'], 'medium'],
  [{ min_coding_score: 0.33 }, ['x/m2', 'x/m1'], 'medium'],
  [{ min_coding_score: 0.3299 }, ['x/l1'], 'low'],
  [{ min_coding_score: 0 }, ['x/l1'], 'low'],
  [{ price_source: 'weighted_avg' }, ['x/h3', 'x/h1', 'x/h2'], 'high'],
  [{ price_source: 'weighted_avg', min_coding_score: 0.5 }, ['x/m1', 'x/m2'], 'medium'],
])('%j: %j', (options, models, tier) => {
  expect(choose(options)).toMatchObject({ models, strategy: 'pareto', data: { tier } });
});

it('reports how many models it left out, and why', () => {
  expect(choose({ min_coding_score: 0.4 }).details).toMatchObject({
    tier: 'medium',
    by: 'price of prompt',
    considered: 2,
    left_out: { 'no coding score': 1, 'below the tier medium': 1 },
  });
});

it('uses the next higher tier where one is empty, and reports it', () => {
  const models = ALL.filter(({ id }) => !id.includes('/m'));
  expect(choose({ min_coding_score: 0.5 }, {}, undefined, models)).toMatchObject({
    models: ['x/h2', 'x/h3', 'x/h1'],
    data: { tier: 'high', requested: 'medium' },
  });
});

it('is a 404 where neither the tier nor a higher one has a model', () => {
  const models = ALL.filter(({ id }) => !id.includes('/h'));
  expect(() => choose({}, {}, undefined, models)).toThrow(
    'No model is left for openrouter/pareto: 3 below the tier high, 1 no coding score.',
  );
});

describe('with :nitro', () => {
  const at = (p50: number) => ({ throughput: { p50, p75: p50, p90: p50, p99: p50 } });
  it('chooses the fastest of the tier, those without a figure last', () => {
    const health = healthOf({ h1: at(50), h4: at(90) });
    expect(choose({}, { health }, 'openrouter/pareto:nitro')).toMatchObject({
      models: ['x/h4', 'x/h1', 'x/h2'],
      details: { by: 'throughput' },
    });
  });
  it('falls back to the price where no throughput is known, and reports it', () => {
    expect(choose({}, {}, 'openrouter/pareto-code:nitro')).toMatchObject({
      models: ['x/h2', 'x/h3', 'x/h1'],
      details: { by: 'price of prompt, because no throughput is known' },
    });
  });
});

it('ranks an outage last within its tier, and keeps the model of a session', () => {
  expect(choose({}, { health: healthOf({ h2: { isOut: true } }) }).models).toEqual(['x/h3', 'x/h1', 'x/h4']);
  expect(choose({}, { session: { pinOf: () => 'x/h4' } }).models).toEqual(['x/h4', 'x/h2', 'x/h3']);
  expect(choose({}, { session: { pinOf: () => 'x/m1' } }).models[0]).toBe('x/h2');
});

it('finds nothing where only models below the tier are paused: they would not be chosen later either', () => {
  const cooling = { until: 1, by: 'rate-limit', isFirm: true } as const;
  const low = [coder('l1', 0.2, [1, 1])];
  expect(() => choose({}, { health: healthOf({ l1: { cooling } }) }, undefined, low)).toThrow(/No model is left/);
  // A paused model of the tier is planned, and the plan reports until when.
  const high = [coder('h1', 0.9, [1, 1]), ...low];
  const resting = healthOf({ h1: { cooling }, l1: { cooling } });
  expect(choose({}, { health: resting }, undefined, high).models).toEqual(['x/h1']);
});
