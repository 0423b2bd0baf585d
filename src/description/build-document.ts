import type { Json, JsonObject } from '../core/json/json.js';
import { ALIAS, BASE_PATH } from '../shared/http/base-path.js';
import { workspaceKeyUse } from '../shared/http/workspace-key-uses.js';
import { fieldsOf, schemaOfDto } from '../shared/http/dto-schema.js';
import { ErrorReplies } from './error-replies.js';
import type { DescribedRoute, Dto } from './route.js';
import { SchemaPrinter } from './schema-printer.js';
import { TAGS, tagOf } from './tags.js';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** The two ways of presenting a key; one of them is enough. */
const SECURITY_SCHEMES: JsonObject = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A key of this gateway.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key. Where both are sent, this one counts.',
  },
};
const EITHER_WAY: Json = [{ bearer: [] }, { apiKey: [] }];

/** Descriptions of path parameters. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'Id of the resource.',
  hash: 'Hash of the key, which is its id.',
  reference: 'Id of the workspace, or its slug.',
  interval: '`daily`, `weekly`, `monthly` or `lifetime`.',
  author: 'The part of a model’s id before the slash.',
  slug: 'The part of a model’s id after the slash, with or without a variant.',
};

/** The OpenAPI 3.1 document of these routes. Pure; the order of its keys is fixed. */
export function buildDocument(routes: readonly DescribedRoute[], version: string): JsonObject {
  const printer = new SchemaPrinter();
  const errors = new ErrorReplies(printer);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of inOrder(routes)) {
    paths[route.path] ??= route.isAtRoot ? { servers: serversOf(route) } : {};
    paths[route.path]![route.method] = describeOperation(route, printer, errors);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead',
      version,
      description:
        'A self-hosted model routing gateway. Amounts are USD unless stated otherwise, times are ISO 8601 in UTC. Unknown fields of bodies of ' +
        'management, and unknown parameters of its queries, are refused by name; those of inference and of models are ignored or passed on.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: BASE_PATH, description: 'The base path.' },
      { url: ALIAS, description: 'The same routes, for clients that append it to an address by themselves.' },
    ],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: printer.components(),
      responses: errors.components(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Sorts routes by chapter, and within each in the order of the controllers. */
function inOrder(routes: readonly DescribedRoute[]): readonly DescribedRoute[] {
  const tagIndexOf = ({ path }: DescribedRoute): number => TAGS.indexOf(tagOf(path));
  return [...routes].sort((a, b) => tagIndexOf(a) - tagIndexOf(b));
}

const serversOf = ({ isBelowBasePath }: DescribedRoute): Json =>
  ['/', ...(isBelowBasePath ? [BASE_PATH, ALIAS] : [])].map((url) => ({ url }));

function describeOperation(route: DescribedRoute, printer: SchemaPrinter, errors: ErrorReplies): JsonObject {
  const { name, path, status, answer } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route, printer), ...headerParameters(route)];
  const description = [answer.description, keyWords(route)].filter((words) => words !== undefined).join(' ');
  const reply = describeReply(route, printer);
  return {
    operationId: name,
    tags: [tagOf(path).name],
    summary: answer.summary,
    ...(description !== '' && { description }),
    security: route.isOpen ? [] : EITHER_WAY,
    ...(route.keyKind && { 'x-key-kind': route.keyKind }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.bodies.length > 0 && { requestBody: describeBody(route, printer) }),
    responses: {
      [status]: { description: 'Success.', ...reply },
      ...(answer.alsoWith && { [answer.alsoWith.status]: { description: answer.alsoWith.meaning, ...reply } }),
      ...errors.of(route),
    },
  };
}

function keyWords({ method, path, isOpen, keyKind }: DescribedRoute): string {
  if (isOpen) return 'Needs no key.';
  if (!keyKind) return 'Takes a key of either kind.';
  const isForBound = keyKind !== 'management' || workspaceKeyUse(method.toUpperCase(), path) === 'own workspace';
  return `Takes a key of the kind \`${keyKind}\`${isForBound ? '' : ' that is not bound to a workspace'}.`;
}

const pathParameters = ({ pathParameters }: DescribedRoute): readonly JsonObject[] =>
  pathParameters.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name] ?? name,
    schema: { type: 'string' },
  }));

const queryParameters = ({ query }: DescribedRoute, printer: SchemaPrinter): readonly JsonObject[] =>
  (query ? fieldsOf(query) : []).map(({ name, schema, required }) => {
    const { description, ...form } = printer.print(schema);
    return { name, in: 'query', ...(required && { required }), ...(description && { description }), schema: form };
  });

const headerParameters = ({ answer }: DescribedRoute): readonly JsonObject[] =>
  Object.entries(answer.reads ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));

function describeBody({ bodies, answer }: DescribedRoute, printer: SchemaPrinter): JsonObject {
  const forms = bodies.map((dto) => printer.refer(nameOf(dto), () => schemaOfDto(dto)));
  const examples = Object.entries(answer.examples ?? {}).map(([name, value]) => [name, { value }] as const);
  return {
    required: true,
    content: {
      [JSON_TYPE]: {
        schema: forms.length === 1 ? forms[0]! : { anyOf: forms },
        ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
      },
    },
  };
}

const nameOf = ({ name }: Dto): string => `${name.replace(/Dto$/, '')}Body`;

function describeReply({ answer }: DescribedRoute, printer: SchemaPrinter): JsonObject {
  const { reply, contentType = JSON_TYPE, alsoAs = [], events, headers = {} } = answer;
  const listed = Object.entries(headers).map(([name, meaning]) => [
    name,
    { description: meaning, schema: { type: 'string' } },
  ]);
  return {
    ...(listed.length > 0 && { headers: Object.fromEntries(listed) as JsonObject }),
    content: {
      [contentType]: { schema: printer.print(reply) },
      ...Object.fromEntries(alsoAs.map((type) => [type.split(';', 1)[0]!, { schema: { type: 'string' } }])),
      // OpenAPI 3.1 has no keyword for the items of a stream: the schema is that of the data of one event.
      ...(events && { [STREAM_TYPE]: { schema: printer.print(events) } }),
    },
  };
}
