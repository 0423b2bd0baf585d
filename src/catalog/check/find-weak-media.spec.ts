// Goal: a model whose maximum of an image or a page is not its vendor's own is named, by what the figure rests on, as
// long as it has the shipped figure. Method: one shipped model of each basis, and the same with figures of an operator.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { findWeakMedia } from './find-weak-media.js';
import type { MediaBasis } from './read-sources.js';

const taking = (id: string): Model =>
  model(id, [endpoint('alpha', {})], { inputModalities: ['text', 'image'], imageTokensMax: 100, pageTokensMax: 200 });
const models = ['a/vendor', 'a/family', 'a/third', 'a/assumed'].map(taking);
const shipped = { models: new Map(models.map((one) => [one.id, one])) } as unknown as CatalogSnapshot;
const bases = new Map<string, MediaBasis>([
  ['a/family', 'family'],
  ['a/third', 'third-party'],
  ['a/assumed', 'assumed'],
]);

const found = (judged: readonly Model[]): readonly (readonly string[])[] =>
  findWeakMedia(judged, shipped, bases).map(({ subjects }) => subjects);

it('names each under its basis, and none whose figure is its vendor’s', () => {
  expect(found(models)).toEqual([['a/family'], ['a/third'], ['a/assumed']]);
  expect(findWeakMedia(models, shipped, bases).map(({ words }) => words.split(': ')[0])).toEqual([
    expect.stringContaining('a relative'),
    expect.stringContaining('a third party'),
    expect.stringContaining('assumed'),
  ]);
});

it.each([
  ['an image', { imageTokensMax: 99 }],
  ['a page', { pageTokensMax: 199 }],
])('names none with a figure of its own of %s', (_, own) => {
  expect(found(models.map((one) => ({ ...one, ...own })))).toEqual([]);
});

it('names none that does not ship, and none where there are no sources', () => {
  expect(found([taking('b/family')])).toEqual([]);
  expect(findWeakMedia(models, shipped, undefined)).toEqual([]);
});
