import type { TokenPrices, UnitPrices } from './catalog.js';

/*
 * The priced classes, by their names in the catalog file and in its order. The reader, the checks and the display of
 * prices all use these tables.
 */

/** Classes of tokens. */
export const TOKEN_CLASSES = {
  prompt: 'prompt',
  completion: 'completion',
  reasoning: 'reasoning',
  image_output: 'imageOutput',
  input_cache_read: 'inputCacheRead',
  input_cache_write: 'inputCacheWrite',
  input_cache_write_1h: 'inputCacheWrite1h',
} as const satisfies Readonly<Record<string, keyof TokenPrices>>;
export type TokenClassName = keyof typeof TOKEN_CLASSES;
export const TOKEN_CLASS_NAMES = Object.keys(TOKEN_CLASSES) as readonly TokenClassName[];

/** Units charged by use. */
export const UNITS = {
  request: 'request',
  image: 'image',
  web_search: 'webSearch',
} as const satisfies Readonly<Record<string, keyof UnitPrices>>;
export type UnitName = keyof typeof UNITS;
export const UNIT_NAMES = Object.keys(UNITS) as readonly UnitName[];
