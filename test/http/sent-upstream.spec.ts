/**
 * Checks that a provider receives what the caller requested, in the provider's format, and nothing of the caller's
 * own. Strict loopback upstreams keep what they receive; the callers send headers and fields of all kinds; one
 * listener must never be called. Rules: docs/contribute/threat-model.md.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { API_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, MessagesBench, TOOLS } from './messages-bench.js';

const NATIVE = 'test/native';
const TRANSLATED = 'test/translated';

describeOnEmbedded('what POST /messages sends upstream', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.anthropic.strict = true;
  });

  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
  const PDF = Buffer.from('%PDF-1.7\n').toString('base64');
  const SCHEMA = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const content = [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF }, title: 'Plan' },
    { type: 'text', text: 'Where?' },
  ];
  const rich = {
    system: 'Be brief.',
    messages: [{ role: 'user', content }],
    output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    temperature: 0.5,
    stop_sequences: ['END'],
    tools: TOOLS,
    tool_choice: { type: 'auto' },
  };

  it('native: images, PDFs, structured output and options in the form of the caller', async () => {
    expect((await bench.gateway.messages(ask(NATIVE, rich))).status).toBe(200);
    const { path, json } = bench.anthropic.requests.at(-1)!;
    expect(path).toBe('/v1/messages');
    const { system, ...words } = rich;
    expect(json).toMatchObject({ ...words, model: 'upstream-native', max_tokens: 100 });
    expect([system, [{ type: 'text', text: system }]]).toContainEqual(json.system);
  });

  it('translated: the same in the chat format', async () => {
    expect((await bench.gateway.messages(ask(TRANSLATED, rich))).status).toBe(200);
    const { path, json } = bench.openai.requests.at(-1)!;
    expect(path).toBe('/v1/chat/completions');
    expect(json).toMatchObject({
      model: 'upstream-translated',
      max_tokens: 100,
      temperature: 0.5,
      stop: ['END'],
      tool_choice: 'auto',
      response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } },
    });
    expect(json.messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'file', file: { filename: 'Plan.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
          { type: 'text', text: 'Where?' },
        ],
      },
    ]);
    expect(json.tools.map((tool: JsonBody) => tool.function.name)).toEqual(['get_weather', 'get_time']);
  });

  it.each([NATIVE, TRANSLATED])('%s: a PDF of 25 MB arrives unharmed', async (model) => {
    const data = Buffer.alloc(25_000_000, 'fairlead').toString('base64');
    const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
    const response = await bench.gateway.messages(ask(model, { messages: [{ role: 'user', content: [document] }] }));
    expect(response.status).toBe(200);
    const record = (model === NATIVE ? bench.anthropic : bench.openai).requests.at(-1)!;
    expect(record.rawBody.includes(data)).toBe(true);
  });

  it.each([NATIVE, TRANSLATED])('%s: a conversation of 10 MB arrives unchanged, in order', async (model) => {
    // Long and short turns: some are printed together, some by themselves, and one in several pieces.
    const turns = Array.from({ length: 4_001 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `${index}: ${'"é😀\\\n'.repeat(index === 100 ? 400_000 : index % 97 === 0 ? 9_000 : 100)}`,
    }));
    const response = await bench.gateway.messages(ask(`${model}-roomy`, { messages: turns, system: 'Be brief.' }));
    expect(response.status).toBe(200);
    const record = (model === NATIVE ? bench.anthropic : bench.openai).requests.at(-1)!;
    expect(record.headers['content-length']).toBe(String(record.rawBody.length));
    expect(record.rawBody.length).toBeGreaterThan(10_000_000);
    const arrived = record.json.messages.map(({ role, content }: JsonBody) => ({
      role,
      content: typeof content === 'string' ? content : content.map(({ text }: JsonBody) => text).join(''),
    }));
    expect(arrived).toEqual([...(model === NATIVE ? [] : [{ role: 'system', content: 'Be brief.' }]), ...turns]);
  });

  const CALLER_HEADERS = {
    cookie: 'session=leak-canary',
    'x-forwarded-for': '10.1.2.3, leak-canary',
    'x-real-ip': 'leak-canary',
    forwarded: 'for=leak-canary',
    referer: 'https://leak-canary.example',
    'x-title': 'leak-canary',
    'user-agent': 'leak-canary/1.0',
    'x-request-id': 'leak-canary',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'proxy-authorization': 'Basic leak-canary',
    'x-custom': 'leak-canary',
    'openai-organization': 'leak-canary',
    'accept-language': 'leak-canary',
  };
  const OUR_HEADERS = [
    'host',
    'connection',
    'accept',
    'content-type',
    'content-length',
    'accept-encoding',
    'user-agent',
  ];

  it.each([
    { model: NATIVE, credential: ['x-api-key', 'credential-of-p0'], more: ['x-api-key', 'anthropic-version'] },
    { model: TRANSLATED, credential: ['authorization', 'Bearer credential-of-p1'], more: ['authorization'] },
  ])('$model: headers by the list alone, with the right credential', async ({ model, credential, more }) => {
    const upstream = model === NATIVE ? bench.anthropic : bench.openai;
    for (const stream of [false, true]) {
      const response = await bench.gateway.messages(ask(model, { stream }), { headers: CALLER_HEADERS });
      expect(response.status).toBe(200);
      await response.text();
      const { headers } = upstream.requests.at(-1)!;
      expect([...OUR_HEADERS, ...more]).toEqual(expect.arrayContaining(Object.keys(headers)));
      expect(headers[credential[0]!]).toBe(credential[1]);
      expect(headers['accept-encoding']).toBe('identity');
      expect(JSON.stringify(headers)).not.toMatch(new RegExp(`leak-canary|${API_KEY}`));
    }
  });

  it('passes betas from either header, each once', async () => {
    const headers = {
      'anthropic-beta': 'one-2025-01-01, two-2025-02-02',
      'x-anthropic-beta': 'two-2025-02-02,three-2025-03-03',
    };
    await bench.gateway.messages(ask(NATIVE), { headers });
    expect(bench.anthropic.requests.at(-1)!.headers['anthropic-beta']?.toString().split(/, ?/).sort()).toEqual([
      'one-2025-01-01',
      'three-2025-03-03',
      'two-2025-02-02',
    ]);
    await bench.gateway.messages(ask(TRANSLATED), { headers });
    expect(bench.openai.requests.at(-1)!.headers['anthropic-beta']).toBeUndefined();
  });

  it('ignores addresses in every field and header', async () => {
    let connections = 0;
    const listener = createServer(() => connections++).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const url = `http://${host}/v1`;
    const headers = {
      'x-portkey-custom-host': url, 'x-custom-host': url, 'x-litellm-custom-host': url, 'x-api-base': url, 'x-base-url': url,
      'x-forwarded-host': host, 'x-original-url': url, 'x-upstream': url,
    }; // oxfmt-ignore
    const more = { api_base: url, base_url: url, baseURL: url, custom_host: url, endpoint: url, host, proxy: url };
    // Unknown fields are sent to upstreams of the same format, and the answer of this upstream to them is not compared
    // here.
    bench.anthropic.strict = false;
    for (const model of [NATIVE, TRANSLATED]) {
      for (const stream of [false, true]) {
        const response = await bench.gateway.messages(ask(model, { stream, ...more }), { headers });
        expect(response.status).toBe(200);
        await response.text();
      }
    }
    expect(bench.openai.requests.at(-1)!.rawBody.includes(host)).toBe(false);
    await new Promise((resolve) => listener.close(resolve));
    expect(connections).toBe(0);
  });
});
