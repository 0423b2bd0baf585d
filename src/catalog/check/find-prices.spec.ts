// Prices that differ from the vendor's are reported with the difference, for each class, length and tier as charged.
// One endpoint of a shipped catalog, and the same at other prices.
import { catalogOf, endpoint, model, perMillion } from '../../../test/support/route-inputs.js';
import type { Endpoint, Pricing } from '../../core/routing/catalog.js';
import { findPrices } from './find-prices.js';

const LIST: Pricing = { prompt: perMillion(2), completion: perMillion(8), tiers: [] };
const selling = (tag: string, pricing: Pricing | null = LIST, parts: Partial<Endpoint> = {}): Endpoint =>
  endpoint(tag, { upstreamModel: 'm', pricing, ...parts });
const shipped = (...endpoints: readonly Endpoint[]) => catalogOf(model('vendor/m', endpoints));

/** Group and words, followed by each subject. */
const found = (own: readonly Endpoint[], list: readonly Endpoint[] = [selling('host')], id = 'vendor/m') =>
  findPrices([model(id, own)], shipped(...list)).map(({ group, words, subjects }) => [
    `${group}: ${words.split(':')[0]}`,
    ...subjects,
  ]);

it('finds nothing at list prices', () => {
  expect(found([selling('host')])).toEqual([]);
});

it('reports by how much a price is above the list', () => {
  expect(found([selling('host', { ...LIST, prompt: perMillion(2.5), completion: perMillion(8.01) })])).toEqual([
    [
      "dearer: more expensive than the vendor's list",
      'vendor/m at host: prompt 2.5 instead of 2 (+25 %), completion 8.01 instead of 8 (+0.1 %)',
    ],
  ]);
});

it('reports by how much one is below it, also of an endpoint that is dearer elsewhere', () => {
  expect(found([selling('host', { ...LIST, prompt: perMillion(3), completion: perMillion(6) })])).toEqual([
    ["dearer: more expensive than the vendor's list", 'vendor/m at host: prompt 3 instead of 2 (+50 %)'],
    ["cheaper: cheaper than the vendor's list", 'vendor/m at host: completion 6 instead of 8 (-25 %)'],
  ]);
});

it('compares charged prices: a class without a price of its own costs the same as its side', () => {
  const cached = selling('host', { ...LIST, inputCacheRead: perMillion(0.2) });
  expect(found([selling('host')], [cached])).toEqual([
    ["dearer: more expensive than the vendor's list", 'vendor/m at host: input_cache_read 2 instead of 0.2 (+900 %)'],
  ]);
});

it('compares lengths of prompts, each from where the difference begins', () => {
  const longer = (usd: number): Pricing => ({ ...LIST, tiers: [{ minPromptTokens: 1_000, prompt: perMillion(usd) }] });
  expect(found([selling('host', longer(5))], [selling('host', longer(4))])).toEqual([
    ["dearer: more expensive than the vendor's list", 'vendor/m at host: prompt from 1000 tokens 5 instead of 4 (+25 %)'],
  ]);
  expect(found([selling('host')], [selling('host', longer(4))])).toEqual([
    ["cheaper: cheaper than the vendor's list", 'vendor/m at host: prompt from 1000 tokens 2 instead of 4 (-50 %)'],
  ]);
  // A difference that is equal at every length is reported once.
  const dearer = selling('host', { ...LIST, prompt: perMillion(3), tiers: [{ minPromptTokens: 5, completion: 1n }] });
  const list = selling('host', { ...LIST, tiers: [{ minPromptTokens: 5, completion: 1n }] });
  expect(found([dearer], [list])[0]).toEqual([
    "dearer: more expensive than the vendor's list",
    'vendor/m at host: prompt 3 instead of 2 (+50 %)',
  ]);
});

it('compares tiers with prices in both, and prices per use', () => {
  const with_ = (usd: number, request: bigint): Pricing => ({
    ...LIST,
    request,
    priority: { prompt: perMillion(usd), completion: perMillion(16) },
  });
  const cent = 10_000_000_000n;
  expect(found([selling('host', with_(5, 2n * cent))], [selling('host', with_(4, cent))])).toEqual([
    [
      "dearer: more expensive than the vendor's list",
      'vendor/m at host: priority prompt 5 instead of 4 (+25 %), request 0.02 instead of 0.01 (+100 %)',
    ],
  ]);
  expect(found([selling('host', with_(5, 0n))])).toEqual([]);
});

it('uses the list of the same provider and upstream model, under any id', () => {
  const own = selling('host', { ...LIST, prompt: perMillion(4) });
  expect(found([own], undefined, 'mine/other')).toEqual([
    ["dearer: more expensive than the vendor's list", 'mine/other at host: prompt 4 instead of 2 (+100 %)'],
  ]);
  expect(found([{ ...own, upstreamModel: 'unknown' }])).toEqual([]);
});

it('uses the list of the same tag where the vendor has several', () => {
  const turbo = selling('host/turbo', { ...LIST, prompt: perMillion(4) });
  expect(found([turbo], [selling('host'), turbo])).toEqual([]);
});

it('uses the list of image models for image models, and of text models for text models', () => {
  const draws = { outputModalities: ['text', 'image'] } as const;
  const pictures = { ...LIST, prompt: perMillion(10), imageOutput: perMillion(40) };
  const catalog = catalogOf(
    model('vendor/m', [selling('host')]),
    model('vendor/m-image', [selling('host', pictures)], draws),
  );
  expect(findPrices([...catalog.models.values()], catalog)).toEqual([]);
  const dearer = selling('host', { ...pictures, prompt: perMillion(11) });
  expect(findPrices([model('mine/painter', [dearer], draws)], catalog)).toMatchObject([
    { subjects: ['mine/painter at host: prompt 11 instead of 10 (+10 %)'] },
  ]);
  // With only one of them in the list, that one is used.
  expect(findPrices([model('mine/painter', [dearer], draws)], shipped(selling('host')))).toHaveLength(1);
});

it("without a list compares the sides with the author's prices, where those are lower", () => {
  const author = selling('vendor', { ...LIST, inputCacheRead: perMillion(0.2) });
  expect(found([selling('unlisted', { ...LIST, prompt: perMillion(3) })], [author])).toEqual([
    [
      "dearer: more expensive than the model's author",
      'vendor/m at unlisted, where vendor takes less: prompt 3 instead of 2 (+50 %)',
    ],
  ]);
  expect(found([selling('unlisted', { ...LIST, prompt: perMillion(1) })], [author])).toEqual([]);
});

it('knows authors whose provider has another name, and finds their endpoint in the judged catalog as well', () => {
  const author = selling('xai', LIST);
  const host = selling('host', { ...LIST, prompt: perMillion(3) });
  expect(found([author, host], [], 'x-ai/m')).toEqual([
    ["dearer: more expensive than the model's author", 'x-ai/m at host, where xai takes less: prompt 3 instead of 2 (+50 %)'],
  ]);
});

it('finds prices of 0 that are not free on purpose, and free where the list is not', () => {
  const nothing: Pricing = { prompt: 0n, completion: 0n, tiers: [] };
  expect(found([selling('unlisted', nothing)])).toEqual([
    ['cheaper: a price of 0 without free', 'vendor/m at unlisted'],
  ]);
  expect(found([selling('unlisted', null)])).toEqual([]);
  expect(found([selling('host', null)])).toEqual([
    [
      "cheaper: cheaper than the vendor's list",
      'vendor/m at host: prompt 0 instead of 2 (-100 %), completion 0 instead of 8 (-100 %)',
    ],
  ]);
});
