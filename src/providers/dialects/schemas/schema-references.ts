import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { HOLDING, resolveReference, schemasWithin } from './schema-walk.js';

/**
 * Maximum number of schemas, members and pieces of text that are copied for the references of one schema. Beyond this
 * limit any value is allowed.
 */
const COPIES_MAX = 20_000;
/** Characters of a text that count as one copy. */
const TEXT_PER_COPY = 64;
/** Deepest nesting of inlined schemas. Beyond this limit any value is allowed. */
const DEPTH_MAX = 100;

/**
 * The schema with its references inlined. A reference to an enclosing schema, and any beyond the limits, becomes a
 * schema that allows any value: two references at each level would double the copies endlessly.
 */
export const withoutReferences = (root: JsonObject): Steps<JsonObject> => new Inliner(root).schema(root, []);

class Inliner {
  private readonly steps = new StepCounter();
  private copiesLeft = COPIES_MAX;
  private depth = 0;

  constructor(private readonly root: JsonObject) {}

  /** @param within the references that led here, outermost first */
  *schema(schema: JsonObject, within: readonly string[]): Steps<JsonObject> {
    if (this.steps.isOver()) yield;
    if (within.length > 0) this.copiesLeft -= weightOf(schema);
    if (this.depth >= DEPTH_MAX || this.copiesLeft < 0) return {};
    this.depth++;
    const { $ref: reference, ...own } = schema;
    const isReference = typeof reference === 'string';
    const target = isReference && !within.includes(reference) ? resolveReference(this.root, reference) : undefined;
    const referenced = target && (yield* this.schema(target, [...within, reference as string]));
    const members: [string, Json | undefined][] = [];
    for (const [keyword, value] of Object.entries(isReference ? own : schema)) {
      members.push([keyword, yield* this.value(keyword, value, within)]);
    }
    this.depth--;
    return { ...referenced, ...Object.fromEntries(members) };
  }

  private *value(keyword: string, value: Json | undefined, within: readonly string[]): Steps<Json | undefined> {
    const holding = HOLDING.get(keyword);
    if (holding === undefined || value === undefined) return value;
    if (Array.isArray(value)) {
      const list: Json[] = [];
      for (const entry of value as readonly Json[])
        list.push(isJsonObject(entry) ? yield* this.schema(entry, within) : entry);
      return list;
    }
    if (!isJsonObject(value)) return value;
    if (holding !== 'map') return yield* this.schema(value, within);
    const members: [string, Json | undefined][] = [];
    for (const [name, member] of Object.entries(value)) {
      members.push([name, isJsonObject(member) ? yield* this.schema(member, within) : member]);
    }
    return Object.fromEntries(members);
  }
}

/** The number of copies that a schema without its inner schemas counts as. */
function weightOf(schema: JsonObject): number {
  let weight = 1;
  for (const keyword in schema) {
    const value = schema[keyword];
    if (typeof value === 'string') weight += Math.floor(value.length / TEXT_PER_COPY);
    else if (typeof value === 'object' && value !== null) weight += sizeOf(value);
  }
  return weight;
}

const sizeOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length);

/** Schemas that are searched for the references of one schema. */
const CHECKED_MAX = 50_000;

/** Why the references of a schema cannot all be inlined; undefined: they can. */
export function endlessReference(root: JsonObject): 'recursive' | 'external' | 'large' | undefined {
  /** For each referenced schema: whether all references in it are known to end. */
  const ends = new Map<JsonObject, boolean>();
  const open: JsonObject[] = [root];
  let left = CHECKED_MAX;
  for (let schema = open.at(-1); schema !== undefined; schema = open.at(-1)) {
    if (ends.has(schema)) {
      ends.set(schema, true);
      open.pop();
      continue;
    }
    ends.set(schema, false);
    const inner = schemasWithin(schema);
    left -= inner.length;
    if (left < 0) return 'large';
    for (const { $ref: reference } of inner) {
      if (typeof reference !== 'string') continue;
      const target = resolveReference(root, reference);
      if (target === undefined) return 'external';
      if (ends.get(target) === false) return 'recursive';
      if (!ends.has(target)) open.push(target);
    }
  }
  return undefined;
}
