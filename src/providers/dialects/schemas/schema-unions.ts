import { isJsonObject, printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, objectOf } from '../read-json.js';
import { hasType, resolveReference } from './schema-walk.js';

/** Keywords that combine schemas. */
const UNIONS = ['anyOf', 'oneOf'] as const;
/**
 * Maximum number of schemas that are merged into one, and properties of all of them together. Chosen: some 10 ms of
 * work.
 */
const PARTS_MAX = 500;
const PROPERTIES_MAX = 5_000;
/** Characters of schemas that are compared. Longer ones count as different. */
const COMPARED_MAX = 200_000;
/** Longest note about properties that are required together, in UTF-16 units. */
const NOTE_LENGTH_MAX = 1_000;

/** A schema in a target's form. */
export interface FittedSchema {
  readonly schema: JsonObject;
  /** Keywords that the vendor does not enforce. */
  readonly lost: readonly string[];
}

/** Keywords that vendors refuse at the top of a tool's schema, whose value is always an object. */
export type TopKeyword = 'anyOf' | 'oneOf' | 'allOf' | '$ref' | 'enum' | 'not';

/**
 * The schema of a tool without keywords that its vendor refuses at the top. It has the properties of all combined
 * schemas. Properties that all of them require stay required. The description states which others belong together.
 */
export function mergeTop(root: JsonObject, refused: readonly TopKeyword[]): FittedSchema {
  if (!refused.some((keyword) => root[keyword] !== undefined)) return { schema: root, lost: [] };
  const merger = new Merger(root);
  const { properties, required, words } = merger.partOf(root, []);
  const { type: _type, enum: _enum, not: _not, ...others } = words;
  const schema: JsonObject = {
    type: 'object',
    ...others,
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...withNote(others['description'], merger.notes),
  };
  for (const keyword of ['enum', 'not'] as const) if (root[keyword] !== undefined) merger.lost.add(keyword);
  return { schema, lost: [...merger.lost] };
}

function withNote(description: Json | undefined, notes: readonly string[]): JsonObject {
  const note = notes.join(' ');
  if (note === '' || note.length > NOTE_LENGTH_MAX) return {};
  return { description: typeof description === 'string' && description !== '' ? `${description}\n${note}` : note };
}

/** The requirements of a schema for an object. */
interface Part {
  readonly properties: Map<string, Json>;
  readonly required: Set<Json>;
  /** All other keywords. */
  words: JsonObject;
}

class Merger {
  readonly lost = new Set<string>();
  readonly notes: string[] = [];
  private partsLeft = PARTS_MAX;
  private propertiesLeft = PROPERTIES_MAX;
  private comparedLeft = COMPARED_MAX;
  private readonly texts = new Map<Json, string>();

  constructor(private readonly root: JsonObject) {}

  /** @param within the references that led to the schema */
  partOf(schema: JsonObject, within: readonly string[]): Part {
    if (--this.partsLeft < 0) return this.unread();
    const { properties, required, anyOf: _any, oneOf: _one, allOf, $ref: reference, ...words } = schema;
    const own = Object.entries(objectOf(properties)) as [string, Json][];
    this.propertiesLeft -= own.length;
    if (this.propertiesLeft < 0) return this.unread();
    const part: Part = { properties: new Map(own), required: new Set(listOf(required)), words };
    const besides = this.partsOf(listOf(allOf), within);
    const referred = this.referred(reference, within);
    if (referred) besides.unshift(referred);
    const isAlone = besides.length === 1 && part.properties.size === 0;
    for (const further of besides) addWords(part, further, isAlone);
    for (const keyword of UNIONS) {
      const branches = this.partsOf(listOf(schema[keyword]).filter(mayBeObject), within);
      if (branches.length === 0) continue;
      const union = this.unionOf(branches, keyword);
      addWords(part, union, part.properties.size === 0 && besides.length === 0);
      besides.push(union);
    }
    return besides.length === 0 ? part : { ...part, properties: this.joined([part, ...besides], 'allOf') };
  }

  /** A schema beyond the limits. */
  private unread(): Part {
    this.lost.add('anyOf');
    return { properties: new Map(), required: new Set(), words: {} };
  }

  /** The properties of several schemas, each with all its different schemas under the keyword. */
  private joined(parts: readonly Part[], keyword: 'allOf' | 'anyOf'): Map<string, Json> {
    const found = new Map<string, Map<string, Json>>();
    for (const { properties } of parts) {
      for (const [name, schema] of properties) {
        const schemas = found.get(name) ?? new Map<string, Json>();
        found.set(name, schemas.set(this.textOf(schema), schema));
      }
    }
    return new Map([...found].map(([name, schemas]) => [name, oneOrAll([...schemas.values()], keyword)]));
  }

  /** Equal schemas have the same text, up to the limit of comparison. */
  private textOf(schema: Json): string {
    let text = this.texts.get(schema);
    if (text === undefined) {
      text = this.comparedLeft > 0 ? printJson(schema) : `different ${this.texts.size}`;
      this.comparedLeft -= text.length;
      this.texts.set(schema, text);
    }
    return text;
  }

  private partsOf(schemas: readonly Json[], within: readonly string[]): Part[] {
    return schemas.filter(isJsonObject).map((schema) => this.partOf(schema, within));
  }

  private referred(reference: Json | undefined, within: readonly string[]): Part | undefined {
    if (typeof reference !== 'string' || within.includes(reference)) return undefined;
    const target = resolveReference(this.root, reference);
    return target && this.partOf(target, [...within, reference]);
  }

  /** A part that is valid for every branch. */
  private unionOf(branches: readonly Part[], keyword: string): Part {
    const [first, ...others] = branches as [Part, ...Part[]];
    if (others.length === 0) return first;
    this.lost.add(keyword);
    const required = new Set([...first.required].filter((name) => others.every((branch) => branch.required.has(name))));
    this.noteSets(branches.map((branch) => [...branch.required].filter((name) => !required.has(name))));
    const isClosed = branches.every(({ words }) => words['additionalProperties'] === false);
    return {
      properties: this.joined(branches, 'anyOf'),
      required,
      words: isClosed ? { additionalProperties: false } : {},
    };
  }

  private noteSets(sets: readonly (readonly Json[])[]): void {
    const texts = sets.map((set) => set.filter((name) => typeof name === 'string').join(', '));
    const named = [...new Set(texts.filter((names) => names !== ''))];
    if (named.length > 0) this.notes.push(`Requires one of these sets of properties: ${named.join('; ')}.`);
  }
}

const mayBeObject = (schema: Json): boolean =>
  isJsonObject(schema) && (schema['type'] === undefined || hasType(schema, 'object'));

const oneOrAll = (schemas: readonly Json[], keyword: 'allOf' | 'anyOf'): Json =>
  schemas.length === 1 ? schemas[0]! : { [keyword]: schemas };

/**
 * Adds everything but the properties of a schema that must hold as well. A keyword of both keeps its first value.
 * @param isAlone no other part has properties: this one decides whether others are allowed
 */
function addWords(part: Part, further: Part, isAlone: boolean): void {
  for (const name of further.required) part.required.add(name);
  const { additionalProperties, ...words } = further.words;
  part.words = {
    ...(isAlone && additionalProperties !== undefined && { additionalProperties }),
    ...words,
    ...part.words,
  };
}
