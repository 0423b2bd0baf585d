// For any request and catalog, a plan contains every candidate once, and filters only remove. Properties over generated
// catalogs, health, credentials and preferences; then models, attempts and determinism by example.
import {
  credential,
  endpoint,
  healthOf,
  inGeographies,
  inputsOf,
  model,
  numbers,
  plan,
  price,
  reasonsOf,
  tagsOf,
} from '../../../test/support/route-inputs.js';
import type { RequestField } from '../translation.js';
import type { Model } from './catalog.js';
import type { StoredCredential } from './credential.js';
import type { EndpointHealth, HealthKey } from './health.js';
import { MODELS_NAMED_MAX, mayCall, outputTokensGiven, planRoute } from './plan-route.js';
import { ATTEMPTS_MAX, MODELS_MAX, type Plan } from './plan.js';
import { QUANTIZATIONS, SORTS, type ProviderPreferences } from './preferences.js';
import type { RouteInputs } from './route-inputs.js';

const RUNS = 200;
const SLUGS = ['p1', 'p2', 'p3', 'p4'];

type Next = (bound: number) => number;
const chance = (next: Next): boolean => next(3) === 0;
const some = <T>(next: Next, values: readonly T[]): readonly T[] => values.filter(() => chance(next));
const one = <T>(next: Next, values: readonly T[]): T => values[next(values.length)]!;

function aModel(next: Next, id: string): Model {
  const endpoints = SLUGS.flatMap((slug) => [slug, `${slug}/turbo`])
    .filter(() => next(2) === 0)
    .map((tag) =>
      endpoint(tag, {
        pricing: chance(next)
          ? null
          : price(1 + next(5), { ...(chance(next) && { priority: {} }), ...(chance(next) && { flex: {} }) }),
        policy: { collectsData: chance(next), zeroDataRetention: !chance(next) },
        quantization: one(next, QUANTIZATIONS),
        contextLength: 500 + next(1_000),
        supportedParameters: some(next, ['tools', 'top_k', 'seed', 'stop']),
      }),
    );
  return model(id, endpoints, { distillable: chance(next) });
}

/** Every hard filter, each alone in its object. */
const filters = (next: Next): readonly ProviderPreferences[] => [
  { only: [one(next, SLUGS), one(next, SLUGS)] },
  { ignore: [one(next, SLUGS)] },
  { dataCollection: 'deny' },
  { zeroDataRetention: true },
  { enforceDistillableText: true },
  { quantizations: some(next, QUANTIZATIONS) },
  { requireParameters: true },
  { maxPrice: { prompt: `${next(4)}` } },
];

function generate(seed: number): RouteInputs {
  const next = numbers(seed);
  const models = [aModel(next, 'a/b'), ...(chance(next) ? [aModel(next, 'c/d')] : [])];
  const credentials: readonly StoredCredential[] = some(next, [0, 1, 2, 3, 4, 5]).map((index) =>
    credential(`k${index}`, one(next, SLUGS), {
      isFallback: chance(next),
      sortOrder: next(3),
      ...(chance(next) && { replacesShared: true }),
      ...(chance(next) && { allowedModels: ['c/d'] }),
    }),
  );
  const salt = next(1_000);
  const find = ({ model: id, tag, credential: key }: HealthKey): EndpointHealth | undefined => {
    const own = numbers([...`${id}${tag}${key}`].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), salt));
    const figures = { p50: own(5), p75: own(9), p90: own(9), p99: own(9) };
    if (own(2) === 0) return undefined;
    return {
      latency: figures,
      isOut: own(4) === 0,
      ...(own(5) === 0 && { cooling: { until: 5, by: 'faults', isFirm: true } as const }),
    };
  };
  return inputsOf(models, {
    credentials,
    health: { find },
    offersSharedCredential: ({ slug }) => slug !== 'p4' || salt % 2 === 0,
    session: chance(next) ? { key: 'session', pinOf: () => one(numbers(salt), SLUGS) } : { pinOf: () => undefined },
    needs: {
      tier: one(next, ['standard', 'standard', 'priority', 'flex'] as const),
      parameters: some(next, ['top_k', 'seed']),
      promptTokensMin: next(800),
      preferences: {
        ...(chance(next) && { sort: one(next, SORTS) }),
        ...(chance(next) && { order: some(next, [...SLUGS, 'p1/priority', 'p2/turbo']) }),
        ...(chance(next) && { partition: 'none' as const }),
        ...(chance(next) && { preferredMaxLatency: { p50: next(5) } }),
        ...(chance(next) && one(next, filters(next))),
      },
    },
    seed: `seed ${seed}`,
  });
}

const withPreferences = (inputs: RouteInputs, preferences: ProviderPreferences): RouteInputs => ({
  ...inputs,
  needs: { ...inputs.needs, preferences: { ...inputs.needs.preferences, ...preferences } },
});
const made = (inputs: RouteInputs): Plan => planRoute(inputs)!;
const legNames = ({ legs }: Plan): readonly string[] =>
  legs.map((leg) => `${leg.model.id} ${leg.tag} ${leg.credential}`).sort();
const exact = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));

describe('any plan', () => {
  const seeds = Array.from({ length: RUNS }, (_, index) => index);

  it('has every candidate once, as a leg or with a reason', () => {
    let legsSeen = 0;
    for (const seed of seeds) {
      const inputs = generate(seed);
      const { legs, excluded } = made(inputs);
      legsSeen += legs.length;
      const names = [
        ...legs.map((leg) => [leg.model.id, leg.tag, leg.credential]),
        ...excluded.map((out) => [out.model, out.tag, out.credential]),
      ].map(String);
      expect({ seed, count: new Set(names).size }).toEqual({ seed, count: names.length });
      for (const { reason } of excluded) expect(reason).toBeTruthy();
      const seen = new Set([
        ...legs.map((leg) => `${leg.model.id} ${leg.tag}`),
        ...excluded.map((out) => `${out.model} ${out.tag}`),
      ]);
      const expected = [...inputs.catalog.models.values()].flatMap(({ id, endpoints }) =>
        endpoints.flatMap(({ tag, pricing }) => [
          `${id} ${tag}`,
          ...(['priority', 'flex'] as const).filter((tier) => pricing?.[tier]).map((tier) => `${id} ${tag}/${tier}`),
        ]),
      );
      expect({ seed, seen: [...seen].sort() }).toEqual({ seed, seen: expected.sort() });
    }
    expect(legsSeen).toBeGreaterThan(RUNS);
  });

  it('has the same legs in any order', () => {
    for (const seed of seeds) {
      const inputs = generate(seed);
      const legs = legNames(made(inputs));
      for (const sort of SORTS) expect(legNames(made(withPreferences(inputs, { sort })))).toEqual(legs);
      expect(legNames(made({ ...inputs, seed: 'another' }))).toEqual(legs);
    }
  });

  it('never gains a leg by a further filter', () => {
    let lost = 0;
    for (const seed of seeds) {
      const inputs = generate(seed);
      const before = legNames(made(inputs));
      for (const filter of filters(numbers(seed))) {
        // A filter that is set already would be replaced, not added.
        if (Object.keys(filter).some((field) => field in inputs.needs.preferences)) continue;
        const after = legNames(made(withPreferences(inputs, filter)));
        // `only` with a full slug may include a tier; the generated ones are base slugs.
        expect(after.filter((name) => !before.includes(name))).toEqual([]);
        lost += before.length - after.length;
      }
    }
    expect(lost).toBeGreaterThan(RUNS);
  });

  it('is the same for the same inputs, byte for byte', () => {
    for (const seed of seeds) {
      const [first, second] = [made(generate(seed)), made(generate(seed))];
      expect(second).toEqual(first);
      expect(exact(second)).toBe(exact(first));
    }
  });

  it('tries own keys before shared ones before fallback keys, within each model', () => {
    for (const seed of seeds) {
      const inputs = withPreferences(generate(seed), { partition: 'model' });
      const groupOf = (id: string): number => {
        const own = inputs.credentials.find((each) => each.id === id);
        return own ? (own.isFallback ? 2 : 0) : 1;
      };
      const groups = made(inputs).legs.map((leg) => leg.modelIndex * 3 + groupOf(leg.credential));
      expect(groups).toEqual([...groups].sort((a, b) => a - b));
    }
  });
});

describe('the models of a plan', () => {
  const named = (count: number): readonly Model[] =>
    Array.from({ length: count }, (_, index) => model(`a/m${index}`, [endpoint('p')]));
  const ids = (models: readonly Model[]): readonly { id: string }[] => models.map(({ id }) => ({ id }));

  it('is no plan when the first is unknown', () => {
    expect(planRoute(inputsOf(named(1), { needs: { models: [{ id: 'a/none' }, { id: 'a/m0' }] } }))).toBeUndefined();
    expect(planRoute(inputsOf(named(1), { needs: { models: [] } }))).toBeUndefined();
  });

  it('leaves further unknown ones out', () => {
    const made = plan(named(2), { needs: { models: [{ id: 'a/m0' }, { id: 'a/none' }, { id: 'a/m1' }] } });
    expect(made.models).toEqual(['a/m0', 'a/m1']);
    expect(made.legs.map(({ modelIndex }) => modelIndex)).toEqual([0, 1]);
    expect(made.excluded).toEqual([{ model: 'a/none', reason: 'unknown-model' }]);
  });

  it('never uses the plain model for a variant the catalog does not have', () => {
    expect(planRoute(inputsOf(named(1), { needs: { models: [{ id: 'a/m0:free' }] } }))).toBeUndefined();
  });

  it('uses as many as exist, up to the bound', () => {
    const models = named(MODELS_MAX + 1);
    const made = plan(models, {
      needs: { models: [...ids(models.slice(0, 1)), { id: 'a/none' }, ...ids(models.slice(1))] },
    });
    expect(made.models).toHaveLength(MODELS_MAX);
    expect(made.excluded).toEqual([
      { model: 'a/none', reason: 'unknown-model' },
      { model: `a/m${MODELS_MAX}`, reason: 'too-many-models' },
    ]);
  });

  it('names a bounded number', () => {
    const names = [{ id: 'a/m0' }, ...Array.from({ length: 5_000 }, (_, index) => ({ id: `x/${index}` }))];
    const { excluded } = plan(named(1), { needs: { models: names } });
    expect(excluded).toHaveLength(MODELS_NAMED_MAX);
    expect(excluded.at(-1)).toMatchObject({
      reason: 'too-many-models',
      detail: `and ${5_000 - MODELS_NAMED_MAX} more`,
    });
  });
});

describe('attempts', () => {
  const many = (id: string, count: number): Model =>
    model(
      id,
      Array.from({ length: count }, (_, index) => endpoint(`p${index}`)),
    );
  /** The legs that are called when each fails, as indexes of their models. */
  const called = (made: Plan): readonly number[] => {
    const calls: number[] = [];
    made.legs.forEach((leg, index) => {
      if (mayCall(made, index, calls.length)) calls.push(leg.modelIndex);
    });
    return calls;
  };

  it.each<[string, readonly Model[], readonly number[]]>([
    ['one model', [many('a/b', 9)], [0, 0, 0, 0, 0, 0]],
    ['few legs', [many('a/b', 2)], [0, 0]],
    ['two models', [many('a/b', 9), many('c/d', 9)], [0, 0, 0, 0, 0, 1]],
    ['a short first model', [many('a/b', 2), many('c/d', 9)], [0, 0, 1, 1, 1, 1]],
    ['a model without legs', [many('a/b', 9), many('c/d', 0), many('e/f', 1)], [0, 0, 0, 0, 0, 2]],
    ['eight models', Array.from({ length: 8 }, (_, index) => many(`a/${index}`, 3)), [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('%s', (_, models, expected) => {
    const made = plan(models);
    expect(called(made)).toEqual(expected);
    expect(made.attemptsMax).toBe(Math.max(ATTEMPTS_MAX, new Set(expected).size));
  });

  it('are kept for later models also where all are sorted together', () => {
    const models = [
      model(
        'a/b',
        Array.from({ length: 9 }, (_, index) => endpoint(`p${index}`)),
      ),
      model('c/d', [endpoint('q', { usd: 5 })]),
    ];
    const made = plan(models, { needs: { preferences: { sort: 'price', partition: 'none' } } });
    expect(tagsOf(made).at(-1)).toBe('q');
    expect(called(made)).toEqual([0, 0, 0, 0, 0, 1]);
  });
});

describe('the remaining endpoints in cool-down', () => {
  const soft = { cooling: { until: 5, by: 'faults' } } as const;
  const firm = { cooling: { until: 5, by: 'rate-limit', isFirm: true } } as const;
  const three = model('a/b', [endpoint('p1', { usd: 1 }), endpoint('p2', { usd: 9 }), endpoint('p3')]);
  const sorted = { needs: { preferences: { sort: 'price' } } } as const;

  it.each<[string, Parameters<typeof healthOf>[0], readonly string[], Readonly<Record<string, string>>]>([
    ['nothing cools', {}, ['p1', 'p3', 'p2'], {}],
    ['some cool', { p1: soft, p2: firm }, ['p3'], { p1: 'cooling-down', p2: 'cooling-down' }],
    ['all cool', { p1: soft, p2: soft, p3: soft }, ['p1', 'p3', 'p2'], {}],
    ['one of them at its own wish', { p1: firm, p2: soft, p3: soft }, ['p3', 'p2'], { p1: 'cooling-down' }],
    ['all at their own wish', { p1: firm, p2: firm, p3: firm }, [], {}],
  ])('is tried where %s', (_, health, tags, reasons) => {
    const made = plan([three], { ...sorted, health: healthOf(health) });
    expect(tagsOf(made)).toEqual(tags);
    expect(reasonsOf(made)).toMatchObject(reasons);
  });

  it('is another model, where that has an endpoint that does not cool', () => {
    const made = plan([model('a/b', [endpoint('p1')]), model('c/d', [endpoint('p2')])], {
      health: healthOf({ p1: soft }),
    });
    expect(tagsOf(made)).toEqual(['p2']);
  });
});

describe('fields that a provider is not sent', () => {
  const tiers = price(2, { priority: { prompt: 9_000_000n }, flex: { prompt: 1n } });
  const inUs = inGeographies(endpoint('p1', { pricing: tiers }), { us: price(4, { flex: { prompt: 2n } }) });
  const models = [model('a/one', [inUs, endpoint('p2', { usd: 8, pricing: tiers })])];
  /** Fields that dialect and platform of `p1` drop. */
  const without =
    (...fields: readonly RequestField[]): NonNullable<RouteInputs['supportsField']> =>
    ({ tag }, field) =>
      !tag.startsWith('p1') || !fields.includes(field);

  it.each(['priority', 'flex'] as const)('never include a paid tier %s', (tier) => {
    const made = plan(models, { needs: { tier }, supportsField: without('service_tier') });
    expect(made.excluded).toContainEqual(
      expect.objectContaining({ tag: `p1/${tier}`, reason: 'unsupported-parameter', detail: 'service_tier' }),
    );
    expect(made.legs.some(({ tag }) => tag === `p2/${tier}`)).toBe(true);
  });

  it('leave the plain tier where no endpoint could be sent flex', () => {
    const supportsField = without('service_tier');
    const [first] = plan([model('a/one', [inUs])], { needs: { tier: 'flex' }, supportsField }).legs;
    expect([first!.tag, first!.tier]).toEqual(['p1', 'standard']);
  });

  it('never include a paid geography', () => {
    const needs = { pricedOptions: [{ field: 'inference_geo', value: 'us' }] };
    const priceOf = (supportsField: RouteInputs['supportsField']): unknown =>
      plan(models, { needs, ...(supportsField && { supportsField }) }).legs.map(
        ({ tag, endpoint: { pricing, geography } }) => [tag, pricing!.prompt, geography?.word],
      );
    expect(priceOf(undefined)).toEqual([['p1', 2_000_000n, 'us']]);
    expect(priceOf(without('inference_geo'))).toContainEqual(['p1', 1_000_000n, undefined]);
  });
});

describe('the longest possible answer', () => {
  const small = endpoint('p1', { maxCompletionTokens: 1_000 });
  const large = endpoint('p2', { maxCompletionTokens: 4_000 });
  const unlimited = endpoint('p3');
  const tight = endpoint('p4', { maxCompletionTokens: 9_000, contextLength: 10_000 });
  const retaining = endpoint('p5', { maxCompletionTokens: 9_000, policy: { zeroDataRetention: false } });

  it.each<[string, readonly Parameters<typeof model>[1][number][], number, number | undefined]>([
    ['the only one', [small], 0, 1_000],
    ['the longer one', [small, large], 0, 4_000],
    ['a quarter of the context, where no limit is given', [unlimited], 10, 25_000],
    ['what the prompt leaves, where that is less', [unlimited], 90_000, 10_000],
    ['the full limit of an endpoint, where the prompt leaves as much', [tight], 1_000, 9_000],
    ['a quarter, where it leaves less', [tight], 2_000, 2_500],
    ['that of an endpoint that may answer', [small, retaining], 0, 1_000],
    ['none, where the prompt is too long', [small], 100_001, undefined],
    ['none, where there is no space left', [small], 100_000, undefined],
  ])('is %s', (_, endpoints, promptTokensMin, due) => {
    const inputs = inputsOf([model('a/b', endpoints)], {
      needs: { promptTokensMin, maxOutputTokens: 100_000, preferences: { zeroDataRetention: true } },
    });
    expect(planRoute(inputs)!.legs).toEqual([]);
    expect(outputTokensGiven(inputs)).toBe(due);
    if (due === undefined) return;
    const fewer = { ...inputs, needs: { ...inputs.needs, maxOutputTokens: due } };
    expect(planRoute(fewer)!.legs.length).toBeGreaterThan(0);
  });
});
