import { printJson, weigh, type Json, type JsonObject } from '../../../core/json/json.js';

/** Longest value of a keyword that is restated, in UTF-16 units. */
const RESTATED_LENGTH_MAX = 200;
/** Heavier values are not printed: they are longer. */
const WEIGHED_MAX = 10 * RESTATED_LENGTH_MAX;

/** The schema with a description of the keywords that were removed. */
export function inWords(schema: JsonObject, gone: readonly (readonly [string, Json])[]): JsonObject {
  const words = gone.map(([keyword, value]) => restatement(keyword, value)).filter((text) => text !== '');
  if (words.length === 0) return schema;
  const { description } = schema;
  const note = `(${words.join('; ')})`;
  return {
    ...schema,
    description: typeof description === 'string' && description !== '' ? `${description} ${note}` : note,
  };
}

function restatement(keyword: string, value: Json): string {
  if (weigh(value, WEIGHED_MAX) >= WEIGHED_MAX) return '';
  const printed = printJson(value);
  return printed.length > RESTATED_LENGTH_MAX ? '' : `${keyword}: ${printed}`;
}
