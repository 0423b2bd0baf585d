import type { JsonObject } from '../../core/json/json.js';

/**
 * A tool's schema: its type is `object` unless said otherwise, since upstreams want it said. `required: null`, which
 * the Messages format takes for nothing required, goes: elsewhere it is a 400 ("None is not of type 'array'",
 * github.com/yomorun/yomo/pull/860, read 2026-11-24).
 */
export function withObjectType(schema: JsonObject): JsonObject {
  if (schema['required'] !== null) return Object.hasOwn(schema, 'type') ? schema : { type: 'object', ...schema };
  const { required: _, ...others } = schema;
  return withObjectType(others);
}
