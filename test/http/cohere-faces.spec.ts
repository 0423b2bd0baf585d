/**
 * Checks that reasoning from Cohere returns to it word for word with the next turn, through either face, and that its
 * text before the calls is kept. A loop of one tool call runs over HTTP before a loopback upstream; each reply is
 * sent back as a client sends it, and what the upstream receives is compared.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const THOUGHT = { type: 'thinking', thinking: 'First the weather, “then” the rest.\n' };
const CALL = { id: 'f_1', type: 'function', function: { name: 'f', arguments: '{"city":"Zürich"}' } };
const USAGE = { billed_units: { input_tokens: 5, output_tokens: 9 } };

describeOnEmbedded('Cohere behind both faces', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream('openai', () =>
      json({
        id: 'r',
        finish_reason: 'TOOL_CALL',
        message: { role: 'assistant', content: [THOUGHT], tool_calls: [CALL] },
        usage: USAGE,
      }),
    );
    upstream.strict = false;
    gateway = await startGateway(database, {
      catalog: {
        version: 1,
        providers: [
          {
            slug: 'cohere',
            name: 'Cohere',
            dialect: 'cohere-chat',
            base_url: upstream.origin,
            credential: { value: 'co-key' },
          },
        ],
        models: [
          {
            id: 'cohere/command',
            name: 'Command',
            context_length: 10_000,
            endpoints: [{ provider: 'cohere', model: 'command-x', free: true }],
          },
        ],
      },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  async function ask(path: string, body: object): Promise<JsonBody> {
    const headers = { 'content-type': 'application/json' };
    const sent = JSON.stringify({ model: 'cohere/command', max_tokens: 50, ...body });
    const response = await gateway.request(path, { method: 'POST', headers, body: sent });
    expect(response.status).toBe(200);
    return response.json();
  }

  const FACES: readonly (readonly [string, () => Promise<void>])[] = [
    [
      '/messages',
      async () => {
        const tools = [{ name: 'f', input_schema: { type: 'object' } }];
        const user = { role: 'user', content: 'Hi' };
        const reply = await ask('/messages', { tools, messages: [user] });
        const result = { type: 'tool_result', tool_use_id: reply.content.at(-1).id, content: 'rain' };
        const turns = [user, { role: 'assistant', content: reply.content }, { role: 'user', content: [result] }];
        await ask('/messages', { tools, messages: turns });
      },
    ],
    [
      '/chat/completions',
      async () => {
        const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
        const user = { role: 'user', content: 'Hi' };
        const { choices } = await ask('/chat/completions', { tools, messages: [user] });
        const { message } = choices[0];
        const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'rain' };
        await ask('/chat/completions', { tools, messages: [user, message, result] });
      },
    ],
  ];

  it.each(FACES)('%s', async (_, loop) => {
    await loop();
    const { path, headers, json: body } = upstream.requests.at(-1)!;
    expect([path, headers.authorization]).toEqual(['/v2/chat', 'Bearer co-key']);
    const [user, assistant, tool] = body.messages;
    expect(user).toEqual({ role: 'user', content: 'Hi' });
    expect(assistant).toMatchObject({ role: 'assistant', content: [THOUGHT], tool_calls: [{ id: 'f_1' }] });
    expect(JSON.parse(assistant.tool_calls[0].function.arguments)).toEqual({ city: 'Zürich' });
    expect(tool).toEqual({ role: 'tool', tool_call_id: 'f_1', content: 'rain' });
  });
});
