// A table of plans and reports over one price list, and properties over any of both: a reply is charged by the service
// it received, never above the plan, and the rest is reported apart.
import fc from 'fast-check';
import { endpoint, inGeographies, perMillion } from '../../../test/support/route-inputs.js';
import type { Usage } from '../conversation/usage.js';
import type { DialectId, Endpoint, Pricing } from '../routing/catalog.js';
import { SERVICE_TIERS, type ServiceTier } from '../routing/plan.js';
import { providerCost, ratedCost } from './charged-rate.js';
import { costOf } from './pricing.js';

const PRICES: Pricing = {
  prompt: perMillion(4),
  completion: perMillion(20),
  tiers: [],
  fast: { prompt: perMillion(40), completion: perMillion(200) },
  priority: { prompt: perMillion(8), completion: perMillion(40) },
  flex: { prompt: perMillion(2), completion: perMillion(10) },
};
const IN_US: Pricing = { ...PRICES, prompt: perMillion(5), completion: perMillion(25) };

function one(dialect: DialectId, parts: Partial<Pricing> = {}): Endpoint {
  const plain = endpoint('p', { pricing: { ...PRICES, ...parts }, contextLength: 1_000_000 });
  return inGeographies({ ...plain, provider: { ...plain.provider, dialect } }, { us: IN_US });
}

const MESSAGES = one('anthropic-messages');
const CHAT = one('openai-chat');
const WITHOUT_FAST = one('openai-chat', { fast: undefined } as object);
const US = MESSAGES.geographies!.get('us')!;
const TOKENS = { inputTokens: 1_000, outputTokens: 10 };

describe('ratedCost', () => {
  it.each<[string, Endpoint, ServiceTier, Usage, ServiceTier, Endpoint]>([
    ['the plan where nothing is reported', MESSAGES, 'fast', {}, 'fast', MESSAGES],
    ['the speed that was granted', MESSAGES, 'fast', { speed: 'fast', serviceTier: 'standard' }, 'fast', MESSAGES],
    ['the standard speed where it was not', MESSAGES, 'fast', { speed: 'standard' }, 'standard', MESSAGES],
    [
      'the planned speed where only a tier is reported',
      MESSAGES,
      'fast',
      { serviceTier: 'standard' },
      'fast',
      MESSAGES,
    ],
    [
      'speed by the tier where the dialect reports nothing else',
      CHAT,
      'fast',
      { serviceTier: 'default' },
      'standard',
      CHAT,
    ],
    ['the tier that was granted', CHAT, 'priority', { serviceTier: 'priority' }, 'priority', CHAT],
    ['the standard tier where it was not', CHAT, 'priority', { serviceTier: 'default' }, 'standard', CHAT],
    ['a cheaper tier that was not requested', CHAT, 'standard', { serviceTier: 'flex' }, 'flex', CHAT],
    ['no more expensive tier that was not requested', CHAT, 'standard', { serviceTier: 'priority' }, 'standard', CHAT],
    ['flex at most where it was planned', CHAT, 'flex', { serviceTier: 'default' }, 'flex', CHAT],
    [
      'the plan where the tier has no price',
      WITHOUT_FAST,
      'priority',
      { serviceTier: 'scale' },
      'priority',
      WITHOUT_FAST,
    ],
    ['the standard location where it ran elsewhere', US, 'standard', { inferenceGeo: 'global' }, 'standard', MESSAGES],
    ['the requested location', US, 'standard', { inferenceGeo: 'us' }, 'standard', US],
    ['the planned location where none is reported', US, 'standard', {}, 'standard', US],
    [
      'no more expensive location that was not requested',
      MESSAGES,
      'standard',
      { inferenceGeo: 'us' },
      'standard',
      MESSAGES,
    ],
    ['location and tier together', US, 'fast', { inferenceGeo: 'global', speed: 'standard' }, 'standard', MESSAGES],
  ])('charges %s', (_, planned, tier, reported, chargedTier, charged) => {
    const { cost, rate } = ratedCost({ ...TOKENS, ...reported }, { endpoint: planned, tier });
    expect([rate.tier, rate.endpoint === charged]).toEqual([chargedTier, true]);
    expect(cost).toEqual(costOf(TOKENS, { endpoint: charged, tier: chargedTier }));
  });

  it('reports what the provider charges beyond the plan', () => {
    const usage = { ...TOKENS, serviceTier: 'priority' };
    const { cost, beyondPlan } = ratedCost(usage, { endpoint: CHAT, tier: 'standard' });
    expect(beyondPlan).toBe(cost.total);
    expect(providerCost(usage, { endpoint: CHAT, tier: 'standard' })).toBe(2n * cost.total);
  });

  const reports = fc.record({
    inputTokens: fc.nat(100_000),
    outputTokens: fc.nat(10_000),
    serviceTier: fc.option(fc.constantFrom('standard', 'default', 'priority', 'flex', 'batch', 'owl', ''), {
      nil: undefined,
    }),
    speed: fc.option(fc.constantFrom('standard' as const, 'fast' as const), { nil: undefined }),
    inferenceGeo: fc.option(fc.constantFrom('us', 'global', 'not_available'), { nil: undefined }),
  });
  const plans = fc.record({
    endpoint: fc.constantFrom(MESSAGES, CHAT, US, WITHOUT_FAST),
    tier: fc.constantFrom(...SERVICE_TIERS),
  });

  it('never charges above the plan, and accounts for the whole cost of the provider', () => {
    fc.assert(
      fc.property(reports, plans, (reported, planned) => {
        const usage = reported as Usage;
        const { cost, rate, beyondPlan } = ratedCost(usage, planned);
        expect(cost.total <= costOf(usage, planned).total).toBe(true);
        expect(cost).toEqual(costOf(usage, rate));
        expect(beyondPlan >= 0n).toBe(true);
        expect(providerCost(usage, planned)).toBe(cost.total + beyondPlan);
      }),
    );
  });
});
