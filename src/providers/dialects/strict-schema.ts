import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';

/** Keywords whose value maps names to schemas: the names are the caller's, not keywords. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/**
 * True when a schema may be asked for with `strict: true`: every object in it is closed and requires all of its
 * properties. Upstreams refuse other schemas in strict mode, so those are asked for without it. Safe for any depth.
 */
export function fitsStrictMode(schema: JsonObject): boolean {
  const open: Json[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as readonly Json[]) open.push(item);
    } else if (isJsonObject(value)) {
      if (describesObject(value) && !isClosed(value)) return false;
      for (const key of Object.keys(value)) {
        const inner = value[key];
        if (inner === undefined || DATA.has(key)) continue;
        if (SCHEMA_MAPS.has(key) && isJsonObject(inner)) pushValues(inner, open);
        else open.push(inner);
      }
    }
  }
  return true;
}

function pushValues(schemas: JsonObject, open: Json[]): void {
  for (const name of Object.keys(schemas)) {
    const schema = schemas[name];
    if (schema !== undefined) open.push(schema);
  }
}

function describesObject(schema: JsonObject): boolean {
  const type = schema['type'];
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function isClosed(schema: JsonObject): boolean {
  if (schema['additionalProperties'] !== false) return false;
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return true;
  const required = schema['required'];
  const names = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  return Object.keys(properties).every((name) => names.has(name));
}
