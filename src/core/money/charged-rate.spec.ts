// Goal: a reply is charged by what it was served as, never above the plan, and what lies above it is told apart.
// Method: a table of plans and reports over one price list; properties over any of both.
import fc from 'fast-check';
import { endpoint, inGeographies, perMillion } from '../../../test/support/route-inputs.js';
import type { Usage } from '../conversation/usage.js';
import type { DialectId, Endpoint, Pricing } from '../routing/catalog.js';
import { SERVICE_TIERS, type ServiceTier } from '../routing/plan.js';
import { askedCost, ratedCost } from './charged-rate.js';
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
    ['the plan where nothing is told', MESSAGES, 'fast', {}, 'fast', MESSAGES],
    ['the speed that was granted', MESSAGES, 'fast', { speed: 'fast', serviceTier: 'standard' }, 'fast', MESSAGES],
    ['the plain speed where it was not', MESSAGES, 'fast', { speed: 'standard' }, 'standard', MESSAGES],
    ['a speed that only the tier was told of', MESSAGES, 'fast', { serviceTier: 'standard' }, 'fast', MESSAGES],
    ['speed by the tier where there is no other word', CHAT, 'fast', { serviceTier: 'default' }, 'standard', CHAT],
    ['the tier that was granted', CHAT, 'priority', { serviceTier: 'priority' }, 'priority', CHAT],
    ['the plain tier where it was not', CHAT, 'priority', { serviceTier: 'default' }, 'standard', CHAT],
    ['a cheaper tier that nobody asked for', CHAT, 'standard', { serviceTier: 'flex' }, 'flex', CHAT],
    ['no dearer tier that nobody asked for', CHAT, 'standard', { serviceTier: 'priority' }, 'standard', CHAT],
    ['flex at most where it was planned', CHAT, 'flex', { serviceTier: 'default' }, 'flex', CHAT],
    [
      'the plan where the tier has no price',
      WITHOUT_FAST,
      'priority',
      { serviceTier: 'scale' },
      'priority',
      WITHOUT_FAST,
    ],
    ['the plain place where it ran elsewhere', US, 'standard', { inferenceGeo: 'global' }, 'standard', MESSAGES],
    ['the place it was asked to run', US, 'standard', { inferenceGeo: 'us' }, 'standard', US],
    ['the place that was planned where none is told', US, 'standard', {}, 'standard', US],
    ['no dearer place that nobody asked for', MESSAGES, 'standard', { inferenceGeo: 'us' }, 'standard', MESSAGES],
    ['place and tier together', US, 'fast', { inferenceGeo: 'global', speed: 'standard' }, 'standard', MESSAGES],
  ])('charges %s', (_, planned, tier, told, chargedTier, charged) => {
    const { cost, rate } = ratedCost({ ...TOKENS, ...told }, { endpoint: planned, tier });
    expect([rate.tier, rate.endpoint === charged]).toEqual([chargedTier, true]);
    expect(cost).toEqual(costOf(TOKENS, { endpoint: charged, tier: chargedTier }));
  });

  it('tells what the provider asks beyond the plan', () => {
    const usage = { ...TOKENS, serviceTier: 'priority' };
    const { cost, beyondPlan } = ratedCost(usage, { endpoint: CHAT, tier: 'standard' });
    expect(beyondPlan).toBe(cost.total);
    expect(askedCost(usage, { endpoint: CHAT, tier: 'standard' })).toBe(2n * cost.total);
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

  it('never charges above the plan, and loses nothing of what is asked', () => {
    fc.assert(
      fc.property(reports, plans, (told, planned) => {
        const usage = told as Usage;
        const { cost, rate, beyondPlan } = ratedCost(usage, planned);
        expect(cost.total <= costOf(usage, planned).total).toBe(true);
        expect(cost).toEqual(costOf(usage, rate));
        expect(beyondPlan >= 0n).toBe(true);
        expect(askedCost(usage, planned)).toBe(cost.total + beyondPlan);
      }),
    );
  });
});
