/**
 * Checks that everything that leaves the gateway was shown to the filters. Random bodies of both faces have random
 * unknown fields in every object; every word and figure of every key, text and number that the dialects encode is
 * compared with all that a filter was shown, except for the formats' own words.
 */
import fc from 'fast-check';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/faces/chat/read-request.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { parseJson, printJson } from '../../src/core/json/json.js';
import { FORMAT_KEYS, FORMAT_WORDS, SCHEMA_KEYS } from '../../src/guardrails/wire-words.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/faces/messages/read-request.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';
import { inspectorOf } from '../support/inspector-of.js';
import { sentBodies } from '../support/sent-bodies.js';

/** Values that dialects write and the lists of the filters lack: their own words, and no content of a caller. */
const OWN_WORDS = new Set(
  (
    'model upstream messages system tools tool_choice tool_calls tool_call_id function image_url file filename file_data name json_schema ' +
    'response_format max_tokens max_completion_tokens stream include_usage stream_options stop stop_sequences metadata user seed logit_bias ' +
    'prompt_cache_key reasoning reasoning_details reasoning_effort output_config effort format output_format context_management edits thinking ' +
    'web_search_20250305 web_search web_search_options user_location approximate input_examples search_result server_tool_use required true false true,false strict temperature top_p service_tier ' +
    'true anthropic beta anthropic-beta container base64 application json octet accept version arguments Attachment of result results see the next message defs management client toolConfig toolSpec toolUse toolResult toolUseId outputConfig textFormat structure jsonSchema inputSchema inferenceConfig maxTokens stopSequences toolChoice reasoningContent reasoningText redactedContent cachePoint searchResult serviceTier additionalModelResponseFieldPaths additionalModelRequestFields bytes See attached document amazon eventstream client Context Search Source Web Document reply claude v1 index plain'
  ).split(' '),
);

const word = fc.stringMatching(/^[xyz][a-w]{5,9}$/);
const text = fc.oneof(
  word,
  fc.tuple(word, word).map((words) => words.join(' ')),
  fc.tuple(word, word).map(([one, other]) => `${one}\n"${other}"`),
);
const figure = fc.oneof(fc.integer({ min: 1_000_000 }), fc.double({ min: 1e21, max: 1e30, noNaN: true }));
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    figure,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
    fc.record({ type: fc.oneof(word, fc.constant('text')), text, name: word, value: tie('value') }),
  ),
})).value;
const object = fc.dictionary(word, anything, { maxKeys: 3 });
const unknown = fc.oneof(fc.constant({}), object);

/** An object of the format with unknown fields. */
const open = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys?: string[]): fc.Arbitrary<object> =>
  fc
    .tuple(fc.record(fields, requiredKeys ? { requiredKeys } : {}), unknown)
    .map(([known, more]) => ({ ...more, ...known }));
/** An object without further fields. */
const closed = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> => fc.record(fields);
const is = fc.constant;
const list = <T>(of: fc.Arbitrary<T>, minLength = 0): fc.Arbitrary<T[]> => fc.array(of, { minLength, maxLength: 3 });
const schema = fc.record({
  type: is('object'),
  description: text,
  properties: fc.dictionary(word, fc.record({ type: is('string'), description: text, enum: list(word), default: text, minimum: figure })),
  required: list(word),
  $defs: fc.dictionary(word, object),
}); // oxfmt-ignore

const textBlock = open({ type: is('text'), text });
const image = open({
  type: is('image'),
  source: open({ type: is('url'), url: word.map((name) => `https://${name}.test/a.png`) }),
});
const document = open(
  {
    type: is('document'),
    source: fc.oneof(
      open({ type: is('text'), media_type: is('text/plain'), data: text }),
      open({ type: is('content'), content: list(textBlock, 1) }),
    ),
    title: text,
    context: text,
  },
  ['type', 'source'],
);
const searched = open({ type: is('search_result'), source: word, title: text, content: list(textBlock, 1) });
const thinking = open({ type: is('thinking'), thinking: text, signature: fc.oneof(is('c2ln'), is('')) });
const cited = open({
  type: is('text'),
  text,
  citations: list(
    open({ type: is('char_location'), cited_text: text, document_index: is(0), document_title: text, start_char_index: is(0), end_char_index: is(1) }),
  ),
}); // oxfmt-ignore
const foreign = open({
  type: is('web_search_tool_result'),
  tool_use_id: is('srvtoolu_1'),
  content: list(open({ type: is('web_search_result'), url: word, title: text, encrypted_content: word })),
});
const messagesTool = open(
  { name: word, description: text, input_schema: schema, input_examples: list(object) },
  ['name', 'input_schema'],
); // oxfmt-ignore

/** The top of a body whose choice, if any, is one of its tools: any other is refused. */
function withOwnChoice(top: { tools?: { name?: string }[]; tool_choice?: object }): object {
  const { tool_choice: choice, ...rest } = top;
  const name = rest.tools?.find((tool) => tool.name !== undefined)?.name;
  return choice === undefined || name === undefined ? rest : { ...rest, tool_choice: { ...choice, name } };
}

const messagesBody = fc
  .tuple(
    open(
      {
        system: fc.oneof(text, list(textBlock, 1)),
        tools: list(messagesTool),
        metadata: open({ user_id: word }),
        stop_sequences: list(word),
        user: word,
        prediction: fc.record({ type: is('content'), content: fc.oneof(text, list(textBlock)) }),
        mcp_servers: list(open({ type: is('url'), name: word, url: word })),
        thinking: open({ type: is('enabled'), budget_tokens: is(2048) }),
        tool_choice: open({ type: is('tool'), name: word }),
        output_config: open({ format: closed({ type: is('json_schema'), schema }) }),
        context_management: open({ edits: list(open({ type: is('compact_20260112'), instructions: text })) }),
      },
      [],
    ),
    open({ role: is('user'), content: fc.oneof(text, list(fc.oneof(textBlock, image, document, searched), 1)) }),
    list(fc.oneof(thinking, cited, textBlock, foreign)),
    open({ type: is('tool_use'), id: is('toolu_1'), name: word, input: object }),
    open({
      type: is('tool_result'),
      tool_use_id: is('toolu_1'),
      content: fc.oneof(text, list(fc.oneof(textBlock, image, document, searched), 1)),
    }),
    list(textBlock),
  )
  .map(([top, question, answer, use, result, more]) => ({
    model: 'm',
    max_tokens: 4096,
    ...withOwnChoice(top),
    messages: [
      question,
      { role: 'assistant', content: [...answer, use] },
      { role: 'user', content: [result, ...more] },
    ],
  }));

/** The first letter of each word, as JSON may spell it. */
const escapedObject = object.map((value) =>
  printJson(value).replace(/[xyz](?=[a-w]{5})/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
);
const chatText = fc.record({ type: is('text'), text });
const chatBody = fc
  .tuple(
    open(
      {
        tools: list(
          fc.record({ type: is('function'), function: fc.record({ name: word, description: text, parameters: schema }) }),
        ),
        response_format: fc.record({
          type: is('json_schema'),
          json_schema: fc.record({ name: word, description: text, schema }),
        }),
        user: word,
        metadata: fc.dictionary(word, text, { maxKeys: 2 }),
        stop: list(word, 1),
        prompt_cache_key: word,
        prediction: fc.record({ type: is('content'), content: fc.oneof(text, list(chatText)) }),
        web_search_options: fc.record({
          user_location: fc.record({ type: is('approximate'), approximate: fc.record({ city: text }) }),
        }),
        // Of a larger one, half of all bodies would be refused.
        seed: fc.integer({ min: 1_000_000 }),
        logit_bias: fc.dictionary(fc.stringMatching(/^[1-9]\d{4}$/), is(-100), { maxKeys: 2 }),
      },
      [],
    ),
    fc.record({ role: fc.constantFrom('system', 'developer'), content: fc.oneof(text, list(chatText, 1)), name: word }),
    fc.record({ role: is('user'), content: fc.oneof(text, list(chatText, 1)), name: word }),
    fc.tuple(fc.oneof(text, list(chatText, 1)), word, fc.oneof(object.map((value) => printJson(value)), escapedObject, text), text),
    fc.oneof(text, list(chatText, 1)),
  )
  .map(([top, first, question, [content, name, args, reasoning], result]) => ({
    model: 'm',
    ...top,
    messages: [
      first,
      question,
      {
        role: 'assistant',
        content,
        reasoning_details: [{ type: 'reasoning.text', text: reasoning, format: 'unknown' }],
        tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: result },
      { role: 'user', content: 'xmore' },
    ],
  })); // oxfmt-ignore

/** Runs of letters and figures in all keys, texts and numbers. */
function* atomsOf(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== Object.prototype && !Array.isArray(value))
    yield* printJson(value).match(/\w+/g)!;
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      if (!Array.isArray(value)) yield* key.match(/\w+/g) ?? [];
      yield* atomsOf(member);
    }
  } else if (typeof value === 'string') yield* value.match(/\w+/g) ?? [];
  else if (typeof value === 'number') yield* printJson(value).match(/\w+/g)!;
} // oxfmt-ignore

const isOwn = (atom: string): boolean =>
  FORMAT_KEYS.has(atom) ||
  FORMAT_WORDS.has(atom) ||
  SCHEMA_KEYS.has(atom) ||
  OWN_WORDS.has(atom) ||
  /^\d{1,4}$/.test(atom);

/** Everything that a filter was shown. */
async function shownOf(request: ModelRequest): Promise<string> {
  const shown: string[] = [];
  const inspector = inspectorOf([
    {
      guardrailId: 'g',
      guardrailScope: 'api-key',
      stage: 'content-filter',
      action: 'redact',
      label: 'none',
      reads: 'everybody',
      matcher: {
        find: (piece) => {
          shown.push(piece);
          return [];
        },
      },
    },
  ]);
  expect((await inspector.inspect(request)).request).toBe(request);
  return shown.join('\n');
}

it.each([
  ['messages', messagesBody, (body: object) => readMessages(readBody(body, CreateMessageDto), { betas: ['xbeta'] })],
  ['chat', chatBody, (body: object) => readChat(readBody(body, CreateChatDto), { betas: [] })],
] as const)('shows filters all that leaves of a body of %s', async (_, bodies, read) => {
  let sent = 0;
  const refused = new Set<string>();
  await fc.assert(
    fc.asyncProperty(bodies as fc.Arbitrary<object>, async (body) => {
      let request: ModelRequest;
      try {
        request = read(parseJson(printJson(body)) as object);
      } catch (error) {
        refused.add((error as Error).message);
        return;
      }
      const shown = await shownOf(request);
      for (const { body: encoded, headers } of sentBodies(request)) {
        sent++;
        const hidden = [...atomsOf(encoded), ...atomsOf(headers)].filter((atom) => !isOwn(atom) && !shown.includes(atom));
        expect(hidden).toEqual([]);
      }
    }),
    { numRuns: 150, endOnFailure: true, ...(process.env['FAIRLEAD_FUZZ_SEED'] && { seed: Number(process.env['FAIRLEAD_FUZZ_SEED']) }) },
  );
  // Nearly all are read and sent: otherwise the test would show nothing.
  expect([sent > 150, [...refused].slice(0, 3)]).toEqual([true, expect.any(Array)]);
}); // oxfmt-ignore
