// Goal: no model receives an answer schema that it refuses, however it is reached. A model that takes other schemas
// receives it in instructions, and what is not enforced is named once. No tool is strict that cannot express its own
// schema. Method: a request of each face, whole and streamed, encoded for models on each platform; a double of the
// vendor's list finds the schema in the call.
import { AheadClock } from '../../test/support/ahead-clock.js';
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model } from '../../test/support/route-inputs.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { printJson, type Json, type JsonObject } from '../core/json/json.js';
import type { Target } from '../core/provider.js';
import type { DialectId, PlatformId } from '../core/routing/catalog.js';
import { doAtOnce } from '../core/steps.js';
import type { Environment } from '../shared/environment.js';
import { ProviderClient } from './provider-client.js';
import { ProviderRegistry } from './registry.js';
import type { Transport } from './transport/transport.js';

const registry = new ProviderRegistry({} as Transport, new AheadClock());
const client = new ProviderClient(registry, { timeouts: {} } as Environment);

function targetOf(dialect: DialectId, platform: PlatformId, upstreamModel: string, slug = 'p'): Target {
  const plain = endpoint(slug, { upstreamModel, dialect });
  const provider = { ...plain.provider, dialect, platform, needsNoCredential: true as const };
  const one = { ...plain, provider };
  return {
    model: model('a/b', [one]),
    endpoint: one,
    tier: 'standard',
    definition: registry.accessTo(one).definition,
  };
}

function bodyOf(request: ModelRequest, target: Target): JsonObject {
  const { dialect, platform } = registry.accessTo(target.endpoint);
  const call = doAtOnce(dialect.encode(request, target, new Map()));
  return JSON.parse(printJson((platform.adapt?.(call, target) ?? call).body)) as JsonObject;
}

const SCHEMA = { type: 'object', properties: { a: { type: 'string', minLength: 1 } }, required: ['a'] };
const PLAIN = modelRequest({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
const HELD: ModelRequest = { ...PLAIN, outputFormat: { type: 'json-schema', schema: SCHEMA, name: 'n' } };
const LEAD =
  'Answer with JSON alone, without other words and without a code fence. The JSON must fit this JSON Schema:\n';
const NATIVE: ModelRequest = {
  ...HELD,
  outputOrigin: { vendor: 'anthropic', value: { format: { type: 'json_schema', schema: SCHEMA } } },
};

/** Other vendors' models take a schema in the Messages format unchanged. */
const restatedBy = (name: string): readonly string[] => (name === 'kimi-k2' ? [] : ['output_config.format.minLength']);

const MESSAGES = 'anthropic-messages';
const CONVERSE = 'bedrock-converse';

it.each<[DialectId, PlatformId, string, boolean]>([
  [MESSAGES, 'direct', 'claude-3-5-haiku-20241022', false],
  [MESSAGES, 'direct', 'claude-sonnet-4-20250514', false],
  [MESSAGES, 'direct', 'claude-opus-4-1', true],
  [MESSAGES, 'direct', 'claude-haiku-4-5', true],
  [MESSAGES, 'direct', 'claude-opus-4-7', true],
  [MESSAGES, 'direct', 'claude-fable-5', true],
  [MESSAGES, 'direct', 'claude-of-the-account', true],
  [MESSAGES, 'direct', 'kimi-k2', true],
  [MESSAGES, 'vertex', 'claude-sonnet-4@20250514', false],
  [MESSAGES, 'vertex', 'claude-sonnet-4-5@20250929', true],
  [MESSAGES, 'azure', 'claude-sonnet-4', false],
  [MESSAGES, 'azure', 'claude-opus-4-7', true],
  ...([MESSAGES, CONVERSE] as const).flatMap((dialect): [DialectId, PlatformId, string, boolean][] => [
    [dialect, 'bedrock', 'us.anthropic.claude-3-5-haiku-20241022-v1:0', false],
    [dialect, 'bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', false],
    [dialect, 'bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', true],
    [dialect, 'bedrock', 'us.anthropic.claude-opus-4-6-v1', true],
    [dialect, 'bedrock', 'us.anthropic.claude-opus-4-7', false],
    [dialect, 'bedrock', 'us.anthropic.claude-fable-5', false],
    [dialect, 'bedrock', 'us.anthropic.claude-opus-5', true],
  ]),
  [CONVERSE, 'bedrock', 'amazon.nova-pro-v1:0', false],
  [CONVERSE, 'bedrock', 'us.amazon.nova-2-lite-v1:0', false],
  [CONVERSE, 'bedrock', 'openai.gpt-oss-120b-1:0', true],
])('%s on %s: %s takes the schema of an answer: %s', (dialect, platform, name, takes) => {
  const target = targetOf(dialect, platform, name);
  for (const requested of [HELD, NATIVE]) {
    for (const stream of [false, true]) {
      const request = { ...requested, stream };
      const without = { ...PLAIN, stream };
      const body = bodyOf(request, target);
      const holds = body['outputConfig'] !== undefined || body['output_config'] !== undefined;
      expect(holds).toBe(takes);
      if (!takes) expect(body).toEqual(bodyOf(without, target));
      expect(client.droppedBy(target, request)).toEqual(takes ? restatedBy(name) : ['output_config.format']);
      expect(registry.carries(target, 'structured_outputs')).toBe(takes);
    }
  }
});

it('keeps the effort beside a schema that it drops', () => {
  const value = { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } };
  const request: ModelRequest = { ...HELD, effort: 'low', outputOrigin: { vendor: 'anthropic', value } };
  const target = targetOf(MESSAGES, 'bedrock', 'us.anthropic.claude-opus-4-7');
  expect(bodyOf(request, target)['output_config']).toEqual({ effort: 'low' });
});

const MAP = { type: 'object', properties: { prices: { type: 'object', additionalProperties: { type: 'number' } } } };
const objectOf = (count: number): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }])),
});
const CLAUDE_PATHS: [DialectId, PlatformId, string][] = [
  [MESSAGES, 'direct', 'claude-sonnet-4-5'],
  [MESSAGES, 'vertex', 'claude-sonnet-4-5@20250929'],
  [MESSAGES, 'bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  [CONVERSE, 'bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
];
const OTHER_AT_BEDROCK: [DialectId, PlatformId, string] = [CONVERSE, 'bedrock', 'openai.gpt-oss-120b-1:0'];

it.each(CLAUDE_PATHS)('%s on %s: a strict tool of %s with a map is sent unchanged, not strict', (dialect, platform, name) => {
  const target = targetOf(dialect, platform, name);
  const value = { name: 'f', input_schema: MAP, strict: true };
  const tool = { type: 'function', name: 'f', inputSchema: MAP, strict: true } as const;
  for (const one of [tool, { ...tool, origin: { vendor: 'anthropic', value } } as const]) {
    for (const stream of [false, true]) {
      const request: ModelRequest = { ...PLAIN, stream, tools: [one] };
      const printed = printJson(bodyOf(request, target));
      expect(printed).toContain(printJson(MAP));
      expect(printed).not.toContain('strict');
      expect(client.droppedBy(target, request)).toEqual(['tools.0.strict']);
    }
  }
}); // oxfmt-ignore

/** Schemas that a vendor has no form for, or more of them than it takes. */
const UNFIT: readonly [string, JsonObject][] = [
  ['a map', MAP],
  ['an object of anything', { type: 'object' }],
  ['a schema that refers to itself', { type: 'object', properties: { a: { $ref: '#' } } }],
  ['a schema that leads out of it', { type: 'object', properties: { a: { $ref: 'https://a.test' } } }],
  ['more optional properties than are taken', objectOf(25)],
];

/** What a body states of the answer: in its own field, and in instructions. */
function answerIn(body: JsonObject): { readonly form: Json | undefined; readonly words: string } {
  const { outputConfig, output_config, response_format } = body;
  const [first] = body['messages'] as JsonObject[];
  const system = body['system'] ?? (first!['role'] === 'system' ? first!['content'] : '');
  const texts = typeof system === 'string' ? [system] : (system as { text: string }[]).map(({ text }) => text);
  return { form: outputConfig ?? output_config ?? response_format, words: texts.at(-1)! };
}

const requestedIn = (schema: JsonObject, isNative: boolean): ModelRequest => ({
  ...PLAIN,
  system: [{ type: 'text', text: 'Be brief.', cacheMarker: {} }],
  outputFormat: { type: 'json-schema', schema, strict: true },
  ...(isNative && { outputOrigin: { vendor: 'anthropic', value: { format: { type: 'json_schema', schema } } } }),
});

it.each(
  [...CLAUDE_PATHS, OTHER_AT_BEDROCK].flatMap((path) =>
    UNFIT.map(([name, schema]) => [...path, name, schema] as const),
  ),
)('%s on %s: %s is given %s in instructions, and this is named', (dialect, platform, upstreamModel, _, schema) => {
  const target = targetOf(dialect, platform, upstreamModel);
  for (const isNative of [false, true]) {
    for (const stream of [false, true]) {
      const request = { ...requestedIn(schema, isNative), stream };
      const { form, words } = answerIn(bodyOf(request, target));
      expect({ form, words }).toEqual({ form: undefined, words: LEAD + printJson(schema) });
      expect(client.droppedBy(target, request)).toEqual(['output_config.format']);
      expect(registry.unmetBy(target, request)).toBe('output_config.format');
    }
  }
});

it('keeps the fields beside a schema that it gives in instructions', () => {
  const value = { effort: 'low', format: { type: 'json_schema', schema: MAP } };
  const request: ModelRequest = {
    ...requestedIn(MAP, false),
    effort: 'low',
    outputOrigin: { vendor: 'anthropic', value },
  };
  const target = targetOf(MESSAGES, 'direct', 'claude-opus-4-7');
  expect(bodyOf(request, target)['output_config']).toEqual({ effort: 'low' });
});

it('gives Cohere a schema in instructions that requires nothing of an object, and asks for JSON', () => {
  const target = targetOf('cohere-chat', 'direct', 'command-a');
  for (const schema of [MAP, { type: 'array' }, { type: 'object', properties: { a: {} } }]) {
    const request = requestedIn(schema, false);
    expect(answerIn(bodyOf(request, target))).toEqual({
      form: { type: 'json_object' },
      words: `Be brief.\n\n${LEAD}${printJson(schema)}`,
    });
    expect(client.droppedBy(target, request)).toEqual(['output_config.format']);
  }
  const request = requestedIn(SCHEMA, false);
  expect(answerIn(bodyOf(request, target))).toEqual({
    form: { type: 'json_object', json_schema: SCHEMA },
    words: 'Be brief.',
  });
  expect(client.droppedBy(target, request)).toEqual([]);
});

const CHAT_PATHS: [string, string, boolean][] = [
  ['openai', 'gpt-5', false],
  ['mistral', 'mistral-large-latest', false],
  ['groq', 'llama-4', false],
  ['my-vllm', 'llama-4', true],
];

it.each(CHAT_PATHS)('at %s, %s must follow a map: %s', (slug, upstreamModel, isStrict) => {
  for (const dialect of ['openai-chat', 'openai-responses'] as const) {
    const target = targetOf(dialect, 'direct', upstreamModel, slug);
    const request = requestedIn(MAP, false);
    const { response_format, text } = bodyOf(request, target) as Record<string, Record<string, JsonObject>>;
    const form = response_format?.['json_schema'] ?? text?.['format'];
    expect(form).toMatchObject({ schema: MAP, strict: isStrict });
    expect(client.droppedBy(target, request)).toEqual(isStrict ? [] : ['output_config.format.strict']);
  }
});
