/**
 * Checks that a model whose endpoint uses the responses format works through either face like any other: tool loops
 * continue, and sealed reasoning, summaries and phases return to their maker and go to no other provider. One strict
 * upstream takes both of OpenAI's formats as the provider `openai`, beside others, before the real application; each
 * reply is handed back as a client does it. Rules: docs/use/translation/openai-responses.md.
 */
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import { seal } from '../support/doubles/double.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { messageItem, responsesReply, responsesText } from '../support/responses-upstream.js';
import { readMessagesEvents } from '../support/sse.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { buildMessage } from './messages-bench.js';

const SEALED = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: 'First this.' },
    { type: 'summary_text', text: 'Then that.' },
  ],
  encrypted_content: seal('openai', 'First this.Then that.'),
};
const MESSAGE = messageItem('Let me look.', { phase: 'commentary' });
const CALL = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"it"}', status: 'completed' }; // oxfmt-ignore

/** The prefix of another vendor's seal in the Messages face. */
const TOKEN_HEAD = Buffer.from('{"format"').toString('base64');

interface Face {
  readonly name: string;
  readonly path: string;
  readonly tool: object;
  /** The reply, assembled as by a client. */
  read(body: string, stream: boolean): JsonBody;
  turn(reply: JsonBody): object;
  result(id: string, text: string): object;
}

const FACES: readonly Face[] = [
  {
    name: 'messages',
    path: '/messages',
    tool: { name: 'look', input_schema: { type: 'object' } },
    read: (body, stream) => (stream ? buildMessage(readMessagesEvents(body)) : JSON.parse(body)),
    turn: ({ content }) => ({ role: 'assistant', content }),
    result: (tool_use_id, content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] }),
  },
  {
    name: 'chat',
    path: '/chat/completions',
    tool: { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
    read: (body, stream) => {
      if (stream) return joinChunks(readChunks(body));
      const { choices, usage } = JSON.parse(body);
      return { ...choices[0], usage };
    },
    turn: ({ message }) => message,
    result: (tool_call_id, content) => ({ role: 'tool', tool_call_id, content }),
  },
];
const CASES = FACES.flatMap((face) =>
  [false, true].map((stream) => ({ face, stream, name: face.name, mode: stream ? 'streamed' : 'whole' })),
);

describeOnEmbedded('an endpoint that talks in the responses format', (database) => {
  let gateway: TestGateway;
  let openai: Upstream;
  let other: Upstream;
  let anthropic: Upstream;

  beforeAll(async () => {
    [openai, other, anthropic] = await Promise.all([
      startUpstream('responses'),
      startUpstream('responses'),
      startUpstream('anthropic'),
    ]);
    const provider = (slug: string, dialect: string, { url }: Upstream): object => ({
      slug,
      name: slug,
      dialect,
      base_url: url,
      credential: { value: `credential-of-${slug}` },
    });
    const model = (id: string, slug: string, endpoint: object = {}): object => ({
      id,
      name: id,
      context_length: 200_000,
      input_modalities: ['text', 'image', 'file'],
      output_modalities: ['text'],
      endpoints: [{ provider: slug, model: 'upstream', pricing: { prompt: '1', completion: '2', input_cache_read: '0.1' }, ...endpoint }],
    }); // oxfmt-ignore
    const catalog = {
      version: 1,
      providers: [
        provider('openai', 'openai-chat', openai),
        provider('other', 'openai-responses', other),
        provider('anthropic', 'anthropic-messages', anthropic),
      ],
      models: [
        model('test/thinker', 'openai', { dialect: 'openai-responses', supported_parameters: ['reasoning', 'tools', 'tool_choice'] }),
        model('test/chatter', 'openai'),
        model('test/other', 'other'),
        model('test/native', 'anthropic'),
      ],
    }; // oxfmt-ignore
    gateway = await startGateway(database, { catalog, coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([openai, other, anthropic].map((upstream) => upstream?.close()));
  });

  const sentTo = (upstream: Upstream): JsonBody => upstream.requests.at(-1)!.json;
  const question = { role: 'user', content: 'What is it?' };

  async function send(face: Face, body: object): Promise<{ status: number; text: string }> {
    const response = await fetch(`${gateway.origin}/api/v1${face.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({ max_tokens: 1_000, tools: [face.tool], ...body }),
    });
    return { status: response.status, text: await response.text() };
  }

  async function ask(face: Face, model: string, messages: readonly object[], stream = false): Promise<JsonBody> {
    const { status, text } = await send(face, { model, messages, stream });
    if (status !== 200) throw new Error(`${face.name} ${model}: ${status} ${text}`);
    return face.read(text, stream);
  }

  describe.each(CASES)('$name, $mode', ({ face, stream }) => {
    let reply: JsonBody;
    let history: readonly object[];

    beforeAll(async () => {
      openai.script(responsesReply([SEALED, MESSAGE, CALL]));
      reply = await ask(face, 'test/thinker', [question], stream);
      history = [question, face.turn(reply), face.result('call_1', 'a stone')];
    });

    it('requests no storage, and reasoning that can be handed back', () => {
      const received = openai.requests.find(({ json: body }) => body.stream === stream)!;
      expect(received.path).toBe('/v1/responses');
      expect(received.headers.authorization).toBe('Bearer credential-of-openai');
      expect(received.json).toMatchObject({
        store: false,
        include: ['reasoning.encrypted_content'],
        max_output_tokens: 1_000,
        tools: [{ type: 'function', name: 'look', strict: false }],
      });
    });

    it('returns all of the reply', () => {
      if (face.name === 'messages') {
        expect(reply).toMatchObject({
          stop_reason: 'tool_use',
          content: [
            { type: 'thinking', thinking: 'First this.' },
            { type: 'thinking', thinking: 'Then that.' },
            { type: 'redacted_thinking' },
            { type: 'text', text: 'Let me look.', phase: 'commentary' },
            { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'it' } },
          ],
          usage: { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 7, output_tokens_details: { thinking_tokens: 3 } },
        }); // oxfmt-ignore
      } else {
        const origin = { format: 'openai-responses-v1', id: 'rs_1', provider: 'openai' };
        expect(reply).toMatchObject({
          finish_reason: 'tool_calls',
          message: {
            content: 'Let me look.',
            phase: 'commentary',
            reasoning: 'First this.Then that.',
            reasoning_details: [
              { type: 'reasoning.summary', summary: 'First this.', ...origin },
              { type: 'reasoning.summary', summary: 'Then that.', ...origin },
              { type: 'reasoning.encrypted', data: SEALED.encrypted_content, ...origin },
            ],
            tool_calls: [{ id: 'call_1', function: { name: 'look', arguments: '{"at":"it"}' } }],
          },
          usage: { prompt_tokens: 12, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
        });
      }
    });

    it('continues with everything that its maker requires back, at its position', async () => {
      openai.script(responsesText('A stone.'));
      await ask(face, 'test/thinker', history, stream);
      expect(sentTo(openai).input).toEqual([
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is it?' }] },
        SEALED,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }], phase: 'commentary' },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"it"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'a stone' },
      ]); // oxfmt-ignore
    });

    it('continues at other providers, which receive none of it', async () => {
      other.script(responsesText('A stone.'));
      anthropic.script(anthropicText('A stone.'));
      await ask(face, 'test/other', history);
      await ask(face, 'test/native', history);
      openai.script(openaiText('A stone.'));
      await ask(face, 'test/chatter', history);
      expect(openai.requests.at(-1)!.path).toBe('/v1/chat/completions');
      for (const upstream of [other, anthropic, openai]) {
        const sent = JSON.stringify(sentTo(upstream));
        for (const secret of [SEALED.encrypted_content, TOKEN_HEAD, 'rs_1', 'First this']) {
          expect(sent).not.toContain(secret);
        }
        expect(sent).toContain('Let me look.');
      }
      expect(JSON.stringify(sentTo(anthropic))).not.toContain('commentary');
    }); // oxfmt-ignore
  });

  it('emits every key of usage in the first event of a stream, and its figures in the last', async () => {
    openai.script(responsesText('A stone.'));
    const { text } = await send(FACES[0]!, { model: 'test/thinker', messages: [question], stream: true });
    const events = readMessagesEvents(text);
    expect(events[0]!.message.usage).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
      cache_creation: null,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
    });
    const last = events.find(({ type }) => type === 'message_delta')!;
    expect(last.usage).toMatchObject({ input_tokens: 8, output_tokens: 7, cache_read_input_tokens: 4 });
  });

  it.each(FACES)('returns failures of every kind through $name', async (face) => {
    const failed = responsesReply([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } }); // oxfmt-ignore
    openai.script(failed);
    expect((await send(face, { model: 'test/thinker', messages: [question] })).status).toBe(429);
    openai.script(json({ error: { message: 'No such thing.', type: 'invalid_request_error', code: 'x' } }, 400));
    const refused = await send(face, { model: 'test/thinker', messages: [question] });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('No such thing.')]);
  });
});
