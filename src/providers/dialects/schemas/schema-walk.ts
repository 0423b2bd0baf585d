import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { StepCounter, type Steps } from '../../../core/steps.js';

/** The form of the schemas under a keyword of JSON Schema. */
export type Holding = 'one' | 'list' | 'map' | 'one-or-list';

export const HOLDING: ReadonlyMap<string, Holding> = new Map<string, Holding>([
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'map'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['allOf', 'list'],
  ['prefixItems', 'list'],
  ['items', 'one-or-list'],
  ['additionalProperties', 'one'],
  ['additionalItems', 'one'],
  ['unevaluatedProperties', 'one'],
  ['unevaluatedItems', 'one'],
  ['propertyNames', 'one'],
  ['contains', 'one'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
]);

/**
 * Keywords that restrict nothing, that only lead to other schemas, or that state whether an object is closed: models
 * fill in the properties that they know.
 */
export const UNRESTRICTIVE: ReadonlySet<string> = new Set([
  '$schema', '$id', '$comment', '$anchor', '$defs', 'definitions', 'title', 'description', 'default', 'example',
  'examples', 'deprecated', 'readOnly', 'writeOnly', 'additionalProperties',
]); // oxfmt-ignore

/** A schema within a schema, and its path in the surrounding one. */
interface Node {
  readonly schema: JsonObject;
  /** The parent's index; -1 for the root. */
  readonly parent: number;
  readonly keyword: string;
  /** Key or index of the schema within the keyword's value; absent if the schema is the value itself. */
  readonly member?: string | number;
  /** Nested schemas of this schema that were rewritten. */
  rewritten?: Node[];
}

/**
 * Rewrites one schema whose inner schemas are already rewritten; returns the same object where nothing changes.
 * @param isRoot whether it is the whole schema
 */
export type Rewrite = (schema: JsonObject, isRoot: boolean) => JsonObject;

/**
 * Rewrites a schema at every depth, inner schemas first. An unchanged schema stays the same object, so a schema that
 * fits costs one walk and no copy. Values that are no schemas (`enum`, `const`, `default`) are not entered.
 */
export function* rewriteSchema(root: JsonObject, rewrite: Rewrite): Steps<JsonObject> {
  const steps = new StepCounter();
  const nodes: Node[] = [{ schema: root, parent: -1, keyword: '' }];
  for (let index = 0; index < nodes.length; index++) {
    addInner(nodes, index);
    if (steps.isOver()) yield;
  }
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index]!;
    const inner = node.rewritten === undefined ? node.schema : withRewritten(node.schema, node.rewritten);
    const schema = rewrite(inner, index === 0);
    if (index === 0) return schema;
    if (schema !== node.schema) (nodes[node.parent]!.rewritten ??= []).push({ ...node, schema });
    if (steps.isOver()) yield;
  }
  return root;
}

/** Maximum number of schemas in one step, and deepest nesting: as much as bodies can hold. */
const CHECKED_MAX = 2_000;
const DEPTH_MAX = 200;

/**
 * Whether a condition holds for a schema and all schemas within it, without copying. False as well where that takes
 * more than a step.
 */
export const holdsOfAll = (root: JsonObject, holds: (schema: JsonObject) => boolean): boolean =>
  new Look(holds).at(root, 0);

class Look {
  private left = CHECKED_MAX;

  constructor(private readonly holds: (schema: JsonObject) => boolean) {}

  at(schema: JsonObject, depth: number): boolean {
    if (--this.left < 0 || depth > DEPTH_MAX || !this.holds(schema)) return false;
    for (const keyword in schema) {
      const value = schema[keyword];
      // Most values are a type or a description.
      if (typeof value !== 'object' || value === null) continue;
      const holding = HOLDING.get(keyword);
      if (holding === undefined) continue;
      const isOne = !Array.isArray(value) && holding !== 'map';
      if (!(isOne ? this.at(value as JsonObject, depth + 1) : this.within(value as JsonObject, depth + 1)))
        return false;
    }
    return true;
  }

  /** @param members by their names or indexes */
  private within(members: JsonObject, depth: number): boolean {
    for (const name in members) {
      const inner = members[name];
      if (typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !this.at(inner as JsonObject, depth))
        return false;
    }
    return true;
  }
}

/** Every schema within a schema, itself first. */
export function schemasWithin(root: JsonObject): readonly JsonObject[] {
  const nodes: Node[] = [{ schema: root, parent: -1, keyword: '' }];
  for (let index = 0; index < nodes.length; index++) addInner(nodes, index);
  return nodes.map(({ schema }) => schema);
}

function addInner(nodes: Node[], parent: number): void {
  const { schema } = nodes[parent]!;
  for (const keyword of Object.keys(schema)) {
    const holding = HOLDING.get(keyword);
    if (holding === undefined) continue;
    const value = schema[keyword];
    if (Array.isArray(value)) {
      if (holding === 'one' || holding === 'map') continue;
      for (let member = 0; member < value.length; member++) {
        const inner = value[member] as Json;
        if (isJsonObject(inner)) nodes.push({ schema: inner, parent, keyword, member });
      }
    } else if (isJsonObject(value)) {
      if (holding === 'one' || holding === 'one-or-list') nodes.push({ schema: value, parent, keyword });
      else if (holding === 'map') addMembers(nodes, parent, keyword, value);
    }
  }
}

function addMembers(nodes: Node[], parent: number, keyword: string, members: JsonObject): void {
  for (const member of Object.keys(members)) {
    const inner = members[member];
    if (isJsonObject(inner)) nodes.push({ schema: inner, parent, keyword, member });
  }
}

function withRewritten(schema: JsonObject, rewritten: readonly Node[]): JsonObject {
  const byKeyword = new Map<string, Map<Node['member'], JsonObject>>();
  for (const { keyword, member, schema: inner } of rewritten) {
    const members = byKeyword.get(keyword) ?? new Map<Node['member'], JsonObject>();
    byKeyword.set(keyword, members.set(member, inner));
  }
  return mapEntries(schema, (value, keyword) => {
    const members = byKeyword.get(keyword);
    if (members === undefined) return value;
    if (Array.isArray(value)) return (value as readonly Json[]).map((entry, index) => members.get(index) ?? entry);
    return members.get(undefined) ?? mapEntries(value as JsonObject, (member, name) => members.get(name) ?? member);
  });
}

/** An object with other values under the same keys in the same order. */
export const mapEntries = (
  value: JsonObject,
  map: (value: Json | undefined, key: string) => Json | undefined,
): JsonObject => Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member, key)]));

/** Whether a schema names this type, alone or among others. */
export function hasType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

const POINTER_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['~1', '/'],
  ['~0', '~'],
]);

/** The schema that a reference within the same document resolves to (RFC 6901); undefined where there is none. */
export function resolveReference(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodePart(part);
    if (Array.isArray(found)) found = (found as readonly Json[])[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isJsonObject(found) ? found : undefined;
}

function decodePart(part: string): string {
  const plain = part.replaceAll(/~[01]/g, (escape) => POINTER_ESCAPES.get(escape)!);
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
