import { LRUCache } from 'lru-cache';

/**
 * A cache of the `max` entries that were used last. Its memory grows with what is in it: with its own `max` the library
 * takes the room for all entries at once, which for the caches of this process is some 5 MB that stay empty.
 */
export const recentlyUsed = <K extends string, V extends object | number | boolean>(max: number): LRUCache<K, V> =>
  new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
