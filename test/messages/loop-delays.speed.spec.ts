/**
 * Goal: no large request delays other requests: no turn of the event loop computes for more than 50 ms below 2 MiB, nor
 * for more than 100 ms beside 10 MB, whatever the request consists of and whichever format it leaves in. Method: a
 * table of bodies, each as large as the limits of its kind permit; the longest step of reading, measuring, fitting,
 * encoding and printing it, in every dialect and on the platforms that rewrite bodies.
 */
import 'reflect-metadata';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { parseJsonBody } from '../../src/core/json/parse-json-body.js';
import { printInPieces } from '../../src/core/json/print-in-pieces.js';
import { measurePrompt } from '../../src/core/money/measure-prompt.js';
import type { Platform } from '../../src/core/platform.js';
import type { Target, UpstreamCall } from '../../src/core/provider.js';
import { PIECE } from '../../src/core/yield-to-event-loop.js';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/faces/chat/read-request.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/faces/messages/read-request.js';
import { definitionOf } from '../../src/providers/catalog/index.js';
import { DIALECTS } from '../../src/providers/dialects/index.js';
import { PLATFORMS } from '../../src/providers/platforms/index.js';
import { ProviderClient } from '../../src/providers/provider-client.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';
import { fastest, stopwatch } from '../support/cpu-time.js';
import type { JsonBody } from '../support/recorded-request.js';
import { endpoint, model } from '../support/route-inputs.js';
import { platformEndpointOf, PLATFORM_ENDPOINTS, type PlatformEndpoint } from '../http/platform-endpoints.js';

const MIB = 1024 * 1024;
const SIZES = [
  { bytes: 1.9 * MIB, msMax: 50 },
  { bytes: 9.5 * MIB, msMax: 100 },
] as const;
/** The most entries of a list, tools and members of one object that a body may have. */
const ENTRIES_MAX = 19_900;
const TOOLS_MAX = 9_900;
const HELLO = { role: 'user', content: 'Hello' };
const SEE = { type: 'text', text: 'See.' };
const WORD = 'word ';
const PNG = Buffer.alloc(3 * 1024, 7).toString('base64');
const SMALL = { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'] };

/** As many entries as fit, at most `max`: the rest of the size is in their texts. */
function fill<Entry>(bytes: number, make: (index: number, words: string) => Entry, max = ENTRIES_MAX): Entry[] {
  const least = JSON.stringify(make(10_000, '')).length + 1;
  const count = Math.min(max, Math.floor(bytes / least));
  const words = WORD.repeat(Math.max(0, Math.floor((bytes / count - least) / WORD.length)));
  return Array.from({ length: count }, (_, index) => make(index, words));
}

const named = (schemas: readonly object[]): object =>
  Object.fromEntries(schemas.map((schema, index) => [`property_${index}`, schema]));
/** A schema of many properties, with keywords that vendors refuse. */
const wide = (bytes: number): object => ({
  type: 'object',
  properties: named(
    fill(bytes - 200_000, (_, words) => ({ type: 'string', description: `A property.${words}`, minLength: 1, pattern: '^a' }), TOOLS_MAX),
  ),
}); // oxfmt-ignore
const DEPTH = 18;
function deep(bytes: number): object {
  const chain = (): object => {
    let schema: object = { type: 'string', minLength: 1 };
    for (let level = 0; level < DEPTH; level++)
      schema = { type: 'object', description: 'One property.', properties: { inner: schema } };
    return schema;
  };
  return { type: 'object', properties: named(fill(Math.min(bytes, 1.9 * MIB), chain)) };
}
const united = (bytes: number): object => ({
  type: 'object',
  anyOf: fill(Math.min(bytes, MIB), (index) => ({
    properties: { [`p${index}`]: { type: 'string', minLength: 1 } },
    required: [`p${index}`],
  })),
});
const referring = (bytes: number): object => {
  const count = Math.min(TOOLS_MAX - 10, Math.floor(bytes / 140));
  const $defs = named(Array.from({ length: count }, () => ({ type: 'object', properties: { a: { minLength: 1 } } })));
  const properties = Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` }));
  return { type: 'object', properties: named(properties), $defs };
};
const tool = (input_schema: object, index = 0, more: object = {}): JsonBody => ({ name: `tool_${index}`, input_schema, ...more }); // oxfmt-ignore
const schemaOf = (schema: object): JsonBody => ({ messages: [HELLO], tools: [tool(schema)] });
const base64 = (bytes: number): string => 'A'.repeat(Math.floor(bytes / 4) * 4);
const media = (type: string, media_type: string, data: string): object => ({ type, source: { type: 'base64', media_type, data } }); // oxfmt-ignore
const user = (...content: object[]): object => ({ role: 'user', content });
const assistant = (...content: object[]): object => ({ role: 'assistant', content });
const use = (index: number, input: object = { city: 'x' }): object => ({ type: 'tool_use', id: `call_${index}`, name: 'tool_0', input }); // oxfmt-ignore
const result = (index: number, content: unknown): object => ({ type: 'tool_result', tool_use_id: `call_${index}`, content }); // oxfmt-ignore

type Kind = (bytes: number) => JsonBody;

const MESSAGES: Readonly<Record<string, Kind>> = {
  'one text': (bytes) => ({ messages: [user({ type: 'text', text: WORD.repeat(bytes / WORD.length) })] }),
  'many messages': (bytes) => ({ messages: [...fill(bytes, (index, words) => ({ role: index % 2 ? 'assistant' : 'user', content: `Hi.${words}` })), HELLO] }),
  'many texts of a turn': (bytes) => ({ messages: [user(...fill(bytes, (_, words) => ({ type: 'text', text: `Hi.${words}` })))] }),
  'many instructions': (bytes) => ({ system: fill(bytes, (_, words) => ({ type: 'text', text: `Be brief.${words}` })), messages: [HELLO] }),
  'many tools': (bytes) => ({ messages: [HELLO], tools: fill(bytes, (index, words) => tool(SMALL, index, { description: `A.${words}` }), TOOLS_MAX) }),
  'many strict tools': (bytes) => ({ messages: [HELLO], tools: fill(bytes, (index, words) => tool(SMALL, index, { strict: true, description: `A.${words}` }), TOOLS_MAX) }),
  'a wide schema': (bytes) => schemaOf(wide(bytes)),
  'a deep schema': (bytes) => schemaOf(deep(bytes)),
  'a schema of many forms': (bytes) => schemaOf(united(bytes)),
  'a schema of many references': (bytes) => schemaOf(referring(bytes)),
  'a strict schema': (bytes) => ({ messages: [HELLO], tools: [tool(wide(bytes), 0, { strict: true })] }),
  'a schema of the answer': (bytes) => ({ messages: [HELLO], output_config: { format: { type: 'json_schema', schema: wide(bytes) } } }),
  'many images': (bytes) => ({ messages: [user(...fill(bytes, () => media('image', 'image/png', PNG)), SEE)] }),
  'one image': (bytes) => ({ messages: [user(media('image', 'image/png', base64(bytes)), SEE)] }),
  'one PDF': (bytes) => ({ messages: [user(media('document', 'application/pdf', base64(bytes)), SEE)] }),
  'many calls and results': (bytes) => ({
    messages: [HELLO, ...fill(bytes, (index, words) => [assistant(use(index)), user(result(index, [{ type: 'text', text: `Rain.${words}` }]))], ENTRIES_MAX / 2 - 1).flat()],
    tools: [tool(SMALL)],
  }),
  'many calls at once': (bytes) => {
    const pairs = fill(bytes, (index, words) => [use(index), result(index, `Rain.${words}`)] as const);
    return { messages: [HELLO, assistant(...pairs.map(([one]) => one)), user(...pairs.map(([, one]) => one))], tools: [tool(SMALL)] };
  },
  'large arguments': (bytes) => ({
    messages: [HELLO, assistant(use(0, { all: fill(bytes, (index, words) => ({ city: `x${words}`, index }), 60_000) })), user(result(0, 'Rain.'))],
    tools: [tool(SMALL)],
  }),
  'many markers': (bytes) => ({ messages: [user(...fill(bytes, (_, words) => ({ type: 'text', text: `Hi.${words}`, cache_control: { type: 'ephemeral' } })))] }),
  'many thoughts': (bytes) => ({ messages: [HELLO, ...fill(bytes, (_, words) => [assistant({ type: 'thinking', thinking: `Hm.${words}`, signature: 'sig' }, { type: 'text', text: 'So.' }), HELLO], ENTRIES_MAX / 2 - 1).flat()] }),
}; // oxfmt-ignore

const chatTool = (parameters: object, index: number, more: object): object => ({ type: 'function', function: { name: `tool_${index}`, parameters, ...more } }); // oxfmt-ignore
const CHAT: Readonly<Record<string, Kind>> = {
  'many messages': MESSAGES['many messages']!,
  'many tools': (bytes) => ({ messages: [HELLO], tools: fill(bytes, (index, words) => chatTool(SMALL, index, { description: `A.${words}` }), TOOLS_MAX) }),
  'a wide schema': (bytes) => ({ messages: [HELLO], tools: [chatTool(wide(bytes), 0, { strict: true })] }),
  'a schema of the answer': (bytes) => ({ messages: [HELLO], response_format: { type: 'json_schema', json_schema: { name: 'x', schema: wide(bytes) } } }),
  'many images': (bytes) => ({ messages: [user(...fill(bytes, () => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } })), SEE)] }),
  'one image': (bytes) => ({ messages: [user({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64(bytes)}` } }, SEE)] }),
  'one PDF': (bytes) => ({ messages: [user({ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64(bytes)}` } }, SEE)] }),
  'many calls and results': (bytes) => ({
    messages: [HELLO, ...fill(bytes, (index, words) => [
      { role: 'assistant', content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: { name: 'tool_0', arguments: '{"city":"x"}' } }] },
      { role: 'tool', tool_call_id: `call_${index}`, content: `Rain.${words}` },
    ], ENTRIES_MAX / 2 - 1).flat()],
    tools: [chatTool(SMALL, 0, {})],
  }),
  'many markers': MESSAGES['many markers']!,
}; // oxfmt-ignore

const FACES = {
  messages: (body: unknown): ModelRequest => readMessages(readBody(body, CreateMessageDto), { betas: [] }),
  chat: (body: unknown): ModelRequest => readChat(readBody(body, CreateChatDto), { betas: [] }),
} as const;

/** The longest of several steps, in milliseconds. */
class Longest {
  ms = 0;

  of<Result>(step: () => Result): Result {
    const read = stopwatch();
    const done = step();
    this.ms = Math.max(this.ms, read());
    return done;
  }

  /** The result of work in steps. */
  ofSteps<Result>(steps: Iterator<unknown, Result>): Result {
    for (;;) {
      const step = this.of(() => steps.next());
      if (step.done === true) return step.value;
    }
  }
}

const PLATFORM_DEPENDENCIES = { clock: { now: () => new Date() } } as never;

function accessTo({ slug, dialect, platform }: PlatformEndpoint): {
  readonly client: ProviderClient;
  readonly platform: Platform;
  readonly targetOf: (upstreamModel: string) => Target;
} {
  const served: Platform = PLATFORMS[platform](PLATFORM_DEPENDENCIES);
  const definition = definitionOf(slug, 'bearer');
  const registry = { accessTo: () => ({ dialect: DIALECTS[dialect], platform: served, definition }) };
  const client = new ProviderClient(registry as never, { timeouts: { connectMs: 1, idleMs: 1 } } as never);
  const targetOf = (upstreamModel: string): Target => {
    const plain = endpoint(slug, { upstreamModel, contextLength: 1e9, maxCompletionTokens: 64_000 });
    const one = { ...plain, dialect, provider: { ...plain.provider, dialect, platform } };
    const readsAll = { inputModalities: ['text', 'image', 'file'] } as const;
    return { model: model('test/model', [one], readsAll), endpoint: one, tier: 'standard', definition };
  };
  return { client, platform: served, targetOf };
}

/** Milliseconds of the longest step of one call. */
function callMs(bytes: Buffer, endpoint: PlatformEndpoint): number {
  const { client, platform, targetOf } = accessTo(endpoint);
  const target = targetOf(endpoint.upstreamModel);
  // Read anew: what is fitted is kept with the request.
  const request = FACES.messages(parseJsonBody(bytes));
  const longest = new Longest();
  const { request: fitted } = longest.of(() => client.prepare(target, request, undefined));
  const encoded: UpstreamCall = longest.ofSteps(DIALECTS[endpoint.dialect].encode(fitted, target, new Map()));
  const { body } = longest.of(() => platform.adapt?.(encoded, target) ?? encoded);
  longest.ofSteps(printInPieces(body, PIECE));
  longest.of(() => client.droppedBy(target, request));
  return longest.ms;
}

/** Milliseconds of the longest step between the parsed body and the choice of a target. */
function readingMs(bytes: Buffer, face: keyof typeof FACES): number {
  const body = parseJsonBody(bytes);
  const longest = new Longest();
  const request = longest.of(() => FACES[face](body));
  longest.of(() => measurePrompt(request));
  return longest.ms;
}

const bytesOf = (kind: Kind, bytes: number): Buffer =>
  Buffer.from(JSON.stringify({ model: 'm', max_tokens: 1_000, ...kind(bytes) }));
/** Each dialect, and the platforms that rewrite its bodies. */
const ALL: readonly PlatformEndpoint[] = [
  ...PLATFORM_ENDPOINTS.filter(({ platform, dialect }) => platform === 'direct' || dialect === 'bedrock-converse'),
  ...(['vertex', 'bedrock'] as const).map((platform) => platformEndpointOf(platform, 'anthropic-messages')),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.amazon.nova-pro-v1:0'),
];
/** Cohere takes no documents. */
const takes = (kind: string, { dialect }: PlatformEndpoint): boolean =>
  !(kind === 'one PDF' && dialect === 'cohere-chat');

describe.each(SIZES)('$bytes bytes', ({ bytes, msMax }) => {
  it.each(Object.entries({ ...MESSAGES }))('/messages: %s is read', async (_name, kind) => {
    const body = bytesOf(kind, bytes);
    expect(await fastest(() => readingMs(body, 'messages'), msMax)).toBeLessThan(msMax);
  });

  it.each(Object.entries(CHAT))('/chat/completions: %s is read', async (_name, kind) => {
    const body = bytesOf(kind, bytes);
    expect(await fastest(() => readingMs(body, 'chat'), msMax)).toBeLessThan(msMax);
  });

  it.each(Object.entries(MESSAGES))(
    '%s is sent',
    async (name, kind) => {
      const body = bytesOf(kind, bytes);
      const slow: string[] = [];
      for (const endpoint of ALL.filter((one) => takes(name, one))) {
        const ms = await fastest(() => callMs(body, endpoint), msMax);
        if (ms >= msMax) slow.push(`${endpoint.model}: ${Math.round(ms)} ms`);
      }
      expect(slow).toEqual([]);
    },
    120_000,
  );
});
