/**
 * Checks that a failing provider can be diagnosed: the log line of the request, the metrics and the spans report the
 * same, and neither they nor the caller's reply contain a secret, content, or what a provider writes about the
 * operator's credential (docs/operate/observability.md#logs). The application runs before scripted upstreams, a port
 * without a listener and a collector of traces; both faces, whole and streamed.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const CREDENTIAL = 'sk-operator-canary-0123456789';
const OWN_CREDENTIAL = 'sk-own-canary-0123456789';
const VARIABLE = 'DIAGNOSED_API_KEY';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const FACES = [
  ['/messages', false],
  ['/messages', true],
  ['/chat/completions', false],
  ['/chat/completions', true],
] as const;

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Accepts the data of an exporter, in OTLP's JSON. */
class Collector {
  text = '';
  readonly spans: ExportedSpan[] = [];
  readonly resource: Record<string, unknown> = {};
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        this.take(body);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
  }

  async url(): Promise<string> {
    if (!this.server.listening) await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(body: string): void {
    this.text += body;
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      Object.assign(this.resource, attributesOf(resource));
      for (const { spans } of scopeSpans)
        for (const span of spans) this.spans.push({ ...span, attributes: attributesOf(span) });
    }
  }
}

const attributesOf = ({ attributes }: JsonBody): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }: JsonBody) => [key, Object.values(value)[0]]));

const refuses = (type: string, status: number): Answer =>
  json(anthropicError(type, 'invalid x-api-key canary'), status);

describeOnEmbedded('a provider that fails', (database) => {
  const collector = new Collector();
  let failing: Upstream;
  let sound: Upstream;
  let gateway: TestGateway;

  beforeAll(async () => {
    [failing, sound] = await Promise.all([startUpstream('anthropic'), startUpstream('anthropic')]);
    process.env[VARIABLE] = CREDENTIAL;
    gateway = await startGateway(database, {
      catalog: catalog(failing.url, sound.url, await closedUrl()),
      coolsDown: false,
      variables: {
        OTEL_EXPORTER_OTLP_ENDPOINT: await collector.url(),
        FAIRLEAD_METRICS_MODELS: 'on',
        LOG_LEVEL: 'trace',
      },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([failing, sound].map((upstream) => upstream?.close()));
    collector.close();
  });
  beforeEach(() => {
    failing.script(anthropicText('Hello.'));
    sound.script(anthropicText('Hello.'));
  });

  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ max_tokens: 64, messages: [{ role: 'user', content: 'a content-canary' }], ...body }),
    });

  async function ask(path: string, body: object, headers?: Record<string, string>): Promise<LoggedReply> {
    const from = requestLines().length;
    const response = await post(path, body, headers);
    const text = await response.text();
    while (requestLines().length <= from) await gateway.logged();
    return {
      status: response.status,
      requestId: response.headers.get('request-id')!,
      text,
      line: requestLines()[from]!,
    };
  }

  interface LoggedReply {
    readonly status: number;
    readonly requestId: string;
    readonly text: string;
    readonly line: JsonBody;
  }

  const requestLines = (): JsonBody[] =>
    gateway.log.filter(
      ({ msg, method, route }) =>
        msg === 'request' && method === 'POST' && route !== '/api/v1/byok' && route !== '/api/v1/keys',
    );
  const metric = async (series: string): Promise<number> => {
    const text = await gateway.metrics();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  };
  const attempts = (provider: string, outcome: string): Promise<number> =>
    metric(`fairlead_upstream_attempts_total{provider="${provider}",outcome="${outcome}",model="test/model"}`);

  it.each(FACES)(
    '%s, stream %s: is named with its fault, and so is the provider that answered instead',
    async (path, stream) => {
      failing.script(json(anthropicError('overloaded_error', 'words-canary'), 529));
      const before = [await attempts('nowhere', 'unreachable'), await attempts('failing', 'overloaded')];
      const fellBack = await metric('fairlead_fallbacks_total{kind="endpoint",model="test/model"}');
      const spent = await metric('fairlead_spend_usd_total{provider="sound",model="test/model"}');
      const { status, text, line } = await ask(path, { model: 'test/model', stream });
      expect([status, text]).toEqual([200, expect.stringContaining('Hello')]);
      expect(line).toMatchObject({
        level: 'info',
        model: 'test/model',
        provider: 'sound',
        streamed: stream,
        outcome: 'completed',
        attempts: [
          {
            provider: 'nowhere',
            model: 'test/model',
            fault: 'unreachable',
            code: 'ECONNREFUSED',
            ms: expect.any(Number),
          },
          { provider: 'failing', model: 'test/model', fault: 'overloaded', status: 529, ms: expect.any(Number) },
          { provider: 'sound', model: 'test/model', status: 200, ms: expect.any(Number) },
        ],
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        costUsd: expect.any(Number),
      });
      expect(line.attempts[0]).not.toHaveProperty('status');
      expect(line.attempts[2]).not.toHaveProperty('fault');
      expect('firstTokenMs' in line).toBe(stream);
      expect(line.costUsd).toBeGreaterThan(0);
      expect([await attempts('nowhere', 'unreachable'), await attempts('failing', 'overloaded')]).toEqual(
        before.map((count) => count + 1),
      );
      expect(await metric('fairlead_fallbacks_total{kind="endpoint",model="test/model"}')).toBe(fellBack + 1);
      const spend = (await metric('fairlead_spend_usd_total{provider="sound",model="test/model"}')) - spent;
      expect(spend).toBeCloseTo(line.costUsd, 12);
    },
  );

  it.each(FACES)(
    '%s, stream %s: is the answer where it is the last, and never logged as completed',
    async (path, stream) => {
      failing.script(json(anthropicError('api_error', 'words-canary'), 503));
      const { status, line } = await ask(path, { model: 'test/alone', stream });
      expect(status).toBe(503);
      expect(line).toMatchObject({
        level: 'warn',
        status: 503,
        outcome: 'provider-unavailable',
        model: 'test/alone',
        provider: 'failing',
        attempts: [{ provider: 'failing', fault: 'unavailable', status: 503 }],
      });
      expect(line).not.toHaveProperty('costUsd');
    },
  );

  it.each(FACES)('%s, stream %s: has its status where its reply could not be read', async (path, stream) => {
    failing.script({ headers: { 'content-type': 'application/json' }, body: ['<p>Not JSON.</p>'] });
    const { status, line } = await ask(path, { model: 'test/alone', stream });
    expect(status).toBe(502);
    expect(line.attempts).toMatchObject([{ provider: 'failing', fault: 'malformed-reply', status: 200 }]);
  });

  it.each(FACES)(
    "%s, stream %s: reports only to the operator that it refuses the operator's credential",
    async (path, stream) => {
      failing.script(refuses('authentication_error', 401));
      const { status, text, line } = await ask(path, { model: 'test/alone', stream });
      expect(status).toBe(502);
      expect(text).toContain(
        'Failing refuses the credential of this gateway: only the operator of the gateway can fix it.',
      );
      expect(text).not.toMatch(/canary|x-api-key|authentication_error/);
      expect(line).toMatchObject({
        outcome: 'provider-refused-credential',
        attempts: [{ fault: 'refused-credential', status: 401 }],
      });
      // One line in ten seconds, also for these four requests.
      const logged = gateway.log.filter(({ level, context }) => level === 'error' && context === 'providers');
      expect(logged).toMatchObject([{ msg: `failing refuses the credential (variable ${VARIABLE}): status 401` }]);
    },
  );

  it('does not list it among the errors before the last either', async () => {
    failing.script(refuses('authentication_error', 401));
    sound.script(json(anthropicError('overloaded_error', 'Busy.'), 529));
    const { status, text } = await ask('/messages', { model: 'test/model' });
    expect(status).toBe(529);
    expect(text).toContain('Failing refuses the credential of this gateway');
    expect(text).not.toMatch(/canary|x-api-key/);
  });

  it('passes on its message about the request, though it forbids it', async () => {
    failing.script(json(anthropicError('permission_error', 'Not about such things.'), 403));
    const { status, text } = await ask('/messages', { model: 'test/alone' });
    expect([status, text]).toEqual([502, expect.stringContaining('Not about such things.')]);
  });

  it("returns its message on the caller's own credential to the caller, and logs the attempt alone for the operator", async () => {
    const made = await gateway.request('/byok', {
      method: 'POST',
      key: MANAGEMENT_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'failing', key: OWN_CREDENTIAL, is_required: true }),
    });
    const { data } = (await made.json()) as JsonBody;
    failing.script(json(anthropicError('authentication_error', 'Your key is not known.'), 401));
    const before = gateway.log.filter(({ context }) => context === 'providers').length;
    const { status, text, line } = await ask('/messages', { model: 'test/alone' });
    expect([status, text]).toEqual([502, expect.stringContaining('Your key is not known.')]);
    expect(line.attempts).toMatchObject([{ provider: 'failing', fault: 'refused-credential', status: 401 }]);
    expect(gateway.log.filter(({ context }) => context === 'providers').length).toBe(before);
    await gateway.request(`/byok/${data.id}`, { method: 'DELETE', key: MANAGEMENT_KEY });
  });

  it.each([
    'Your API key does not have permission to use the specified resource.',
    'This organization has been disabled.',
  ])('does not pass on what a 403 states about the credential: %s', async (words) => {
    failing.script(json(anthropicError('permission_error', words), 403));
    const { status, text } = await ask('/messages', { model: 'test/alone' });
    expect([status, text]).toEqual([502, expect.stringContaining('Failing refuses the credential of this gateway')]);
    expect(text).not.toMatch(/permission|disabled/);
  });

  it('logs what was refused to a caller that leaves before it has sent all', async () => {
    const from = requestLines().length;
    const client = connect({ host: '127.0.0.1', port: gateway.port }).on('error', () => undefined);
    client.write(
      `POST /api/v1/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${API_KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${1024 ** 3}\r\n\r\n{`,
    );
    const [head] = (await once(client, 'data')) as [Buffer];
    client.destroy();
    expect(head.toString()).toMatch(/^HTTP\/1\.1 413 /);
    while (requestLines().length <= from) await gateway.logged();
    expect(requestLines()[from]).toMatchObject({ status: 413, outcome: 'too-large' });
  });

  it('has the model of a request for which no provider may be called, and none for an unknown model', async () => {
    const { key } = await gateway.newKey({ allowed_models: ['test/model'] });
    const authorization = `Bearer ${key}`;
    expect((await ask('/messages', { model: 'test/alone' }, { authorization })).line).toMatchObject({
      status: 403,
      model: 'test/alone',
      limitSource: 'key_allowed_models',
    });
    expect((await ask('/messages', { model: 'nobody/knows' })).line).not.toHaveProperty('model');
  });

  it.each(FACES)(
    'names the limit that refuses, without the id of an end user: %s, streamed %s',
    async (path, stream) => {
      const budget = '/budgets/users/an%3A%22user%0A-canary/daily';
      const set = await gateway.request(budget, {
        method: 'PUT',
        key: MANAGEMENT_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ limit_usd: 0.000000000001 }),
      });
      expect(set.status).toBe(200);
      const { text, line } = await ask(path, { model: 'test/model', stream, user: 'an:"user\n-canary' });
      expect(text).toContain('-canary:daily');
      expect(line).toMatchObject({ status: 403, outcome: 'forbidden', limitSource: 'budget:users:daily' });
      expect(JSON.stringify(line)).not.toContain('canary');
      expect((await ask(path, { model: 'test/model', stream })).line).not.toHaveProperty('limitSource');
    },
  );

  it('is not called where the gateway refuses, which is counted by its reason', async () => {
    const reason = 'fairlead_refusals_total{reason="not-found"}';
    const before = await metric(reason);
    const { status, line } = await ask('/messages', { model: 'test/unheard-of' });
    expect([status, line.outcome, 'attempts' in line]).toEqual([404, 'not-found', false]);
    expect(await metric(reason)).toBe(before + 1);
  });

  it('has the state of the process beside it', async () => {
    expect(await metric('fairlead_database_up')).toBe(1);
    expect(await metric('fairlead_open_holds')).toBe(0);
    expect(await metric('fairlead_spool_waiting')).toBe(0);
    expect(await metric('fairlead_catalog_refused')).toBe(0);
    expect(await metric('fairlead_catalog_loaded_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
    expect(await metric('fairlead_database_statement_duration_seconds_count')).toBeGreaterThan(0);
    const text = await gateway.metrics();
    expect(text).toMatch(/^fairlead_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\} 1$/m);
    expect(text).toMatch(/^fairlead_catalog_info\{hash="[^"]+"\} 1$/m);
    for (const state of ['paused', 'out', 'paused_for_some'])
      expect(text).toMatch(
        new RegExp(`^fairlead_endpoints_unavailable\\{provider="failing",state="${state}"\\} 0$`, 'm'),
      );
    expect(text).not.toMatch(/^fairlead_redis_up/m);
  });

  it('is in the trace of its caller, which continues at the providers; nothing contains a secret', async () => {
    failing.script(json(anthropicError('overloaded_error', 'words-canary'), 529));
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=state-canary' };
    const { requestId, line } = await ask('/messages', { model: 'test/model' }, headers);
    const sent = [failing.requests.at(-1)!.headers, sound.requests.at(-1)!.headers];
    // What is not sent yet is sent at the end.
    await gateway.close();

    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
    const whole = spans.find(({ parentSpanId }) => parentSpanId === SPAN)!;
    expect(whole.attributes).toMatchObject({
      'fairlead.request_id': requestId,
      'fairlead.cost_usd': line.costUsd,
      'gen_ai.response.id': line.generationId,
      'gen_ai.provider.name': 'sound',
    });
    expect(line.requestId).toBe(requestId);
    const calls = spans.filter(({ parentSpanId }) => parentSpanId === whole.spanId);
    expect(calls.map(({ attributes }) => [attributes['gen_ai.provider.name'], attributes['error.type']])).toEqual([
      ['nowhere', 'provider-unreachable'],
      ['failing', 'provider-overloaded'],
      ['sound', undefined],
    ]);
    expect(Number(calls[1]!.attributes['http.response.status_code'])).toBe(529);
    expect(sent.map(({ traceparent }) => traceparent)).toEqual(
      calls.slice(1).map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
    );
    expect(sent.map((named) => 'tracestate' in named)).toEqual([false, false]);
    expect(collector.resource).toMatchObject({
      'service.name': 'fairlead',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(JSON.stringify(gateway.log)).not.toContain('canary');
    expect(collector.text.replaceAll('state-canary', '')).not.toContain('canary');
  });
});

/**
 * Models: `test/model` at a port without a listener, then a failing provider, then a sound one; `test/alone` at the
 * failing one.
 */
function catalog(failingUrl: string, soundUrl: string, closed: string): object {
  const provider = (slug: string, base_url: string, credential: object): object => ({
    slug,
    name: slug[0]!.toUpperCase() + slug.slice(1),
    dialect: 'anthropic-messages',
    base_url,
    credential,
  });
  const model = (id: string, slugs: readonly string[]): object => ({
    id,
    name: id,
    context_length: 200_000,
    max_completion_tokens: 8_192,
    input_modalities: ['text'],
    output_modalities: ['text'],
    // Each is so much dearer than the preceding one that the draw keeps this order.
    endpoints: slugs.map((slug, index) => ({
      provider: slug,
      model: 'upstream-model',
      pricing: { prompt: `3${'0000'.repeat(index)}`, completion: `15${'0000'.repeat(index)}` },
    })),
  });
  return {
    version: 1,
    extends: 'default',
    providers: [
      provider('nowhere', closed, { value: 'nowhere-canary-0123456789' }),
      provider('failing', failingUrl, { env: VARIABLE }),
      provider('sound', soundUrl, { value: 'sound-canary-0123456789' }),
    ],
    models: [model('test/model', ['nowhere', 'failing', 'sound']), model('test/alone', ['failing'])],
  };
}

async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
