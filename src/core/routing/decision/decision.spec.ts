/**
 * A decision record is short, and reproduces the plan. Exact texts of small decisions, and random plans of the real
 * planner, derived from only the text and the catalog.
 */
import fc from 'fast-check';
import type { MeasuredPrompt } from '../../money/measure-prompt.js';
import type { RequestField } from '../../translation.js';
import type { CatalogProvider, CatalogSnapshot, Endpoint, Model, Pricing } from '../catalog.js';
import type { StoredCredential } from '../credential.js';
import { deriveInputs } from './decision-inputs.js';
import type { DecisionRecord } from './decision-record.js';
import { compactDecision, CUT_ORDER, DECISION_BYTES_MAX } from './decision.js';
import type { EndpointHealth, HealthKey, HealthSnapshot } from '../health.js';
import { planRoute } from '../plan-route.js';
import type { Plan } from '../plan.js';
import { BETAS, type PricedOption } from '../priced-options.js';
import { SORTS, type ProviderPreferences } from '../preferences.js';
import type { RouteInputs, RouteNeeds, RoutingPolicy } from '../route-inputs.js';

const HASH = '0123456789abcdef'.repeat(4);

const providerNamed = (slug: string): CatalogProvider => ({
  slug,
  name: slug.toUpperCase(),
  dialect: 'openai-chat',
  baseUrl: 'https://example.com/v1',
  policy: { collectsData: slug.endsWith('3'), zeroDataRetention: !slug.endsWith('2') },
});

const endpointOf = (slug: string, price: number, parts: Partial<Endpoint> = {}): Endpoint => {
  const base: Pricing = { prompt: BigInt(price * 1e6), completion: BigInt(price * 1e6), tiers: [] };
  return {
    tag: slug,
    provider: providerNamed(slug),
    upstreamModel: 'm',
    pricing: price === 0 ? null : base,
    quantization: 'unknown',
    contextLength: 100_000,
    supportedParameters: [],
    ...parts,
  };
};

const modelOf = (id: string, endpoints: readonly Endpoint[]): Model => ({
  id,
  name: id,
  contextLength: 100_000,
  inputModalities: ['text'],
  outputModalities: ['text'],
  scores: {},
  endpoints,
});

const catalogOf = (models: readonly Model[]): CatalogSnapshot => ({
  hash: HASH,
  providers: new Map(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => [provider.slug, provider]))),
  models: new Map(models.map((model) => [model.id, model])),
  tools: {},
  plugins: {},
});

const needsOf = (parts: Partial<RouteNeeds> = {}): RouteNeeds => ({
  requested: 'a/b',
  models: [{ id: parts.requested ?? 'a/b' }],
  movesOnRefusal: false,
  preferences: {},
  parameters: [],
  modalities: [],
  promptTokensMin: 0,
  tier: 'standard',
  ...parts,
});

const textOf = ({ model, tag, credential }: HealthKey): string => `${model} ${tag} ${credential}`;

const healthOf = (known: Readonly<Record<string, EndpointHealth>>): HealthSnapshot => ({
  find: (key) => known[textOf(key)],
});

const inputsOf = (parts: Partial<RouteInputs> = {}): RouteInputs => ({
  needs: needsOf(),
  catalog: catalogOf([modelOf('a/b', [endpointOf('p0', 1), endpointOf('p1', 2)])]),
  health: healthOf({}),
  credentials: [],
  offersSharedCredential: () => true,
  policies: [],
  seed: 'seed-1',
  ...parts,
});

const planOf = (inputs: RouteInputs): Plan => planRoute(inputs)!;
const decide = (inputs: RouteInputs): string => compactDecision(inputs, planOf(inputs));
const again = (inputs: RouteInputs): Plan => planOf(deriveInputs(decide(inputs), inputs.catalog)!);

const all = (figure: number): NonNullable<EndpointHealth['latency']> => ({
  p50: figure,
  p75: figure,
  p90: figure,
  p99: figure,
});

const drawing = (model: Model): Model => ({ ...model, outputModalities: ['text', 'image'] });

const takingTools = (slug: string, price: number): Endpoint =>
  endpointOf(slug, price, { supportedParameters: ['tools'] });

describe('compactDecision', () => {
  it('holds only the necessary parts of a plain request', () => {
    const inputs = inputsOf({ needs: needsOf({ preferences: { sort: 'price' } }) });
    const [first, second] = planOf(inputs).legs;
    expect(
      compactDecision(inputs, planOf(inputs), [
        { leg: first!, status: 529 },
        { leg: second!, status: 200 },
      ]),
    ).toBe(
      '{"v":2,"catalog":"0123456789abcdef0123456789abcdef","seed":"seed-1","requested":"a/b","legs":["p0","p1"],' +
        '"calls":[["p0",529],["p1",200]],"preferences":{"sort":"price"}}',
    );
  });

  it('holds every input that was set', () => {
    const key: StoredCredential = { id: 'key-1', provider: 'p1', isFallback: true, sortOrder: 2, replacesShared: true };
    const inputs = inputsOf({
      needs: needsOf({
        requested: 'a/b:floor',
        models: [{ id: 'a/b', sort: 'price' }, { id: 'c/d' }],
        movesOnRefusal: true,
        preferences: { only: ['p0', 'p1', 'p9'], requireParameters: true },
        parameters: ['tools'],
        modalities: [],
        outputs: ['image'],
        promptTokensMin: 120,
        maxOutputTokens: 50,
        tier: 'priority',
      }),
      catalog: catalogOf([
        drawing(modelOf('a/b', [takingTools('p0', 1), takingTools('p1', 2)])),
        drawing(modelOf('c/d', [takingTools('p1', 2)])),
      ]),
      health: healthOf({ 'a/b p0 shared': { isOut: false, cooling: { until: 5, by: 'rate-limit' } } }),
      credentials: [
        { id: 'key-0', provider: 'elsewhere', isFallback: false, sortOrder: 0 },
        { ...key, allowedModels: ['c/d', 'e/f'] },
      ],
      offersSharedCredential: ({ slug }) => slug === 'p0',
      policies: [{ denyDataCollection: true, ignore: ['p7', 'p8'] }],
      session: { key: 'session-key', pinOf: (model) => (model === 'c/d' ? 'p1' : undefined) },
    });
    expect(JSON.parse(decide(inputs))).toEqual({
      v: 2,
      catalog: '0123456789abcdef0123456789abcdef',
      seed: 'seed-1',
      requested: 'a/b:floor',
      legs: ['1:p1@0'],
      models: [['a/b', 'price'], 'c/d'],
      refusal: true,
      preferences: { only: ['p0', 'p1'], requireParameters: true },
      parameters: ['tools'],
      outputs: ['image'],
      prompt: 120,
      output: 50,
      tier: 'priority',
      policies: [{ denyDataCollection: true, ignore: ['p7'] }],
      keys: [{ id: 'key-1', provider: 'p1', order: 2, fallback: true, replaces: true, models: [1] }],
      unshared: ['p1'],
      session: 'session-key',
      pins: { 1: 'p1' },
      cooling: { p0: 'rate-limit' },
    });
  });

  it('holds the figures that decided, and only those', () => {
    const known = {
      'a/b p0 shared': { latency: all(0.123_456), throughput: all(80), faultShare: 0.5, isOut: true },
      'a/b p1 shared': { latency: all(0.123_499), isOut: false },
    };
    const record = (preferences: ProviderPreferences): DecisionRecord =>
      JSON.parse(decide(inputsOf({ needs: needsOf({ preferences }), health: healthOf(known) })));
    expect(record({})).toMatchObject({ out: ['p0'] });
    expect(record({})).not.toHaveProperty('latency');
    expect(record({ sort: 'latency' })).toMatchObject({ latency: { p0: 0.12346, p1: 0.1235 } });
    expect(record({ sort: 'throughput' })).toMatchObject({ throughput: { p0: 80 } });
    expect(record({ sort: 'exacto' })).toMatchObject({ faults: { p0: 0.5 } });
    expect(record({ sort: 'price', preferredMaxLatency: { p50: 0.123_47 } })).toMatchObject({ behind: ['p1'] });
  });

  it('does not read state again that may have changed since the plan was made', () => {
    const inputs = inputsOf({ health: healthOf({ 'a/b p0 shared': { isOut: true } }) });
    const plan = planOf(inputs);
    const later = inputsOf({
      health: healthOf({}),
      session: {
        pinOf: () => {
          throw new Error('read again');
        },
      },
    });
    expect(compactDecision(later, plan)).toBe(compactDecision(inputs, plan));
  });

  it('holds no content, secret or address', () => {
    expect(decide(inputsOf())).not.toMatch(/example\.com|P0/);
  });
});

describe('a decision that is too long', () => {
  const long = (entries: number): RouteInputs =>
    inputsOf({
      needs: needsOf({ parameters: Array.from({ length: entries }, () => 'parallel_tool_calls' as const) }),
      catalog: catalogOf([
        modelOf(
          'a/b',
          Array.from({ length: 40 }, (_, index) => endpointOf(`p${index}`, index)),
        ),
      ]),
    });

  it('drops the legs first, and the plan can still be derived', () => {
    const entries = [...Array(100).keys()].find((count) => decide(long(count)).includes('"cut"'))!;
    const inputs = long(entries);
    const record = JSON.parse(decide(inputs)) as DecisionRecord;
    expect(record.cut).toEqual(['legs']);
    expect(record).not.toHaveProperty('legs');
    expect(again(inputs).legs.map(({ tag }) => tag)).toEqual(planOf(inputs).legs.map(({ tag }) => tag));
  });

  it('then drops and names inputs, and the plan can no longer be derived', () => {
    const inputs = long(100);
    const record = JSON.parse(decide(inputs)) as DecisionRecord;
    expect(record.cut).toEqual(['legs', 'parameters']);
    expect(record).not.toHaveProperty('parameters');
    expect(deriveInputs(decide(inputs), inputs.catalog)).toBeUndefined();
  });

  it('fits whatever is in it', () => {
    const huge = '€'.repeat(DECISION_BYTES_MAX);
    const inputs = inputsOf({
      needs: needsOf({ requested: huge, models: [{ id: 'a/b' }] }),
      seed: huge,
      session: { key: huge, pinOf: () => 'p0' },
    });
    const text = decide(inputs);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(DECISION_BYTES_MAX);
    expect((JSON.parse(text) as DecisionRecord).cut).toEqual(
      CUT_ORDER.filter((part) => JSON.parse(text).cut.includes(part)),
    );
  });
});

describe('deriveInputs', () => {
  it('returns nothing for another catalog or another version', () => {
    const inputs = inputsOf();
    const text = decide(inputs);
    expect(deriveInputs(text, { ...inputs.catalog, hash: 'f'.repeat(64) })).toBeUndefined();
    expect(deriveInputs(text.replace('"v":2', '"v":1'), inputs.catalog)).toBeUndefined();
  });

  it("returns the request's needs, its caller and its session", () => {
    const inputs = inputsOf({
      needs: needsOf({
        preferences: { order: ['p1'], maxPrice: { prompt: '3' } },
        parameters: ['tools'],
        promptTokensMin: 7,
        maxOutputTokens: 9,
        tier: 'flex',
      }),
      credentials: [{ id: 'k', provider: 'p0', isFallback: false, sortOrder: 1, allowedModels: ['a/b'] }],
      session: { key: 's', pinOf: () => undefined },
    });
    const { needs, credentials, session, seed } = deriveInputs(decide(inputs), inputs.catalog)!;
    expect(needs).toEqual(inputs.needs);
    expect(credentials).toEqual([{ id: 'k', provider: 'p0', isFallback: false, sortOrder: 1 }]);
    expect([session!.key, session!.pinOf('a/b'), seed]).toEqual(['s', undefined, 'seed-1']);
  });

  // The draw alone would have put the endpoint with an outage first: its outage must be restored although it is no leg.
  it('restores that endpoints excluded by `allow_fallbacks: false` were behind', () => {
    const needs = needsOf({ preferences: { allowFallbacks: false } });
    const first = planOf(inputsOf({ needs })).legs[0]!.tag;
    const inputs = inputsOf({ needs, health: healthOf({ [`a/b ${first} shared`]: { isOut: true } }) });
    expect(planOf(inputs).legs[0]!.tag).not.toBe(first);
    expect(again(inputs).legs.map(({ tag }) => tag)).toEqual(planOf(inputs).legs.map(({ tag }) => tag));
  });
});

// Random routes. Figures come from few values, so that ties and figures at their cut-off occur.

const SLUGS = Array.from({ length: 8 }, (_, index) => `provider-${index}`);
const FIGURES = [0.5, 1, 1.000_4, 1.000_49, 2, 3.333_333_333];
const figure = fc.constantFrom(...FIGURES);
const percentiles = fc.record({ p50: figure, p75: figure, p90: figure, p99: figure });
const cutoffs = fc.record({ p50: figure, p90: figure }, { requiredKeys: [] });
const slugs = fc.subarray([...SLUGS, 'provider-1/eu', 'provider-0/priority', 'PROVIDER 2', 'azure'], {
  minLength: 1,
  maxLength: 4,
});

const health: fc.Arbitrary<EndpointHealth> = fc.record(
  {
    latency: percentiles,
    throughput: percentiles,
    faultShare: fc.constantFrom(0, 0.1, 0.100_01, 0.25),
    widening: fc.record({ input: fc.constantFrom(1, 1.0625, 4), output: fc.constantFrom(1, 2.5) }),
    isOut: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    cooling: fc.record(
      { until: fc.nat(), by: fc.constantFrom('rate-limit' as const, 'faults' as const), isFirm: fc.constant(true) },
      { requiredKeys: ['until', 'by'] },
    ),
  },
  { requiredKeys: ['isOut'] },
);
const rarelyCooling = fc
  .tuple(health, fc.nat(3), fc.nat(7))
  .map(([{ cooling, widening, ...known }, dice, other]): EndpointHealth => ({
    ...known,
    ...(dice === 0 && cooling && { cooling }),
    ...(other === 0 && widening && { widening }),
  }));

const PREFERENCES_MAX = 4;
/** One of them passes everywhere. */
const UNDECLARED = ['hoot', 'owl', 'o'.repeat(70)];
const PARAMETERS: RequestField[] = ['tools', 'max_tokens', 'temperature', 'parallel_tool_calls'];
/** From here on some endpoints are more expensive. */
const LONG_PROMPT_TOKENS = 1_000;
const preferences: fc.Arbitrary<ProviderPreferences> = fc
  .record(
    {
      allowFallbacks: fc.boolean(),
      dataCollection: fc.constantFrom('allow' as const, 'deny' as const),
      ignore: slugs,
      only: slugs,
      order: slugs,
      maxPrice: fc.record({ prompt: fc.constantFrom('1', '2.5'), completion: fc.constant('4') }, { requiredKeys: [] }),
      requireParameters: fc.boolean(),
      sort: fc.constantFrom(...SORTS),
      partition: fc.constantFrom('model' as const, 'none' as const),
      zeroDataRetention: fc.boolean(),
      preferredMaxLatency: cutoffs,
      preferredMinThroughput: cutoffs,
    },
    { requiredKeys: [] },
  )
  .chain((every) =>
    // A few of them at a time: all together leave nothing to plan.
    fc
      .subarray(Object.keys(every), { maxLength: Math.min(PREFERENCES_MAX, Object.keys(every).length) })
      .map((names) => Object.fromEntries(Object.entries(every).filter(([name]) => names.includes(name)))),
  );

const pricing = fc
  .tuple(fc.constantFrom(0, 1, 2, 3), fc.boolean(), fc.constantFrom('none', 'fees', 'lengths'))
  .map(([price, isPriority, more]): Partial<Endpoint> => {
    if (price === 0) return { pricing: null };
    const amount = BigInt(price * 1e6);
    const dearer = { prompt: amount * 2n, completion: amount * 2n };
    return {
      pricing: {
        prompt: amount,
        completion: amount,
        tiers: more === 'lengths' ? [{ minPromptTokens: LONG_PROMPT_TOKENS, ...dearer }] : [],
        // Expensive enough to reverse the order of prices.
        ...(more === 'fees' && { image: 4_000_000_000n, webSearch: 5_000_000_000n }),
        ...(isPriority && { priority: dearer }),
      },
    };
  });
const inGeography = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  geographies: new Map([['us', { ...endpoint, geography: { word: 'us', elsewhere: endpoint } }]]),
});
const endpoints = (count: number): fc.Arbitrary<readonly Endpoint[]> =>
  fc
    .tuple(
      fc.subarray(SLUGS, { minLength: 1, maxLength: count }),
      fc.array(pricing, { minLength: count, maxLength: count }),
      fc.array(fc.constantFrom([], ['tools'], ['max_tokens']), { minLength: count, maxLength: count }),
    )
    .map(([chosen, prices, parameters]) =>
      chosen.map((slug, index) =>
        (slug === 'provider-2' ? inGeography : same)(
          endpointOf(slug, 1, {
            ...prices[index],
            supportedParameters: parameters[index]!,
            ...(slug === 'provider-1' && { tag: `${slug}/eu`, variant: 'eu' }),
          }),
        ),
      ),
    );
const same = (endpoint: Endpoint): Endpoint => endpoint;

const pricedOptions: fc.Arbitrary<readonly PricedOption[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.subarray([
      { field: 'service_tier', value: 'priority' },
      { field: 'inference_geo', value: 'us' },
      { field: BETAS, value: 'context-1m-2025-08-07' },
      { field: 'web_search_options', value: '' },
    ]),
  },
);
const measured: fc.Arbitrary<MeasuredPrompt> = fc.record({
  textTokens: fc.constantFrom(0, LONG_PROMPT_TOKENS - 1, LONG_PROMPT_TOKENS),
  images: fc.nat(2),
  documents: fc.constant(0),
  fillsContext: fc.boolean(),
  webSearches: fc.nat(2),
});
/** Candidates, and fields that their dialects do not send. */
const unsent = fc.array(
  fc.record({
    tag: fc.constantFrom(...SLUGS, 'provider-0/priority'),
    parameter: fc.constantFrom(...PARAMETERS, 'service_tier', 'inference_geo'),
  }),
  { maxLength: 6 },
);

const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
const credential = fc.record(
  {
    id: fc.uuid(),
    provider: fc.constantFrom(...SLUGS),
    isFallback: fc.boolean(),
    sortOrder: fc.nat(2),
    allowedModels: fc.subarray(['a/model-one', 'b/model-two', 'e/other']),
    replacesShared: fc.boolean(),
  },
  { requiredKeys: ['id', 'provider', 'isFallback', 'sortOrder'] },
);

const request: fc.Arbitrary<Partial<RouteNeeds>> = fc
  .record({
    models: fc.constantFrom(
      [{ id: 'a/model-one' }],
      [{ id: 'a/model-one', sort: 'latency' as const }],
      [{ id: 'a/model-one' }, { id: 'no/such' }, { id: 'b/model-two', sort: 'throughput' as const }],
    ),
    preferences,
    parameters: fc.subarray(PARAMETERS),
    tier: fc.constantFrom('standard' as const, 'priority' as const),
    promptTokensMin: fc.constantFrom(0, LONG_PROMPT_TOKENS),
    shortensTo: fc.constantFrom(undefined, [1, 1_000_000] as const),
    images: fc.nat(2),
    webSearches: fc.nat(2),
    pricedOptions,
    measured,
  })
  // As in requests: absent values are omitted, and sizes are measured only for price caps.
  .map(({ images, webSearches, pricedOptions: listed, measured: size, shortensTo, ...needs }) => ({
    ...needs,
    ...(shortensTo && { shortensTo }),
    ...(images > 0 && { images }),
    ...(webSearches > 0 && { webSearches }),
    ...(listed.length > 0 && { pricedOptions: listed }),
    ...(needs.preferences.maxPrice && { measured: size }),
  }));

interface Size {
  /** Number of endpoints of each of two models. */
  readonly endpoints: number;
  readonly credentials: number;
  readonly policies: number;
}

const ORDINARY: Size = { endpoints: 4, credentials: 2, policies: 0 };
const LARGE: Size = { endpoints: 8, credentials: 12, policies: 3 };

const routes = (size: Size): fc.Arbitrary<RouteInputs> =>
  fc
    .record({
      endpoints: fc.tuple(endpoints(size.endpoints), endpoints(size.endpoints)),
      request,
      unsent: fc.option(unsent),
      unpassed: fc.option(fc.record({ fields: fc.subarray(UNDECLARED), by: fc.subarray(SLUGS) })),
      credentials: fc.uniqueArray(credential, { maxLength: size.credentials, selector: ({ id }) => id }),
      unshared: fc.subarray(SLUGS),
      policies: fc.array(
        fc.record(
          { only: slugs, ignore: slugs, denyDataCollection: fc.boolean(), zeroDataRetention: fc.boolean() },
          { requiredKeys: [] },
        ) satisfies fc.Arbitrary<RoutingPolicy>,
        { maxLength: size.policies },
      ),
      session: fc.option(fc.record({ key: fc.option(hash), pin: fc.constantFrom(...SLUGS) })),
      seed: fc.base64String({ minLength: 16, maxLength: 24 }),
      known: fc.array(rarelyCooling, { minLength: 16, maxLength: 16 }),
    })
    .map(
      ({
        endpoints: [one, two],
        unshared,
        session,
        known,
        unsent: misses,
        unpassed,
        request,
        ...route
      }): RouteInputs => {
        let used = 0;
        const found = new Map<string, EndpointHealth | undefined>();
        return {
          needs: needsOf({ ...request, requested: 'a/model-one', ...(unpassed && { undeclared: unpassed.fields }) }),
          catalog: catalogOf([modelOf('a/model-one', one), modelOf('b/model-two', two)]),
          health: {
            find: (key) => {
              const text = textOf(key);
              if (!found.has(text)) found.set(text, known[used++ % known.length]);
              return found.get(text);
            },
          },
          credentials: route.credentials,
          offersSharedCredential: ({ slug }) => !unshared.includes(slug),
          ...(misses && {
            supportsField: ({ tag }, parameter) =>
              !misses.some((one) => one.tag === tag && one.parameter === parameter),
          }),
          ...(unpassed && {
            acceptsUndeclaredField: ({ tag }, field) => field === 'hoot' || !unpassed.by.some((slug) => slug === tag),
            unmetRequirement: ({ tag }) => (unpassed.by.some((slug) => slug === tag) ? 'tools.0.strict' : undefined),
          }),
          policies: route.policies,
          ...(session && { session: { ...(session.key !== null && { key: session.key }), pinOf: () => session.pin } }),
          seed: route.seed,
        };
      },
    );

/**
 * Everything that a reader of a plan needs, except figures, which decide but are not recorded further. Entries of lists
 * that match nothing are only reported to the caller.
 */
const decisionOf = ({ unknownProviders: _unknown, ...plan }: Plan): unknown => ({
  ...plan,
  legs: plan.legs.map(({ health: _figures, model, endpoint, ...leg }) => ({
    ...leg,
    model: model.id,
    tag: endpoint.tag,
  })),
  excluded: plan.excluded
    .map(({ cooling, ...exclusion }) => JSON.stringify({ ...exclusion, by: cooling?.by, isFirm: cooling?.isFirm }))
    .sort(),
});

/** The further inputs of holds. */
const wideningsOf = ({ legs }: Plan): unknown => legs.map(({ health }) => health?.widening);

const losesWidening = (inputs: RouteInputs): boolean =>
  (JSON.parse(decide(inputs)) as DecisionRecord).cut?.includes('widened') ?? false;

const RUNS = 600;

describe('a plan made again from its decision', () => {
  it('is the same plan for up to eight endpoints and two stored credentials, of which almost none has an input cut', () => {
    let cut = 0;
    fc.assert(
      fc.property(routes(ORDINARY), (inputs) => {
        const derived = deriveInputs(decide(inputs), inputs.catalog);
        if (derived) {
          expect(decisionOf(planOf(derived))).toEqual(decisionOf(planOf(inputs)));
          if (!losesWidening(inputs)) expect(wideningsOf(planOf(derived))).toEqual(wideningsOf(planOf(inputs)));
        } else cut++;
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    // About one in 40,000: everything at once, each with the longest name.
    expect(cut).toBeLessThanOrEqual(RUNS / 100);
  });

  it('is the same plan or none, within the limit, for any amount of data', () => {
    fc.assert(
      fc.property(routes(LARGE), (inputs) => {
        const text = decide(inputs);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(DECISION_BYTES_MAX);
        const { cut = [] } = JSON.parse(text) as DecisionRecord;
        const derived = deriveInputs(text, inputs.catalog);
        expect(derived === undefined).toBe(cut.some((part) => part !== 'legs' && part !== 'widened'));
        if (derived) expect(decisionOf(planOf(derived))).toEqual(decisionOf(planOf(inputs)));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives the same decision record again', () => {
    fc.assert(
      fc.property(routes(ORDINARY), (inputs) => {
        const derived = deriveInputs(decide(inputs), inputs.catalog);
        fc.pre(derived !== undefined && !losesWidening(inputs));
        expect(decide(derived)).toBe(decide(inputs));
      }),
      { numRuns: RUNS / 3 },
    );
  });
});
