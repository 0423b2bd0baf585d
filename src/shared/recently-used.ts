import { LRUCache } from 'lru-cache';

/**
 * A cache of the most recently used entries, of which each counts as its size, by default as one. Its memory grows with
 * its contents: with its own `max` the library allocates space for all entries at once, some 5 MB of mostly empty
 * memory for the caches of this process.
 */
export const recentlyUsed = <K extends string, V extends object | number | boolean>(
  max: number,
  sizeOf: (value: V) => number = () => 1,
): LRUCache<K, V> => new LRUCache({ maxSize: max, sizeCalculation: sizeOf });
