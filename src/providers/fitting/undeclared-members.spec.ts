/**
 * Goal: a member of a nested object that no schema declares is refused by name, sent, or named as dropped, whatever it
 * stands in. Method: a member added to each object of bodies of both faces in turn, through every dialect on every
 * platform that serves it, to models of several kinds; the call and the reported names are searched for it.
 */
import 'reflect-metadata';
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { FULL_CHAT_BODY } from '../../../test/support/chat-body.js';
import { targetOf, type TargetParts } from '../../../test/support/field-samples.js';
import { FULL_BODY } from '../../../test/support/message-body.js';
import { CreateChatDto } from '../../faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../faces/chat/read-request.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError, Untranslatable } from '../../core/errors.js';
import type { Target } from '../../core/provider.js';
import { SERVED_DIALECTS, type DialectId, type PlatformId } from '../../core/routing/catalog.js';
import { doAtOnce } from '../../core/steps.js';
import { CreateMessageDto } from '../../faces/messages/create-message.dto.js';
import { readRequest as readMessage } from '../../faces/messages/read-request.js';
import type { Environment } from '../../shared/environment.js';
import { readBody, UNKNOWN_MEMBERS, type WithUnknownMembers } from '../../shared/http/dto.pipe.js';
import { ProviderClient } from '../provider-client.js';
import { ProviderRegistry } from '../registry.js';
import type { Transport } from '../transport/transport.js';

/** A schema that every model follows. */
const CLOSED = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

const STRANGER = 'zz_stranger';
const HEADERS = { betas: [] };
type Face = 'messages' | 'chat';
const READERS: Readonly<Record<Face, (body: object) => ModelRequest>> = {
  messages: (body) => readMessage(readBody(body, CreateMessageDto), HEADERS),
  chat: (body) => readChat(readBody(body, CreateChatDto), HEADERS),
};

/** The paths of all objects in a body, itself excluded. */
function objectsIn(value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => objectsIn(item, [...at, index]));
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, member]) => objectsIn(member, [...at, key]));
  return at.length === 0 ? inner : [at, ...inner];
}

function withStranger(body: object, at: readonly (string | number)[], value: unknown = 'x'): object {
  // Not `structuredClone`, which keeps that two paths have one object.
  const copy = JSON.parse(JSON.stringify(body)) as Record<string | number, never>;
  let holder: Record<string | number, unknown> = copy;
  for (const key of at) holder = holder[key] as never;
  holder[STRANGER] = value;
  return copy;
}

/** Objects whose members are all the caller's, the vendor's or the gateway's own: they go where the object goes. */
const FREE: Readonly<Record<Face, readonly RegExp[]>> = {
  messages: [
    /^metadata$/, /^trace$/, /^output_config\.format\.schema/, /^tools\.\d+\.input_schema/, /^tools\.15$/, /^tools\.(?:9|14)\.parameters$/,
    /^messages\.\d+$/, /\.input$/, /^messages\.1\.content\.(?:[7-9]|1[0-4])\.content$/,
  ],
  chat: [
    /^metadata$/, /^trace$/, /^logit_bias$/, /^image_config$/, /\.schema(?:\.|$)/, /\.parameters\.(?:properties|a)/,
    /^tools\.\d+\.function\.parameters/, /^web_search_options\.user_location/,
  ],
}; // oxfmt-ignore

describe.each<[Face, object, new () => object]>([
  ['messages', FULL_BODY, CreateMessageDto],
  ['chat', FULL_CHAT_BODY, CreateChatDto],
])('a body of %s', (face, body, dto) => {
  const positions = objectsIn(body).map((at) => [at.join('.'), at] as const);

  it.each(positions.filter(([name]) => !FREE[face].some((free) => free.test(name))))(
    'refuses or notes a member of %s',
    (name, at) => {
      let noted: readonly string[] | undefined;
      try {
        const read = readBody(withStranger(body, at), dto) as WithUnknownMembers;
        noted = read[UNKNOWN_MEMBERS]?.map(({ path }) => path.join('.'));
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        expect((error as Error).message).toContain(STRANGER);
        return;
      }
      // A service tool is judged when it is read.
      const expected = [...at.filter((key) => typeof key === 'string'), STRANGER].join('.');
      expect(noted).toContain(expected);
      expect(name).not.toBe('');
    },
  );

  it('has none of its own', () => {
    const noted = (readBody(body, dto) as WithUnknownMembers)[UNKNOWN_MEMBERS];
    expect(noted?.map(({ path }) => path.join('.'))).toEqual(undefined);
  });
});

const HELLO = { role: 'user', content: 'Hello' };
const CACHED = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const TEXT = { type: 'text', text: 'words', ...CACHED };
const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' }, ...CACHED };
const TOOL = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} }, ...CACHED };
const ask = (...content: object[]): object => ({ messages: [{ role: 'user', content }] });
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {}, ...CACHED }] };
const PNG = 'data:image/png;base64,AAAA';
const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };

/** Each of a kind by itself, so that what one target refuses hides nothing else. */
const BODIES: Readonly<Record<Face, Readonly<Record<string, object>>>> = {
  messages: {
    options: {
      messages: [HELLO],
      system: [TEXT],
      tools: [TOOL],
      tool_choice: { type: 'auto' },
      cache_control: CACHED.cache_control,
      context_management: { edits: [{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 1 } }] },
    },
    'a budget': { messages: [HELLO], max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    'adaptive thinking and an effort': {
      messages: [HELLO],
      max_tokens: 4_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: CLOSED } },
    },
    'thinking off': { messages: [HELLO], thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    'a forced tool': { messages: [HELLO], tools: [TOOL], tool_choice: { type: 'tool', name: 'look' } },
    'a budget of a task': {
      messages: [HELLO],
      output_config: { task_budget: { type: 'tokens', total: 20_000 } },
    },
    text: ask(TEXT),
    picture: ask(PICTURE, TEXT),
    document: ask({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' }, citations: { enabled: true }, ...CACHED }),
    'document of blocks': ask({ type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'a' }] } }),
    'search result': ask({ type: 'search_result', source: 'a', title: 'b', content: [{ type: 'text', text: 'a' }] }),
    results: {
      tools: [TOOL],
      messages: [HELLO, CALL, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [TEXT], ...CACHED }] }],
    },
    'failed results': {
      tools: [TOOL],
      messages: [HELLO, CALL, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', is_error: true, content: [{ type: 'text', text: 'No' }, PICTURE] }] }],
    },
    citations: {
      messages: [
        HELLO,
        { role: 'assistant', content: [{ type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'a', document_index: 0, document_title: null, start_char_index: 0, end_char_index: 1 }] }] },
        HELLO,
      ],
    },
    reasoning: { messages: [HELLO, { role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: 'b' }, { type: 'text', text: 'a' }] }, HELLO] },
    instructions: { messages: [HELLO, { role: 'system', content: [{ type: 'text', text: 'a' }] }] },
    'vendor tools': { messages: [HELLO], tools: [{ type: 'bash_20250124', name: 'bash' }] },
    searches: { messages: [HELLO], tools: [{ type: 'web_search_20250305', name: 'web_search', user_location: { type: 'approximate', city: 'a' } }] },
    plugins: { messages: [HELLO], plugins: [{ id: 'response-healing' }], provider: { sort: { by: 'price' } } },
  },
  chat: {
    options: {
      messages: [HELLO],
      stream: true,
      stream_options: { include_usage: true },
      usage: { include: true },
      debug: { echo_upstream_body: false },
      tools: [CHAT_TOOL],
      tool_choice: { type: 'function', function: { name: 'look' } },
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
      cache_control: CACHED.cache_control,
    },
    reasoning: { messages: [HELLO], reasoning: { effort: 'low' } },
    parts: {
      messages: [{ role: 'user', name: 'ann', content: [TEXT, { type: 'image_url', image_url: { url: PNG }, ...CACHED }] }],
    },
    file: { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } }] }] },
    audio: { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }] },
    turns: {
      tools: [CHAT_TOOL],
      messages: [
        { role: 'system', content: [TEXT] },
        HELLO,
        { role: 'assistant', content: null, reasoning_details: [{ type: 'reasoning.text', text: 'a' }], tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a' }] },
        { role: 'developer', content: 'Be brief.' },
      ],
    },
  },
}; // oxfmt-ignore

const TARGETS: Readonly<Record<string, TargetParts>> = {
  bare: { inputs: ['text', 'image', 'file', 'audio'] },
  'Claude with budgets': { inputs: ['text', 'image'], endpoint: { upstreamModel: 'us.anthropic.claude-sonnet-4-5-v1' } },
  'the newest Claude': { inputs: ['text', 'image'], endpoint: { upstreamModel: 'us.anthropic.claude-sonnet-5-5' } },
  'a GPT': {
    inputs: ['text', 'image', 'file'],
    endpoint: { upstreamModel: 'gpt-5.6-sol' },
    quirks: { reasoningStyle: 'reasoning_effort', acceptsFiles: true },
  },
}; // oxfmt-ignore

const registry = new ProviderRegistry({} as Transport, new AheadClock());
const client = new ProviderClient(registry, { timeouts: {} } as Environment);

function targetAt(platform: PlatformId, dialect: DialectId, { endpoint, model, tier, definition }: Target): Target {
  const { quirks } = definition;
  const provider = { ...endpoint.provider, dialect, platform, quirks, needsNoCredential: true as const };
  const one = { ...endpoint, dialect, provider };
  return { model, endpoint: one, tier, definition: registry.accessTo(one).definition };
}

const PAIRS = (Object.entries(SERVED_DIALECTS) as [PlatformId, readonly DialectId[]][]).flatMap(
  ([platform, dialects]) =>
    dialects.filter((dialect) => dialect !== 'simulated').map((dialect) => [dialect, platform] as const),
);

/** What a provider would be sent of a request; undefined: the target refuses it. */
function printed(request: ModelRequest, target: Target): string | undefined {
  const { dialect, platform } = registry.accessTo(target.endpoint);
  try {
    const fitted = client.prepare(target, request, undefined).request;
    const call = doAtOnce(dialect.encode(fitted, target, new Map()));
    return JSON.stringify((platform.adapt?.(call, target) ?? call).body);
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

describe.each(PAIRS)('%s on %s', (dialect, platform) => {
  const cases = Object.entries(BODIES).flatMap(([face, bodies]) =>
    Object.entries(bodies).map(([name, body]) => [face as Face, name, { model: 'm', ...body }] as const),
  );

  it.each(cases)('%s, %s: sends or names each member', (face, _name, body) => {
    const lost: string[] = [];
    for (const at of objectsIn(body)) {
      if (FREE[face].some((free) => free.test(at.join('.')))) continue;
      let request: ModelRequest;
      try {
        request = READERS[face](withStranger(body, at));
      } catch (error) {
        expect((error as Error).message).toContain(STRANGER);
        continue;
      }
      for (const [name, parts] of Object.entries(TARGETS)) {
        const target = targetAt(platform, dialect, targetOf(parts));
        const sent = printed(request, target);
        if (sent === undefined) continue;
        // What contains it may be dropped as a whole, by its own name.
        const names = client.droppedBy(target, request);
        const isNamed = names.some((name) => name.endsWith(STRANGER) || name === at[0]);
        const isAlone = names.every((name) => !name.endsWith(STRANGER));
        if (sent.includes(STRANGER) ? !isAlone : !isNamed)
          lost.push(`${name}: ${at.join('.')} ${isAlone ? 'lost' : 'named but sent'}`);
      }
    }
    expect(lost).toEqual([]);
  });
});
