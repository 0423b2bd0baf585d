import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** Deepest nesting of a sample: schemas come from callers and may refer to themselves. */
const DEPTH_MAX = 12;
/** Approximate limit of a sample's characters; what does not fit is `null`. */
const SIZE_MAX = 20_000;
/** Lower bounds of the schema are followed up to this number. */
const BOUND_MAX = 1000;

/**
 * An object made from a JSON Schema: the same schema always gives the same object. It follows the common keywords
 * (type, properties, required, enum, const, default, items, anyOf, oneOf, allOf, local $ref, lower bounds); it does not
 * promise to satisfy others.
 * @param which its required properties, or all that it names
 */
export function sampleObject(schema: JsonObject, which: 'required' | 'all'): JsonObject {
  const value = new Sampler(schema, which).sample(schema, 0);
  return isJsonObject(value) ? value : {};
}

class Sampler {
  private room = SIZE_MAX;

  constructor(
    private readonly root: JsonObject,
    private readonly which: 'required' | 'all',
  ) {}

  sample(schema: Json | undefined, depth: number): Json {
    if (!isJsonObject(schema) || depth > DEPTH_MAX || !this.takes(1)) return null;
    const stated = schema['const'] ?? firstOf(schema['enum']) ?? schema['default'];
    if (stated !== undefined) return this.takes(JSON.stringify(stated).length) ? stated : null;
    const alternative = this.referred(schema['$ref']) ?? firstOf(schema['anyOf']) ?? firstOf(schema['oneOf']);
    if (alternative !== undefined) return this.sample(alternative, depth + 1);
    switch (typeOf(schema)) {
      case 'object':
        return this.sampleProperties(schema, depth);
      case 'array':
        return this.sampleItems(schema, depth);
      case 'string':
        return this.takes(boundOf(schema['minLength'])) ? 'sample'.padEnd(boundOf(schema['minLength']), '.') : null;
      case 'integer':
        return Math.ceil(numberOf(schema['minimum']) ?? (numberOf(schema['exclusiveMinimum']) ?? 0) + 1);
      case 'number':
        return numberOf(schema['minimum']) ?? (numberOf(schema['exclusiveMinimum']) ?? 0) + 1;
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  private sampleProperties(schema: JsonObject, depth: number): JsonObject {
    const entries: [string, Json][] = [];
    for (const part of [schema, ...listOf(schema['allOf'])]) {
      const target = isJsonObject(part) ? (this.referred(part['$ref']) ?? part) : {};
      const properties = isJsonObject(target['properties']) ? target['properties'] : {};
      const names = this.which === 'all' ? Object.keys(properties) : listOf(target['required']);
      for (const name of names) {
        if (typeof name !== 'string' || !this.takes(name.length)) continue;
        const property = Object.hasOwn(properties, name) ? properties[name] : { type: 'string' };
        entries.push([name, this.sample(property, depth + 1)]);
      }
    }
    return Object.fromEntries(entries);
  }

  private sampleItems(schema: JsonObject, depth: number): Json[] {
    const length = Math.max(1, boundOf(schema['minItems']));
    const items: Json[] = [];
    while (items.length < length && this.room > 0) items.push(this.sample(schema['items'], depth + 1));
    return items;
  }

  /** Whether that much more fits; after the first refusal nothing does. */
  private takes(size: number): boolean {
    this.room -= size;
    return this.room > 0;
  }

  /** The schema that a reference within the same document names. */
  private referred(reference: Json | undefined): JsonObject | undefined {
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
    let value: Json | undefined = this.root;
    for (const key of reference.slice(2).split('/')) {
      if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
      value = value[key];
    }
    return isJsonObject(value) ? value : undefined;
  }
}

function typeOf(schema: JsonObject): Json | undefined {
  const type = firstOf(schema['type']) ?? schema['type'];
  return type ?? (schema['properties'] !== undefined || schema['allOf'] !== undefined ? 'object' : undefined);
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

const firstOf = (value: Json | undefined): Json | undefined => listOf(value)[0];

const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

const boundOf = (value: Json | undefined): number => Math.min(Math.max(numberOf(value) ?? 0, 0), BOUND_MAX);
