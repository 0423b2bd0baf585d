// Checks that a reply long enough to be read, converted and sent in slices is the same as a short one. The
// upstream's reply has some megabytes, and is requested by both faces, whole and streamed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const TEXT = 'Wörter \u{1F600} "und" mehr. '.repeat(60_000);
const CALLS = Array.from({ length: 2_000 }, (_, index) => ({
  id: `t${index}`,
  input: { index, text: 'é'.repeat(500) },
}));
const LIST = Array.from({ length: 100_000 }, (_, index) => `entry ${index}`);
const ALL = [...CALLS, { id: 'long', input: { list: LIST } }];

describeOnEmbedded('large replies', (database) => {
  let gateway: TestGateway;
  let upstream: Server;

  beforeAll(async () => {
    const reply = JSON.stringify({
      id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', stop_sequence: null,
      content: [{ type: 'text', text: TEXT }, ...ALL.map((call) => ({ type: 'tool_use', name: 'f', ...call }))],
      usage: { input_tokens: 1, output_tokens: 1 },
    }); // oxfmt-ignore
    upstream = createServer((request, response) => {
      request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(reply));
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    gateway = await startGateway(database, {
      catalog: catalogOf({ id: 'test/large', at: [{ url, dialect: 'anthropic-messages' }] }),
    });
  });
  afterAll(async () => {
    await gateway?.close();
    upstream?.closeAllConnections();
    upstream?.close();
  });

  const ask = (path: string, more: object = {}): Promise<Response> =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/large', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], ...more }),
    });

  it('are whole in the Messages format', async () => {
    const [text, ...calls] = ((await (await ask('/messages')).json()) as JsonBody).content;
    expect(text.text).toBe(TEXT);
    expect(calls.map(({ id, input }: JsonBody) => ({ id, input }))).toEqual(ALL);
  });

  it('are whole as chat completions', async () => {
    const { message } = ((await (await ask('/chat/completions')).json()) as JsonBody).choices[0];
    expect(message.content).toBe(TEXT);
    const calls = message.tool_calls.map((call: JsonBody) => ({
      id: call.id,
      input: JSON.parse(call.function.arguments),
    }));
    expect(calls).toEqual(ALL);
  });

  it('are whole as streams of a provider that does not stream', async () => {
    const body = await (await ask('/chat/completions', { stream: true })).text();
    const chunks = [...body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!));
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: JsonBody) => delta));
    expect(deltas.map(({ content }: JsonBody) => content ?? '').join('')).toBe(TEXT);
    const pieces = deltas.flatMap(({ tool_calls: calls = [] }: JsonBody) => calls);
    const json = pieces.map((piece: JsonBody) => piece.function.arguments ?? '').join('');
    expect(json).toBe(ALL.map(({ input }) => JSON.stringify(input)).join(''));
  });
});
