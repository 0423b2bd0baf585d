import type { Source } from './catalog-sources.js';

/**
 * What the catalog states beside each score (docs/operate/catalog.md#scores): both are indexes of Artificial Analysis,
 * of 100. Each is of the highest effort that was measured.
 */
export const scoreNames = ({ published }: Source): Readonly<Record<'quality' | 'coding', string>> => ({
  quality: `Artificial Analysis Intelligence Index, ${published}`,
  coding: `Artificial Analysis Coding Index, ${published}`,
});
