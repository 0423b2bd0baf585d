/**
 * Checks that calls reach Azure at the address of the credential's resource or deployment, by key or by an Entra
 * token, and nowhere that a caller's credential should not lead. The client runs over a transport that records the
 * targets of calls and answers them; Entra's tokens come from a loopback upstream.
 */
import { Cancellation } from '../../src/core/cancellation.js';
import { ProviderFault } from '../../src/core/errors.js';
import type { PreparedCall } from '../../src/providers/prepared-call.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from '../../src/providers/transport/transport.js';
import { UndiciTransport } from '../../src/providers/transport/undici-transport.js';
import type { Environment } from '../../src/shared/environment.js';
import { CheckedIpAddresses } from '../../src/shared/http/client/checked-ip-addresses.js';
import { formOf, oauthToken } from '../support/cloud-upstream.js';
import { openaiError, openaiText } from '../support/openai-upstream.js';
import { stopwatch } from '../support/cpu-time.js';
import { ProviderBench, type BenchCall } from '../support/provider-bench.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const KEY = 'CANARY-azure-key-0123456789';
const TEMPLATE = 'https://{resource}.openai.azure.com';

let upstream: Upstream;
let real: UndiciTransport;
let sent: { readonly url: string; readonly isGuarded?: true | undefined; readonly headers: Record<string, string> }[];

/** Sends every call to the loopback upstream, and records its original target. */
class Diverted extends Transport {
  override open(call: OutgoingCall, signal: Cancellation): Promise<UpstreamResponse> {
    sent.push({ url: call.url, isGuarded: call.isGuarded, headers: { ...call.headers } });
    const { pathname, search } = new URL(call.url);
    return real.open({ ...call, url: upstream.origin + pathname + search, isGuarded: undefined }, signal);
  }
}

let bench: ProviderBench;

beforeEach(async () => {
  upstream = await startUpstream('openai');
  upstream.strict = false;
  upstream.script((request, index) =>
    request.path.endsWith('/token') ? oauthToken(`entra-${KEY}`) : openaiText('Hi')(request, index),
  );
  real = new UndiciTransport();
  bench = new ProviderBench(new Diverted());
  sent = [];
});

afterEach(async () => {
  real.onApplicationShutdown();
  await upstream.close();
});

const live = (): Cancellation => new Cancellation();
const prepare = (call: Partial<BenchCall>, on = bench): PreparedCall =>
  on.prepare({
    baseUrl: TEMPLATE,
    dialect: 'openai-chat',
    upstreamModel: 'gpt x',
    ...call,
    provider: { platform: 'azure', ...call.provider },
  });

async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ProviderFault);
  expect(`${(thrown as Error).message} ${JSON.stringify((thrown as ProviderFault).detail)}`).not.toContain('CANARY');
  return thrown as ProviderFault;
}

const resource = (type: string, name = 'mine'): object => ({ api_key: KEY, resource_name: name, resource_type: type });
const deployment = (endpointUrl: string, slug = 'test/model'): object => ({
  model_slug: slug,
  endpoint_url: endpointUrl,
  api_key: `${KEY}-d`,
  model_id: 'own-name',
});
const list = (...entries: object[]): string => JSON.stringify(entries);
const CHAT = '/openai/v1/chat/completions';

describe('addresses', () => {
  it.each<[string, Partial<BenchCall>, string]>([
    ['the resource', { credential: list(resource('openai')) }, `https://mine.openai.azure.com${CHAT}`],
    ['the kind of the resource', { credential: list(resource('ai_foundry')) }, `https://mine.services.ai.azure.com${CHAT}`],
    ['the deployment, where a version is set', { credential: list(resource('openai')), provider: { apiVersion: '2024-10-21' } }, 'https://mine.openai.azure.com/openai/deployments/gpt%20x/chat/completions?api-version=2024-10-21'],
    ['the caller’s resource, not the operator’s', { baseUrl: 'https://ours.openai.azure.com', credential: list(resource('openai')) }, `https://mine.openai.azure.com${CHAT}`],
    ['the operator’s, for a plain key', { baseUrl: 'https://ours.openai.azure.com', credential: KEY }, `https://ours.openai.azure.com${CHAT}`],
    ['a base address of one’s own', { baseUrl: 'https://proxy.test/{resource}', credential: list(resource('ai_foundry')) }, `https://proxy.test/mine${CHAT}`],
    ['the model’s own deployment', { credential: list(resource('openai'), deployment('https://d.openai.azure.com/openai/deployments/own/chat/completions?api-version=9')) }, 'https://d.openai.azure.com/openai/deployments/own/chat/completions?api-version=9'],
    ['the operator’s, whose credential names a resource besides', { baseUrl: 'https://proxy.test', credential: list(resource('openai')), isOperators: true }, `https://proxy.test${CHAT}`],
    ['a deployment, behind which the call is put', { credential: list(deployment('https://d.openai.azure.com/openai/deployments/own?api-version=9')) }, 'https://d.openai.azure.com/openai/deployments/own/chat/completions?api-version=9'],
    ['a deployment named by its resource', { credential: list(deployment('https://d.openai.azure.com/')) }, `https://d.openai.azure.com${CHAT}`],
    ['a deployment by its name there, where a version is set', { credential: list(deployment('https://d.openai.azure.com/')), provider: { apiVersion: '9' } }, 'https://d.openai.azure.com/openai/deployments/own-name/chat/completions?api-version=9'],
    ['a resource behind slashes', { credential: list(deployment('https://d.openai.azure.com/openai/v1//')) }, `https://d.openai.azure.com${CHAT}`],
    ['the general entry, for other models', { credential: list(deployment('https://d.openai.azure.com/', 'other/model'), resource('openai')) }, `https://mine.openai.azure.com${CHAT}`],
  ])('are of %s', async (_, call, url) => {
    await prepare(call).answer(live());
    expect(sent).toMatchObject([{ url, isGuarded: undefined }]);
    expect(sent[0]!.headers['api-key']).toContain(KEY);
    expect(sent[0]!.headers).not.toHaveProperty('authorization');
  }); // oxfmt-ignore

  it.each(['', '/anthropic/v1', '/anthropic/v1/messages', '/anthropic'])(
    'puts Messages calls and counts of them behind %j',
    async (path) => {
      const credential = list(deployment(`https://d.services.ai.azure.com${path}`));
      const call = prepare({ dialect: 'anthropic-messages', credential });
      await call.answer(live()).catch(() => undefined);
      await call.count(live()).catch(() => undefined);
      const messages = 'https://d.services.ai.azure.com/anthropic/v1/messages';
      expect(sent.map(({ url }) => url)).toEqual([messages, `${messages}/count_tokens`]);
    },
  );

  it('reads an address of many slashes in no time', async () => {
    const credential = list(deployment(`https://d.openai.azure.com${'/'.repeat(60_000)}x`));
    const computedMs = stopwatch();
    await prepare({ credential }).answer(live()).catch(() => undefined);
    // Two seconds if each slash is tried as a new beginning.
    expect(computedMs()).toBeLessThan(500);
  }); // oxfmt-ignore

  it('sends a deployment the model by its name there', async () => {
    await prepare({ credential: list(deployment('https://d.openai.azure.com/')) }).answer(live());
    expect(upstream.requests[0]!.json).toMatchObject({ model: 'own-name' });
  });

  it('sends Messages calls to a resource that serves them', async () => {
    const call = {
      dialect: 'anthropic-messages',
      credential: list(resource('openai', 'a'), resource('ai_foundry', 'b')),
    } as const;
    await prepare(call)
      .answer(live())
      .catch(() => undefined);
    expect(sent[0]!.url).toBe('https://b.services.ai.azure.com/anthropic/v1/messages');
    expect(sent[0]!.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'api-key': KEY });
    expect((await faultOf(prepare({ ...call, credential: list(resource('openai')) }).answer(live()))).kind).toBe(
      'refused-credential',
    );
  });

  it.each([
    [KEY, 'names no resource'],
    ['[]', 'empty list'],
    ['[{"api_key":"CANARY-azure"}]', 'lacks the member resource_name'],
    ['[{"api_key":"CANARY-azure","resource_name":"a.evil.test/"}]', 'resource_name that cannot'],
    ['[{"api_key":"CANARY-azure","resource_name":"a","resource_type":"CANARY-azure"}]', 'resource_type'],
    [list(deployment('https://d.openai.azure.com/', 'other/model')), 'no entry for the model test/model'],
    [list(deployment('https://u:CANARY-azure@d.openai.azure.com/')), 'endpoint_url is not'],
  ])('names the fault of %s', async (credential, words) => {
    const fault = await faultOf(prepare({ credential }).answer(live()));
    expect([fault.kind, fault.message]).toEqual(['refused-credential', expect.stringContaining(words)]);
    expect(sent).toHaveLength(0);
  });
});

describe('an application of Entra', () => {
  const application = (more: object = {}): string =>
    JSON.stringify({
      tenant_id: 'contoso.example',
      client_id: 'app',
      client_secret: KEY,
      resource_name: 'mine',
      ...more,
    });

  it('is given a token, once for many calls', async () => {
    for (let count = 0; count < 2; count++) await prepare({ credential: application() }).answer(live());
    expect(sent.map(({ url }) => url)).toEqual([
      'https://login.microsoftonline.com/contoso.example/oauth2/v2.0/token',
      `https://mine.openai.azure.com${CHAT}`,
      `https://mine.openai.azure.com${CHAT}`,
    ]);
    expect(Object.fromEntries(formOf(upstream.requests[0]!))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: KEY,
      scope: 'https://cognitiveservices.azure.com/.default',
    });
    expect(sent[1]!.headers.authorization).toBe(`Bearer entra-${KEY}`);
  });

  it('does not appear in errors of its service or provider', async () => {
    upstream.script((request) =>
      request.path.endsWith('/token')
        ? json({ error: 'invalid_client', error_description: KEY }, 401)
        : json(openaiError(KEY), 401),
    );
    expect(await faultOf(prepare({ credential: application() }).answer(live()))).toMatchObject({
      kind: 'refused-credential',
      message: expect.stringContaining('invalid_client'),
    });
    upstream.script((request) =>
      request.path.endsWith('/token') ? oauthToken(`entra-${KEY}`) : json(openaiError(`Bearer entra-${KEY}`), 401),
    );
    bench.clock.aheadMs += 2_000;
    await faultOf(prepare({ credential: application() }).answer(live()));
  });

  it('may name a token service of its own, which is guarded', async () => {
    await prepare({ credential: application({ token_url: 'https://elsewhere.test/token' }) }).answer(live());
    expect(sent[0]).toMatchObject({ url: 'https://elsewhere.test/token', isGuarded: true });
    expect(sent[1]).toMatchObject({ isGuarded: undefined });
  });
});

it('has what its filters refuse for a rejected request', async () => {
  const error = {
    message: 'The response was filtered.',
    code: 'content_filter',
    innererror: { code: 'ResponsibleAIPolicyViolation' },
  };
  upstream.script(() => json({ error }, 400));
  expect(await faultOf(prepare({ credential: list(resource('openai')) }).answer(live()))).toMatchObject({
    kind: 'rejected-request',
    detail: { status: 400, providerCode: 'content_filter' },
  });
});

describe('a deployment’s address that a caller names', () => {
  const guarded = (...egressAllow: string[]): UndiciTransport => {
    real.onApplicationShutdown();
    const settings: Pick<Environment, 'egressAllow'> = { egressAllow };
    return (real = new UndiciTransport(new CheckedIpAddresses(settings as Environment)));
  };
  const call = (isOperators = false): Partial<BenchCall> => ({
    credential: list(deployment(upstream.origin)),
    isOperators,
  });

  it('is guarded, and only the operator’s own is not', async () => {
    await prepare(call()).answer(live());
    await prepare(call(true)).answer(live());
    expect(sent.map(({ isGuarded }) => isGuarded)).toEqual([true, undefined]);
  });

  it.each([
    [[], 'may not be called'],
    [['10.0.0.0/8'], 'may not be called'],
  ])('leads nowhere private: %j', async (allowed, words) => {
    const fault = await faultOf(prepare(call(), new ProviderBench(guarded(...allowed))).answer(live()));
    expect([fault.kind, fault.message]).toEqual(['refused-credential', expect.stringContaining(words)]);
    expect(upstream.connectionsAccepted).toBe(0);
  });

  it('reaches addresses that the operator permits, over connections that serve no other caller', async () => {
    const on = new ProviderBench(guarded(`127.0.0.1:${upstream.port}`));
    await prepare(call(), on).answer(live());
    await prepare(call(), on).answer(live());
    await prepare(call(true), on).answer(live());
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });
});
