/** Checks that the findings of a black-box audit stay fixed: its reproductions run against the real application. */
import { startApp } from '../../src/bootstrap/app.js';
import { Environment } from '../../src/shared/environment.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiReply } from '../support/openai-upstream.js';
import { RawClient } from '../support/raw-client.js';
import { readFrames } from '../support/sse.js';
import { json, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const frame = (payload: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
const START =
  frame({
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }) + frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
const delta = (text: string): string =>
  frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const OVERLOADED = frame({ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } });

describeOnEmbedded('what an audit found', (database) => {
  let upstream: Upstream;
  let chat: Upstream;
  let gateway: TestGateway;
  const ask = (stream: boolean) => ({
    model: 'test/native',
    max_tokens: 10,
    stream,
    messages: [{ role: 'user', content: 'hi' }],
  });

  beforeAll(async () => {
    [upstream, chat] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    gateway = await startGateway(database, {
      catalog: catalogOf(
        { id: 'test/native', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] },
        { id: 'test/translated', at: [{ url: chat.url, dialect: 'openai-chat' }] },
      ),
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([upstream?.close(), chat?.close()]);
  });

  it('emits the delta that shares a chunk with the error after it', async () => {
    let sendOn!: () => void;
    const released = new Promise<void>((resolve) => (sendOn = resolve));
    upstream.script(sse([START + delta('A'), released, delta('B') + OVERLOADED]));
    const response = await gateway.messages(ask(true));
    sendOn();
    const frames = readFrames(await response.text());
    const texts = frames
      .filter(({ event }) => event === 'content_block_delta')
      .map(({ data }) => JSON.parse(data!).delta.text);
    expect(texts).toEqual(['A', 'B']);
    expect(frames.slice(-2).map(({ event, data }) => event || data)).toEqual(['error', '[DONE]']);
  });

  it('calls a reply that is nested too deep malformed, whole and streamed', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    upstream.script({
      headers: { 'content-type': 'application/json' },
      body: [
        `{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"weird","content":${deep}}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`,
      ],
    });
    const whole = await gateway.messages(ask(false));
    expect([whole.status, ((await whole.json()) as { error: { type: string } }).error.type]).toEqual([
      502,
      'api_error',
    ]);

    upstream.script(
      sse([
        `${START.split('\n\n')[0]}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"weird","content":${deep}}}\n\n`,
      ]),
    );
    const streamed = await gateway.messages(ask(true));
    expect(await streamed.text()).toContain('nested too deep');
    // The provider caused the end: the caller has not left, and pays nothing.
    const ledger = new LedgerReader(gateway);
    await ledger.rest();
    expect(await ledger.latest()).toMatchObject({ outcome: 'provider-malformed-reply', cost: '0.000000000000' });
    expect((await gateway.request('/key')).status).toBe(200);
  });

  it('returns the same for the arguments of a tool from a chat upstream', async () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const tools = [{ name: 'get', input_schema: { type: 'object', properties: {} } }];
    chat.script(openaiReply({ tools: [{ name: 'get', arguments: deep }] }));
    const lines = () => gateway.log.filter(({ msg }) => msg === 'request');
    const before = lines().length;
    const response = await gateway.messages({ ...ask(false), model: 'test/translated', tools });
    const text = await response.text();
    expect(text).toContain('nested too deep');
    while (lines().length === before) await gateway.logged();
    expect(text).toMatch(/"metadata":\{"provider_name":"Provider p\d"/);
    expect(lines()[before]).toMatchObject({ outcome: 'provider-malformed-reply' });
  });

  it('reads a JSON answer to a streamed call whatever the case of its media type', async () => {
    const whole = await new Promise<string>((resolve) => {
      upstream.script(anthropicText('plain'));
      void gateway.messages(ask(false)).then(async (response) => resolve(await response.text()));
    });
    const { content } = JSON.parse(whole);
    upstream.script(
      json(
        {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'x',
          content,
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1 },
        },
        200,
        { 'content-type': 'Application/JSON' },
      ),
    );
    expect(await (await gateway.messages(ask(true))).text()).toContain('plain');
  });

  it.each([
    [
      "a proxy's form of the request line",
      'GET http://gateway.example/v1/key HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      401,
    ],
    ['no Host', 'GET /v1/key HTTP/1.1\r\nconnection: close\r\n\r\n', 401],
    [
      'an unknown expectation',
      'POST /v1/messages HTTP/1.1\r\nhost: x\r\nexpect: tea\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
      400,
    ],
    ['headers of 64 KB', `GET /v1/messages HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(65_536)}\r\n\r\n`, 431],
  ])('answers %s with an error of the documented form', async (_, raw, status) => {
    const client = await RawClient.connect(gateway.origin);
    client.write(raw);
    const response = await client.response();
    client.destroy();
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body.toString())).toMatchObject({ error: { code: status } });
  });

  it('names the variable when its port is taken', async () => {
    const options = {
      environment: { ...gateway.gateway.app.get(Environment), port: gateway.port },
      shippedCatalogPath: '',
    };
    await expect(startApp(options)).rejects.toThrow(/PORT cannot be listened on: 127\.0\.0\.1:\d+ \(EADDRINUSE\)/);
  });
});
