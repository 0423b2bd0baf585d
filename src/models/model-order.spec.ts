/** Each sort order follows its name, is stable, and puts unknown figures last. */
import { endpoint, model } from '../../test/support/route-inputs.js';
import type { HealthSnapshot, Percentiles } from '../core/routing/health.js';
import { MODEL_SORTS, type ModelSort } from './list-models.dto.js';
import { createEntry } from './model-entry.js';
import { orderEntries } from './model-order.js';

const percentiles = (p50: number): Percentiles => ({ p50, p75: 0, p90: 0, p99: 0 });
const score = (value: number) => ({ value, source: 'test' });

const MODELS = [
  model('a/one', [endpoint('p', { usd: 5 })], { contextLength: 10, scores: { quality: score(0.1) } }),
  model('a/two', [endpoint('p', { usd: 1 }), endpoint('q', { usd: 9 })], { contextLength: 30, created: 9 }),
  model('a/three', [endpoint('q', { pricing: null })], {
    contextLength: 20,
    scores: { quality: score(1), coding: score(0) },
  }),
  model('a/four', [endpoint('q', { usd: 1 })], { contextLength: 20, created: 8, scores: { coding: score(0.5) } }),
];
const HEALTH: HealthSnapshot = {
  find: ({ model: id, tag }) => {
    if (id === 'a/two') return { isOut: false, latency: percentiles(tag === 'p' ? 4 : 2), throughput: percentiles(10) };
    if (id === 'a/four') return { isOut: false, latency: percentiles(3), throughput: percentiles(20) };
    return id === 'a/one' ? { isOut: true } : undefined;
  },
};
const AS_IS = ['one', 'two', 'three', 'four'];

const ORDERS: Readonly<Record<ModelSort, readonly string[]>> = {
  'most-popular': AS_IS,
  newest: ['two', 'four', 'one', 'three'],
  'top-weekly': AS_IS,
  'agentic-high-to-low': AS_IS,
  'design-arena-elo-high-to-low': AS_IS,
  'pricing-low-to-high': ['three', 'two', 'four', 'one'],
  'pricing-high-to-low': ['one', 'two', 'four', 'three'],
  'context-high-to-low': ['two', 'three', 'four', 'one'],
  'throughput-high-to-low': ['four', 'two', 'one', 'three'],
  'latency-low-to-high': ['two', 'four', 'one', 'three'],
  'intelligence-high-to-low': ['three', 'one', 'two', 'four'],
  'coding-high-to-low': ['four', 'three', 'one', 'two'],
};

const namesBy = (sort?: ModelSort): string[] =>
  orderEntries(
    MODELS.map((one) => createEntry(one, one.endpoints)),
    sort,
    HEALTH,
  ).map(({ model: { id } }) => id.slice(2));

it.each(MODEL_SORTS)('%s', (sort) => {
  expect(namesBy(sort)).toEqual(ORDERS[sort]);
});

it('keeps the order of the catalog where no other is requested', () => {
  expect(namesBy()).toEqual(AS_IS);
});
