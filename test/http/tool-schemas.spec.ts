/**
 * Goal: the schema of a tool or of an answer is sent in the words of JSON Schema, in whatever words it came; the schema
 * of a tool describes an object; a schema that no vendor accepts is a 400 that names its path. Method: the application
 * over HTTP before strict doubles of every dialect on every platform, which check schemas by JSON Schema's own; both
 * faces, whole and streamed.
 */
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';
import {
  PLATFORM_ENDPOINTS,
  platformEndpointOf,
  platformCatalog,
  type PlatformEndpoint,
} from './platform-endpoints.js';

const FACES = ['/messages', '/chat/completions'] as const;
type Face = (typeof FACES)[number];

const ALL: readonly PlatformEndpoint[] = [
  ...PLATFORM_ENDPOINTS,
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.amazon.nova-pro-v1:0'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.meta.llama3-3-70b-instruct-v1:0'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.anthropic.claude-opus-5'),
];
/** In the format of Claude, without its rules. */
const KIMI = platformEndpointOf('direct', 'anthropic-messages', 'kimi-k2.6');

/** A schema as Google's SDKs make it, with a type in every keyword that may contain one. */
const GOOGLES = {
  type: 'OBJECT',
  properties: {
    city: { type: 'STRING', nullable: true, minLength: '1' },
    days: { type: 'ARRAY', minItems: '1', items: { type: 'OBJECT', properties: { day: { type: 'INTEGER' } } } },
    either: { anyOf: [{ type: 'NUMBER' }, { type: ['BOOLEAN', 'NULL'] }] },
    deep: { type: 'object', properties: { one: { type: 'object', properties: { two: { type: 'STRING' } } } } },
    others: { type: 'object', additionalProperties: { type: 'NUMBER' } },
    one: { $ref: '#/$defs/one' },
    any: { type: 'TYPE_UNSPECIFIED', description: 'Any.' },
  },
  required: ['city'],
  $defs: { one: { type: 'String' } },
};
const PLAIN = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Schemas of tools that leave, on the face that takes them. */
const TAKEN: Readonly<Record<string, object>> = {
  'of Google': GOOGLES,
  'with capitals within alone': { type: 'object', properties: { a: { type: 'array', items: { type: 'STRING' } } } },
  'with capitals at the top alone': { type: 'OBJECT', properties: { a: { type: 'string' } } },
  'with capitals at the third level': {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'array', items: { anyOf: [{ type: 'NULL' }] } } } } },
  },
  'in words of a language': {
    type: 'object',
    properties: { a: { type: 'any' }, b: { type: 'float', description: 'B.' }, c: { type: ['str', 'None'] } },
  },
  'with types that are none': { type: 'object', properties: { a: { type: [] }, b: { type: {} }, c: { type: 5 } } },
  'of an older draft at the third level': {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'array', items: [{ type: 'number', required: true }] } } },
  },
  empty: {},
  'without a type': { properties: { a: { type: 'string' } } },
  'of a union at the top': { anyOf: [PLAIN, { type: 'null' }] },
  'of a union of Google at the top': { oneOf: [{ type: 'OBJECT', properties: { a: { type: 'STRING' } } }, PLAIN] },
};

/** Schemas of tools that describe no object, with the words of the refusal after the schema's path. */
const REFUSED: readonly (readonly [object | null | string, string])[] = [
  [{ type: 'string' }, '.type: must be object'],
  [{ type: 'STRING' }, '.type: must be object'],
  [{ type: 'array', items: {} }, '.type: must be object'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, '.anyOf: must allow an object'],
  [{ oneOf: [{ type: 'NUMBER' }] }, '.oneOf: must allow an object'],
  [{ allOf: [PLAIN, { type: 'string' }] }, '.allOf: must allow an object'],
  ['object', ': must be'],
];

const toolOf = (face: Face, name: string, schema: unknown, strict?: true): object =>
  face === '/messages'
    ? { name, input_schema: schema, ...(strict && { strict }) }
    : { type: 'function', function: { name, parameters: schema, ...(strict && { strict }) } };
const formOf = (face: Face, schema: object): object =>
  face === '/messages'
    ? { output_config: { format: { type: 'json_schema', schema } } }
    : { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } } };

describeOnEmbedded('schemas in words of others', (database) => {
  let gateway: TestGateway;
  const doubles = new Map<PlatformId, Double>();
  beforeAll(async () => {
    for (const platform of PLATFORM_IDS) doubles.set(platform, await startDouble(platform));
    gateway = await startGateway(database, { catalog: platformCatalog(doubles, [...ALL, KIMI]), coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const double of doubles.values()) await double.close();
  });

  const ask = (face: Face, body: object): Promise<Response> =>
    gateway.request(face, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ max_tokens: 4_000, messages: [{ role: 'user', content: 'Hello' }], ...body }),
    });

  /** What every model was sent, whole and streamed. No double had to refuse it. */
  async function sentToAll(
    face: Face,
    more: object,
    endpoints = ALL,
  ): Promise<ReadonlyMap<PlatformEndpoint, JsonBody>> {
    const refused: string[] = [];
    const sent = new Map<PlatformEndpoint, JsonBody>();
    for (const endpoint of endpoints) {
      const double = doubles.get(endpoint.platform)!;
      for (const stream of [false, true]) {
        double.violations.length = 0;
        double.script({ parts: [{ type: 'text', text: 'Well.' }] });
        const response = await ask(face, { model: endpoint.model, stream, ...more });
        const text = await response.text();
        if (response.status !== 200 || !text.includes('Well.') || double.violations.length > 0)
          refused.push(`${endpoint.model}: ${response.status} ${text} ${double.violations.join()}`);
      }
      sent.set(endpoint, double.calls.at(-1)!.body);
    }
    expect(refused).toEqual([]);
    return sent;
  }

  it.each(FACES.flatMap((face) => Object.entries(TAKEN).map(([name, schema]) => [face, name, schema] as const)))(
    'A14: %s: the schema of a tool %s is taken',
    async (face, _name, schema) => {
      const sent = await sentToAll(face, { tools: [toolOf(face, 'look', schema), toolOf(face, 'plain', PLAIN)] });
      for (const body of sent.values()) expect(JSON.stringify(body)).not.toMatch(/"(?:OBJECT|STRING|ARRAY)"/);
    },
  );

  it.each(FACES)('%s: strict tools and answers of Google’s schemas are taken', async (face) => {
    await sentToAll(face, { tools: [toolOf(face, 'look', GOOGLES, true)] });
    for (const schema of [GOOGLES, { ...PLAIN, type: 'OBJECT', additionalProperties: false }]) {
      const sent = await sentToAll(face, formOf(face, schema));
      // If the model takes no schema, it is in the instructions.
      for (const body of sent.values()) expect(JSON.stringify(body)).not.toMatch(/"(?:OBJECT|STRING|ARRAY)"/);
    }
  });

  it.each(FACES)('%s: a schema of Google’s keeps its meaning', async (face) => {
    const sent = await sentToAll(face, { tools: [toolOf(face, 'look', GOOGLES)] }, [...ALL, KIMI]);
    expect(sent.get(KIMI)!.tools[0].input_schema.properties.deep).toEqual({
      type: 'object',
      properties: { one: { type: 'object', properties: { two: { type: 'string' } } } },
    });
    const chat = [...sent].find(([{ dialect, platform }]) => dialect === 'openai-chat' && platform === 'direct')![1];
    expect(chat.tools[0].function.parameters).toEqual({
      type: 'object',
      properties: {
        city: { type: ['string', 'null'], minLength: 1 },
        days: { type: 'array', minItems: 1, items: { type: 'object', properties: { day: { type: 'integer' } } } },
        either: { anyOf: [{ type: 'number' }, { type: ['boolean', 'null'] }] },
        deep: {
          type: 'object',
          properties: { one: { type: 'object', properties: { two: { type: 'string' } } } },
        },
        others: { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
        one: { $ref: '#/$defs/one' },
        any: { description: 'Any.' },
      },
      required: ['city'],
      $defs: { one: { type: 'string' } },
    });
  });

  it.each(FACES)('%s: a word that is no type stands in the description', async (face) => {
    const sent = await sentToAll(face, { tools: [toolOf(face, 'look', TAKEN['in words of a language'])] });
    const claude = [...sent].find(([{ dialect }]) => dialect === 'anthropic-messages')![1];
    expect(claude.tools[0].input_schema.properties).toEqual({
      a: { description: '(type: "any")' },
      b: { description: 'B. (type: "float")' },
      c: { description: '(type: ["str","None"])' },
    });
  });

  const refusals = FACES.flatMap((face) => REFUSED.map(([schema, words]) => [face, schema, words] as const));
  it.each(refusals)('%s: %j is refused by name', async (face, schema, words) => {
    const path = face === '/messages' ? 'tools.0.input_schema' : 'tools.0.function.parameters';
    for (const { model, platform } of ALL) {
      const calls = doubles.get(platform)!.calls.length;
      for (const stream of [false, true]) {
        const response = await ask(face, { model, stream, tools: [toolOf(face, 'look', schema)] });
        const { error } = (await response.json()) as JsonBody;
        expect([response.status, error.message]).toEqual([400, expect.stringContaining(`${path}${words}`)]);
      }
      expect(doubles.get(platform)!.calls).toHaveLength(calls);
    }
  });

  it('names a schema that is null or missing, where the format requires one', async () => {
    for (const tool of [{ name: 'look', input_schema: null }, { name: 'look' }]) {
      const response = await ask('/messages', { model: ALL[0]!.model, tools: [tool] });
      const { error } = (await response.json()) as JsonBody;
      expect([response.status, error.message]).toEqual([400, expect.stringContaining('tools.0.input_schema: ')]);
    }
    await sentToAll('/chat/completions', {
      tools: [
        { type: 'function', function: { name: 'a', parameters: null } },
        { type: 'function', function: { name: 'b' } },
      ],
    });
  });
});
