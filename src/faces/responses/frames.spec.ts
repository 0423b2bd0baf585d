// A reply is the same whole and streamed, its stream obeys the grammar of the format, and OpenAI's own client assembles
// from the stream what the whole reply has. Sequences of neutral events are built and viewed whole, and printed in
// batches of any sizes.
import fc from 'fast-check';
import { generationView } from '../../../test/support/generation-view.js';
import { assembledByOpenai, readResponseEvents } from '../../../test/support/response-events.js';
import { readFrames } from '../../../test/support/sse.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from '../../core/conversation/event.js';
import { ReplyBuilder } from '../../core/conversation/reply.js';
import type { Usage } from '../../core/conversation/usage.js';
import { unsharedCitation, webCitation } from '../../core/conversation/web-citation.js';
import { GatewayError, type ErrorKind } from '../../core/errors.js';
import type { Json } from '../../core/json/json.js';
import { doAtOnce } from '../../core/steps.js';
import { compile } from '../../shared/http/schema.js';
import { ResponseFrames } from './frames.js';
import type { ReplyOptions } from './output-items.js';
import { readReasoning } from './read-reasoning.js';
import { responsesFace } from './responses-face.js';
import { KNOWN_ITEMS } from './schemas/reply.js';
import { textArguments, type CallForm } from './tool-calls.js';
import { viewReply } from './view-response.js';

const VIEW = generationView({ id: 'gen-7-abc', model: 'a/m', provider: 'P' });
const IS_ITEM = compile(KNOWN_ITEMS);
const forms = new Map<string, CallForm>([
  ['patch', { type: 'custom_tool_call', name: 'patch' }],
  ['files__read', { type: 'function_call', name: 'read', namespace: 'files' }],
  ['shell', { type: 'shell_call' }],
  ['local_shell', { type: 'local_shell_call' }],
  ['apply_patch', { type: 'apply_patch_call' }],
]);
const ECHO = { instructions: null, metadata: {}, tools: [], tool_choice: 'auto' };
const OPTIONS: ReplyOptions = { forms, wantsProof: true };
const END: StopReason = { unified: 'end-turn', raw: 'stop', vendor: 'openai' };
const USAGE: Usage = { inputTokens: 3, cacheReadTokens: 4, cacheWriteTokens: 5, outputTokens: 2, reasoningTokens: 1 };

type Block = readonly [BlockStart, ...BlockDelta[]];
const words = (...pieces: string[]): BlockDelta[] => pieces.map((text) => ({ type: 'text', text }));
const text = (...pieces: string[]): Block => [{ type: 'text' }, ...words(...pieces)];
const refusal = (...pieces: string[]): Block => [
  { type: 'text', extras: { vendor: 'openai', value: { type: 'refusal' } } },
  ...words(...pieces),
];
const thought = (thinking: string, signature?: string, mark?: object): Block => [
  { type: 'thinking', ...(mark && { mark: mark as never }) },
  ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
  ...(signature === undefined ? [] : [{ type: 'signature', signature } as const]),
];
const sealed = (data: string, mark?: object): Block => [
  { type: 'redacted-thinking', data, ...(mark && { mark: mark as never }) },
];
const call = (name: string, ...pieces: string[]): Block => [
  { type: 'tool-use', id: `call_${name}`, name },
  ...pieces.map((json): BlockDelta => ({ type: 'input-json', json })),
];
const OWN = { format: 'openai-responses-v1', provider: 'p', id: 'rs_1' };
const SEARCH_ID = 'srvtoolu_fl0';
const search: Block = [
  { type: 'server-tool-use', id: SEARCH_ID, name: 'web_search' },
  { type: 'input-json', json: '{"query":"rope"}' },
];
const found: Block = [
  {
    type: 'service-tool-result',
    result: {
      type: 'web_search_tool_result',
      toolUseId: SEARCH_ID,
      content: [{ type: 'web_search_result', url: 'https://a.test/' }],
      seal: () => 'fl1.sealed',
    },
  },
];
const foundNothing: Block = [
  {
    type: 'service-tool-result',
    result: {
      type: 'web_search_tool_result',
      toolUseId: SEARCH_ID,
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
      seal: () => undefined,
    },
  },
];
const FILES = [
  { type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 3 },
  { type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1', filename: 'b.csv', start_index: 4, end_index: 7 },
  { type: 'file_path', file_id: 'file_2', index: 0 },
]; // oxfmt-ignore
const own = (value: object): Block => [
  { type: 'opaque', opaque: { vendor: 'openai-responses', value: value as never } },
];
const cite = (url: string, span?: { start: number; end: number }): BlockDelta => ({
  type: 'citation',
  citation: webCitation({ url, title: 'T', ...(span && { span }) }),
});

function eventsOf(blocks: readonly Block[], stop = END, usage = USAGE): ModelEvent[] {
  return [
    { type: 'reply-start' },
    { type: 'usage', usage: { inputTokens: 3 } },
    ...blocks.flatMap(([block, ...deltas], index): ModelEvent[] => [
      { type: 'block-start', index, block },
      ...deltas.map((delta): ModelEvent => ({ type: 'block-delta', index, delta })),
      { type: 'block-end', index },
    ]),
    { type: 'ping' },
    { type: 'usage', usage },
    { type: 'reply-end', stop },
  ];
}

const timeless = (body: object) => JSON.parse(JSON.stringify({ ...body, completed_at: 0 }));

function whole(events: readonly ModelEvent[], options = OPTIONS) {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  return timeless(doAtOnce(viewReply(builder.finish(), VIEW, { ...options, echo: ECHO })));
}

/** @param ends the indices at which batches of events end */
function streamed(events: readonly ModelEvent[], ends: readonly number[] = [], options = OPTIONS): string {
  const frames = new ResponseFrames(VIEW, ECHO, options);
  let printed = '';
  let from = 0;
  for (const end of [...ends, events.length]) {
    printed += frames.print(events.slice(from, Math.max(from, end))) ?? '';
    from = Math.max(from, end);
  }
  return printed;
}

const REPLIES: Readonly<Record<string, readonly Block[]>> = {
  'a text': [text('Grü', 'ße, 你好 👋')],
  'an empty text': [text()],
  'adjacent texts': [text('a'), text('b', 'c')],
  phases: [
    [{ type: 'text', phase: 'commentary' }, ...words('a')],
    [{ type: 'text', phase: 'final_answer' }, ...words('b')],
  ],
  'a refusal': [text('a'), refusal('no', '!')],
  'a refusal that is all of a message': [
    refusal('no'),
    [{ type: 'text', extras: { vendor: 'openai', value: { type: 'refusal', id: 'msg_1' } } }, ...words('no')],
  ],
  'two messages of the vendor': ['msg_1', 'msg_2'].map((id): Block => [
    { type: 'text', extras: { vendor: 'openai-responses', value: { id } } },
    ...words(id),
  ]),
  citations: [[{ type: 'text' }, ...words('one two'), cite('https://a.test/', { start: 0, end: 3 }), cite('https://b.test/')]], // oxfmt-ignore
  'citations of files': [[{ type: 'text' }, ...words('one two'), ...FILES.map((file): BlockDelta => ({ type: 'citation', citation: unsharedCitation(file) })), cite('https://a.test/', { start: 0, end: 3 })]], // oxfmt-ignore
  'log probabilities': [[{ type: 'text' }, ...words('a'), { type: 'opaque', opaque: { vendor: 'openai', value: { logprobs: { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }] } } } }]], // oxfmt-ignore
  'signed reasoning': [thought('let me see', 'sig'), text('a')],
  'reasoning without a signature': [thought('let me see', undefined, { format: 'unknown', provider: 'q' }), text('a')],
  'sealed reasoning': [sealed('data'), text('a')],
  'summaries and their seal': [thought('one', undefined, { ...OWN, isSummary: true }), thought('two', undefined, { ...OWN, isSummary: true }), sealed('data', OWN), text('a')], // oxfmt-ignore
  'two items of reasoning': [thought('one', undefined, OWN), sealed('d', OWN), thought('two', undefined, { ...OWN, id: 'rs_2' }), text('a')], // oxfmt-ignore
  'an empty seal': [sealed(''), text('a'), sealed('', OWN), thought('', undefined, OWN)],
  'a signature alone': [thought('', 'sig'), text('a')],
  'one id twice': [thought('one', undefined, OWN), sealed('d', OWN), thought('two', undefined, OWN), sealed('e', OWN)],
  'calls of functions': [text('a'), call('f', '{"a"', ':1}'), call('g')],
  'a call of a namespace': [call('files__read', '{}')],
  'a custom tool': [call('patch', '{"input":"*** Begin', ' 👋\\n"}')],
  'a custom tool without its argument': [call('patch', '{"text":"a"}')],
  'a shell': [call('shell', '{"commands":["ls"],"timeout_ms":5}')],
  'a local shell': [call('local_shell', '{"command":["ls","-l"],"working_directory":"/"}')],
  'a patch': [call('apply_patch', '{"operation":{"type":"update_file","path":"a","diff":"@@"}}')],
  'a search of the gateway': [search, found, text('a')],
  'a search that did not end': [search, text('a')],
  'a search beside a call': [search, found, call('f', '{}')],
  'a picture': [[{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBOR' } }]],
  'an item of the vendor': [own({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }), text('a')], // oxfmt-ignore
  'a failed search of the vendor': [own({ type: 'web_search_call', id: 'ws_1', status: 'failed', action: { type: 'search', query: 'q' } }), text('a')], // oxfmt-ignore
  'a search that failed': [search, foundNothing, text('a')],
  nothing: [],
};

it.each(Object.entries(REPLIES))('is the same whole, streamed and assembled: %s', async (_name, blocks) => {
  const events = eventsOf(blocks);
  const body = whole(events);
  const stream = streamed(events);
  const last = readResponseEvents(stream).at(-1);
  expect(last.type).toBe('response.completed');
  expect(timeless(last.response)).toEqual(body);
  for (const item of body.output) expect([item, IS_ITEM.fault(item)]).toEqual([item, undefined]);
  const assembled = await assembledByOpenai(stream);
  expect(timeless({ ...assembled, output: undefined })).toMatchObject(timeless({ ...body, output: undefined }));
  const plain = (output: readonly object[]) => JSON.parse(JSON.stringify(output), (key, value) => (key === 'parsed' || key === 'parsed_arguments' ? undefined : value)); // oxfmt-ignore
  expect(plain(assembled.output)).toEqual(body.output);
});

const anyBlock = fc.oneof(
  fc.array(fc.string(), { maxLength: 4 }).map((pieces) => text(...pieces)),
  fc.array(fc.string(), { maxLength: 3 }).map((pieces) => refusal(...pieces)),
  fc.tuple(fc.string(), fc.option(fc.string({ minLength: 1 }), { nil: undefined }), fc.boolean()).map(([words_, sign, isOwn]) => thought(words_, sign, isOwn ? OWN : undefined)), // oxfmt-ignore
  fc.constantFrom(...Object.values(REPLIES).flat()),
);

it('is the same in any batches, and obeys the grammar', () => {
  fc.assert(
    fc.property(fc.array(anyBlock, { maxLength: 8 }), fc.array(fc.nat(40), { maxLength: 8 }), (blocks, ends) => {
      const events = eventsOf(blocks);
      const cut = readResponseEvents(
        streamed(
          events,
          ends.toSorted((one, other) => one - other),
        ),
      );
      expect(timeless(cut.at(-1).response)).toEqual(whole(events));
    }),
    { numRuns: 300 },
  );
});

it('gives no two items one id: reasoning that belongs to a call has its own', () => {
  const mark = { format: 'google-gemini-v1', provider: 'p', id: SEARCH_ID };
  const { output } = whole(eventsOf([sealed('data', mark), search, found, text('a')]));
  expect(output.map(({ type }: { type: string }) => type)).toEqual(['reasoning', 'web_search_call', 'message']);
  expect(new Set(output.map(({ id }: { id: string }) => id)).size).toBe(3);
});

it('counts input with what was cached and written', () => {
  expect(whole(eventsOf([text('a')])).usage).toEqual({
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 1 },
    total_tokens: 14,
    is_byok: false,
  });
});

it.each<[StopReason['unified'], string, string | null, string]>([
  ['end-turn', 'completed', null, 'completed'],
  ['tool-use', 'completed', null, 'completed'],
  ['output-limit', 'incomplete', 'max_output_tokens', 'incomplete'],
  ['context-limit', 'incomplete', 'max_output_tokens', 'incomplete'],
  ['content-filter', 'incomplete', 'content_filter', 'completed'],
])('ends by %s with the status %s', (unified, status, reason, itemStatus) => {
  const events = eventsOf([text('a')], { ...END, unified });
  const body = whole(events);
  expect(body).toMatchObject({ status, incomplete_details: reason && { reason }, output: [{ status: itemStatus }] });
  expect(readResponseEvents(streamed(events)).at(-1).type).toBe(`response.${status}`);
});

it('gives proofs only where they are requested, and each alone restores its reasoning', () => {
  const blocks = [thought('why', 'sig'), sealed('data', OWN), search, found, call('f', '{}')];
  const items = whole(eventsOf(blocks)).output.filter(({ type }: { type: string }) => type === 'reasoning');
  expect(items.map(({ encrypted_content: proof }: { encrypted_content: string }) => readReasoning({ type: 'reasoning', encrypted_content: proof }))).toEqual([
    [{ type: 'thinking', thinking: 'why', signature: 'sig' }],
    [{ type: 'redacted-thinking', data: 'data', mark: OWN }],
    [{ type: 'redacted-thinking', data: 'fl1.sealed', mark: { format: 'fairlead-tools-v1' } }],
  ]); // oxfmt-ignore
  const bare = whole(eventsOf(blocks), { ...OPTIONS, wantsProof: false });
  expect(JSON.stringify(bare)).not.toContain('encrypted_content');
});

it.each(['', 'gAAAA', 'fr1.', 'fr1.e30', 'fr1.e30.0000000000000000'])(
  'drops a proof of another origin: %s',
  (proof) => {
    expect(readReasoning({ type: 'reasoning', encrypted_content: proof })).toEqual([]);
  },
);

it('drops a proof that was altered, and keeps the readable text', () => {
  const { output } = whole(eventsOf([thought('why', 'sig')]));
  const proof: string = output[0].encrypted_content;
  fc.assert(
    fc.property(fc.nat(proof.length - 1), (at) => {
      const altered = proof.slice(0, at) + (proof[at] === 'x' ? 'y' : 'x') + proof.slice(at + 1);
      const blocks = readReasoning({ type: 'reasoning', encrypted_content: altered, content: [{ type: 'reasoning_text', text: 'why' }] }); // oxfmt-ignore
      expect(blocks).toEqual([{ type: 'thinking', thinking: 'why' }]);
    }),
  );
});

it.each<[ErrorKind, RegExp, string]>([
  ['rate-limited', /rate limit/, 'rate_limit_exceeded'],
  ['unavailable', /overloaded/, 'server_error'],
  ['overloaded', /overloaded/, 'server_error'],
  ['service-unavailable', /overloaded/, 'server_error'],
  ['timed-out', /connection error/, 'server_error'],
  ['upstream-failed', /provider returned error/, 'server_error'],
  ['context-too-long', /^It broke\.$/, 'invalid_prompt'],
  ['invalid-request', /^It broke\.$/, 'invalid_prompt'],
  ['too-large', /^It broke\.$/, 'invalid_prompt'],
  ['payment-required', /^It broke\.$/, 'server_error'],
  ['forbidden', /^It broke\.$/, 'server_error'],
])('fails after its start by %s in words that agents know', async (kind, pattern, code) => {
  const face = responsesFace({ ...OPTIONS, echo: ECHO });
  const events = eventsOf([thought('a'), text('b', 'c')]).slice(0, 8);
  const stream = (face.printer(VIEW).print(events) as string) + face.failure(VIEW, new GatewayError(kind, 'It broke.'));
  const last = readResponseEvents(stream).at(-1);
  expect(last.type).toBe('response.failed');
  expect(last.response).toMatchObject({ status: 'failed', error: { code }, output: [{ type: 'reasoning' }] });
  expect(last.response.error.message).toMatch(pattern);
  expect(typeof last.response.error_type).toBe('string');
  expect(await assembledByOpenai(stream)).toMatchObject({ status: 'failed' });
});

it('repeats no words that the message has', () => {
  const face = responsesFace({ ...OPTIONS, echo: ECHO });
  const error = new GatewayError('upstream-failed', 'provider returned error: connection error: It broke.');
  expect(readResponseEvents(face.failure(VIEW, error)).at(-1).response.error.message).toBe(error.message);
});

it('fails before its first event with a whole stream', () => {
  const face = responsesFace({ ...OPTIONS, echo: ECHO });
  const events = readResponseEvents(face.failure(VIEW, new GatewayError('upstream-failed', 'It broke.')));
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.failed']);
});

it('sends the text of a batch as one event', () => {
  const frames = readFrames(streamed(eventsOf([text('a', 'b', 'c')])));
  expect(frames.filter(({ event }) => event === 'response.output_text.delta')).toHaveLength(1);
});

it('restores the input of a custom tool byte by byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (input) => {
      const json = textArguments(input);
      const { output } = whole(eventsOf([call('patch', json)]));
      expect(output[0].input).toBe(JSON.parse(JSON.stringify(input)) as Json);
    }),
  );
});

it('keeps annotations of a vendor of the same format as they came, within the text', () => {
  const page = (end: number) => ({ type: 'url_citation', url: 'https://a.test/', title: 'T', start_index: 4, end_index: end, more: 1 });
  const cited = (annotation: ReturnType<typeof page>) => ({ type: 'citation', citation: webCitation({ url: annotation.url, annotation }) }) as const;
  const blocks: Block[] = [text('first'), [{ type: 'text' }, ...words('one two'), cited(page(7)), cited(page(8))]];
  expect(whole(eventsOf(blocks)).output[0].content[1].annotations).toEqual([page(7), { ...page(7), start_index: 0 }]);
  expect(whole(eventsOf(REPLIES['citations of files']!)).output[0].content[0].annotations).toMatchObject([...FILES, { type: 'url_citation' }]);
}); // oxfmt-ignore

it.each<[string, boolean, string[]]>([
  ['an empty seal', true, ['message']],
  ['a signature alone', true, ['reasoning', 'message']],
  ['a signature alone', false, ['message']],
  ['sealed reasoning', false, ['message']],
])('leaves out reasoning without words and proof: %s, wanted %s', (name, wantsProof, types) => {
  const { output } = whole(eventsOf(REPLIES[name]!), { ...OPTIONS, wantsProof });
  expect(output.map(({ type }: { type: string }) => type)).toEqual(types);
  expect(timeless(readResponseEvents(streamed(eventsOf(REPLIES[name]!), [], { ...OPTIONS, wantsProof })).at(-1).response.output)).toEqual(timeless(output)); // oxfmt-ignore
});

it('reports no failed search as completed', () => {
  for (const name of ['a search that failed', 'a search that did not end', 'a failed search of the vendor']) {
    const events = readResponseEvents(streamed(eventsOf(REPLIES[name]!)));
    expect([name, events.at(-1).response.output[0].status]).toEqual([name, 'failed']);
    const states = events
      .map(({ type }) => type as string)
      .filter((type) => type.startsWith('response.web_search_call'));
    expect(states).toEqual(['response.web_search_call.in_progress', 'response.web_search_call.searching']);
  }
});

it('keeps the items and ids of a vendor of the same format', () => {
  const { output } = whole(eventsOf([...REPLIES['two messages of the vendor']!, call('f', '{}')]));
  expect(output).toMatchObject([{ id: 'msg_1' }, { id: 'msg_2' }, { id: 'fc_abc2' }]);
});
