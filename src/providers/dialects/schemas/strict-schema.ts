import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import { hasType, schemasWithin } from './schema-walk.js';

/**
 * Keywords that OpenAI's strict mode refuses (developers.openai.com/api/docs/guides/structured-outputs, supported
 * schemas; `allOf`: makenotion/notion-mcp-server, issue 102; read 2026-11-29).
 */
const REFUSED: ReadonlySet<string> = new Set([
  'allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies',
  'patternProperties', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'minProperties', 'maxProperties',
  'contains', 'minContains', 'maxContains', 'uniqueItems', 'prefixItems',
]); // oxfmt-ignore
/** Formats that it takes, from the same page. */
const FORMATS: ReadonlySet<Json> = new Set([
  'date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid',
]); // oxfmt-ignore
/** A schema has exactly one of these keywords, which defines its values. */
const KINDS = ['type', 'anyOf', '$ref', 'enum', 'const'] as const;

/**
 * Whether the request asks a target of one of OpenAI's formats to enforce a schema. OpenAI's own models, and some
 * providers (quirk `checks_strict_schemas`), refuse the request where the schema does not fit the strict mode: they get
 * it without `strict`, even where the caller requires it.
 * @param wanted undefined: wherever the mode takes the schema
 */
export function isHeld(schema: JsonObject, wanted: boolean | undefined, target: Target): boolean {
  if (wanted === false) return false;
  const isChecked = target.definition.quirks.checksStrictSchemas === true || modelFamilyOf(target) === 'gpt';
  return fitsStrictMode(schema) || (wanted === true && !isChecked);
}

/**
 * True when a schema may be sent with `strict: true`: it is of an object, every object in it is closed and requires all
 * of its properties, and it contains no keyword that the mode refuses. Safe for any depth.
 */
export const fitsStrictMode = (schema: JsonObject): boolean =>
  hasType(schema, 'object') && schema['anyOf'] === undefined && schemasWithin(schema).every(fits);

function fits(schema: JsonObject): boolean {
  if (!KINDS.some((keyword) => schema[keyword] !== undefined)) return false;
  const { format } = schema;
  if (format !== undefined && !FORMATS.has(format)) return false;
  return (
    !Object.keys(schema).some((keyword) => REFUSED.has(keyword)) && (!hasType(schema, 'object') || isClosed(schema))
  );
}

function isClosed(schema: JsonObject): boolean {
  if (schema['additionalProperties'] !== false) return false;
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return true;
  const required = schema['required'];
  const names = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  return Object.keys(properties).every((name) => names.has(name));
}
