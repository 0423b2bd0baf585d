/** The most recently used entries are kept, up to the limit. More entries than the limit. */
import { recentlyUsed } from './recently-used.js';

it('keeps the most recently used entries', () => {
  const cache = recentlyUsed<string, number>(2);
  cache.set('a', 1).set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([cache.size, cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([2, 1, undefined, 3]);
});

it('replaces and deletes', () => {
  const cache = recentlyUsed<string, number>(2);
  cache.set('a', 1).set('a', 2).set('b', 3);
  cache.delete('a');
  cache.set('c', 4);
  expect([...cache.keys()].sort()).toEqual(['b', 'c']);
});
