/** Goal: the entries that were used last are kept, and no more of them. Method: more of them than there is room for. */
import { recentlyUsed } from './recently-used.js';

it('keeps the entries that were used last', () => {
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
