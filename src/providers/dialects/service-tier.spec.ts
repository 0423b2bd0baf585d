// Goal: a value with a separate price is sent only by the attempt that is charged for it, wherever the request has
// it. Method: tables of requested values, price lists and tiers of the attempt.
import { endpoint, model, price } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import type { Endpoint } from '../../core/routing/catalog.js';
import type { ServiceTier } from '../../core/routing/plan.js';
import { pricedBetas, tierParameters, type TierParameters } from './service-tier.js';

type Tariff = 'fast' | 'priority' | 'flex';
type Wish = Partial<Pick<ModelRequest, 'serviceTier' | 'speed' | 'inferenceGeo' | 'betas' | 'extras'>>;

const request = (wish: Wish): ModelRequest => ({ betas: [], ...wish }) as ModelRequest;

function target(tier: ServiceTier, apart: readonly Tariff[] = [], parts: Partial<Endpoint> = {}): Target {
  const one = endpoint('one', {
    pricing: price(1, Object.fromEntries(apart.map((name) => [name, {}]))),
    ...parts,
  });
  const definition = { slug: 'one', credential: 'none', quirks: {} } as const;
  return { model: model('a/b', [one]), endpoint: one, tier, definition };
}

const IN_US = { geography: { word: 'us', elsewhere: endpoint('one') } };

describe('tierParameters', () => {
  it.each<[string, Wish, ServiceTier, readonly Tariff[], TierParameters]>([
    ['states nothing without a request', {}, 'standard', [], {}],
    ['requests the tier of the attempt', {}, 'priority', ['priority'], { serviceTier: 'priority' }],
    ['requests speed as speed', { serviceTier: 'priority' }, 'fast', ['fast'], { speed: 'fast' }],
    ['requests flex', { serviceTier: 'flex' }, 'flex', ['flex'], { serviceTier: 'flex' }],
    ['passes on a word of the plain price', { serviceTier: 'auto' }, 'standard', ['flex'], { serviceTier: 'auto' }],
    ['drops a speed that the catalog does not price', { speed: 'fast' }, 'standard', [], {}],
    ['drops a tier that the catalog does not price', { serviceTier: 'priority' }, 'standard', [], {}],
    ['drops a tier that is sold by contract', { serviceTier: 'scale' }, 'standard', ['priority'], {}],
    ['drops an unknown tier', { serviceTier: 'turbo' }, 'standard', ['priority'], {}],
    ['keeps back a tier that another attempt is charged for', { speed: 'fast' }, 'standard', ['fast'], {}],
    ['leaves out the default speed', { speed: 'standard' }, 'standard', ['fast'], {}],
    ['drops a location that the catalog does not price', { inferenceGeo: 'us' }, 'standard', [], {}],
    ['sends that any location will do', { inferenceGeo: 'global' }, 'standard', [], { inferenceGeo: 'global' }],
    [
      'permits any region beside a tier',
      { inferenceGeo: 'global', speed: 'fast' },
      'fast',
      ['fast'],
      { inferenceGeo: 'global', speed: 'fast' },
    ],
  ])('%s', (_, wish, tier, apart, words) => {
    expect(tierParameters(request(wish), target(tier, apart))).toEqual(words);
  });

  it('requests the region of the attempt', () => {
    const there = target('standard', [], IN_US);
    expect(tierParameters(request({ inferenceGeo: 'us' }), there)).toEqual({ inferenceGeo: 'us' });
    expect(tierParameters(request({ inferenceGeo: 'us', speed: 'fast' }), target('fast', ['fast'], IN_US))).toEqual({
      inferenceGeo: 'us',
      speed: 'fast',
    });
  });

  it('sends no word with a price to an endpoint that is free', () => {
    expect(tierParameters(request({ speed: 'fast' }), target('standard', [], { pricing: null }))).toEqual({});
  });
});

describe('pricedBetas', () => {
  it.each<[string, readonly string[], Target, readonly string[]]>([
    ['passes on what changes no price', ['files-api-2025-04-14'], target('standard'), ['files-api-2025-04-14']],
    ['drops fast mode where it is not priced', ['a-1', 'fast-mode-2026-02-01'], target('standard'), ['a-1']],
    ['drops fast mode of any date', ['fast-mode-2027-01-01'], target('standard', ['fast']), []],
    ['passes on fast mode where it is', ['fast-mode-2026-02-01'], target('fast', ['fast']), ['fast-mode-2026-02-01']],
    ['drops long prompts where they have no price', ['context-1m-2025-08-07'], target('standard'), []],
    [
      'passes on long prompts where they have one',
      ['context-1m-2025-08-07'],
      target('standard', [], { contextLength: 1_000_000 }),
      ['context-1m-2025-08-07'],
    ],
    ['drops a model of the vendor\u2019s choice', ['server-side-fallback-2026-06-01'], target('fast', ['fast']), []],
  ])('%s', (_, betas, to, passed) => {
    expect(pricedBetas(request({ betas }), to)).toEqual(passed);
  });
});
