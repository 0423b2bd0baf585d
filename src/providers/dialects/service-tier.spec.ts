// Goal: a tier that is priced apart is asked for only by the attempt that is charged for it. Method: a table of wishes,
// price lists and tiers of the attempt.
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import type { Pricing } from '../../core/routing/catalog.js';
import type { ServiceTier } from '../../core/routing/plan.js';
import { tierParameters, type TierParameters } from './service-tier.js';

type Wish = Pick<ModelRequest, 'serviceTier' | 'speed'>;

const target = (tier: ServiceTier, apart: readonly ('fast' | 'priority' | 'flex')[]): Target =>
  ({
    tier,
    endpoint: { pricing: { tiers: [], ...Object.fromEntries(apart.map((name) => [name, {}])) } as unknown as Pricing },
  }) as unknown as Target;

describe('tierParameters', () => {
  it.each<[string, Wish, ServiceTier, readonly ('fast' | 'priority' | 'flex')[], TierParameters]>([
    ['says nothing unasked', {}, 'standard', [], {}],
    ['asks for the tier of the attempt', {}, 'priority', ['priority'], { serviceTier: 'priority' }],
    ['asks for speed as speed', { serviceTier: 'priority' }, 'fast', ['fast'], { speed: 'fast' }],
    ['asks for flex', { serviceTier: 'flex' }, 'flex', ['flex'], { serviceTier: 'flex' }],
    [
      'passes on a word that is not priced apart',
      { serviceTier: 'auto' },
      'standard',
      ['flex'],
      { serviceTier: 'auto' },
    ],
    ['passes on a tier that the catalog does not price apart', { speed: 'fast' }, 'standard', [], { speed: 'fast' }],
    ['keeps back a tier that another attempt is charged for', { speed: 'fast' }, 'standard', ['fast'], {}],
    [
      'keeps back each by its own name',
      { serviceTier: 'flex', speed: 'fast' },
      'standard',
      ['fast'],
      { serviceTier: 'flex' },
    ],
    ['leaves `standard` as it is', { speed: 'standard' }, 'standard', ['fast'], { speed: 'standard' }],
  ])('%s', (_, wish, tier, apart, words) => {
    expect(tierParameters(wish as ModelRequest, target(tier, apart))).toEqual(words);
  });

  it('has nothing to keep back at an endpoint that is free', () => {
    const free = { tier: 'standard', endpoint: { pricing: null } } as unknown as Target;
    expect(tierParameters({ speed: 'fast' } as ModelRequest, free)).toEqual({ speed: 'fast' });
  });
});
