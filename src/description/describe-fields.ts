import { isJsonObject, type Json, type JsonObject } from '../core/json/json.js';
import { TEXTS_BY_PATH } from './field-texts/by-path.js';
import { SHARED_TEXTS } from './field-texts/shared.js';

/** Keywords that hold schemas of the value itself. Conditions (`if`, `not`) describe no field. */
const PARTS = ['items', 'additionalProperties', 'then', 'else', 'anyOf', 'oneOf', 'allOf'] as const;
/** Path step of query parameters, after their operation. */
const QUERY = 'query';

/**
 * Adds the text of `field-texts` to every field of bodies and replies, and every parameter, that has no description of
 * its own.
 * @param document OpenAPI, as `buildDocument` makes it
 */
export function describeFields(document: JsonObject): JsonObject {
  const { components, paths } = document as { readonly components: JsonObject; readonly paths: JsonObject };
  return {
    ...document,
    components: {
      ...components,
      schemas: mapObject(components['schemas'], (schema, name) => describeSchema(schema, [name])),
    },
    paths: mapObject(paths, (item) =>
      mapObject(item, (operation) => (isJsonObject(operation) ? describeOperation(operation) : operation)),
    ),
  };
}

/** Unnamed schemas of replies are inline in the operation; those of bodies are components. */
function describeOperation(operation: JsonObject): JsonObject {
  const { operationId, parameters, responses } = operation;
  const describeMedia = (media: JsonObject): JsonObject => ({
    ...media,
    schema: describeSchema(media['schema']!, [operationId as string]),
  });
  return {
    ...operation,
    ...(parameters !== undefined && {
      parameters: (parameters as readonly JsonObject[]).map((parameter) =>
        withText(parameter, [operationId as string, QUERY, parameter['name'] as string]),
      ),
    }),
    responses: mapObject(responses, (reply) =>
      isJsonObject(reply) && 'content' in reply
        ? { ...reply, content: mapObject(reply['content'], (media) => describeMedia(media as JsonObject)) }
        : reply,
    ),
  };
}

function describeSchema(schema: Json, path: readonly string[]): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((entry) => describeSchema(entry, path));
  if (!isJsonObject(schema)) return schema;
  const described: { [key: string]: Json | undefined } = { ...schema };
  for (const key of PARTS) if (key in schema) described[key] = describeSchema(schema[key]!, path);
  if ('properties' in schema) {
    described['properties'] = mapObject(schema['properties'], (field, name) => {
      const fieldPath = [...path, name];
      return withText(describeSchema(field, fieldPath) as JsonObject, fieldPath);
    });
  }
  return described;
}

/** The reason of a pattern starts in lower case, because it completes a sentence that begins with the field. */
const REASON = /^[a-z]/;

function withText(field: JsonObject, fieldPath: readonly string[]): JsonObject {
  const own = typeof field['description'] === 'string' ? field['description'] : undefined;
  if (own !== undefined && !REASON.test(own)) return field;
  const text = constantText(field, fieldPath.at(-1)!) ?? textAt(fieldPath);
  const description = [text, own && `It ${own}.`].filter((part) => part !== undefined).join(' ');
  return { ...field, ...(description !== '' && { description }) };
}

/** Fields whose single value identifies the form of an object. */
const TAGS: ReadonlySet<string> = new Set(['type', 'id', 'object']);

const constantText = ({ const: value }: JsonObject, name: string): string | undefined =>
  TAGS.has(name) && typeof value === 'string' ? `Always \`${value}\`, which marks this form.` : undefined;

/** Blocks of a system prompt and of a reply have the fields of those of a request. */
const BLOCK_FAMILY = /^(?:System|KnownReply|Known)(?=Block)/;

/** The text of the longest end of the path that has one. */
function textAt(fieldPath: readonly string[]): string | undefined {
  const [root = '', ...steps] = fieldPath;
  const path = [root.replace(BLOCK_FAMILY, ''), ...steps];
  for (let from = 0; from < path.length; from++) {
    const text = TEXTS_BY_PATH[path.slice(from).join('.')];
    if (text !== undefined) return text;
  }
  return SHARED_TEXTS[fieldPath.at(-1)!];
}

const mapObject = (value: Json | undefined, map: (member: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(value as JsonObject).map(([name, member]) => [name, map(member as Json, name)]));
