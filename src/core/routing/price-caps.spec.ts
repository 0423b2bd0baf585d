// A price cap applies to the full possible charge, and a session keeps its position when its prompt or its fees grow.
// Tables of price lists and requests; conversations that pass a length with a separate price.
import fc from 'fast-check';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model, perMillion, plan, price, reasonsOf, tagsOf } from '../../../test/support/route-inputs.js';
import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { Pricing } from './catalog.js';
import type { PriceCaps } from './preferences.js';
import { routeNeeds } from './route-needs.js';
import type { RouteNeeds } from './route-inputs.js';

const NO_CATALOG = { models: new Map() };

const measured = (parts: Partial<MeasuredPrompt> = {}): MeasuredPrompt => ({
  textTokens: 100,
  images: 0,
  documents: 0,
  fillsContext: false,
  webSearches: 0,
  ...parts,
});
const LONG = { tiers: [{ minPromptTokens: 50_000, prompt: perMillion(6), completion: perMillion(22) }] };

describe('price caps', () => {
  // Prompt and completion at 3 USD per million tokens.
  it.each<[string, Partial<Pricing>, PriceCaps, Partial<RouteNeeds>, string | undefined]>([
    ['the price at its cap', {}, { prompt: '3', completion: '3' }, {}, undefined],
    ['a dearer class of the answer', { reasoning: perMillion(9) }, { completion: '3' }, {}, 'completion 9 > 3'],
    ['a cheaper class', { inputCacheRead: perMillion(1) }, { prompt: '3' }, {}, undefined],
    ['a length that the bound does not reach', LONG, { prompt: '3', completion: '3' }, {}, undefined],
    [
      'a length that the bound reaches',
      LONG,
      { prompt: '3' },
      { measured: measured({ textTokens: 50_000 }) },
      'prompt 6 > 3',
    ],
    [
      'what fills the context',
      LONG,
      { completion: '3' },
      { measured: measured({ fillsContext: true }) },
      'completion 22 > 3',
    ],
    ['a request that was not measured', LONG, { completion: '3' }, { measured: undefined! }, 'completion 22 > 3'],
    ['the fee of a request', { request: 5n * 10n ** 11n }, { request: '0.4' }, {}, 'request 0.5 > 0.4'],
    ['the fee of an image', { image: 10n ** 10n }, { image: '0.01' }, {}, undefined],
    [
      'audio in the request, by the token',
      {},
      { audio: '0.000002' },
      { modalities: ['audio'] },
      'audio 0.000003 > 0.000002',
    ],
    ['audio at its cap', {}, { audio: '0.000003' }, { modalities: ['audio'] }, undefined],
    ['no audio in the request', {}, { audio: '0' }, {}, undefined],
  ])('apply to %s', (_, prices, maxPrice, needs, above) => {
    const one = endpoint('p1', { pricing: price(6, prices) });
    const reading = model('a/b', [one], { inputModalities: ['text', 'audio'] });
    const made = plan([reading], { needs: { measured: measured(), preferences: { maxPrice }, ...needs } });
    expect(made.excluded.map(({ detail }) => detail)).toEqual(above === undefined ? [] : [above]);
    expect(reasonsOf(made)).toEqual(above === undefined ? {} : { p1: 'max-price' });
  });

  it('consider the actual content of the request', () => {
    const content = [{ type: 'text', text: 'x'.repeat(120_000) }] as const;
    const long = modelRequest({ messages: [{ role: 'user', content }], preferences: { maxPrice: { prompt: '3' } } });
    expect(routeNeeds(long, NO_CATALOG).measured!.textTokens).toBeGreaterThan(50_000);
    expect(routeNeeds(modelRequest({}), NO_CATALOG).measured).toBeUndefined();
  });
});

describe('fees', () => {
  const dear = endpoint('fee', { pricing: { ...price(0), request: 5n * 10n ** 11n } });
  const one = model('a/b', [dear, endpoint('token', { usd: 10 })]);

  it('are not free: 0.5 USD a request goes behind 10 USD per million tokens', () => {
    expect(tagsOf(plan([one], { needs: { preferences: { sort: 'price' } } }))).toEqual(['token', 'fee']);
  });

  it('count for the content of this request', () => {
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } } as const;
    const search = (uses: object) =>
      ({ type: 'vendor', opaque: { vendor: 'anthropic', value: { type: 'web_search_20250305', ...uses } } }) as const;
    const needs = routeNeeds(
      modelRequest({
        messages: [{ role: 'user', content: [image, { type: 'tool-result', toolUseId: 't', content: [image] }] }],
        tools: [search({}), search({ max_uses: 0 })],
        extras: { vendor: 'openai', value: { web_search_options: {} } },
      }),
      NO_CATALOG,
    );
    expect([needs.images, needs.webSearches]).toEqual([2, 2]);
    expect(routeNeeds(modelRequest({}), NO_CATALOG).images).toBeUndefined();
  });
});

describe("a session's endpoint", () => {
  const tiered = (tag: string, usd: number, from: number, dearer: number) =>
    endpoint(tag, {
      pricing: { ...price(usd), tiers: [{ minPromptTokens: from, prompt: perMillion(dearer) }], image: 10n ** 11n },
    });

  it('is the same for any prompt length and number of images', () => {
    const usd = fc.integer({ min: 1, max: 30 });
    const turn = fc.record({ promptTokensMin: fc.integer({ min: 0, max: 90_000 }), images: fc.nat(20) });
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.tuple(usd, usd), { minLength: 2, maxLength: 5 }),
        turn,
        (key, prices, needs) => {
          const endpoints = prices.map(([base, dearer], index) => tiered(`p${index}`, base, 10_000, dearer));
          const inputs = { session: { key, pinOf: () => undefined } };
          const models = [model('a/b', endpoints, { inputModalities: ['text', 'image'] })];
          expect(tagsOf(plan(models, { ...inputs, needs }))).toEqual(tagsOf(plan(models, inputs)));
        },
      ),
    );
  });

  it('is drawn by the price of the request where there is no session', () => {
    const models = [model('a/b', [tiered('p1', 2, 10_000, 30), endpoint('p2', { usd: 4 })])];
    const weights = ({ legs }: ReturnType<typeof plan>) =>
      Object.fromEntries(legs.map(({ tag, weight }) => [tag, weight]));
    expect(weights(plan(models))['p1']).toBeCloseTo(1 / 4);
    expect(weights(plan(models, { needs: { promptTokensMin: 10_000 } }))['p1']).toBeCloseTo(1 / 31 ** 2);
  });
});
