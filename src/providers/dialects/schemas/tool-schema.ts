import type { JsonObject } from '../../../core/json/json.js';
import { hasPlainType, inPlainWords } from './schema-completion.js';
import { hasType } from './schema-walk.js';

/** Keywords for which null means nothing. */
const MAY_BE_NULL = ['type', 'properties', 'required'] as const;

/**
 * A tool's schema with the type `object`, which providers require: by default, and instead of several types that
 * include it. Null is removed. The Messages format takes it for nothing required and no properties; elsewhere it is a
 * 400 ("None is not of type 'array'", github.com/yomorun/yomo/pull/860, read 2026-11-24).
 */
export function withObjectType(schema: JsonObject): JsonObject {
  if (MAY_BE_NULL.some((keyword) => schema[keyword] === null)) {
    const isStated = (keyword: string): boolean =>
      schema[keyword] !== null || !(MAY_BE_NULL as readonly string[]).includes(keyword);
    return withObjectType(Object.fromEntries(Object.entries(schema).filter(([keyword]) => isStated(keyword))));
  }
  if (!Object.hasOwn(schema, 'type')) return { type: 'object', ...schema };
  if (!hasPlainType(schema)) return withObjectType(inPlainWords(schema));
  return Array.isArray(schema['type']) && hasType(schema, 'object') ? { ...schema, type: 'object' } : schema;
}
