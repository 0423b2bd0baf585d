/**
 * Checks that calls reach Google Cloud at the address of region, project and model, with a token fetched as the
 * credential specifies, and nowhere that a caller's credential should not lead. The client runs over the real
 * transport, before a loopback upstream that is the cloud and its token service and verifies each assertion.
 */
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone, ProviderFault } from '../../src/core/errors.js';
import { DAY_MS } from '../../src/core/time.js';
import type { PreparedCall } from '../../src/providers/prepared-call.js';
import { UndiciTransport } from '../../src/providers/transport/undici-transport.js';
import type { Environment } from '../../src/shared/environment.js';
import { CheckedIpAddresses } from '../../src/shared/http/client/checked-ip-addresses.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { assertionFault, formOf, oauthToken, serviceAccount } from '../support/cloud-upstream.js';
import { openaiText } from '../support/openai-upstream.js';
import { ProviderBench, type BenchCall } from '../support/provider-bench.js';
import type { RecordedRequest } from '../support/recorded-request.js';
import { json, neverAnswers, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const TOKEN = 'ya29.CANARY-token-of-24-characters';

let upstream: Upstream;
let transport: UndiciTransport;
let bench: ProviderBench;
let issue: (request: RecordedRequest) => Answer | Promise<Answer>;
let answer: (request: RecordedRequest, index: number) => Answer | Promise<Answer>;

const transportTo = (...egressAllow: string[]): UndiciTransport => {
  const settings: Pick<Environment, 'egressAllow'> = { egressAllow };
  return new UndiciTransport(new CheckedIpAddresses(settings as Environment));
};

beforeEach(async () => {
  upstream = await startUpstream('anthropic');
  upstream.strict = false;
  upstream.script((request, index) => (request.path.startsWith('/token') ? issue(request) : answer(request, index)));
  transport = transportTo();
  bench = new ProviderBench(transport);
  issue = (request) => {
    const fault = assertionFault(request, tokenUri(), bench.clock.now());
    return fault === undefined ? oauthToken(TOKEN) : json({ error: 'invalid_grant', error_description: fault }, 400);
  };
  answer = anthropicText('Hi');
});

afterEach(async () => {
  transport.onApplicationShutdown();
  await upstream.close();
});

const tokenUri = (): string => `${upstream.origin}/token`;
const live = (): Cancellation => new Cancellation();
const prepare = (call: Partial<BenchCall> = {}, on = bench): PreparedCall =>
  on.prepare({
    baseUrl: upstream.origin,
    credential: serviceAccount(tokenUri(), { region: 'europe-west1' }),
    isOperators: true,
    upstreamModel: 'claude-x@20250929',
    ...call,
    provider: { platform: 'vertex', ...call.provider },
  });
const calls = (): RecordedRequest[] => upstream.requests.filter(({ path }) => !path.startsWith('/token'));
const tokenRequests = (): number => upstream.requests.length - calls().length;

async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ProviderFault);
  expect(`${(thrown as Error).message} ${JSON.stringify((thrown as ProviderFault).detail)}`).not.toMatch(
    /CANARY|PRIVATE/,
  );
  return thrown as ProviderFault;
}

async function streamed(call: PreparedCall): Promise<void> {
  for await (const _ of await call.stream(live(), () => true));
}

describe('addresses and bodies', () => {
  const at = '/v1/projects/project-1/locations/europe-west1';

  it('has the model of a Messages call in the address, and its version in the body', async () => {
    await prepare({ request: { betas: ['interleaved-thinking-2025-05-14', 'files-api-2025-04-14'] } }).answer(live());
    await streamed(prepare({ request: { stream: true, serviceTier: 'standard_only' } }));
    const [whole, stream] = calls();
    expect(whole!.path).toBe(`${at}/publishers/anthropic/models/claude-x@20250929:rawPredict`);
    expect(stream!.path).toBe(`${at}/publishers/anthropic/models/claude-x@20250929:streamRawPredict`);
    expect(whole!.json).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens: 100 });
    expect(stream!.json).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
    for (const field of ['model', 'service_tier']) {
      expect(whole!.json).not.toHaveProperty(field);
      expect(stream!.json).not.toHaveProperty(field);
    }
    expect(whole!.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
    });
    expect(whole!.headers).not.toHaveProperty('anthropic-version');
    expect(tokenRequests()).toBe(1);
  });

  it('counts tokens at the one address there is, which receives the model', async () => {
    answer = () => json({ input_tokens: 7 });
    expect(await prepare().count(live())).toEqual({ inputTokens: 7 });
    expect(calls()[0]!.path).toBe(`${at}/publishers/anthropic/models/count-tokens:rawPredict`);
    expect(calls()[0]!.json).toMatchObject({ model: 'claude-x@20250929', anthropic_version: 'vertex-2023-10-16' });
  });

  it('sends a chat call as it is', async () => {
    answer = openaiText('Hi');
    await prepare({ dialect: 'openai-chat', upstreamModel: 'meta/llama' }).answer(live());
    expect(calls()[0]!.path).toBe(`${at}/endpoints/openapi/chat/completions`);
    expect(calls()[0]!.json).toMatchObject({ model: 'meta/llama' });
  });

  it.each([
    ['the region of the credential', '/{project}/{region}', { region: 'us-east5' }, '/project-1/us-east5/v1/projects/project-1/locations/us-east5/'],
    ['everywhere, where none is named', '/{region}-x', {}, '/x/v1/projects/project-1/locations/global/'],
  ])('is in %s', async (_, base, more, path) => {
    await prepare({ baseUrl: upstream.origin + base, credential: serviceAccount(tokenUri(), more) }).answer(live());
    expect(calls()[0]!.path).toContain(path);
  }); // oxfmt-ignore

  it('uses an API key, without project or region', async () => {
    await prepare({ credential: 'AIza-CANARY' }).answer(live());
    expect(calls()[0]!.path).toBe('/v1/publishers/anthropic/models/claude-x@20250929:rawPredict');
    expect(calls()[0]!.headers).toMatchObject({ 'x-goog-api-key': 'AIza-CANARY' });
    const fault = await faultOf(prepare({ credential: 'AIza-CANARY', dialect: 'openai-chat' }).answer(live()));
    expect(fault.kind).toBe('refused-credential');
  });

  it.each([
    ['{"type":"service_account"', 'is not valid JSON'],
    ['[]', 'must be an object'],
    ['{"type":"authorized_user"}', 'of a type that cannot be used'],
    ['{"type":"service_account","project_id":"../CANARY"}', 'project_id that cannot be a part'],
    ['{"type":"service_account","project_id":"p"}', 'lacks the member client_email'],
    ['{"type":"service_account","project_id":"p","region":"CANARY.evil/","client_email":"a","private_key":"b"}', 'region that cannot'],
  ])('names the fault of %s', async (credential, words) => {
    expect(await faultOf(prepare({ credential }).answer(live()))).toMatchObject({
      kind: 'refused-credential',
      message: expect.stringContaining(words),
    });
    expect(upstream.requests).toHaveLength(0);
  }); // oxfmt-ignore
});

describe('tokens', () => {
  it('are fetched once for calls at the same time, and again when the provider refuses one', async () => {
    await Promise.all([1, 2, 3].map(() => prepare().answer(live())));
    expect(tokenRequests()).toBe(1);
    bench.clock.aheadMs += 10_000;
    answer = (request, index) =>
      tokenRequests() < 2 ? json({ error: { message: TOKEN } }, 401) : anthropicText('Hi')(request, index);
    expect((await faultOf(prepare().answer(live()))).kind).toBe('refused-credential');
    await prepare().answer(live());
    expect(tokenRequests()).toBe(2);
  });

  it('are awaited no longer than the call lasts, and still fetched for the others', async () => {
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    issue = () => gate.then(() => oauthToken(TOKEN));
    const left = live();
    const work = [prepare().answer(left), prepare().answer(live())];
    await upstream.request(0);
    left.abort(new CallerGone());
    await expect(work[0]).rejects.toBeInstanceOf(CallerGone);
    release();
    await work[1];
    expect([tokenRequests(), calls().length]).toEqual([1, 1]);
  });

  it.each([
    [json({ error: 'invalid_grant', error_description: 'CANARY' }, 400), 'refused-credential', 'status 400: invalid_grant'],
    [json({ error: { status: 'CANARY and more' } }, 403), 'refused-credential', 'status 403.'],
    [json({ access_token: 'token', expires_in: 0 }), 'malformed-reply', 'sent no token'],
    [json({ access_token: 'token', expires_in: -1 }), 'malformed-reply', 'sent no token'],
    [json({ access_token: 'token' }), 'malformed-reply', 'sent no token'],
    [json({ access_token: 'token', expires_in: [3600] }), 'malformed-reply', 'sent no token'],
    [json({ access_token: 'x'.repeat(70_000), expires_in: 9 }), 'malformed-reply', 'more than 65536 bytes'],
    [json({}, 302), 'unavailable', 'status 302'],
    [json({}, 503), 'unavailable', 'status 503'],
    [json({}, 429), 'rate-limited', 'status 429'],
    [json({ access_token: 'a b', expires_in: 5 }), 'malformed-reply', 'sent no token'],
    [json('CANARY'), 'malformed-reply', 'sent no JSON'],
  ])('that cannot be had are the fault that names the reason', async (given, kind, words) => {
    issue = () => given;
    expect(await faultOf(prepare().answer(live()))).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(calls()).toHaveLength(0);
  }); // oxfmt-ignore

  it('of an invalid key are not requested', async () => {
    const credential = serviceAccount(tokenUri(), { private_key: 'CANARY' });
    expect((await faultOf(prepare({ credential }).answer(live()))).message).toContain(
      'private_key that cannot be read',
    );
    expect(upstream.requests).toHaveLength(0);
  });

  it('are requested with no key that would take a thread of the process for seconds', async () => {
    // The key is read before it is used, so no primes are computed.
    const part = (bytes: number): string => Buffer.alloc(bytes, 0xc5).toString('base64url');
    const [n, half] = [part(1_024), part(512)];
    const key = createPrivateKey({
      format: 'jwk',
      key: { kty: 'RSA', n, e: 'AQAB', d: n, p: half, q: half, dp: half, dq: half, qi: half },
    });
    const credential = serviceAccount(tokenUri(), { private_key: key.export({ type: 'pkcs8', format: 'pem' }) });
    expect((await faultOf(prepare({ credential }).answer(live()))).message).toContain('more than 4096 bits');
    expect(upstream.requests).toHaveLength(0);
  });

  it.each(['x'.repeat(64 * 1024), '-----BEGIN PUBLIC KEY-----\nMFk=\n-----END PUBLIC KEY-----'])(
    'are not requested with an invalid key',
    async (text) => {
      const credential = serviceAccount(tokenUri(), { private_key: text });
      expect((await faultOf(prepare({ credential }).answer(live()))).message).toContain('cannot be read');
      expect(upstream.requests).toHaveLength(0);
    },
  );

  it('are one for a hundred calls at once, and a slow one delays no other', async () => {
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    issue = (request) => (request.path === '/token/slow' ? gate.then(() => oauthToken(TOKEN)) : oauthToken(TOKEN));
    const slow = serviceAccount(`${tokenUri()}/slow`, { region: 'europe-west1' });
    const cold = Array.from({ length: 100 }, () => prepare({ credential: slow }).answer(live()));
    await Promise.all(Array.from({ length: 100 }, () => prepare().answer(live())));
    expect(calls()).toHaveLength(100);
    release();
    await Promise.all(cold);
    expect([tokenRequests(), calls().length]).toEqual([2, 200]);
  });

  it('with an endless lifetime are renewed within a day', async () => {
    issue = () => oauthToken(TOKEN, 1e300);
    await prepare().answer(live());
    bench.clock.aheadMs += DAY_MS;
    await prepare().answer(live());
    expect(tokenRequests()).toBe(2);
  });

  it('that never come are given up when the caller leaves', async () => {
    issue = neverAnswers;
    const left = live();
    const work = prepare().answer(left);
    await upstream.request(0);
    left.abort(new CallerGone());
    await expect(work).rejects.toBeInstanceOf(CallerGone);
  });
});

describe('workload identity', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-vertex-'));
  const file = join(folder, 'subject');
  beforeAll(() => writeFileSync(file, JSON.stringify({ id_token: 'subject-token' })));
  afterAll(() => rmSync(folder, { recursive: true }));

  const account = (more: object): string =>
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/pool',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${tokenUri()}/sts`,
      project_id: 'project-2',
      credential_source: { file, format: { type: 'json', subject_token_field_name: 'id_token' } },
      ...more,
    });

  beforeEach(() => {
    issue = ({ path, ...request }) => {
      if (path === '/token/subject')
        return request.headers['metadata'] === 'yes' ? { body: ['subject-token\n'] } : json({}, 403);
      if (path === '/token/account:generateAccessToken') {
        const isRight = request.headers.authorization === 'Bearer sts-token';
        return isRight
          ? json({ accessToken: TOKEN, expireTime: new Date(bench.clock.now() + 3_600_000).toISOString() })
          : json({}, 403);
      }
      const form = formOf(request);
      const isRight =
        form.get('subject_token') === 'subject-token' && form.get('audience') === '//iam.googleapis.com/pool';
      return isRight ? oauthToken('sts-token') : json({ error: 'invalid_request' }, 400);
    };
  });

  it('exchanges the token of a file', async () => {
    await prepare({ credential: account({}) }).answer(live());
    expect(calls()[0]!.headers.authorization).toBe('Bearer sts-token');
    expect(calls()[0]!.path).toContain('/projects/project-2/locations/global/');
  });

  it('exchanges the token of an address, and that for one of the account it impersonates', async () => {
    const credential = account({
      credential_source: { url: `${tokenUri()}/subject`, headers: { Metadata: 'yes' } },
      service_account_impersonation_url: `${tokenUri()}/account:generateAccessToken`,
    });
    await prepare({ credential }).answer(live());
    expect(calls()[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(upstream.requests.map(({ method, path }) => [method, path]).slice(0, 2)).toEqual([
      ['GET', '/token/subject'],
      ['POST', '/token/sts'],
    ]);
  });

  it.each([
    [
      'AWS',
      {
        environment_id: 'aws1',
        url: 'http://169.254.169.254/latest/meta-data/iam/security-credentials',
        regional_cred_verification_url: 'https://sts.{region}.amazonaws.com?Action=GetCallerIdentity',
      },
      'takes its token from a workload at AWS, which is not supported',
    ],
    ['a program', { executable: { command: '/bin/token' } }, 'gets its token from a program, which is not supported'],
    ['a certificate', { certificate: { use_default_certificate_config: true } }, 'authenticates by a certificate'],
  ])('refuses a source of another kind, without a call: %s', async (_, credential_source, words) => {
    const fault = await faultOf(prepare({ credential: account({ credential_source }) }).answer(live()));
    expect(fault).toMatchObject({ kind: 'refused-credential', message: expect.stringContaining(words) });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([
    { host: 'canary.internal' },
    { 'Content-Length': '5' },
    { 'transfer-encoding': 'chunked' },
    { connection: 'upgrade' },
    { expect: '100-continue' },
    { 'a b': 'x' },
    { '': 'x' },
    { ':path': '/x' },
    { 'a\r\nb': 'x' },
    { a: 'x\r\nb: y' },
    { a: '\u0000' },
  ])('sends none of the reserved headers there: %j', async (headers) => {
    const credential = account({ credential_source: { url: `${tokenUri()}/subject`, headers } });
    expect(await faultOf(prepare({ credential }).answer(live()))).toMatchObject({
      kind: 'refused-credential',
      message: 'The credential has a credential_source with a header that cannot be sent.',
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('does not name as an error what was sent, and takes no token that is over', async () => {
    issue = () => json({ error: 'subject-token' }, 400);
    const fault = await faultOf(prepare({ credential: account({}) }).answer(live()));
    expect(fault.message).toMatch(/status 400\.$/);
    bench.clock.aheadMs += 2_000;
    issue = ({ path }) =>
      path.endsWith('AccessToken')
        ? json({ accessToken: TOKEN, expireTime: '2020-01-01T00:00:00Z' })
        : oauthToken('sts-token');
    const credential = account({ service_account_impersonation_url: `${tokenUri()}/account:generateAccessToken` });
    expect((await faultOf(prepare({ credential }).answer(live()))).message).toContain('sent no token');
  });

  it('reads no file for a caller, wherever tokens may come from', async () => {
    transport.onApplicationShutdown();
    transport = transportTo(`127.0.0.1:${upstream.port}`);
    const on = new ProviderBench(transport);
    const fault = await faultOf(prepare({ credential: account({}), isOperators: false }, on).answer(live()));
    expect(fault).toMatchObject({ kind: 'refused-credential', message: expect.stringContaining('names a file') });
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('addresses of a caller’s credential', () => {
  it('are called only where they are public', async () => {
    const fault = await faultOf(prepare({ isOperators: false }).answer(live()));
    expect(fault.message).toContain('may not be called');
    expect(upstream.connectionsAccepted).toBe(0);
  });

  it('reach addresses that the operator permits', async () => {
    transport.onApplicationShutdown();
    transport = transportTo(`127.0.0.1:${upstream.port}`);
    const on = new ProviderBench(transport);
    await prepare({ isOperators: false }, on).answer(live());
    await prepare({ isOperators: false }, on).answer(live());
    expect([tokenRequests(), calls().length]).toEqual([1, 2]);
  });

  it('do not reach them in the clear because the network is listed', async () => {
    transport.onApplicationShutdown();
    transport = transportTo('127.0.0.0/8');
    const fault = await faultOf(prepare({ isOperators: false }, new ProviderBench(transport)).answer(live()));
    expect(fault.message).toContain('may not be called');
    expect(upstream.connectionsAccepted).toBe(0);
  });
});
