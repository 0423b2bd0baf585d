import type { Source } from './catalog-sources.js';

/**
 * Names of the scores in the catalog (docs/operate/catalog.md#scores): two indexes of Artificial Analysis, of 100. Each
 * score is that of the highest effort that was measured.
 */
export const scoreNames = ({ published }: Source): Readonly<Record<'quality' | 'coding', string>> => ({
  quality: `Artificial Analysis Intelligence Index, ${published}`,
  coding: `Artificial Analysis Coding Index, ${published}`,
});
