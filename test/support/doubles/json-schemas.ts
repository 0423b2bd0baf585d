import type { JsonBody } from '../recorded-request.js';
import type { Refusal } from './double.js';

// What vendors want of the schema of a structured answer.

/** Every schema within a schema, with where it stands. */
function* schemasIn(schema: JsonBody, at: string): Generator<{ readonly schema: JsonBody; readonly at: string }> {
  if (typeof schema !== 'object' || schema === null) return;
  yield { schema, at };
  for (const key of ['properties', '$defs', 'definitions', 'patternProperties']) {
    for (const [name, inner] of Object.entries(schema[key] ?? {})) yield* schemasIn(inner, `${at}.${key}.${name}`);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    for (const [index, inner] of (schema[key] ?? []).entries()) yield* schemasIn(inner, `${at}.${key}.${index}`);
  }
  for (const key of ['items', 'additionalProperties']) yield* schemasIn(schema[key], `${at}.${key}`);
}

const isObjectSchema = ({ type, properties }: JsonBody): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

export const CLOSED_RULES = ['an open form of the answer'] as const;

/** Objects must be closed. No source was found for the words, which are as the author knows them of Anthropic's. */
export function closedObjectFault(schema: JsonBody, at: string): Refusal | undefined {
  const open = [...schemasIn(schema, at)].find(
    (each) => isObjectSchema(each.schema) && each.schema.additionalProperties !== false,
  );
  if (!open) return undefined;
  const message = `${open.at}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  return { rule: CLOSED_RULES[0], message };
}

export const STRICT_RULES = ['an open object in strict mode', 'an optional field in strict mode'] as const;

/**
 * Objects must be closed, and require all that they have (OpenAI's strict mode).
 * @param of what the schema is of, in the vendor's words
 */
export function strictFault(schema: JsonBody, of: string): Refusal | undefined {
  const broken = (rule: (typeof STRICT_RULES)[number], words: string): Refusal => ({
    rule,
    message: `Invalid schema for ${of}: ${words}`,
  });
  for (const each of schemasIn(schema, '')) {
    if (!isObjectSchema(each.schema)) continue;
    if (each.schema.additionalProperties !== false) {
      const words = `In context=(${each.at}), 'additionalProperties' is required to be supplied and to be false.`;
      return broken('an open object in strict mode', words);
    }
    const names = Object.keys(each.schema.properties ?? {});
    const optional = names.find((name) => !(each.schema.required ?? []).includes(name));
    if (optional !== undefined) {
      const words = `In context=(${each.at}), 'required' must include every key in properties. Missing '${optional}'.`;
      return broken('an optional field in strict mode', words);
    }
  }
  return undefined;
}

/** A word that stands in a schema, or in one within it, and is none of these. */
export function unknownWord(schema: JsonBody, words: ReadonlySet<string>): string | undefined {
  for (const each of schemasIn(schema, '')) {
    const found = Object.keys(each.schema).find((word) => !words.has(word));
    if (found !== undefined) return found;
  }
  return undefined;
}
