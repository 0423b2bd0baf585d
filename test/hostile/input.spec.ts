// Checks that every input gets a 4xx in bounded time (or is harmless), that no other caller is disturbed, and that
// the process survives. The real app is written to byte by byte; after each attack the process must still answer its
// health check.
import { createServer, type AddressInfo } from 'node:net';
import { anthropicFrames } from '../support/anthropic-upstream.js';
import { API_KEY, MANAGEMENT_KEY, extendedCatalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { computedMs, fastest, stopwatch } from '../support/cpu-time.js';
import { exchange, RawClient, type RawResponse } from '../support/raw-client.js';
import { HANG, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const MIB = 1024 * 1024;
/** Generous for a busy machine; alone, each attack is answered in milliseconds. */
const ANSWER_MS_MAX = 15_000;
/**
 * Beside a body of 10 MB (docs/contribute/decisions/0045-bodies-as-they-come.md), or a few times what this machine
 * takes to read one here. `npm run bench` holds the figure.
 */
const STALL_MS_MAX = 100;

const AUTHORIZATION = `authorization: Bearer ${API_KEY}`;
const JSON_TYPE = 'content-type: application/json';
const ASK = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
const VALID = JSON.stringify(ASK);

/** A request as text; `content-length` is added. */
const post = (body: string | Buffer, ...headers: string[]): Buffer => {
  const lines = [
    'POST /api/v1/messages HTTP/1.1',
    'host: gateway',
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
};
const head = (...lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
const send = (body: string | Buffer): Buffer => post(body, AUTHORIZATION, JSON_TYPE);
const withField = (json: string): Buffer => send(`${VALID.slice(0, -1)},${json}}`);
const withContent = (json: string): Buffer =>
  send(`{"model":"sandbox/echo","max_tokens":9,"messages":[{"role":"user","content":${json}}]}`);
const LONG = 'x'.repeat(MIB);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/**
 * `test/roomy` is `sandbox/overloaded` with a context that takes any prompt: routing would refuse
 * ten megabytes elsewhere.
 */
const withRoomyModel = (catalog: object): object => ({
  ...catalog,
  models: [
    ...(catalog as { models: readonly object[] }).models,
    {
      id: 'test/roomy',
      name: 'Roomy',
      context_length: 100_000_000,
      max_completion_tokens: 8_192,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: [{ provider: 'sandbox', model: 'overloaded', pricing: { prompt: '1', completion: '2' } }],
    },
  ],
});

describeOnEmbedded('hostile input', (database) => {
  let gateway: TestGateway;
  let upstream: Upstream;

  beforeAll(async () => {
    const frames = anthropicFrames({ id: 'a', content: [{ type: 'text', text: 'Hello' }], usage: {} });
    upstream = await startUpstream('anthropic', () => sse([...frames.slice(0, 4), HANG]));
    gateway = await startGateway(database, {
      variables: { FAIRLEAD_FLOOD: 'auth=100000/60s' },
      catalog: withRoomyModel(
        extendedCatalogOf({ id: 'test/endless', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] }),
      ),
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  async function answerTo(bytes: Buffer): Promise<RawResponse> {
    const before = performance.now();
    const client = await RawClient.connect(gateway.origin);
    client.write(bytes);
    try {
      return await client.response();
    } finally {
      client.destroy();
      expect(performance.now() - before).toBeLessThan(ANSWER_MS_MAX);
    }
  }
  const health = async (): Promise<number> => (await fetch(`${gateway.origin}/health/live`)).status;

  afterEach(async () => {
    expect(await health()).toBe(200);
    expect(gateway.log.filter(({ level, status }) => level === 'error' || status === 500)).toEqual([]);
  });

  it.each<[string, number, RegExp, Buffer]>([
    ['nesting 100,000 deep', 400, /^body: is nested deeper/, withContent(nested(100_000))],
    ['nesting that never ends', 400, /^body: is nested deeper/, send('{"a":'.repeat(100_000))],
    ['deep nesting where any JSON is valid', 400, /^body: is nested deeper/, withField(`"trace":{"a":${nested(300)}}`)],
    ['millions of values', 400, /^body: has more than/, send(`[${'[],'.repeat(3 * MIB)}[]]`)],
    ['__proto__ at the top', 400, /^__proto__: /, withField('"__proto__":{"stream":true}')],
    ['__proto__ spelt with escapes', 400, /^__proto__: /, withField(String.raw`"\u005f_proto__":{"stream":true}`)],
    ['__proto__ in a block', 400, /^messages\.0\.content\.0\.__proto__: /, withContent('[{"type":"text","text":"a","__proto__":{}}]')],
    ['__proto__ in a closed object', 400, /^provider\.__proto__: /, withField('"provider":{"__proto__":{"only":[]}}')],
    ['constructor as a field of the class', 400, /^max_tokens: /, send('{"constructor":{"prototype":{"max_tokens":1}},"model":"m","max_tokens":"x","messages":[{"role":"user","content":"a"}]}')],
    ['fields that only the prototype has', 400, /^messages: is required/, send('{"model":"m","toString":1,"hasOwnProperty":2}')],
    ['a lone surrogate in a key', 400, /^trace: has a key with a lone surrogate/, withField(String.raw`"trace":{"\udc00":1}`)],
    ['a key twice', 400, /^model: is given twice/, withField('"model":"sandbox/tools"')],
    ['a key twice, deep inside', 400, /^trace\.a\.0\.b: is given twice/, withField('"trace":{"a":[{"b":1,"b":2}]}')],
    ['a number too large to be one', 400, /^temperature: /, withField('"temperature":1e999')],
    ['bytes that are no UTF-8', 400, /^body: is not valid UTF-8/, send(Buffer.from('{"model":"\xff"}', 'latin1'))],
    ['overlong UTF-8', 400, /^body: is not valid UTF-8/, send(Buffer.from('{"model":"\xc0\xaf"}', 'latin1'))],
    ['UTF-8 that stops in mid-character', 400, /^body: is not valid UTF-8/, send(Buffer.from('{"model":"\xf0\x9f', 'latin1'))],
    ['UTF-16', 400, /^body: /, send(Buffer.from(`\ufeff${VALID}`, 'utf16le'))],
    ['NUL bytes', 400, /^body: is not valid JSON/, send('\0'.repeat(1_000))],
    ['nothing', 400, /^body: is empty/, send('')],
    ['blanks', 400, /^body: is not valid JSON/, send(' \n\t')],
    ['no object but null', 400, /^body: must be an object/, send('null')],
    ['no object but a list', 400, /^body: must be an object/, send('[]')],
    ['no object but a text', 400, /^body: must be an object/, send('"text"')],
    ['a model of 1 MB', 400, /^model: must be at most 256 characters/, send(`{"model":"${LONG}","messages":[{"role":"user","content":"a"}]}`)],
    ['a field of 1 MB', 400, /^provider\.x+…: is not a known field/, withField(`"provider":{"${LONG}":1}`)],
    ['a tool id of 1 MB', 400, /^messages\.0\./, withContent(`[{"type":"tool_result","tool_use_id":"${LONG}","content":"a"}]`)],
    ['33 MB', 413, /^body: must be at most 33554432 bytes/, send(Buffer.alloc(33 * MIB, 32))],
    ['a length without end', 413, /^body: must be at most/, head('POST /api/v1/messages HTTP/1.1', 'host: g', AUTHORIZATION, JSON_TYPE, `content-length: ${2 ** 52}`)],
    ['no content type', 415, /^content-type: /, post(VALID, AUTHORIZATION)],
    ['a form', 415, /^content-type: /, post('model=m', AUTHORIZATION, 'content-type: application/x-www-form-urlencoded')],
    ['text', 415, /^content-type: /, post(VALID, AUTHORIZATION, 'content-type: text/plain')],
    ['JSON in another charset', 415, /^content-type: the charset/, post(VALID, AUTHORIZATION, `${JSON_TYPE}; charset=utf-16`)],
    ['JSON beside another type', 415, /^content-type: /, post(VALID, AUTHORIZATION, 'content-type: multipart/form-data; boundary=application/json')],
    ['a compressed body', 415, /^content-encoding: /, post(VALID, AUTHORIZATION, JSON_TYPE, 'content-encoding: gzip')],
    ['a header of 64 KB', 431, /^headers: must be at most/, post(VALID, AUTHORIZATION, JSON_TYPE, `x-session-id: ${'a'.repeat(65_536)}`)],
    ['10,000 headers', 431, /^headers: must be at most/, post(VALID, AUTHORIZATION, ...Array<string>(10_000).fill('a: b'))],
    ['a key of 1 MB', 431, /^headers: must be at most/, post(VALID, `authorization: Bearer ${'a'.repeat(MIB)}`)],
    ['an address of 64 KB', 431, /^headers: must be at most/, head(`GET /${'a'.repeat(65_536)} HTTP/1.1`, 'host: g')],
    ['NUL in a header', 400, /^The request is not valid HTTP/, post(VALID, AUTHORIZATION, 'x-session-id: a\0b')],
    ['a bare line feed in a header', 400, /^The request is not valid HTTP/, post(VALID, AUTHORIZATION, 'x-session-id: a\rb')],
    ['a header without name', 400, /^The request is not valid HTTP/, post(VALID, ': value')],
    ['two lengths', 400, /^The request is not valid HTTP/, post(VALID, AUTHORIZATION, JSON_TYPE, 'content-length: 3')],
    ['a length and chunks', 400, /^The request is not valid HTTP/, post(VALID, AUTHORIZATION, JSON_TYPE, 'transfer-encoding: chunked')],
    ['a negative length', 400, /^The request is not valid HTTP/, head('POST /api/v1/messages HTTP/1.1', 'host: g', 'content-length: -1')],
    ['chunks of no size', 400, /^The request is not valid HTTP/, Buffer.concat([head('POST /api/v1/messages HTTP/1.1', 'host: g', AUTHORIZATION, JSON_TYPE, 'transfer-encoding: chunked'), Buffer.from('zz\r\n')])],
    ['an unknown method', 400, /^The request is not valid HTTP/, head('BREW /api/v1/messages HTTP/1.1', 'host: g')],
    ['a greeting of TLS', 400, /^The request is not valid HTTP/, Buffer.from('16030102000100', 'hex')],
    ['a greeting of HTTP/2', 400, /^The request is not valid HTTP/, Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['anything else', 400, /^The request is not valid HTTP/, Buffer.from('\0\0\0hello\r\n\r\n')],
  ])('%s: %d', async (_, status, message, bytes) => {
    const reply = await answerTo(bytes);
    expect([reply.status, reply.json?.error?.code]).toEqual([status, status]);
    expect(reply.json.error.message).toMatch(message);
    expect(reply.json.error.message.length).toBeLessThan(300);
  }); // oxfmt-ignore

  it('reads no body for its boundary, with a key or without: one of 100,000 dashes, ten thousand parameters', async () => {
    const long = `content-type: multipart/form-data; boundary=${'-'.repeat(100_000)}`;
    const short = `content-type: multipart/form-data; boundary=${'-'.repeat(12_000)}`;
    const many = `content-type: multipart/form-data${';a=b'.repeat(3_000)}`;
    for (const type of [short, many]) {
      expect((await answerTo(post(`--${'-'.repeat(12_000)}`, type))).status).toBe(401);
      expect((await answerTo(post(`--${'-'.repeat(12_000)}`, type, AUTHORIZATION))).status).toBe(415);
    }
    expect((await answerTo(post('', long))).status).toBe(431);
  });

  it.each<[string, Buffer]>([
    ['values beyond ASCII', post(VALID, AUTHORIZATION, JSON_TYPE, 'x-session-id: \xe9\xff\x80', 'x-title: \xc3\xa9')],
    ['escaped line breaks', post(VALID, AUTHORIZATION, JSON_TYPE, 'x-session-id: a%0d%0ax-evil: b', 'x-title: \\r\\n')],
    ['a request to become another protocol', post(VALID, AUTHORIZATION, JSON_TYPE, 'connection: upgrade', 'upgrade: websocket')],
    ['absurd lists of betas', post(VALID, AUTHORIZATION, JSON_TYPE, `x-anthropic-beta: ${','.repeat(10_000)}`)],
    ['types in capitals, with a quoted charset', post(VALID, AUTHORIZATION, 'content-type: APPLICATION/JSON ; charset="UTF-8"')],
    ['unknown fields', withField('"constructor":{},"prototype":1,"then":2,"toJSON":3,"api_base":"http://127.0.0.1:1"')],
  ])('takes %s for what they are', async (_, bytes) => {
    const reply = await answerTo(bytes);
    expect([reply.status, reply.json?.stop_reason]).toEqual([200, 'end_turn']);
    expect(Object.keys(reply.headers)).not.toContain('x-evil');
  }); // oxfmt-ignore

  it('refuses 33 MB in chunks while they come', async () => {
    const client = await RawClient.connect(gateway.origin);
    client.write(
      head('POST /api/v1/messages HTTP/1.1', 'host: g', AUTHORIZATION, JSON_TYPE, 'transfer-encoding: chunked'),
    );
    const chunk = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), Buffer.alloc(MIB, 32), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 33; sent++) client.write(chunk);
    const reply = await client.response();
    expect([reply.status, reply.json.error.error_type]).toEqual([413, 'payload_too_large']);
    client.destroy();
  });

  it('puts no error into the middle of a reply when garbage follows the request', async () => {
    const client = await RawClient.connect(gateway.origin);
    client.write(send(JSON.stringify({ ...ASK, model: 'test/endless', stream: true })));
    await client.until('Hello');
    client.write('\0garbage\r\n\r\n');
    await client.closed;
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('answers a request that arrived whole, and no other, when a body without a length follows it', async () => {
    const client = await RawClient.connect(gateway.origin);
    const path = `/api/v1/keys/${'0'.repeat(64)}`;
    client.write(`DELETE ${path} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${MANAGEMENT_KEY}\r\n\r\n{}`);
    await client.closed;
    expect(client.text).toMatch(/^HTTP\/1\.1 404 /);
    expect(client.text).toContain('There is no key with this hash.');
    expect(client.text.toLowerCase()).toContain('connection: close');
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
  });

  it('answers pipelined requests whole, in their order', async () => {
    const client = await RawClient.connect(gateway.origin);
    client.write(Buffer.concat([send(JSON.stringify({ ...ASK, stream: true })), send(VALID)]));
    const text = await client.until('"end_turn","stop_sequence":null,"stop_details":null,"container":null,"usage"');
    client.destroy();
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(text.indexOf('[DONE]')).toBeLessThan(text.lastIndexOf('HTTP/1.1 200'));
  });

  it.each([false, true])('answers HTTP/1.0, streamed: %s', async (stream) => {
    const body = JSON.stringify({ ...ASK, stream });
    const client = await RawClient.connect(gateway.origin);
    client.write(
      `POST /api/v1/messages HTTP/1.0\r\n${AUTHORIZATION}\r\n${JSON_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await client.closed;
    expect(client.text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(client.text).toContain(stream ? '[DONE]' : '"stop_reason":"end_turn"');
    expect(client.text.toLowerCase()).not.toContain('transfer-encoding: chunked');
  });

  it('takes a body byte by byte, and does not mind one that never ends', async () => {
    const unfinished = await RawClient.connect(gateway.origin);
    unfinished.write(send(VALID).subarray(0, -5));
    const slow = await RawClient.connect(gateway.origin);
    for (const byte of send(VALID)) {
      slow.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await slow.response()).status).toBe(200);
    slow.destroy();
    unfinished.reset();
    await unfinished.closed;
  });

  it('permits no field and no header to choose the called host', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const fields = ['api_base', 'base_url', 'baseURL', 'api_key', 'custom_host', 'endpoint', 'proxy', 'url', 'host'];
    const headers = [
      'x-portkey-custom-host',
      'x-custom-host',
      'x-base-url',
      'x-forwarded-host',
      'x-upstream-url',
      'forwarded',
    ];
    const body = { ...ASK, ...Object.fromEntries(fields.map((field) => [field, url])) };
    const reply = await exchange(gateway.origin, {
      path: '/api/v1/messages',
      headers: [['authorization', `Bearer ${API_KEY}`], ...headers.map((name) => [name, url] as const)],
      body,
    });
    expect([reply.status, connections]).toEqual([200, 0]);
    const provider = await gateway.messages({ ...ASK, provider: { base_url: url } });
    expect(provider.status).toBe(400);
    await new Promise((resolve) => listener.close(resolve));
  });

  it.each([
    ['a legal text', `{"model":"test/roomy","messages":[{"role":"user","content":"${'All work. '.repeat(MIB)}"}]}`],
    ['a legal text of code', `{"model":"test/roomy","messages":[{"role":"user","content":"${'  const name = find(\\"name\\"); // why\\n'.repeat(0.25 * MIB)}"}]}`],
    ['small objects', `{"messages":[${'{"a":[]},'.repeat(MIB)}{}]}`],
    ['small texts', `{"messages":[${'"",'.repeat(3 * MIB)}""]}`],
    ['escapes', `{"messages":"${'\\u0061'.repeat(1.6 * MIB)}`],
    ['open brackets', '['.repeat(10 * MIB)],
    ['quotes', '"'.repeat(10 * MIB)],
  ])('continues to answer others while it reads 10 MB of %s', async (_, body) => {
    const attack = send(body);
    const boundMs = Math.max(STALL_MS_MAX, 2.5 * computedMs(() => void JSON.parse(JSON.stringify(body))));
    async function slowestHealth(): Promise<number> {
      let done = false;
      const answered = answerTo(attack).finally(() => (done = true));
      let slowest = 0;
      while (!done) {
        const read = stopwatch();
        expect(await health()).toBe(200);
        slowest = Math.max(slowest, read());
      }
      expect([400, 529]).toContain((await answered).status);
      return slowest;
    }
    expect(await fastest(slowestHealth, boundMs)).toBeLessThan(boundMs);
  }, 240_000); // oxfmt-ignore
});
