/**
 * Goal: choices among tools, schemas of tools and forms of answers reach every vendor as it takes them, through both
 * faces, whole and streamed; what fits goes as it came, and what the model is not held to is named. Method: the real
 * application before the strict double of each platform, which refuses what its vendor refuses; beside the usual models
 * those of Amazon Bedrock and of Anthropic that take less.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';
import {
  platformEndpointOf,
  PLATFORM_ENDPOINTS,
  platformCatalog,
  type PlatformEndpoint,
} from './platform-endpoints.js';
import { FACES, type TestFace } from './translation-bench.js';

const NOVA = platformEndpointOf('bedrock', 'bedrock-converse', 'us.amazon.nova-pro-v1:0');
const UNHELD = [
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.anthropic.claude-opus-4-8'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.anthropic.claude-sonnet-5'),
  platformEndpointOf('bedrock', 'anthropic-messages', 'us.anthropic.claude-opus-4-7'),
];
const HELD_AT_BEDROCK = platformEndpointOf('bedrock', 'bedrock-converse', 'us.anthropic.claude-opus-5');
const UNFORCED = [
  platformEndpointOf('direct', 'anthropic-messages', 'claude-opus-5-5'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.anthropic.claude-opus-5-5'),
];
/** Models that are not sent the schema of an answer. */
const TAKING_NONE = [...UNHELD, NOVA, UNFORCED[1]!];
const ALL = [...PLATFORM_ENDPOINTS, NOVA, ...UNHELD, HELD_AT_BEDROCK, ...UNFORCED];

interface Case {
  readonly face: TestFace;
  readonly endpoint: PlatformEndpoint;
  /** Both in words. */
  readonly pair: string;
}
const casesOf = (endpoints: readonly PlatformEndpoint[]): readonly Case[] =>
  FACES.flatMap((face) =>
    endpoints.map((endpoint) => ({
      face,
      endpoint,
      pair: `${face.name} over ${endpoint.upstreamModel} by ${endpoint.dialect} on ${endpoint.platform}`,
    })),
  );
const CASES = casesOf([...PLATFORM_ENDPOINTS, NOVA]);
const isClaude = ({ upstreamModel }: PlatformEndpoint): boolean => upstreamModel.includes('claude');
const isOpenai = ({ dialect }: PlatformEndpoint): boolean => dialect.startsWith('openai');
/** OpenAI's own models elsewhere are spoken to by the format alone. */
const namesAllowed = (endpoint: PlatformEndpoint): boolean =>
  isOpenai(endpoint) && (endpoint.platform === 'direct' || endpoint.platform === 'azure');
const CHAT_CASES = casesOf([...PLATFORM_ENDPOINTS, NOVA]).filter(({ face }) => face.name === 'chat');
const MODES = [false, true] as const;

/** How a dialect has tools, and a choice among them. */
const TOOLS_OF: Readonly<Record<PlatformEndpoint['dialect'], (body: JsonBody) => JsonBody[]>> = {
  'anthropic-messages': ({ tools = [] }) => tools.map((tool: JsonBody) => ({ ...tool, schema: tool.input_schema })),
  'bedrock-converse': ({ toolConfig }) =>
    (toolConfig?.tools ?? []).map(({ toolSpec }: JsonBody) => ({ ...toolSpec, schema: toolSpec.inputSchema.json })),
  'cohere-chat': ({ tools = [] }) =>
    tools.map(({ function: called }: JsonBody) => ({ ...called, schema: called.parameters })),
  'google-gemini': ({ tools: [declared] = [] }) =>
    (declared?.functionDeclarations ?? []).map((tool: JsonBody) => ({ ...tool, schema: tool.parametersJsonSchema })),
  'openai-chat': ({ tools = [] }) =>
    tools.map(({ function: called }: JsonBody) => ({ ...called, schema: called.parameters })),
  'openai-responses': ({ tools = [] }) => tools.map((tool: JsonBody) => ({ ...tool, schema: tool.parameters })),
};

/** Each dialect's word for a choice. */
const CHOICES: Readonly<Record<PlatformEndpoint['dialect'], Readonly<Record<'auto' | 'any' | 'none' | 'b', unknown>>>> = {
  'anthropic-messages': { auto: { type: 'auto' }, any: { type: 'any' }, none: { type: 'none' }, b: { type: 'tool', name: 'b' } },
  'bedrock-converse': { auto: { auto: {} }, any: { any: {} }, none: undefined, b: { tool: { name: 'b' } } },
  'cohere-chat': { auto: undefined, any: 'REQUIRED', none: 'NONE', b: 'REQUIRED' },
  'google-gemini': { auto: { mode: 'AUTO' }, any: { mode: 'ANY' }, none: { mode: 'NONE' }, b: { mode: 'ANY', allowedFunctionNames: ['b'] } },
  'openai-chat': { auto: 'auto', any: 'required', none: 'none', b: { type: 'function', function: { name: 'b' } } },
  'openai-responses': { auto: 'auto', any: 'required', none: 'none', b: { type: 'function', name: 'b' } },
}; // oxfmt-ignore
const choiceIn = (body: JsonBody): unknown =>
  body.tool_choice ?? body.toolConfig?.toolChoice ?? body.toolConfig?.functionCallingConfig;

const ANY = { type: 'object', properties: {} };
const CLOSED = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const formOf = ({ name }: TestFace, schema: object): object =>
  name === 'chat'
    ? { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } } }
    : { output_config: { format: { type: 'json_schema', schema } } };
const markedSystem = ({ name }: TestFace): object => {
  const text = { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } };
  if (name === 'messages') return { system: [text] };
  return {
    messages: [
      { role: 'system', content: [text] },
      { role: 'user', content: 'Hello' },
    ],
  };
};
const strictTool = (face: TestFace, name: string, schema: object): JsonBody => {
  const tool = face.tool(name, schema);
  if (face.name === 'chat') tool.function.strict = true;
  else tool.strict = true;
  return tool;
};

interface Sent {
  readonly body: JsonBody;
  /** As the routing metadata names it. */
  readonly dropped: readonly string[];
}

describeOnEmbedded('what vendors take of tools and forms', (database) => {
  let gateway: TestGateway;
  const doubles = new Map<PlatformId, Double>();
  beforeAll(async () => {
    for (const platform of PLATFORM_IDS) doubles.set(platform, await startDouble(platform));
    gateway = await startGateway(database, { catalog: platformCatalog(doubles, ALL), coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const double of doubles.values()) await double.close();
  });
  beforeEach(() => {
    for (const double of doubles.values()) {
      double.violations.length = 0;
      double.script({ parts: [{ type: 'text', text: 'Fine.' }] });
    }
  });

  const at = ({ endpoint }: Case): Double => doubles.get(endpoint.platform)!;
  const send = ({ face, endpoint }: Case, more: object): Promise<Response> =>
    gateway.request(face.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ model: endpoint.model, max_tokens: 4_000, messages: face.user('Hello'), ...more }),
    });

  /** What was sent, whole and streamed, and the names of what was dropped. No double had to refuse it. */
  async function sent(one: Case, more: object, modes: readonly boolean[] = MODES): Promise<Sent> {
    let dropped: readonly string[] = [];
    for (const stream of modes) {
      const response = await send(one, { ...more, stream });
      const text = await response.text();
      expect({ violations: at(one).violations, answer: response.status === 200 ? '' : text }).toEqual({
        violations: [],
        answer: '',
      });
      if (!stream) dropped = JSON.parse(text).router_metadata.attempts[0].dropped ?? [];
    }
    const [body, streamed] = at(one)
      .calls.slice(-modes.length)
      .map(({ body: { stream: _stream, stream_options: _options, ...rest } }) => rest);
    if (streamed) expect(streamed).toEqual(body);
    return { body, dropped };
  }

  async function refusalOf(one: Case, more: object): Promise<string> {
    const calls = at(one).calls.length;
    const response = await send(one, more);
    const body = (await response.json()) as JsonBody;
    expect({ status: response.status, calls: at(one).calls.length }).toEqual({ status: 400, calls });
    return body.error.message;
  }

  const toolsIn = ({ endpoint }: Case, body: JsonBody): JsonBody[] => TOOLS_OF[endpoint.dialect](body);
  const namesIn = (one: Case, body: JsonBody): string[] => toolsIn(one, body).map(({ name }) => name);
  const three = (face: TestFace): JsonBody[] => ['a', 'b', 'c'].map((name) => face.tool(name, ANY));

  describe('choices of the chat format', () => {
    it.each(CHAT_CASES)('$pair: texts are alone and in objects', async (one) => {
      for (const [choice, meant] of [
        ['any', 'any'],
        [{ type: 'auto' }, 'auto'],
        [{ type: 'required' }, 'any'],
        [{ type: 'any' }, 'any'],
        [{ type: 'tool', name: 'b' }, 'b'],
        [{ type: 'function', name: 'b' }, 'b'],
        [{ type: 'function', function: { name: 'b' } }, 'b'],
      ] as const) {
        const modes = choice === 'any' ? MODES : [false];
        const { body } = await sent(one, { tools: three(one.face), tool_choice: choice }, modes);
        expect([choice, choiceIn(body)]).toEqual([choice, CHOICES[one.endpoint.dialect][meant]]);
      }
    });

    it.each(CHAT_CASES)('$pair: none is none', async (one) => {
      const plain = await sent(one, { tools: three(one.face), tool_choice: 'none' });
      expect((await sent(one, { tools: three(one.face), tool_choice: { type: 'none' } })).body).toEqual(plain.body);
      expect(JSON.stringify(plain.body)).not.toContain('"name":"none"');
    });

    const NESTED = { type: 'function', function: { name: 'b' } };
    const FLAT = { type: 'function', name: 'a' };

    it.each(CHAT_CASES)('$pair: no tool is offered beyond those that are allowed', async (one) => {
      for (const [mode, meant] of [
        ['auto', 'auto'],
        ['required', 'any'],
      ] as const) {
        const bodies = [];
        for (const choice of [
          { type: 'allowed_tools', allowed_tools: { mode, tools: [FLAT, NESTED] } },
          { type: 'allowed_tools', mode, tools: [FLAT, NESTED] },
        ]) {
          bodies.push((await sent(one, { tools: three(one.face), tool_choice: choice }, [mode === 'auto'])).body);
        }
        const [body, flat] = bodies;
        expect(flat).toEqual(body);
        if (!namesAllowed(one.endpoint)) {
          expect([namesIn(one, body), choiceIn(body)]).toEqual([['a', 'b'], CHOICES[one.endpoint.dialect][meant]]);
          continue;
        }
        const called = (name: string) =>
          one.endpoint.dialect === 'openai-chat'
            ? { type: 'function', function: { name } }
            : { type: 'function', name };
        const allowed = { mode, tools: [called('a'), called('b')] };
        expect(namesIn(one, body)).toEqual(['a', 'b', 'c']);
        expect(choiceIn(body)).toEqual(
          one.endpoint.dialect === 'openai-chat'
            ? { type: 'allowed_tools', allowed_tools: allowed }
            : { type: 'allowed_tools', ...allowed },
        );
      }
    });

    it.each([
      [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'z' } }] } }, 'tool_choice.allowed_tools.tools.0: is no tool of this request'],
      [{ type: 'allowed_tools', mode: 'auto', tools: [FLAT, { type: 'image_generation' }] }, 'tool_choice.tools.1: is no tool of this request'],
      [{ type: 'allowed_tools', mode: 'auto', tools: [] }, 'tool_choice.tools: names no tool'],
      [{ type: 'allowed_tools', mode: 'none', tools: [] }, 'tool_choice.mode: must be one of auto, required'],
      [{ type: 'allowed_tools' }, 'tool_choice.allowed_tools: is required'],
      [{ type: 'tool' }, 'tool_choice.name: is required'],
      [{ type: 'custom', custom: { name: 'a' } }, 'tool_choice.type: must be one of'],
      [{ type: 'image' }, 'tool_choice.type: must be one of'],
    ])('refuses %j by name', async (choice, words) => {
      const one = CHAT_CASES[0]!;
      expect(await refusalOf(one, { tools: three(one.face), tool_choice: choice })).toContain(words);
    }); // oxfmt-ignore

    it('reads one call at a time out of a choice', async () => {
      const one = CHAT_CASES.find(({ endpoint }) => endpoint.dialect === 'anthropic-messages')!;
      const choice = { type: 'any', disable_parallel_tool_use: true };
      expect(choiceIn((await sent(one, { tools: three(one.face), tool_choice: choice })).body)).toEqual(choice);
    });

    it.each([
      ['auto'],
      [{ type: 'required' }],
      [{ type: 'function', function: { name: 'a' } }],
      [{ type: 'allowed_tools', mode: 'auto', tools: [] }],
    ])('the Messages format refuses %j by name', async (choice) => {
      const one = CASES.find(({ face }) => face.name === 'messages')!;
      const words = 'tool_choice: is a choice of chat completions; the Messages format has {"type": "auto"}';
      expect(await refusalOf(one, { tools: three(one.face), tool_choice: choice })).toContain(words);
    });

    it.each(casesOf(UNFORCED))('$pair: a model that cannot be forced is free, and this is named', async (one) => {
      const choice = one.face.name === 'chat' ? 'required' : { type: 'any' };
      const { body, dropped } = await sent(one, { tools: three(one.face), tool_choice: choice });
      expect([choiceIn(body), dropped]).toEqual([undefined, ['tool_choice']]);
    });
  });

  /** Legal in MCP and in JSON Schema; what any vendor refuses of them is changed. */
  const LEGAL: Readonly<Record<string, JsonBody>> = {
    'no properties': { type: 'object' },
    'properties that are null': { type: 'object', properties: null },
    'nothing at all': {},
    'an array without items': { type: 'object', properties: { a: { type: 'array' } } },
    'inner objects and arrays': {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', properties: { b: { type: ['array', 'null'] }, c: { type: 'object' } } } } },
    },
    'in a choice and a definition': {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'array' }, { $ref: '#/$defs/b' }] } },
      $defs: { b: { type: 'object' } },
    },
    'flags of an older draft': {
      type: 'object',
      properties: {
        a: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        b: { type: 'string', required: true },
        c: { type: 'object', properties: null, required: null },
      },
    },
    'properties of any names': {
      type: 'object',
      properties: { $top: { type: 'integer' }, 'filter[name]': { type: 'string' }, ['a'.repeat(65)]: {}, a: { properties: { $b: {} } } },
      required: ['$top', 'a'],
      additionalProperties: false,
    },
    'a map': { type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'number' } } }, additionalProperties: { type: 'string' } },
    'a tuple of an older draft': { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
    'one of several fields': {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    'one of several objects': {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, a: { type: 'string' } }, required: ['kind', 'a'] },
        { $ref: '#/$defs/b' },
      ],
      $defs: { b: { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] } },
    },
    'several that all hold': { allOf: [{ type: 'object', properties: { a: {} } }, { properties: { b: {} }, required: ['b'] }] },
    'a reference at the top': { $ref: '#/definitions/a', definitions: { a: { type: 'object', properties: { a: {} } } } },
    'words around the properties': {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Look',
      type: 'object',
      properties: { a: { $ref: '#/$defs/tree' } },
      additionalProperties: false,
      $defs: { tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } } },
    },
  }; // oxfmt-ignore

  it.each(CASES)('A14: $pair: schemas of tools that MCP allows are taken', async (one) => {
    const tools = Object.values(LEGAL).map((schema, index) => one.face.tool(`t${index}`, schema));
    expect(namesIn(one, (await sent(one, { tools })).body)).toHaveLength(tools.length);
  });

  it.each(CHAT_CASES)('$pair: a tool without parameters is taken', async (one) => {
    const functions = [{ name: 'a', parameters: {} }, { name: 'b', parameters: null }, { name: 'c' }];
    await sent(one, { tools: functions.map((called) => ({ type: 'function', function: called })) });
  });

  const FITTING = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    description: 'Where.',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'array', items: { type: 'integer', maximum: 7 }, minItems: 2 } },
    required: ['city'],
    additionalProperties: false,
  }; // oxfmt-ignore

  it.each(CASES.filter(({ endpoint }) => endpoint.dialect !== 'google-gemini' && endpoint !== NOVA))(
    'A14: $pair: a schema that fits goes byte for byte',
    async (one) => {
      const { body, dropped } = await sent(one, { tools: [one.face.tool('look', FITTING)] });
      expect(JSON.stringify(toolsIn(one, body)[0].schema)).toBe(JSON.stringify(FITTING));
      expect(dropped).toEqual([]);
    },
  );

  const MERGED = CASES.filter(({ endpoint }) => isClaude(endpoint) || isOpenai(endpoint) || endpoint === NOVA);

  it.each(MERGED)('$pair: a union at the top is merged, restated and named', async (one) => {
    const several = await sent(one, { tools: [one.face.tool('look', LEGAL['one of several fields'])] });
    const { schema } = toolsIn(one, several.body)[0];
    expect(schema.properties).toEqual({ a: { type: 'string' }, b: { type: 'string' } });
    if (one.endpoint !== NOVA) expect(schema.description).toBe('Requires one of these sets of properties: a; b.');
    expect(several.dropped).toEqual(['tools.0.anyOf']);
    const objects = await sent(one, { tools: [one.face.tool('look', LEGAL['one of several objects'])] });
    expect(toolsIn(one, objects.body)[0].schema).toMatchObject({
      type: 'object',
      properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, a: { type: 'string' } },
      required: ['kind'],
    });
    expect(objects.dropped).toEqual(['tools.0.oneOf']);
    const all = await sent(one, { tools: [one.face.tool('look', LEGAL['several that all hold'])] });
    expect(toolsIn(one, all.body)[0].schema).toEqual({ type: 'object', properties: { a: {}, b: {} }, required: ['b'] });
    expect(all.dropped).toEqual([]);
  });

  it.each(CASES.filter(({ endpoint }) => isClaude(endpoint)))(
    '$pair: properties of names that are refused are described, and this is named',
    async (one) => {
      const look = one.face.tool('look', LEGAL['properties of any names']);
      const { body, dropped } = await sent(one, { tools: [look] });
      const note = 'Takes these properties too: {"$top":{"type":"integer"},"filter[name]":{"type":"string"}';
      const { schema } = toolsIn(one, body)[0];
      expect(schema).toEqual({
        type: 'object',
        description: `${note},"${'a'.repeat(65)}":{}}. Required of them: ["$top"].`,
        properties: { a: { properties: { $b: {} } } },
        required: ['a'],
      });
      expect(dropped).toEqual(['tools.0.properties']);
      const strict = await sent(one, { tools: [strictTool(one.face, 'look', LEGAL['properties of any names'])] });
      expect([toolsIn(one, strict.body)[0].strict, strict.dropped]).toEqual([
        undefined,
        ['tools.0.strict', 'tools.0.properties'],
      ]);
    },
  );

  it.each(CASES.filter(({ endpoint }) => isClaude(endpoint)))('$pair: keywords of older drafts become those of the newest', async (one) => {
    const { body, dropped } = await sent(one, { tools: [one.face.tool('look', LEGAL['flags of an older draft'])] });
    expect(toolsIn(one, body)[0].schema.properties).toEqual({
      a: { type: 'integer', exclusiveMinimum: 0, maximum: 9 },
      b: { type: 'string' },
      c: { type: 'object' },
    });
    expect(dropped).toEqual([]);
  }); // oxfmt-ignore

  it.each(CASES.filter(({ endpoint }) => endpoint === NOVA))(
    '$pair: definitions replace what refers to them',
    async (one) => {
      const { body } = await sent(one, { tools: [one.face.tool('look', LEGAL['words around the properties'])] });
      expect(toolsIn(one, body)[0].schema).toEqual({
        type: 'object',
        properties: { a: { type: 'object', properties: { children: { type: 'array', items: {} } } } },
      });
    },
  );

  const BOUND = {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Its name.', minLength: 3, maxLength: 9 },
      days: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 7 }, minItems: 2 },
      kind: { oneOf: [{ const: 'a' }, { type: 'null' }] },
    },
    required: ['city'],
  };
  const HELD = {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Its name. (minLength: 3; maxLength: 9)' },
      days: {
        type: 'array',
        items: { type: 'integer', description: '(minimum: 1; maximum: 7)' },
        minItems: 1,
        description: '(minItems: 2)',
      },
      kind: { anyOf: [{ const: 'a' }, { type: 'null' }] },
    },
    required: ['city'],
    additionalProperties: false,
  };
  const LOST = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems'];
  const HELD_CASES = casesOf([...PLATFORM_ENDPOINTS.filter(isClaude), HELD_AT_BEDROCK]);

  const schemaIn = ({ endpoint }: Case, body: JsonBody): JsonBody =>
    endpoint.dialect === 'bedrock-converse'
      ? JSON.parse(body.outputConfig.textFormat.structure.jsonSchema.schema)
      : body.output_config.format.schema;

  it.each(HELD_CASES)('$pair: the form of an answer is closed, its bounds restated and named', async (one) => {
    const { body, dropped } = await sent(one, formOf(one.face, BOUND));
    expect(schemaIn(one, body)).toEqual(HELD);
    expect(dropped.toSorted()).toEqual(LOST.map((keyword) => `output_config.format.${keyword}`).toSorted());
  });

  it.each(HELD_CASES)('$pair: a form that fits goes byte for byte', async (one) => {
    const { body, dropped } = await sent(one, formOf(one.face, CLOSED));
    expect([JSON.stringify(schemaIn(one, body)), dropped]).toEqual([JSON.stringify(CLOSED), []]);
  });

  it.each(CASES.filter(({ endpoint }) => endpoint.dialect === 'cohere-chat'))(
    '$pair: a form beside a tool is in the instructions, and this is named',
    async (one) => {
      const tools = [one.face.tool('look', CLOSED)];
      const { body, dropped } = await sent(one, { tools, ...formOf(one.face, CLOSED) });
      expect([body.response_format, dropped]).toEqual([undefined, ['output_config.format']]);
      expect(JSON.stringify(body.messages)).toContain('The JSON must fit this JSON Schema');
      if (one.face.name !== 'chat') return;
      const plain = await sent(one, { tools, response_format: { type: 'json_object' } });
      expect([plain.body.response_format, plain.dropped]).toEqual([undefined, ['response_format']]);
    },
  );

  it.each(CASES.filter(({ endpoint }) => !isClaude(endpoint) && endpoint !== NOVA))('$pair: the form of an answer is taken', async (one) => {
    for (const schema of [BOUND, CLOSED, { type: 'object', properties: { a: { type: 'string', format: 'uri' } }, required: ['a'], additionalProperties: false }]) {
      await sent(one, formOf(one.face, schema));
      if (one.face.name === 'chat') {
        await sent(one, { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } } });
      }
    }
  }); // oxfmt-ignore

  it.each(CASES.filter(({ endpoint }) => endpoint.dialect === 'google-gemini'))(
    '$pair: words that Gemini has not stand in descriptions, and are named, of tools and of the answer',
    async (one) => {
      const schema = {
        ...CLOSED,
        properties: {
          city: { type: 'string', description: 'Its name.', minLength: 3, pattern: '^[A-Z]', default: 'Oslo' },
          days: { type: 'integer', exclusiveMinimum: 0, multipleOf: 2 },
        },
      };
      const reduced = {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Its name. (minLength: 3; pattern: "^[A-Z]")' },
          days: { type: 'integer', minimum: 1, description: '(multipleOf: 2)' },
        },
        required: ['city'],
      };
      const tools = [one.face.tool('plain', CLOSED), one.face.tool('look', schema)];
      const { body, dropped } = await sent(one, { tools, ...formOf(one.face, schema) });
      expect([toolsIn(one, body)[1].schema, body.generationConfig.responseJsonSchema]).toEqual([reduced, reduced]);
      const lost = ['minLength', 'pattern', 'multipleOf'];
      expect(dropped.toSorted()).toEqual(
        lost.flatMap((keyword) => [`output_config.format.${keyword}`, `tools.1.${keyword}`]).toSorted(),
      );
    },
  ); // oxfmt-ignore

  const INSTRUCTIONS = 'Answer with JSON alone, without other words and without a code fence. The JSON must fit this JSON Schema:\n'; // oxfmt-ignore
  /** The last instructions, and what else is stated of the answer. */
  const ANSWER_OF: Readonly<Record<PlatformEndpoint['dialect'], (body: JsonBody) => unknown>> = {
    'anthropic-messages': (body) => [lastText(body.system), body.output_config],
    'bedrock-converse': (body) => [lastText(body.system), body.outputConfig],
    'cohere-chat': (body) => [lastText(body.messages[0].content), body.response_format],
    'google-gemini': (body) => [lastText(body.systemInstruction?.parts), body.generationConfig?.responseJsonSchema],
    'openai-chat': (body) => [undefined, body.response_format],
    'openai-responses': (body) => [undefined, body.text],
  };
  const lastText = (texts: unknown): unknown => (Array.isArray(texts) ? texts.at(-1)?.text : texts);

  /** Objects of properties that have no names in the schema. */
  const MAPS: readonly JsonBody[] = [
    { type: 'object', properties: { prices: { type: 'object', additionalProperties: { type: 'number' } } }, required: ['prices'], additionalProperties: false },
    { type: 'object', properties: { at: { type: 'string' } }, additionalProperties: { type: 'number' } },
    { type: 'object', patternProperties: { '^a': { type: 'number' } } },
    { type: 'object', properties: { any: { type: 'object' } }, required: ['any'] },
    { type: 'object' },
  ]; // oxfmt-ignore

  it.each(casesOf(ALL))('$pair: an answer that is a map is one', async (one) => {
    for (const schema of MAPS) {
      const { body, dropped } = await sent(one, formOf(one.face, schema));
      const { dialect } = one.endpoint;
      const answer = ANSWER_OF[dialect](body);
      const inWords = INSTRUCTIONS + JSON.stringify(schema);
      if (dialect === 'google-gemini') {
        const { patternProperties, additionalProperties: given, ...rest } = schema;
        const additionalProperties = patternProperties?.['^a'] ?? (given || undefined);
        expect([answer, dropped]).toEqual([
          [
            undefined,
            {
              ...rest,
              ...(additionalProperties && { additionalProperties }),
              ...(patternProperties && { description: `(patternProperties: ${JSON.stringify(patternProperties)})` }),
            },
          ],
          patternProperties ? ['output_config.format.patternProperties'] : [],
        ]);
      } else if (isOpenai(one.endpoint)) {
        const form = { name: 'reply', schema, strict: false };
        expect([answer, dropped]).toEqual([
          [undefined, dialect === 'openai-chat' ? { type: 'json_schema', json_schema: form } : { format: { type: 'json_schema', ...form } }],
          [],
        ]);
      } else {
        const takesNone = TAKING_NONE.includes(one.endpoint);
        expect([answer, dropped]).toEqual([
          [takesNone ? undefined : inWords, dialect === 'cohere-chat' ? { type: 'json_object' } : undefined],
          ['output_config.format'],
        ]);
      }
    }
  }); // oxfmt-ignore

  it.each(HELD_CASES)('$pair: a schema of the answer beyond the limits of the vendor is not enforced', async (one) => {
    const optional = Array.from({ length: 25 }, (_, index) => [`p${index}`, { type: 'string' }]);
    const either = Array.from({ length: 17 }, (_, index) => [`p${index}`, { anyOf: [{ type: 'string' }, { type: 'null' }] }]);
    for (const [properties, required] of [[optional, []], [either, either.map(([name]) => name)]]) {
      const schema = { type: 'object', properties: Object.fromEntries(properties as []), required };
      const { body, dropped } = await sent(one, formOf(one.face, schema));
      expect(ANSWER_OF[one.endpoint.dialect](body)).toEqual([INSTRUCTIONS + JSON.stringify(schema), undefined]);
      expect(dropped).toEqual(['output_config.format']);
    }
  }); // oxfmt-ignore

  it.each(HELD_CASES)('$pair: instructions follow those of the caller, whose markers stay', async (one) => {
    const { body } = await sent(one, { ...formOf(one.face, MAPS[0]), ...markedSystem(one.face) });
    const [own, ...others] = body.system as JsonBody[];
    expect(own!.text).toBe('Be brief.');
    expect(own!.cache_control ?? others[0]!.cachePoint).toEqual(own!.cache_control ? { type: 'ephemeral' } : { type: 'default' });
    expect(others.at(-1)!.text).toBe(INSTRUCTIONS + JSON.stringify(MAPS[0]));
  }); // oxfmt-ignore

  const RECURSIVE = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/tree' } },
    $defs: { tree: { type: 'object', properties: { inner: { $ref: '#/$defs/tree' } } } },
  };

  it.each(HELD_CASES)('$pair: a form that refers to itself is given in instructions', async (one) => {
    const { body, dropped } = await sent(one, formOf(one.face, RECURSIVE));
    expect(ANSWER_OF[one.endpoint.dialect](body)).toEqual([INSTRUCTIONS + JSON.stringify(RECURSIVE), undefined]);
    expect(dropped).toEqual(['output_config.format']);
  });

  it.each(HELD_CASES)('$pair: a strict tool is held to what the vendor has; a recursive one is not strict', async (one) => {
    const tools = [strictTool(one.face, 'a', BOUND), strictTool(one.face, 'b', CLOSED), strictTool(one.face, 'c', RECURSIVE)];
    const { body, dropped } = await sent(one, { tools });
    const [a, b, c] = toolsIn(one, body);
    expect([a.schema, a.strict]).toEqual([HELD, true]);
    expect([JSON.stringify(b.schema), b.strict]).toEqual([JSON.stringify(CLOSED), true]);
    expect([JSON.stringify(c.schema), c.strict]).toEqual([JSON.stringify(RECURSIVE), undefined]);
    expect(dropped.toSorted()).toEqual([...LOST.map((keyword) => `tools.0.${keyword}`), 'tools.2.strict'].toSorted());
  }); // oxfmt-ignore

  it.each(HELD_CASES)("$pair: as many tools are strict as the vendor's limits allow", async (one) => {
    const many = Array.from({ length: 25 }, (_, index) => strictTool(one.face, `t${index}`, CLOSED));
    const { body, dropped } = await sent(one, { tools: many });
    expect(toolsIn(one, body).map(({ strict }) => strict === true)).toEqual(many.map((_, index) => index < 20));
    expect(dropped).toEqual([20, 21, 22, 23, 24].map((index) => `tools.${index}.strict`));
    const loose = { ...CLOSED, properties: Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`p${index}`, { type: 'string' }])), required: [] };
    const wide = await sent(one, { tools: ['a', 'b'].map((name) => strictTool(one.face, name, loose)) });
    expect(toolsIn(one, wide.body).map(({ strict }) => strict)).toEqual([true, undefined]);
  }); // oxfmt-ignore

  it.each(casesOf(UNHELD))('$pair: strict is left out, and named, for models that refuse it', async (one) => {
    const { body, dropped } = await sent(one, { tools: [strictTool(one.face, 'a', BOUND)] });
    const [tool] = toolsIn(one, body);
    expect([tool.schema, tool.strict, dropped]).toEqual([BOUND, undefined, ['tools.0.strict']]);
  });

  it.each(casesOf(UNHELD).filter(({ endpoint }) => endpoint.dialect === 'anthropic-messages'))(
    '$pair: so is the form of an answer',
    async (one) => {
      const { body, dropped } = await sent(one, formOf(one.face, CLOSED));
      expect([body.output_config, dropped]).toEqual([undefined, ['output_config.format']]);
    },
  );

  it.each(CASES.filter(({ endpoint }) => isOpenai(endpoint)))(
    '$pair: a strict tool with optional properties is not strict',
    async (one) => {
      const { body, dropped } = await sent(one, {
        tools: [strictTool(one.face, 'a', BOUND), strictTool(one.face, 'b', CLOSED)],
      });
      expect(toolsIn(one, body).map(({ strict }) => strict)).toEqual([false, true]);
      expect(dropped).toEqual(['tools.0.strict']);
    },
  );
});
