/** An explanation shows all of a plan, always in the same bytes: compared with exact bodies of plans made by hand. */
import type { Endpoint, Model, Pricing } from '../core/routing/catalog.js';
import { EXCLUSION_MEANINGS } from '../core/routing/availability.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Plan, PlannedLeg } from '../core/routing/plan.js';
import type { VendorTool } from '../core/conversation/tools.js';
import type { GatewayRunTool } from '../core/tool.js';
import type { ForecastTool } from '../inference/explain-route.js';
import { explainView } from './explain-view.js';

const MODEL: Model = {
  id: 'a/b',
  name: 'B',
  contextLength: 1000,
  inputModalities: ['text'],
  outputModalities: ['text'],
  scores: {},
  endpoints: [],
};

const endpointOf = (tag: string, pricing: Pricing | null): Endpoint => ({
  tag,
  provider: {
    slug: tag,
    name: `Provider ${tag}`,
    dialect: 'openai-chat',
    baseUrl: 'https://example.com',
    policy: { collectsData: false, zeroDataRetention: true },
  },
  upstreamModel: 'upstream-name',
  pricing,
  quantization: 'unknown',
  contextLength: 1000,
  supportedParameters: [],
});

const NEEDS = { promptTokensMin: 0 };
const PRICING: Pricing = { prompt: 3_000_000n, completion: 15_000_000n, tiers: [] };

const legOf = (tag: string, parts: Partial<PlannedLeg> = {}): PlannedLeg => ({
  model: MODEL,
  endpoint: endpointOf(tag, PRICING),
  tier: 'standard',
  tag,
  credential: SHARED_CREDENTIAL,
  modelIndex: 0,
  price: 18,
  ...parts,
});

const planOf = (parts: Partial<Plan> = {}): Plan => ({
  requested: 'a/b',
  models: ['a/b'],
  ordering: 'draw',
  seed: 'seed-1',
  catalog: 'hash-1',
  legs: [],
  excluded: [],
  attemptsMax: 6,
  movesOnRefusal: false,
  ...parts,
});

describe('explainView', () => {
  it('shows a plan unchanged', () => {
    const cutoffs = { p50: 0.5, p75: 0.6, p90: 0.7, p99: 0.8 };
    const plan = planOf({
      requested: 'a/b:exacto',
      models: ['a/b', 'c/d'],
      ordering: 'session',
      legs: [
        legOf('p0', { weight: 0.003, isPinned: true, health: { latency: cutoffs, faultShare: 0.25, isOut: false } }),
        legOf('p1', {
          credential: 'key-1',
          setBack: 'outage',
          health: { throughput: cutoffs, isOut: true },
          price: 0,
          endpoint: endpointOf('p1', null),
        }),
      ],
      excluded: [
        { model: 'no/such', reason: 'unknown-model' },
        { model: 'a/b', tag: 'p2', provider: 'Provider p2', reason: 'max-price', detail: 'prompt 3 > 2' },
        {
          model: 'a/b',
          tag: 'p3',
          provider: 'Provider p3',
          credential: 'key-2',
          reason: 'cooling-down',
          cooling: { until: Date.UTC(2026, 0, 2, 3, 4, 5, 6), by: 'rate-limit' },
        },
      ],
    });
    expect(explainView(plan, NEEDS)).toEqual({
      data: {
        requested: 'a/b:exacto',
        strategy: 'fallback',
        models: ['a/b', 'c/d'],
        ordering: 'session',
        seed: 'seed-1',
        catalog_hash: 'hash-1',
        session: { decides: true, pins: [{ model: 'a/b', tag: 'p0' }] },
        attempts_max: 6,
        candidates: [
          {
            position: 1,
            model: 'a/b',
            provider: 'p0',
            provider_name: 'Provider p0',
            tag: 'p0',
            tier: 'standard',
            geography: null,
            credential: 'shared',
            is_byok: false,
            weight: 0.003,
            price: { prompt: '3', completion: '15' },
            price_per_million: 18,
            set_back: null,
            pinned: true,
            health: { latency: cutoffs, throughput: null, fault_share: 0.25, out: false },
            dropped: [],
          },
          {
            position: 2,
            model: 'a/b',
            provider: 'p1',
            provider_name: 'Provider p1',
            tag: 'p1',
            tier: 'standard',
            geography: null,
            credential: 'key-1',
            is_byok: true,
            weight: null,
            price: { prompt: '0', completion: '0' },
            price_per_million: 0,
            set_back: 'outage',
            pinned: false,
            health: { latency: null, throughput: cutoffs, fault_share: null, out: true },
            dropped: [],
          },
        ],
        excluded: [
          {
            model: 'no/such',
            tag: null,
            provider: null,
            reason: 'unknown-model',
            words: EXCLUSION_MEANINGS['unknown-model'].words,
          },
          {
            model: 'a/b',
            tag: 'p2',
            provider: 'Provider p2',
            reason: 'max-price',
            words: EXCLUSION_MEANINGS['max-price'].words,
            detail: 'prompt 3 > 2',
          },
          {
            model: 'a/b',
            tag: 'p3',
            provider: 'Provider p3',
            credential: 'key-2',
            reason: 'cooling-down',
            words: EXCLUSION_MEANINGS['cooling-down'].words,
            cooling_by: 'rate-limit',
            retry_at: '2026-01-02T03:04:05.006Z',
          },
        ],
      },
    });
  });

  it('shows null figures of an endpoint without calls', () => {
    const { data } = explainView(planOf({ legs: [legOf('p0')] }), NEEDS) as { data: { candidates: readonly object[] } };
    expect(data.candidates[0]).toMatchObject({ health: null, weight: null, pinned: false });
  });

  it('gives the same bytes for the same plan, in whatever order its parts were assembled', () => {
    const health = { isOut: false, faultShare: 0, latency: { p99: 4, p90: 3, p75: 2, p50: 1 } };
    const sorted = { latency: { p50: 1, p75: 2, p90: 3, p99: 4 }, faultShare: 0, isOut: false };
    const one = explainView(planOf({ legs: [legOf('p0', { health })] }), NEEDS);
    const other = explainView(planOf({ legs: [{ ...legOf('p0'), health: sorted }] }), NEEDS);
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  it('shows neither addresses nor the names of models upstream', () => {
    expect(JSON.stringify(explainView(planOf({ legs: [legOf('p0')] }), NEEDS))).not.toMatch(
      /example\.com|upstream-name/,
    );
  });
});

describe('tools of an explanation', () => {
  const vendorTool = (type: string, parts: Partial<VendorTool> = {}): VendorTool => ({
    type: 'vendor',
    opaque: { vendor: 'anthropic', value: { type } },
    ...parts,
  });
  const leg = legOf('p0');
  const served = {
    runsAt: 'gateway',
    asFunction: { name: 'advisor', description: '', inputSchema: {} },
    price: 0n,
    usesMax: Infinity,
  } as Partial<GatewayRunTool> as GatewayRunTool;
  const shown = (tool: Partial<ForecastTool>, promptTokensMin = 0): unknown => {
    const whole = { tool: vendorTool('x_20250101'), type: 'x_20250101', toolIndex: 0, nativeAt: [], ...tool };
    return explainView(planOf({ legs: [leg] }), { promptTokensMin }, { tools: [whole] }).data.tools?.[0];
  };
  const common = { type: 'x_20250101', function: null, engine: null, model: null };

  it.each(['vendor', 'caller'] as const)(
    'reports a tool that is passed to a vendor unchanged and runs at the %s',
    (runsAt) => {
      const native_at = [{ tag: 'p0', price: null }];
      expect(shown({ runsAt, nativeAt: [leg] })).toEqual({ ...common, runs_at: runsAt, native_at });
    },
  );

  it('reports a tool that nothing runs', () => {
    expect(shown({})).toEqual({ ...common, runs_at: null, native_at: [] });
  });

  it('reports the cheapest price of a consulted model, at the length of its prompt', () => {
    const tiers = [{ minPromptTokens: 100, prompt: 6_000_000n }];
    const cheapest = legOf('p1', { endpoint: endpointOf('p1', { ...PRICING, tiers }) });
    const consulted = { model: 'wise/one', cheapest, promptTokensMin: 100 };
    expect(shown({ runsAt: 'gateway', offer: served, name: 'advisor', consulted })).toEqual({
      ...common,
      runs_at: 'gateway',
      function: 'advisor',
      model: 'wise/one',
      model_pricing: { prompt: '6', completion: '15' },
      price: '0',
      uses_max: null,
      native_at: [],
    });
  });

  it('reports why a model would not be consulted', () => {
    const consulted = { model: 'wise/one', promptTokensMin: 0, refusal: 'none is left' };
    expect(shown({ runsAt: 'gateway', offer: served, consulted })).toMatchObject({
      model: 'wise/one',
      model_pricing: null,
      refusal: 'none is left',
    });
  });

  it("reports the price of a vendor's consulted model at each vendor, and the cheapest", () => {
    const at = (tag: string, prompt: bigint) => endpointOf(tag, { ...PRICING, prompt });
    const advisor: Model = { ...MODEL, id: 'wise/one', endpoints: [at('p0', 9_000_000n), at('p1', 5_000_000n)] };
    const tool = vendorTool('advisor_20260301', { advisor });
    expect(shown({ tool, runsAt: 'vendor', nativeAt: [leg, legOf('p1')] })).toMatchObject({
      model: 'wise/one',
      model_pricing: { prompt: '5', completion: '15' },
      native_at: [
        { tag: 'p0', price: null, model_pricing: { prompt: '9', completion: '15' } },
        { tag: 'p1', price: null, model_pricing: { prompt: '5', completion: '15' } },
      ],
    });
  });
});
