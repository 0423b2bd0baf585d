/**
 * Checks that the content of a reply returns upstream in the next turn in a form that its maker can read, and goes to
 * no other provider, and that a history from other providers does not end a conversation. Two chat upstreams and an
 * Anthropic one stand before the real application; each reply is handed back as a client does it. Rules:
 * docs/contribute/reasons/translation.md.
 */
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { readChunks, joinChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import { signatureOf } from '../support/doubles/double.js';
import { openaiReply } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { json, sse, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { buildMessage } from './messages-bench.js';

const SEALED = { type: 'reasoning.encrypted', data: 'c2VhbGVk', id: 'rs_1', format: 'openai-responses-v1', index: 1 };
const SUMMARY = { type: 'reasoning.summary', summary: 'in short', format: 'openai-responses-v1', index: 0 };
const SIGNED = {
  type: 'reasoning.text',
  text: 'thought',
  signature: signatureOf('anthropic', 'thought'),
  format: 'anthropic-claude-v1',
  index: 0,
};
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const MODES = [false, true] as const;

/** The reply with this message, whole or in two chunks. */
const replyOf = (message: object, stream: boolean, beside: object = {}): Answer => {
  const head = { id: 'chatcmpl-1', model: 'm', created: 1, ...beside };
  if (!stream) {
    return json({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: USAGE,
    });
  }
  const object = 'chat.completion.chunk';
  const chunks = [
    { ...head, object, choices: [{ index: 0, delta: { role: 'assistant', ...message }, finish_reason: null }] },
    { ...head, object, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...head, object, choices: [], usage: USAGE },
  ];
  return sse([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']);
};

interface Face {
  readonly name: string;
  readonly path: string;
  /** The assistant's turn, as a client hands it back. */
  turn(body: string, stream: boolean): JsonBody;
}

const FACES: readonly Face[] = [
  {
    name: 'messages',
    path: '/messages',
    turn: (body, stream) => {
      const { content } = stream ? buildMessage(readMessagesEvents(body)) : JSON.parse(body);
      return { role: 'assistant', content };
    },
  },
  {
    name: 'chat',
    path: '/chat/completions',
    turn: (body, stream) => (stream ? joinChunks(readChunks(body)) : JSON.parse(body).choices[0]).message,
  },
];
const CASES = FACES.flatMap((face) =>
  MODES.map((stream) => ({ face, stream, name: face.name, mode: stream ? 'streamed' : 'whole' })),
);

describeOnEmbedded('translation between turns', (database) => {
  let gateway: TestGateway;
  let maker: Upstream;
  let stranger: Upstream;
  let anthropic: Upstream;

  beforeAll(async () => {
    [maker, stranger, anthropic] = await Promise.all([
      startUpstream('openai'),
      startUpstream('openai'),
      startUpstream('anthropic'),
    ]);
    const catalog = catalogOf(
      { id: 'test/maker', at: [{ url: maker.url, dialect: 'openai-chat' }] },
      { id: 'test/stranger', at: [{ url: stranger.url, dialect: 'openai-chat' }] },
      { id: 'test/native', at: [{ url: anthropic.url, dialect: 'anthropic-messages' }] },
    ) as { providers: { quirks?: object }[] };
    // A provider unknown to the code: everything about it comes from the catalog.
    catalog.providers[1]!.quirks = {
      reasoning_style: 'reasoning_effort',
      efforts: ['low', 'max'],
      returns_reasoning_details: true,
    };
    gateway = await startGateway(database, { catalog, coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([maker, stranger, anthropic].map((upstream) => upstream?.close()));
  });
  beforeEach(() => {
    for (const upstream of [maker, stranger, anthropic]) upstream.strict = false;
    stranger.script(replyOf({ content: 'Yes' }, false));
    anthropic.script(anthropicText('Yes'));
  });

  async function send(path: string, body: object): Promise<{ status: number; text: string }> {
    const response = await fetch(`${gateway.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  async function ask(face: Face, model: string, messages: readonly object[], more: object = {}): Promise<string> {
    const { status, text } = await send(face.path, { model, max_tokens: 1_000, messages, ...more });
    if (status !== 200) throw new Error(`${face.name} ${model}: ${status} ${text}`);
    return text;
  }

  const sentTo = (upstream: Upstream): JsonBody => upstream.requests.at(-1)!.json;
  const question = { role: 'user', content: 'Hello' };
  const further = { role: 'user', content: 'Go on' };

  /** The conversation with the reply's turn and the next question. */
  async function converse(face: Face, stream: boolean, message: object): Promise<readonly object[]> {
    maker.script(replyOf(message, stream));
    const turn = face.turn(await ask(face, 'test/maker', [question], { stream }), stream);
    maker.script(replyOf({ content: 'Yes' }, false));
    return [question, turn, further];
  }

  it.each(CASES)('sends sealed reasoning back to its signer only: $name, $mode', async ({ face, stream }) => {
    const messages = await converse(face, stream, { content: 'Hi', reasoning: 'in short', reasoning_details: [SUMMARY, SEALED] });
    await ask(face, 'test/maker', messages);
    const details: JsonBody[] = sentTo(maker).messages[1].reasoning_details;
    const { index: _index, ...sealed } = SEALED;
    expect(details.find(({ type }) => type === 'reasoning.encrypted')).toMatchObject(sealed);
    const { index: _place, ...summary } = SUMMARY;
    expect(details.find(({ type }) => type === 'reasoning.summary')).toEqual({ ...summary, index: 0 });
    expect(details).toHaveLength(2);
    for (const [model, upstream] of [['test/stranger', stranger], ['test/native', anthropic]] as const) {
      await ask(face, model, messages);
      expect(JSON.stringify(sentTo(upstream))).not.toMatch(/c2VhbGVk|rs_1|eyJ/);
    }
  }); // oxfmt-ignore

  it.each(CASES)('sends what Claude signed to every provider of Claude: $name, $mode', async ({ face, stream }) => {
    const messages = await converse(face, stream, { content: 'Hi', reasoning: 'thought', reasoning_details: [SIGNED] });
    await ask(face, 'test/stranger', messages);
    expect(sentTo(stranger).messages[1].reasoning_details).toEqual([expect.objectContaining(SIGNED)]);
    await ask(face, 'test/native', messages);
    expect(sentTo(anthropic).messages[1].content).toEqual([
      expect.objectContaining({ type: 'thinking', thinking: 'thought', signature: SIGNED.signature }),
      expect.objectContaining({ type: 'text', text: 'Hi' }),
    ]);
  });

  const CITED = { citations: ['https://a.test/1'], search_results: [{ url: 'https://a.test/1', title: 'A' }] };
  it.each(CASES)('returns the citations of a chat upstream, which are not sent to Anthropic: $name, $mode', async ({ face, stream }) => {
    maker.script(replyOf({ content: 'Hi' }, stream, CITED));
    const turn = face.turn(await ask(face, 'test/maker', [question], { stream }), stream);
    expect(JSON.stringify(face.name === 'chat' ? turn.annotations : turn.content[0].citations)).toContain('https://a.test/1');
    await ask(face, 'test/native', [question, turn, further]);
    expect(JSON.stringify(sentTo(anthropic))).not.toContain('https://a.test/1');
  }); // oxfmt-ignore

  it.each(CASES)('takes to Anthropic the ids that others gave: $name, $mode', async ({ face, stream }) => {
    anthropic.strict = true;
    maker.script(openaiReply({ tools: [{ id: 'functions.f:0', name: 'f', arguments: '{}' }] }));
    const turn = face.turn(await ask(face, 'test/maker', [question], { stream }), stream);
    const result =
      face.name === 'chat'
        ? { role: 'tool', tool_call_id: 'functions.f:0', content: 'r' }
        : { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.f:0', content: 'r' }] };
    await ask(face, 'test/native', [question, turn, result]);
    const [, assistant, user] = sentTo(anthropic).messages;
    const { id } = assistant.content.at(-1);
    expect(id).toMatch(/^functions_f_0_[0-9a-f]{8}$/);
    expect(user.content[0].tool_use_id).toBe(id);
  });

  it.each(FACES)('drops blank texts, and refuses a turn of nothing else: $name', async (face) => {
    anthropic.strict = true;
    const texts = (...words: string[]) => ({ role: 'user', content: words.map((text) => ({ type: 'text', text })) });
    await ask(face, 'test/native', [texts('', 'Hello', '')]);
    expect(sentTo(anthropic).messages[0].content).toMatchObject([{ type: 'text', text: 'Hello' }]);
    const calls = anthropic.requests.length;
    const refused = await send(face.path, { model: 'test/native', max_tokens: 9, messages: [texts('', ' ')] });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error.message).toMatch(/^messages\.0\.content(\.0)?: is empty/);
    expect(anthropic.requests).toHaveLength(calls);
  });

  it.each(FACES)('mends half an emoji in a history: $name', async (face) => {
    await ask(face, 'test/maker', [question, { role: 'assistant', content: 'cut \ud83d' }, further]);
    expect(sentTo(maker).messages[1].content).toBe('cut \ufffd');
  });

  it.each(FACES)('refuses a trace above 8 KiB: $name', async (face) => {
    const body = (length: number) => ({ model: 'test/maker', max_tokens: 9, messages: [question], trace: { a: 'x'.repeat(length) } });
    const refused = await send(face.path, body(8_192));
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error.message).toBe('trace: must have at most 8192 bytes as JSON');
    expect((await send(face.path, body(8_000))).status).toBe(200);
  }); // oxfmt-ignore

  it.each(FACES)('requests reasoning of a provider in the form that the catalog specifies: $name', async (face) => {
    const wish = face.name === 'chat' ? { reasoning_effort: 'high' } : { output_config: { effort: 'high' } };
    await ask(face, 'test/stranger', [question], wish);
    expect(sentTo(stranger).reasoning_effort).toBe('low');
    await ask(face, 'test/maker', [question], wish);
    expect(sentTo(maker)).not.toHaveProperty('reasoning_effort');
  });
});
