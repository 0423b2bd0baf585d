/**
 * Checks that `POST /messages/count_tokens` returns the tokens of a prompt, by the provider's own count where it has
 * one, and always answers; that nothing is charged, held or reported to health, and that nothing is sent that the
 * request itself could not send. The application has no credits and runs before scripted upstreams.
 */
import { GatewayError } from '../../src/core/errors.js';
import { ActiveGuardrails, NONE, type GuardrailSet } from '../../src/guardrails/active-guardrails.js';
import { NATIVE_COUNT_MS_MAX } from '../../src/inference/count-tokens.js';
import { API_KEY, extendedCatalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, neverAnswers, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const PATH = '/messages/count_tokens';
const COUNT = 4_711;
const NATIVE = { status: 200, source: 'native', body: { input_tokens: COUNT } };

interface Counted {
  readonly status: number;
  readonly source: string | null;
  readonly body: JsonBody;
}

const ask = (model: string, more: object = {}): object => ({
  model,
  messages: [{ role: 'user', content: 'How many tokens is this?' }],
  ...more,
});

/** About: four bytes a token, four tokens a message, one for all. */
const ESTIMATE = { status: 200, source: 'estimate', body: { input_tokens: 6 + 4 + 1 } };

async function countAt(
  gateway: TestGateway,
  body: unknown,
  key: string | null = API_KEY,
  query = '',
): Promise<Counted> {
  const response = await gateway.request(PATH + query, {
    method: 'POST',
    key,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, source: response.headers.get('x-token-count'), body: await response.json() };
}

describeOnEmbedded('a count of tokens', (database) => {
  let anthropic: Upstream;
  let openai: Upstream;
  let gateway: TestGateway;
  const guard = (guardrails: Partial<GuardrailSet> = {}): void => {
    gateway.gateway.app.get(ActiveGuardrails, { strict: false }).of = () => Promise.resolve({ ...NONE, ...guardrails });
  };
  const count = (body: unknown, key?: string | null, query?: string): Promise<Counted> =>
    countAt(gateway, body, key, query);

  beforeAll(async () => {
    [anthropic, openai] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    const native = { url: anthropic.url, dialect: 'anthropic-messages' } as const;
    gateway = await startGateway(database, {
      variables: { FAIRLEAD_INITIAL_CREDITS: '0' },
      catalog: extendedCatalogOf(
        { id: 'test/native', at: [native] },
        { id: 'test/translated', at: [{ url: openai.url, dialect: 'openai-chat' }] },
        { id: 'test/nowhere', at: [{ url: 'http://127.0.0.1:9', dialect: 'anthropic-messages' }] },
      ),
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([anthropic?.close(), openai?.close()]);
  });
  beforeEach(() => {
    guard();
    anthropic.script(json({ input_tokens: COUNT }));
  });

  it("is the provider's own, requested with the credential of the call", async () => {
    const before = anthropic.requests.length;
    const body = ask('test/native', {
      max_tokens: 5,
      stream: true,
      temperature: 0.5,
      system: 'Be brief.',
      metadata: { user_id: 'u' },
      provider: { allow_fallbacks: false },
    });
    expect(await count(body, API_KEY, '?beta=true')).toEqual(NATIVE);
    const [call, ...more] = anthropic.requests.slice(before);
    expect(more).toEqual([]);
    expect([call!.method, call!.path, call!.headers['x-api-key']]).toEqual([
      'POST',
      '/v1/messages/count_tokens',
      'credential-of-p0',
    ]);
    expect(call!.json).toEqual({
      model: 'upstream-native',
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'How many tokens is this?' }],
    });
  });

  it("is requested with the caller's own credential where that goes first", async () => {
    const { data } = await gateway.manage('POST', '/byok', { provider: 'p0', key: 'own-credential-0123456789' });
    expect(await count(ask('test/native'))).toEqual(NATIVE);
    expect(anthropic.requests.at(-1)!.headers['x-api-key']).toBe('own-credential-0123456789');
    await gateway.manage('DELETE', `/byok/${data.id}`);
  });

  it('is an estimate where the provider has none, and is marked as one', async () => {
    const before = openai.requests.length;
    expect(await count(ask('test/translated'))).toEqual(ESTIMATE);
    expect(openai.requests.length).toBe(before);
    expect(await count(ask('sandbox/echo:free'))).toEqual(ESTIMATE);
  });

  it('is an estimate that grows with all parts of a prompt', async () => {
    const sizes: number[] = [];
    for (const more of [
      {},
      { system: 'x'.repeat(400) },
      { system: 'x'.repeat(400), tools: [{ name: 'look', input_schema: { type: 'object' } }] },
      { messages: [{ role: 'user', content: 'x'.repeat(4_000_000) }] },
    ])
      sizes.push((await count(ask('test/translated', more))).body.input_tokens);
    expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
    expect(new Set(sizes).size).toBe(sizes.length);
    expect([sizes[1]! - sizes[0]!, sizes[3]]).toEqual([100, 1_000_005]);
  });

  it.each<[string, Answer]>([
    ['refuses', json({ type: 'error', error: { type: 'rate_limit_error', message: 'Too fast' } }, 429)],
    ['does not know the way', json({ type: 'error', error: { type: 'not_found_error', message: 'No' } }, 404)],
    ['refuses the credential', json({ type: 'error', error: { type: 'authentication_error', message: 'No' } }, 401)],
    ['fails', json({}, 500)],
    ['returns no number', json({ input_tokens: 'many' })],
    ['returns no JSON', { headers: { 'content-type': 'application/json' }, body: ['{"input_tokens":'] }],
    ['returns far too much', json({ input_tokens: 1, more: 'x'.repeat(70_000) })],
    ['answers no HTTP', { raw: true, body: ['SSH-2.0\r\n'] }],
  ])('is an estimate where the provider %s, and nothing is reported to health', async (_, answer) => {
    anthropic.script(answer);
    for (let time = 0; time < 4; time++) expect(await count(ask('test/native'))).toEqual(ESTIMATE);
    const { data } = (await (await gateway.request('/models/test/native/endpoints')).json()) as JsonBody;
    expect(data.endpoints[0]).toMatchObject({ status: 0, uptime_last_5m: null });
  });

  it('is an estimate where no process listens', async () => {
    expect(await count(ask('test/nowhere'))).toEqual(ESTIMATE);
  });

  it('is an estimate where the provider does not answer in time', async () => {
    anthropic.script(neverAnswers());
    const clock = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
    try {
      const next = anthropic.request();
      const counting = count(ask('test/native'));
      const call = await next;
      expect(timeout).toHaveBeenCalledWith(NATIVE_COUNT_MS_MAX);
      clock.abort(new DOMException('', 'TimeoutError'));
      expect(await counting).toEqual(ESTIMATE);
      await call.closed;
    } finally {
      timeout.mockRestore();
    }
  });

  it('ends at the provider when the caller leaves', async () => {
    anthropic.script(neverAnswers());
    const next = anthropic.request();
    const client = await RawClient.connect(gateway.origin);
    client.send({
      path: `/api/v1${PATH}`,
      headers: [['authorization', `Bearer ${API_KEY}`], ['content-type', 'application/json']], // oxfmt-ignore
      body: JSON.stringify(ask('test/native')),
    });
    const call = await next;
    client.destroy();
    await call.closed;
    expect(call.aborted).toBe(true);
  });

  it('costs nothing, and needs no credits', async () => {
    const usage = async (): Promise<unknown> => {
      const { data } = (await (await gateway.request('/key')).json()) as JsonBody;
      return [data.usage, data.limit_held ?? 0];
    };
    const before = await usage();
    expect((await count(ask('test/native'))).status).toBe(200);
    expect((await gateway.messages(ask('test/native', { max_tokens: 5 }))).status).toBe(402);
    expect(await usage()).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['an unknown model', ask('test/unheard-of')],
    ['an unknown variant', ask('test/native:free')],
    ['no JSON', '{"model":'],
    ['no object', '[]'],
    ['no model', { messages: [{ role: 'user', content: 'x' }] }],
    ['no messages', { model: 'test/native' }],
    ['null for messages', ask('test/native', { messages: null })],
    ['no message', ask('test/native', { messages: [] })],
    ['a stranger among the blocks', ask('test/native', { messages: [{ role: 'user', content: [{ type: 'text' }] }] })],
    [
      'a tool result without its call',
      ask('test/native', { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }] }),
    ],
    ['max_tokens that is no number', ask('test/native', { max_tokens: 'x' })],
    ['a wrong tool choice', ask('test/native', { tool_choice: { type: 'perhaps' } })],
    ['models beside fallbacks', ask('test/native', { models: ['a/b'], fallbacks: [{ model: 'a/b' }] })],
    ['an unknown preference', ask('test/native', { provider: { fast: true } })],
  ])('refuses %s like the message itself', async (_, body) => {
    const [counted, message] = await Promise.all([count(body), gateway.messages(body)]);
    expect([400, 404]).toContain(counted.status);
    expect([counted.status, { ...counted.body, request_id: null }]).toEqual([
      message.status,
      { ...((await message.json()) as object), request_id: null },
    ]);
    expect(counted.body).toMatchObject({ type: 'error', error: { code: counted.status } });
  });

  it('is for inference keys', async () => {
    for (const [key, status, type] of [
      [MANAGEMENT_KEY, 403, 'permission_error'],
      [null, 401, 'authentication_error'],
    ] as const)
      expect(await count(ask('test/native'), key)).toMatchObject({ status, body: { type: 'error', error: { type } } });
  });

  it('sends nothing that a guardrail holds back', async () => {
    const before = anthropic.requests.length;
    guard({ policies: [{ ignoreModels: ['test/*'] }] });
    expect(await count(ask('test/native'))).toMatchObject({ status: 403 });
    guard({ inspect: (request) => ({ request, stages: [], blocked: new GatewayError('forbidden', 'No secrets.') }) });
    expect(await count(ask('test/native'))).toMatchObject({ status: 403, body: { error: { message: 'No secrets.' } } });
    expect(anthropic.requests.length).toBe(before);

    guard({
      inspect: (request) => ({
        request: { ...request, messages: [{ role: 'user', content: [{ type: 'text', text: '[redacted]' }] }] },
        stages: [],
      }),
    });
    expect(await count(ask('test/native'))).toEqual(NATIVE);
    expect(anthropic.requests.at(-1)!.rawBody.toString()).toContain('[redacted]');
    expect(anthropic.requests.at(-1)!.rawBody.toString()).not.toContain('How many');
  });
});

describeOnEmbedded('a flood of counts', (database) => {
  it('is refused', async () => {
    const gateway = await startGateway(database, {
      clock: new AheadClock(),
      variables: { FAIRLEAD_FLOOD: 'account=2/10s,auth=1000/10s' },
    });
    try {
      for (let time = 0; time < 2; time++) expect(await countAt(gateway, ask('sandbox/echo'))).toEqual(ESTIMATE);
      expect(await countAt(gateway, ask('sandbox/echo'))).toMatchObject({
        status: 429,
        body: { type: 'error', error: { type: 'rate_limit_error' } },
      });
    } finally {
      await gateway.close();
    }
  });
});
