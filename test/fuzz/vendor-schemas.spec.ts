/**
 * Goal: no schema of a tool or of an answer, however malformed, leaves in a form that its vendor refuses. Method:
 * random schemas in the words of JSON Schema, of its older drafts, of Google and of none, encoded for a model of each
 * dialect on each platform; the strict doubles judge what would be sent.
 */
import fc from 'fast-check';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { printJson, type JsonObject } from '../../src/core/json/json.js';
import type { Target } from '../../src/core/provider.js';
import { doAtOnce } from '../../src/core/steps.js';
import { ProviderClient } from '../../src/providers/provider-client.js';
import { ProviderRegistry } from '../../src/providers/registry.js';
import type { Transport } from '../../src/providers/transport/transport.js';
import type { Environment } from '../../src/shared/environment.js';
import { AheadClock } from '../support/ahead-clock.js';
import { DIALECT_DOUBLES } from '../support/doubles/dialects.js';
import { modelRequest } from '../support/model-request.js';
import { endpoint, model } from '../support/route-inputs.js';
import { PLATFORM_ENDPOINTS, platformEndpointOf, type PlatformEndpoint } from '../http/platform-endpoints.js';

const TIMES = Number(process.env['FAIRLEAD_FUZZ_TIMES'] ?? 1);
const BUDGET = {
  seed: Number(process.env['FAIRLEAD_FUZZ_SEED'] ?? 20_260_101),
  numRuns: 250 * TIMES,
  interruptAfterTimeLimit: 8_000 * TIMES,
  markInterruptAsFailure: false,
} as const;
const ALL = [
  ...PLATFORM_ENDPOINTS,
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.amazon.nova-pro-v1:0'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.meta.llama3-3-70b-instruct-v1:0'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.anthropic.claude-opus-5'),
  platformEndpointOf('direct', 'anthropic-messages', 'claude-opus-5-5'),
];

const NAMES = ['a', 'b', '$c', 'd e', 'type', 'properties', 'items'];
const one = <Value>(...values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);
const TYPE = one<unknown>('string', 'number', 'integer', 'boolean', 'null', 'object', 'array', 'OBJECT', 'STRING', 'any', ['string', 'null'], ['OBJECT', 'NULL'], ['array', 'array'], [], null, 5); // oxfmt-ignore
/** Keywords without a schema within. */
const WORDS = {
  type: TYPE,
  title: one<unknown>('T', 5),
  description: one<unknown>('D', '', null),
  default: one<unknown>(null, 1, {}),
  enum: one<unknown>(['a', 'b'], [null], ['a', null], [], [{ a: 1 }], 'a'),
  const: one<unknown>('a', null, { a: 1 }),
  format: one<unknown>('date-time', 'enum', '', 5),
  pattern: one<unknown>('^a', '(?=a)', 5),
  minLength: one<unknown>(0, '1', null, -1),
  minItems: one<unknown>(2, '1'),
  minimum: one<unknown>(0, -1.5, '1'),
  exclusiveMinimum: one<unknown>(true, false, 0),
  uniqueItems: one<unknown>(true, 'yes'),
  required: one<unknown>(true, null, [], ['a'], ['z'], ['a', 'a'], 'a'),
  nullable: one<unknown>(true, false),
  $ref: one<unknown>('#/$defs/a', '#/nowhere', 5),
};
const optional: { requiredKeys: [] } = { requiredKeys: [] };
const SCHEMAS = fc.letrec<{ schema: JsonObject; any: unknown; map: unknown; list: unknown }>((tie) => ({
  any: fc.oneof({ weight: 8, arbitrary: tie('schema') }, { weight: 1, arbitrary: one<unknown>(true, false, null, 'string') }),
  map: fc.oneof({ weight: 8, arbitrary: fc.dictionary(one(...NAMES), tie('any'), { maxKeys: 3 }) }, { weight: 1, arbitrary: one<unknown>(null, []) }),
  list: fc.oneof({ weight: 8, arbitrary: fc.array(tie('any'), { maxLength: 2 }) }, { weight: 1, arbitrary: one<unknown>(null, {}) }),
  schema: fc
    .oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.record(WORDS, optional),
      fc.record({ type: TYPE, properties: tie('map'), required: WORDS.required, additionalProperties: tie('any') }, optional),
      fc.record({ type: TYPE, items: fc.oneof(tie('any'), tie('list')), prefixItems: tie('list') }, optional),
      fc.record({ anyOf: tie('list'), oneOf: tie('list'), allOf: tie('list'), not: tie('any') }, optional),
      fc.record({ type: TYPE, $defs: tie('map'), definitions: tie('map'), patternProperties: tie('map'), if: tie('any') }, optional),
    )
    .map((schema) => schema as JsonObject),
})); // oxfmt-ignore
/** The faces refuse the schema of a tool that is no object's (test/http/tool-schemas.spec.ts). */
const ROOT = fc
  .tuple(SCHEMAS.schema, SCHEMAS.map, one('object', 'OBJECT'))
  .map(([schema, properties, type]) => ({ properties, ...schema, type }) as JsonObject);

const registry = new ProviderRegistry({} as Transport, new AheadClock());
const client = new ProviderClient(registry, { timeouts: {} } as Environment);

function targetOf({ platform, dialect, slug, model: id, upstreamModel }: PlatformEndpoint): Target {
  const plain = endpoint(slug, { upstreamModel });
  const placed = { ...plain, dialect, provider: { ...plain.provider, platform, dialect } };
  return { model: model(id, [placed]), endpoint: placed, tier: 'standard', definition: registry.accessTo(placed).definition }; // oxfmt-ignore
}
const TARGETS = ALL.map((endpoint) => [endpoint, targetOf(endpoint)] as const);

/** The refusals of all doubles. */
const refusalsOf = (request: ModelRequest): readonly string[] =>
  TARGETS.flatMap(([{ dialect: id, platform, upstreamModel, model: name }, target]) => {
    const access = registry.accessTo(target.endpoint);
    const encoded = doAtOnce(access.dialect.encode(client.prepare(target, request, undefined).request, target, new Map())); // oxfmt-ignore
    const { body, headers } = access.platform.adapt?.(encoded, target) ?? encoded;
    const call = { body: JSON.parse(printJson(body)), headers, model: upstreamModel, stream: false, platform };
    const refusal = DIALECT_DOUBLES[id].refuse(call);
    return refusal ? [`${name}: ${refusal.message}`] : [];
  });

const messages: ModelRequest['messages'] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
const requestOf = (parts: Partial<ModelRequest>): ModelRequest =>
  modelRequest({ messages, maxOutputTokens: 4_000, ...parts });

it(
  'tools',
  () => {
    const property = fc.property(ROOT, fc.boolean(), (inputSchema, strict) => {
      expect(refusalsOf(requestOf({ tools: [{ type: 'function', name: 'look', inputSchema, strict }] }))).toEqual([]);
    });
    fc.assert(property, BUDGET);
  },
  60_000 * TIMES,
);

it(
  'answers',
  () => {
    const property = fc.property(ROOT, fc.boolean(), (schema, strict) => {
      expect(refusalsOf(requestOf({ outputFormat: { type: 'json-schema', name: 'reply', schema, strict } }))).toEqual(
        [],
      );
    });
    fc.assert(property, BUDGET);
  },
  60_000 * TIMES,
);
