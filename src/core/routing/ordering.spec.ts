// Legs are sorted by the documented rules, including credentials and tiers. Small catalogs in which one rule decides.
import {
  credential,
  endpoint,
  healthOf,
  model,
  plan,
  price,
  reasonsOf,
  tagsOf,
} from '../../../test/support/route-inputs.js';
import type { StoredCredential } from './credential.js';
import type { EndpointHealth, Percentiles } from './health.js';
import type { ProviderPreferences } from './preferences.js';
import type { RouteNeeds } from './route-inputs.js';

const even = (value: number): Percentiles => ({ p50: value, p75: value, p90: value, p99: value });
const three = model('a/b', [endpoint('p1', { usd: 3 }), endpoint('p2', { usd: 1 }), endpoint('p3', { usd: 2 })]);
const order = (preferences: ProviderPreferences, health: Readonly<Record<string, Partial<EndpointHealth>>> = {}) =>
  tagsOf(plan([three], { needs: { preferences }, health: healthOf(health) }));

describe('sort', () => {
  it.each<[string, ProviderPreferences, Readonly<Record<string, Partial<EndpointHealth>>>, readonly string[]]>([
    ['price', { sort: 'price' }, {}, ['p2', 'p3', 'p1']],
    ['latency', { sort: 'latency' }, { p1: { latency: even(1) }, p3: { latency: even(2) } }, ['p1', 'p3', 'p2']],
    [
      'throughput',
      { sort: 'throughput' },
      { p1: { throughput: even(9) }, p3: { throughput: even(8) } },
      ['p1', 'p3', 'p2'],
    ],
    ['latency, all unknown: price', { sort: 'latency' }, {}, ['p2', 'p3', 'p1']],
    ['exacto by faults', { sort: 'exacto' }, { p2: { faultShare: 0.2 }, p3: { faultShare: 0.1 } }, ['p1', 'p3', 'p2']],
    ['what is out keeps its place', { sort: 'price' }, { p2: { isOut: true } }, ['p2', 'p3', 'p1']],
    [
      'a miss of a preference goes behind',
      { sort: 'price', preferredMaxLatency: { p90: 1 } },
      { p2: { latency: even(2) } },
      ['p3', 'p1', 'p2'],
    ],
  ])('%s', (_, preferences, health, expected) => {
    expect(order(preferences, health)).toEqual(expected);
  });

  it('exacto puts tools before precision and precision before price', () => {
    const sole = model('a/b', [
      endpoint('none', { usd: 1, supportedParameters: ['seed'], quantization: 'fp32' }),
      endpoint('small', { usd: 1, supportedParameters: ['tools'], quantization: 'int4' }),
      endpoint('silent', { usd: 2 }),
      endpoint('native', { usd: 1, quantization: 'bf16' }),
    ]);
    expect(tagsOf(plan([sole], { needs: { preferences: { sort: 'exacto' } } }))).toEqual([
      'native',
      'silent',
      'small',
      'none',
    ]);
  });

  it('breaks ties by tag', () => {
    const sole = model('a/b', [endpoint('p2'), endpoint('p3'), endpoint('p1')]);
    expect(tagsOf(plan([sole], { needs: { preferences: { sort: 'price' } } }))).toEqual(['p1', 'p2', 'p3']);
  });

  it('has no weights: nothing was drawn', () => {
    const { legs, ordering } = plan([three], { needs: { preferences: { sort: 'price' } } });
    expect(ordering).toBe('price');
    expect(legs.map(({ weight }) => weight)).toEqual([undefined, undefined, undefined]);
  });
});

describe('order', () => {
  it('puts the listed first, strictly, and draws the rest', () => {
    const health = healthOf({ p1: { isOut: true }, p3: { latency: even(9) } });
    const preferences: ProviderPreferences = {
      order: ['absent', 'p1'],
      preferredMaxLatency: { p50: 1 },
      sort: 'price',
    };
    const made = plan([three], { needs: { preferences }, health });
    expect(tagsOf(made)).toEqual(['p1', 'p2', 'p3']);
    expect(made.ordering).toBe('order');
    expect(made.legs.map(({ weight, setBack }) => [weight, setBack])).toEqual([
      [undefined, undefined],
      [1, undefined],
      [1 / 4, 'preference'],
    ]);
  });

  it('without fallbacks leaves nothing else', () => {
    const made = plan([three], { needs: { preferences: { order: ['p3', 'p1'], allowFallbacks: false } } });
    expect(tagsOf(made)).toEqual(['p3', 'p1']);
    expect(reasonsOf(made)).toEqual({ p2: 'not-in-order' });
  });

  it('takes all regions of a base slug at its position, the cheaper first', () => {
    const regions = model('a/b', [endpoint('p/eu', { usd: 2 }), endpoint('p/us', { usd: 1 }), endpoint('q')]);
    expect(tagsOf(plan([regions], { needs: { preferences: { order: ['p'] } } }))).toEqual(['p/us', 'p/eu', 'q']);
  });

  it('switches sessions off', () => {
    const session = { key: 'k', pinOf: () => 'p2' };
    const made = plan([three], { needs: { preferences: { order: ['p1'] } }, session });
    expect(made).toMatchObject({ ordering: 'order', seed: 'seed' });
    expect(made.legs[0]).toMatchObject({ tag: 'p1' });
    expect(made.legs.some(({ isPinned }) => isPinned)).toBe(false);
  });
});

describe('no fallbacks', () => {
  it('leave the best of each model', () => {
    const other = model('c/d', [endpoint('p4', { usd: 2 }), endpoint('p5', { usd: 1 })]);
    const made = plan([three, other], { needs: { preferences: { allowFallbacks: false, sort: 'price' } } });
    expect(tagsOf(made)).toEqual(['p2', 'p5']);
    expect(reasonsOf(made)).toEqual({ p1: 'not-first', p3: 'not-first', p4: 'not-first' });
  });
});

describe('legs that are set back', () => {
  it.each<[string, ProviderPreferences, Partial<EndpointHealth>, string | undefined]>([
    ['nothing known', { preferredMaxLatency: { p50: 1 } }, {}, undefined],
    ['at the cut-off', { preferredMaxLatency: { p50: 1 } }, { latency: even(1) }, undefined],
    ['past the cut-off', { preferredMaxLatency: { p50: 1 } }, { latency: even(1.1) }, 'preference'],
    ['one of two missed', { preferredMaxLatency: { p50: 3, p99: 1 } }, { latency: even(2) }, 'preference'],
    ['fast enough', { preferredMinThroughput: { p75: 5 } }, { throughput: even(5) }, undefined],
    ['too slow', { preferredMinThroughput: { p75: 5 } }, { throughput: even(4) }, 'preference'],
    ['out and missed', { preferredMinThroughput: { p75: 5 } }, { throughput: even(4), isOut: true }, 'outage'],
  ])('%s', (_, preferences, health, setBack) => {
    const made = plan([three], { needs: { preferences }, health: healthOf({ p2: health }) });
    expect(made.legs.find(({ tag }) => tag === 'p2')!.setBack).toBe(setBack);
  });

  it('come last, misses before outages', () => {
    const health = { p2: { isOut: true }, p3: { latency: even(9) } };
    expect(order({ preferredMaxLatency: { p50: 1 } }, health)).toEqual(['p1', 'p3', 'p2']);
  });

  it.each<[string, ProviderPreferences, readonly string[]]>([
    ['goes behind a model that keeps to the cut-offs', {}, ['q1', 'q2', 'p1', 'p2', 'p3']],
    ['is sorted with the others where all models are', { partition: 'none' }, ['q1', 'p1', 'p2', 'p3', 'q2']],
  ])('a whole model that misses them %s', (_, more, tags) => {
    const slow = { latency: even(9) };
    const health = healthOf({ p1: slow, p2: slow, p3: slow, q2: slow });
    const other = model('c/d', [endpoint('q1', { usd: 5 }), endpoint('q2', { usd: 6 })]);
    const preferences: ProviderPreferences = { preferredMaxLatency: { p50: 1 }, sort: 'price', ...more };
    const prices = model('a/b', [endpoint('p1', { usd: 1 }), endpoint('p2', { usd: 2 }), endpoint('p3', { usd: 3 })]);
    expect(tagsOf(plan([prices, other], { needs: { preferences }, health }))).toEqual(tags);
  });

  it('come last as a whole model, whatever of it is out', () => {
    const health = healthOf({ p1: { latency: even(9) }, p2: { isOut: true } });
    const other = model('c/d', [endpoint('q1', { usd: 5 })]);
    const prices = model('a/b', [endpoint('p1', { usd: 1 }), endpoint('p2', { usd: 2 })]);
    const preferences: ProviderPreferences = { preferredMaxLatency: { p50: 1 } };
    expect(tagsOf(plan([prices, other], { needs: { preferences }, health }))).toEqual(['q1', 'p1', 'p2']);
  });

  it('keep the order of the models where every one of them misses', () => {
    const slow = { latency: even(9) };
    const other = model('c/d', [endpoint('q1', { usd: 0.1 })]);
    const preferences: ProviderPreferences = { preferredMaxLatency: { p50: 1 }, sort: 'price' };
    const health = healthOf({ p1: slow, q1: slow });
    expect(tagsOf(plan([model('a/b', [endpoint('p1')]), other], { needs: { preferences }, health }))).toEqual([
      'p1',
      'q1',
    ]);
  });
});

describe('models', () => {
  const other = model('c/d', [endpoint('p4', { usd: 0.5 }), endpoint('p5', { usd: 2.5 })]);

  it('stay together unless they are sorted together', () => {
    const sorted = (partition: 'model' | 'none'): readonly string[] =>
      tagsOf(plan([three, other], { needs: { preferences: { sort: 'price', partition } } }));
    expect(sorted('model')).toEqual(['p2', 'p3', 'p1', 'p4', 'p5']);
    expect(sorted('none')).toEqual(['p4', 'p2', 'p3', 'p5', 'p1']);
  });

  it('are sorted by their own suffix', () => {
    const health = healthOf({ p1: { latency: even(1) }, p5: { latency: even(1) } });
    const models: RouteNeeds['models'] = [{ id: 'a/b', sort: 'price' }, { id: 'c/d' }];
    const sorted = (preferences: ProviderPreferences) =>
      plan([three, other], { needs: { models, preferences }, health });
    expect(tagsOf(sorted({ sort: 'latency' }))).toEqual(['p2', 'p3', 'p1', 'p5', 'p4']);
    expect(sorted({ sort: 'latency' }).ordering).toBe('price');
    expect(tagsOf(sorted({ sort: 'latency', partition: 'none' }))).toEqual(['p5', 'p1', 'p4', 'p2', 'p3']);
    expect(tagsOf(sorted({ partition: 'none' }))).toEqual(['p4', 'p2', 'p3', 'p5', 'p1']);
  });
});

describe('service tiers', () => {
  const tiers = { fast: { prompt: 9_000_000n }, priority: { prompt: 8_000_000n } };
  const sole = model('a/b', [
    endpoint('p1', { pricing: price(1, tiers) }),
    endpoint('p2', { pricing: price(2, { ...tiers, flex: { prompt: 1n } }) }),
    endpoint('p3', { pricing: price(3) }),
  ]);
  const tags = (tier: RouteNeeds['tier'], preferences: ProviderPreferences = {}): readonly string[] =>
    tagsOf(plan([sole], { needs: { tier, preferences: { sort: 'price', ...preferences } } }));

  it.each<[RouteNeeds['tier'], readonly string[]]>([
    ['standard', ['p1', 'p2', 'p3']],
    ['fast', ['p1/fast', 'p2/fast', 'p1/priority', 'p2/priority', 'p1', 'p2', 'p3']],
    ['priority', ['p1/priority', 'p2/priority', 'p1/fast', 'p2/fast', 'p1', 'p2', 'p3']],
    ['flex', ['p2/flex']],
  ])('%s', (tier, expected) => {
    expect(tags(tier)).toEqual(expected);
  });

  it('are priced by their own list', () => {
    const { legs } = plan([sole], { needs: { tier: 'fast', preferences: { sort: 'price' } } });
    expect(legs.slice(0, 2).map((leg) => [leg.tag, leg.tier, leg.price])).toEqual([
      ['p1/fast', 'fast', 9.5],
      ['p2/fast', 'fast', 10],
    ]);
  });

  it('fall back to standard where no endpoint serves flex', () => {
    expect(tagsOf(plan([three], { needs: { tier: 'flex', preferences: { sort: 'price' } } }))).toEqual([
      'p2',
      'p3',
      'p1',
    ]);
  });

  it('do not count a flex endpoint without a credential', () => {
    const offersSharedCredential = ({ slug }: { slug: string }): boolean => slug !== 'p2';
    expect(
      tagsOf(plan([sole], { needs: { tier: 'flex', preferences: { sort: 'price' } }, offersSharedCredential })),
    ).toEqual(['p1', 'p3']);
  });

  it('are included only by a full slug', () => {
    expect(tags('standard', { order: ['p1/priority'] }).slice(0, 1)).toEqual(['p1/priority']);
    expect(tags('standard', { only: ['p1/priority'] })).toEqual(['p1/priority']);
    expect(tags('standard', { only: ['p1'] })).toEqual(['p1']);
    expect(tags('standard', { ignore: ['p1/priority'] })).toEqual(['p1', 'p2', 'p3']);
  });

  it('do not bypass what a policy ignores', () => {
    const made = plan([sole], { needs: { tier: 'priority' }, policies: [{ ignore: ['p1', 'p2'] }] });
    expect(tagsOf(made)).toEqual(['p3']);
  });
});

describe('credentials', () => {
  const preferences: ProviderPreferences = { order: ['p1', 'p2', 'p3'] };
  const tags = (...credentials: readonly StoredCredential[]): readonly string[] =>
    tagsOf(plan([three], { needs: { preferences }, credentials }));

  it('go own, shared, fallback, regardless of `order`', () => {
    expect(tags(credential('k2', 'p2'), credential('last', 'p1', { isFallback: true }))).toEqual([
      'p2@k2',
      'p1',
      'p2',
      'p3',
      'p1@last',
    ]);
  });

  it('keep the keys of one endpoint together, by their sort order', () => {
    const keys = [
      credential('b', 'p2', { sortOrder: 2 }),
      credential('c', 'p1'),
      credential('a', 'p2', { sortOrder: 1 }),
      credential('d', 'p2', { sortOrder: 1 }),
    ];
    expect(tags(...keys).slice(0, 4)).toEqual(['p1@c', 'p2@a', 'p2@d', 'p2@b']);
  });

  it('sort an endpoint by its first key in a group', () => {
    const credentials = [credential('a', 'p1'), credential('b', 'p1', { sortOrder: 1 }), credential('c', 'p2')];
    const health = healthOf({
      'p1 a': { latency: even(1) },
      'p1 b': { latency: even(9) },
      'p2 c': { latency: even(2) },
    });
    const made = plan([three], { needs: { preferences: { sort: 'latency' } }, credentials, health });
    expect(tagsOf(made).slice(0, 3)).toEqual(['p1@a', 'p1@b', 'p2@c']);
  });

  it("replace the operator's own where requested", () => {
    expect(tags(credential('k', 'p1', { replacesShared: true }))).toEqual(['p1@k', 'p2', 'p3']);
    expect(tags(credential('k', 'p1', { replacesShared: true, allowedModels: ['c/d'] }))).toEqual(['p1', 'p2', 'p3']);
  });

  it('grant no exemption from a filter', () => {
    const made = plan([three], { needs: { preferences: { ignore: ['p1'] } }, credentials: [credential('k', 'p1')] });
    expect(made.legs.map(({ tag }) => tag)).not.toContain('p1');
  });

  it('are reported by name when missing', () => {
    const credentials = [
      credential('k', 'p1', { allowedModels: ['c/d'] }),
      credential('l', 'p3', { allowedModels: ['a/b'] }),
    ];
    const made = plan([three], { credentials, offersSharedCredential: () => false });
    expect(tagsOf(made)).toEqual(['p3@l']);
    expect(reasonsOf(made)).toEqual({ p1: 'credential-not-for-model', p2: 'no-credential' });
  });

  it('cool down one by one', () => {
    const cooling = { until: 9, by: 'rate-limit' } as const;
    const made = plan([three], {
      needs: { preferences: { order: ['p1'] } },
      credentials: [credential('a', 'p1'), credential('b', 'p1', { sortOrder: 1 })],
      health: healthOf({ 'p1 a': { cooling } }),
    });
    expect(tagsOf(made).slice(0, 2)).toEqual(['p1@b', 'p1']);
    expect(made.excluded).toEqual([
      { model: 'a/b', tag: 'p1', provider: 'P1', credential: 'a', reason: 'cooling-down', cooling },
    ]);
  });
});

describe('pins', () => {
  const pinned = (tag: string, health: Parameters<typeof healthOf>[0] = {}) =>
    plan([three], {
      session: { pinOf: (id) => (id === 'a/b' ? tag : undefined) },
      health: healthOf(health),
      seed: 's',
    });

  it('put the bound endpoint first, in every group of credentials', () => {
    const credentials = [credential('k1', 'p1'), credential('k2', 'p2')];
    for (const tag of ['p1', 'p2', 'p3']) expect(pinned(tag).legs[0]).toMatchObject({ tag, isPinned: true });
    const made = plan([three], { session: { pinOf: () => 'p1' }, credentials });
    expect(tagsOf(made).slice(0, 3)).toEqual(['p1@k1', 'p2@k2', 'p1']);
  });

  it('hold under `sort` and against a missed preference', () => {
    const preferences: ProviderPreferences = { sort: 'price', preferredMaxLatency: { p50: 1 } };
    const health = healthOf({ p1: { latency: even(5) } });
    const made = plan([three], { needs: { preferences }, session: { pinOf: () => 'p1' }, health });
    expect(made.legs[0]).toMatchObject({ tag: 'p1', isPinned: true });
  });

  it('do not apply to an endpoint that is out or excluded', () => {
    const made = pinned('p1', { p1: { isOut: true } });
    expect(made.legs.at(-1)).toMatchObject({ tag: 'p1', setBack: 'outage' });
    expect(made.legs.at(-1)!.isPinned).toBeUndefined();
    expect(pinned('p1', { p1: { cooling: { until: 1, by: 'faults' } } }).legs).toHaveLength(2);
    expect(pinned('gone').legs.some(({ isPinned }) => isPinned)).toBe(false);
  });
});
