// Priced options are found wherever they occur, plans send them only where the catalog prices them, and a decision
// record contains them. Tables of requests; small catalogs in which one option decides; the record.
import { modelRequest } from '../../../test/support/model-request.js';
import {
  catalogOf,
  endpoint,
  inGeographies,
  inputsOf,
  model,
  perMillion,
  plan,
  price,
  reasonsOf,
  tagsOf,
} from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../conversation/request.js';
import type { Endpoint } from './catalog.js';
import { compactDecision } from './decision/decision.js';
import { deriveInputs } from './decision/decision-inputs.js';
import { planRoute } from './plan-route.js';
import { BETAS, droppedOptions, pricedOptions, unpricedField, type PricedOption } from './priced-options.js';
import { routeNeeds } from './route-needs.js';

const inUs = (one: Endpoint, usd: number): Endpoint => inGeographies(one, { us: price(usd) });

describe('pricedOptions', () => {
  it.each<[string, Partial<ModelRequest>, readonly PricedOption[]]>([
    ['nothing', {}, []],
    ['a tier', { serviceTier: 'priority' }, [{ field: 'service_tier', value: 'priority' }]],
    ['an unknown tier', { serviceTier: 'owl' }, [{ field: 'service_tier', value: 'owl' }]],
    ['a prepaid tier', { serviceTier: 'scale' }, [{ field: 'service_tier', value: 'scale' }]],
    ['a speed', { speed: 'fast' }, [{ field: 'speed', value: 'fast' }]],
    ['a place', { inferenceGeo: 'us' }, [{ field: 'inference_geo', value: 'us' }]],
    [
      'betas',
      { betas: ['files-api-2025-04-14', 'fast-mode-2026-02-01'] },
      [{ field: BETAS, value: 'fast-mode-2026-02-01' }],
    ],
    [
      'fields that are not modelled',
      { extras: { vendor: 'openai', value: { web_search_options: {}, search_parameters: null, own: 1 } } },
      [{ field: 'web_search_options', value: '' }],
    ],
    [
      'such fields that are not off',
      {
        extras: { vendor: 'openai', value: { web_search_options: false, search_parameters: {}, enable_search: true } },
      },
      [
        { field: 'search_parameters', value: '' },
        { field: 'enable_search', value: '' },
      ],
    ],
  ])('finds %s', (_, parts, options) => {
    expect(pricedOptions(modelRequest(parts))).toEqual(options);
    expect(routeNeeds(modelRequest(parts), { models: new Map() }).pricedOptions ?? []).toEqual(options);
  });

  it.each(['auto', 'default', 'standard', 'standard_only', 'on_demand'])(
    'counts the tier %s as plain',
    (serviceTier) => {
      expect(pricedOptions(modelRequest({ serviceTier, speed: 'standard', inferenceGeo: 'global' }))).toEqual([]);
    },
  );
});

describe('the options that a leg drops', () => {
  const options = pricedOptions(
    modelRequest({ serviceTier: 'flex', inferenceGeo: 'us', betas: ['fast-mode-2026-02-01'] }),
  );
  const one = endpoint('p', { pricing: price(1, { flex: {} }) });

  it('are all options it has no prices for', () => {
    expect(droppedOptions(options, { endpoint: one, tier: 'standard' })).toEqual([
      'service_tier',
      'inference_geo',
      'fast-mode-2026-02-01',
    ]);
    expect(droppedOptions(options, { endpoint: inUs(one, 2).geographies!.get('us')!, tier: 'flex' })).toEqual([
      'fast-mode-2026-02-01',
    ]);
  });

  it('name first a required field, and no beta', () => {
    expect(unpricedField(options, { endpoint: one, tier: 'flex' })).toBe('inference_geo');
    const beta = pricedOptions(modelRequest({ betas: ['fast-mode-2026-02-01'] }));
    expect(unpricedField(beta, { endpoint: one, tier: 'standard' })).toBeUndefined();
  });
});

describe('a plan', () => {
  const both = model('a/b', [
    inUs(endpoint('here', { usd: 2 }), 3),
    endpoint('cheap', { usd: 1 }),
    endpoint('fast', { usd: 4, pricing: price(4, { fast: { prompt: perMillion(9) } }) }),
  ]);
  const sorted = { sort: 'price' } as const;

  it('uses a geography where that has a price, at its price, and no other endpoint of the model', () => {
    const options = pricedOptions(modelRequest({ inferenceGeo: 'us' }));
    const made = plan([both], { needs: { pricedOptions: options } });
    expect(tagsOf(made)).toEqual(['here']);
    expect([made.legs[0]!.endpoint.geography?.word, made.legs[0]!.price]).toEqual(['us', 3]);
    expect(made.excluded.find(({ tag }) => tag === 'cheap')).toMatchObject({
      reason: 'unsupported-parameter',
      detail: 'inference_geo',
    });
  });

  it('omits the geography where no endpoint of the model has a price for it', () => {
    const options = pricedOptions(modelRequest({ inferenceGeo: 'eu' }));
    const made = plan([both], { needs: { pricedOptions: options, preferences: sorted } });
    expect(tagsOf(made)).toEqual(['cheap', 'here', 'fast']);
    expect(made.legs.every((leg) => leg.endpoint.geography === undefined)).toBe(true);
  });

  it('has no plain leg for a tier that must be kept', () => {
    const options = pricedOptions(modelRequest({ speed: 'fast' }));
    const loose = plan([both], { needs: { tier: 'fast', pricedOptions: options, preferences: sorted } });
    expect(tagsOf(loose)).toEqual(['fast/fast', 'cheap', 'here', 'fast']);
    const strict = plan([both], {
      needs: { tier: 'fast', pricedOptions: options, preferences: { requireParameters: true } },
    });
    expect(tagsOf(strict)).toEqual(['fast/fast']);
    expect(reasonsOf(strict)).toMatchObject({ cheap: 'unsupported-parameter', fast: 'unsupported-parameter' });
  });

  it('has no leg where no endpoint prices what must be kept', () => {
    const options = pricedOptions(modelRequest({ serviceTier: 'scale' }));
    expect(
      tagsOf(plan([both], { needs: { pricedOptions: options, preferences: { requireParameters: true } } })),
    ).toEqual([]);
    expect(tagsOf(plan([both], { needs: { pricedOptions: options } }))).toHaveLength(3);
  });

  it('is derived again from its record', () => {
    const options = pricedOptions(
      modelRequest({ inferenceGeo: 'us', serviceTier: 'flex', betas: ['context-1m-2025-08-07'] }),
    );
    const inputs = inputsOf([both], {
      needs: { pricedOptions: options, tier: 'flex', preferences: { requireParameters: true } },
    });
    const made = planRoute(inputs)!;
    const derived = deriveInputs(compactDecision(inputs, made), catalogOf(both))!;
    expect(derived.needs.pricedOptions).toEqual(options);
    expect(planRoute(derived)).toEqual(made);
  });
});
