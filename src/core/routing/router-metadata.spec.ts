/**
 * Router metadata follow docs/use/routing-metadata.md#fields, on success and on failure. Exact objects of plans built
 * by hand.
 */
import type { Endpoint, Model } from './catalog.js';
import { SHARED_CREDENTIAL } from './credential.js';
import type { Exclusion, Plan, PlannedLeg } from './plan.js';
import { AVAILABLE_SHOWN_MAX, routerMetadata } from './router-metadata.js';

const modelOf = (id: string): Model => ({
  id,
  name: id,
  contextLength: 1,
  inputModalities: ['text'],
  outputModalities: ['text'],
  scores: {},
  endpoints: [],
});

const endpointOf = (tag: string, region?: string): Endpoint => ({
  tag,
  provider: {
    slug: tag,
    name: `Provider ${tag}`,
    dialect: 'openai-chat',
    baseUrl: 'https://example.com',
    policy: { collectsData: false, zeroDataRetention: true, ...(region !== undefined && { region }) },
  },
  upstreamModel: 'upstream-name',
  pricing: null,
  quantization: 'unknown',
  contextLength: 1,
  supportedParameters: [],
});

const legOf = (tag: string, { model = 'a/b', credential = SHARED_CREDENTIAL, region = '' } = {}): PlannedLeg => ({
  model: modelOf(model),
  endpoint: endpointOf(tag, region || undefined),
  tier: 'standard',
  tag,
  credential,
  modelIndex: 0,
  price: 0,
});

const planOf = (legs: readonly PlannedLeg[], parts: Partial<Plan> = {}): Plan => ({
  requested: 'a/b:nitro',
  models: ['a/b'],
  ordering: 'draw',
  seed: 's',
  catalog: 'c',
  legs,
  excluded: [],
  attemptsMax: 6,
  movesOnRefusal: false,
  ...parts,
});

describe('routerMetadata', () => {
  it('describes a request that was answered at once', () => {
    const leg = legOf('p0', { region: 'us' });
    expect(routerMetadata(planOf([leg]), { attempts: [{ leg, status: 200 }], answered: leg, generationMs: 0 })).toEqual(
      {
        requested: 'a/b:nitro',
        strategy: 'direct',
        region: 'us',
        summary: 'available=1, selected=Provider p0',
        attempt: 1,
        is_byok: false,
        endpoints: { total: 1, available: [{ provider: 'Provider p0', model: 'a/b', selected: true }] },
        attempts: [{ provider: 'Provider p0', model: 'a/b', status: 200 }],
        generation_time: 0,
      },
    );
  });

  it('describes one that a further model answered, with an own credential', () => {
    const first = legOf('p0');
    const second = legOf('p1', { model: 'c/d', credential: 'own' });
    const plan = planOf([first, second], {
      models: ['a/b', 'c/d'],
      excluded: [{ model: 'a/b', tag: 'p2', provider: 'Provider p2', reason: 'max-price' }],
    });
    const attempts = [
      { leg: first, status: 529 },
      { leg: second, status: 200 },
    ];
    expect(routerMetadata(plan, { attempts, answered: second, generationMs: 1234.6 })).toEqual({
      requested: 'a/b:nitro',
      strategy: 'fallback',
      region: null,
      summary: 'available=2, selected=Provider p1',
      attempt: 2,
      is_byok: true,
      endpoints: {
        total: 3,
        available: [
          { provider: 'Provider p0', model: 'a/b', selected: false },
          { provider: 'Provider p1', model: 'c/d', selected: true },
        ],
      },
      attempts: [
        { provider: 'Provider p0', model: 'a/b', status: 529 },
        { provider: 'Provider p1', model: 'c/d', status: 200, is_byok: true },
      ],
      generation_time: 1235,
    });
  });

  it('selects no endpoint on a failure, even after the answer had begun', () => {
    const leg = legOf('p0', { region: 'us', credential: 'own' });
    const plan = planOf([leg, legOf('p1')]);
    expect(routerMetadata(plan, { attempts: [{ leg, status: 200 }], generationMs: 0 })).toEqual({
      requested: 'a/b:nitro',
      strategy: 'direct',
      region: null,
      summary: 'available=2',
      attempt: 1,
      is_byok: true,
      endpoints: {
        total: 2,
        available: [
          { provider: 'Provider p0', model: 'a/b', selected: false },
          { provider: 'Provider p1', model: 'a/b', selected: false },
        ],
      },
      attempts: [{ provider: 'Provider p0', model: 'a/b', status: 200, is_byok: true }],
      generation_time: 0,
    });
  });

  it('reports for each attempt whose credential it used, whether it was refused, and what was not sent', () => {
    const own = legOf('p0', { credential: 'own' });
    const shared = legOf('p0');
    const dropped = ['speed', 'fast-mode-2026-02-01'];
    const { attempts } = routerMetadata(planOf([own, shared]), {
      attempts: [
        { leg: own, status: 401, isCredentialRefused: true, dropped },
        { leg: shared, status: 200, dropped },
      ],
      answered: shared,
      generationMs: 0,
    });
    expect(attempts).toEqual([
      { provider: 'Provider p0', model: 'a/b', status: 401, is_byok: true, credential_refused: true, dropped },
      { provider: 'Provider p0', model: 'a/b', status: 200, dropped },
    ]);
  });

  it('has its seven required keys when no provider was reached', () => {
    const excluded: Exclusion[] = [
      { model: 'a/b', tag: 'p0', provider: 'Provider p0', reason: 'no-credential' },
      { model: 'no/such', reason: 'unknown-model' },
    ];
    expect(routerMetadata(planOf([], { excluded }), { attempts: [], generationMs: 0 })).toEqual({
      requested: 'a/b:nitro',
      strategy: 'direct',
      region: null,
      summary: 'available=0',
      attempt: 0,
      is_byok: false,
      endpoints: { total: 1, available: [] },
      generation_time: 0,
    });
  });

  it('counts an endpoint once, for any number of credentials', () => {
    const own = legOf('p0', { credential: 'own' });
    const shared = legOf('p0');
    const plan = planOf([own, shared], {
      excluded: [{ model: 'a/b', tag: 'p0', credential: 'other', reason: 'cooling-down' }],
    });
    const attempts = [
      { leg: own, status: 401 },
      { leg: shared, status: 200 },
    ];
    expect(routerMetadata(plan, { attempts, answered: shared, generationMs: 0 })).toMatchObject({
      summary: 'available=1, selected=Provider p0',
      attempt: 2,
      is_byok: false,
      endpoints: { total: 1, available: [{ provider: 'Provider p0', model: 'a/b', selected: true }] },
    });
  });

  it('lists endpoints up to its bound, plus the one that answered, and counts all', () => {
    const legs = Array.from({ length: AVAILABLE_SHOWN_MAX + 50 }, (_, index) => legOf(`p${index}`));
    const answered = legs.at(-1)!;
    const { summary, endpoints } = routerMetadata(planOf(legs), {
      attempts: [{ leg: answered, status: 200 }],
      answered,
      generationMs: 0,
    });
    const { total, available } = endpoints as unknown as { total: number; available: readonly { selected: boolean }[] };
    expect(summary).toBe(`available=${legs.length}, selected=Provider p${legs.length - 1}`);
    expect(total).toBe(legs.length);
    expect(available).toHaveLength(AVAILABLE_SHOWN_MAX + 1);
    expect(available.filter(({ selected }) => selected)).toEqual([available.at(-1)]);
  });
});
