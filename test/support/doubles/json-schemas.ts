import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonBody } from '../recorded-request.js';
import type { Refusal } from './double.js';

// Vendors' requirements on the schema of a structured answer.

/** Every schema within a schema, with its path. */
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

export const CLOSED_RULES = [
  'an open form of the answer',
  'a bound in a form of the answer',
  'exactly one of several forms',
  'a form that refers to itself',
] as const;

/** Bounds that a schema may not have, by the type that they are of. */
const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength'],
  array: ['maxItems', 'uniqueItems', 'contains', 'prefixItems'],
  object: ['minProperties', 'maxProperties', 'patternProperties', 'propertyNames'],
};

/** agentjido/req_llm#302, earendil-works/pi#9953, ghostlobster/memorize-everything#93; read 2026-11-29. */
function boundFault({ schema, at }: { readonly schema: JsonBody; readonly at: string }): Refusal | undefined {
  const broken = (rule: (typeof CLOSED_RULES)[number], words: string): Refusal => ({
    rule,
    message: `${at}: ${words}`,
  });
  for (const type of [schema.type].flat()) {
    const found = (BOUNDS[type] ?? []).filter((word) => word in schema);
    if (found.length > 0) {
      const words = `For '${type}' type, properties ${found.join(', ')} are not supported`;
      return broken('a bound in a form of the answer', words);
    }
  }
  if (schema.minItems > 1) {
    const words = "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
    return broken('a bound in a form of the answer', words);
  }
  return schema.oneOf && broken('exactly one of several forms', "Schema type 'oneOf' is not supported");
}

/** Recursive schemas are refused (platform.claude.com, structured outputs, JSON Schema limitations). */
function refersToItself(root: JsonBody, schema: JsonBody = root, path: readonly string[] = []): boolean {
  return [...schemasIn(path.length === 0 ? { ...schema, $defs: {} } : schema, '')].some(({ schema: one }) => {
    const name = /^#\/\$defs\/(.+)$/.exec(one.$ref ?? '')?.[1];
    if (name === undefined) return one.$ref === '#';
    return path.includes(name) || refersToItself(root, root.$defs[name], [...path, name]);
  });
}

/**
 * Objects must be closed, without bounds. No source was found for the words of an open one, which are as the author
 * knows them of Anthropic's.
 */
export function closedObjectFault(schema: JsonBody, at: string): Refusal | undefined {
  for (const each of schemasIn(schema, at)) {
    if (isObjectSchema(each.schema) && each.schema.additionalProperties !== false) {
      const message = `${each.at}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
      return { rule: CLOSED_RULES[0], message };
    }
    const fault = boundFault(each);
    if (fault) return fault;
  }
  if (!refersToItself(schema)) return undefined;
  return { rule: 'a form that refers to itself', message: `${at}: Recursive schemas are not supported` };
}

/** How many properties of a schema and all in it may be left out. */
const optionalProperties = (schema: JsonBody): number =>
  [...schemasIn(schema, '')].reduce(
    (sum, { schema: one }) =>
      sum + Object.keys(one.properties ?? {}).filter((name) => !(one.required ?? []).includes(name)).length,
    0,
  );

const unions = (schema: JsonBody): number =>
  [...schemasIn(schema, '')].filter(({ schema: one }) => one.anyOf || (Array.isArray(one.type) && one.type.length > 1))
    .length;

export const LIMIT_RULES = ['twenty-five optional properties', 'seventeen unions'] as const;
const OPTIONAL_MAX = 24;
const UNIONS_MAX = 16;

/**
 * The breach of the limits of all schemas of a request: pydantic/pydantic-ai#5579, elie222/inbox-zero#2323,
 * vercel/ai#17268; read 2026-11-29.
 */
export function limitsFault(schemas: readonly JsonBody[]): Refusal | undefined {
  const sumOf = (count: (schema: JsonBody) => number): number => schemas.reduce((sum, one) => sum + count(one), 0);
  const optional = sumOf(optionalProperties);
  if (optional > OPTIONAL_MAX) {
    const message = `Schemas contains too many optional parameters (${optional}) (limit: 24).`;
    return { rule: LIMIT_RULES[0], message };
  }
  const either = sumOf(unions);
  if (either <= UNIONS_MAX) return undefined;
  return {
    rule: LIMIT_RULES[1],
    message: `Schemas contains too many parameters with union types (${either}) (limit: 16).`,
  };
}

export const DRAFT_RULE = 'a schema that is none';
const metaSchema = new Ajv2020({ validateFormats: false, strict: false, logger: false });

/**
 * What JSON Schema's own schema of draft 2020-12 refuses, such as a type in capitals. OpenAI and Claude check by such a
 * schema ("is not valid under any of the given schemas", "must match JSON Schema draft 2020-12"). That Cohere, Gemini
 * and Amazon's models do, is stricter.
 */
export function draftFault({ $schema: _draft, ...schema }: JsonBody, of: string): Refusal | undefined {
  if (metaSchema.validateSchema(schema)) return undefined;
  const [error] = metaSchema.errors ?? [];
  const words = `In context=(${error?.instancePath}), ${error?.message}: is not valid under any of the given schemas.`;
  return { rule: DRAFT_RULE, message: `Invalid schema for ${of}: ${words}` };
}

export const CLAUDE_TOOL_RULES = ['a property of other characters', 'a schema of an older draft'] as const;
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * What Claude wants of the schema of any tool. Names at the top alone: anthropics/claude-code#79418,
 * aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#709; drafts: Dokploy/mcp#74,
 * anthropics/claude-code#586; read 2026-11-29. That null is refused within is stricter.
 */
export function claudeToolFault(schema: JsonBody, at: string): Refusal | undefined {
  if (!Object.keys(schema.properties ?? {}).every((name) => PROPERTY_KEY.test(name))) {
    const words = "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
    return { rule: CLAUDE_TOOL_RULES[0], message: `${at}.input_schema.properties: ${words}` };
  }
  const isOlder = ({ schema: one, at: within }: { schema: JsonBody; at: string }): boolean =>
    Array.isArray(one.items) ||
    ['required', 'exclusiveMinimum', 'exclusiveMaximum'].some((word) => typeof one[word] === 'boolean') ||
    (within !== '' && ['type', 'properties', 'required', 'items'].some((word) => one[word] === null));
  if (![...schemasIn(schema, '')].some(isOlder)) return undefined;
  const message = `${at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
  return { rule: CLAUDE_TOOL_RULES[1], message };
}

/** docs.cohere.com/v2/docs/structured-outputs, schema constraints; read 2026-11-29. */
export const requiresSome = (schema: JsonBody): boolean =>
  [...schemasIn(schema, '')].every(({ schema: one }) => !isObjectSchema(one) || (one.required ?? []).length > 0);

export const COMPLETE_RULES = ['an object without properties', 'an array without items', 'a union at the top'] as const;

/**
 * What OpenAI wants of the schema of any tool: spring-projects/spring-ai#4776, digitalocean-labs/mcp-digitalocean#265,
 * langchain-ai/langchainjs#9804; read 2026-11-29. That inner objects must have properties too is stricter.
 */
export function incompleteFault(schema: JsonBody, of: string): Refusal | undefined {
  const broken = (rule: (typeof COMPLETE_RULES)[number], words: string): Refusal => ({
    rule,
    message: `Invalid schema for ${of}: ${words}`,
  });
  if (['anyOf', 'oneOf', 'allOf', 'enum', 'not'].some((word) => word in schema)) {
    const words = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
    return broken('a union at the top', words);
  }
  for (const { schema: one, at } of schemasIn(schema, '')) {
    const types = [one.type].flat();
    if (types.includes('object') && typeof (one.properties ?? undefined) !== 'object') {
      return broken('an object without properties', `In context=(${at}), object schema missing properties.`);
    }
    if (types.includes('array') && (typeof one.items !== 'object' || Array.isArray(one.items))) {
      return broken('an array without items', `In context=(${at}), array schema missing items.`);
    }
  }
  return undefined;
}

export const STRICT_RULES = ['an open object in strict mode', 'an optional field in strict mode'] as const;

/**
 * Objects must be closed, and require all their properties (OpenAI's strict mode).
 * @param of the subject of the schema, in the vendor's words
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

/** A keyword of a schema, or of a nested one, that is none of these. */
export function unknownWord(schema: JsonBody, words: ReadonlySet<string>): string | undefined {
  for (const each of schemasIn(schema, '')) {
    const found = Object.keys(each.schema).find((word) => !words.has(word));
    if (found !== undefined) return found;
  }
  return undefined;
}
