/**
 * Checks that, where a network permits connections only through its proxy, providers and engines are called through
 * it, whole and streamed, and encrypted traffic stays secret. A forward proxy that alone knows the names of the
 * catalog stands before loopback upstreams; TLS ones run under a process that trusts their certificate.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cancellation } from '../../src/core/cancellation.js';
import { CheckedIpAddresses } from '../../src/shared/http/client/checked-ip-addresses.js';
import { ForwardProxies } from '../../src/shared/http/client/forward-proxies.js';
import { readEnvironment } from '../../src/shared/read-environment.js';
import { UndiciTransport } from '../../src/providers/transport/undici-transport.js';
import { EngineClients } from '../../src/tools/engine-client.js';
import { ForwardProxyDouble } from '../support/forward-proxy.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { copyPreparedStore } from '../support/prepared-store.js';
import { startSecureFront, type SecureFront } from '../support/secure-front.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, Upstream } from '../support/upstreams.js';

const CREDENTIALS = 'proxy-user:proxy-password-0123456789';
const TOKEN = Buffer.from(CREDENTIALS).toString('base64');
const PROVIDER_KEY = 'provider-key-0123456789';

let folder: string;
let upstream: Upstream;
let engine: Upstream;
let front: SecureFront;
let proxy: ForwardProxyDouble;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-proxies-'));
  upstream = await startUpstream('anthropic');
  upstream.strict = false;
  engine = await new Upstream(() => undefined, () => json({ found: true })).listen(); // oxfmt-ignore
  front = await startSecureFront(folder, Number(new URL(upstream.url).port), ['provider.test']);
});
beforeEach(async () => {
  upstream.requests.length = 0;
  const ports = { 'provider.test': front.port, 'plain.test': portOf(upstream), 'engine.test': portOf(engine) };
  proxy = await ForwardProxyDouble.start(ports, CREDENTIALS);
});
afterEach(() => proxy.close());
afterAll(async () => {
  await Promise.all([upstream.close(), engine.close(), front.close()]);
  await rm(folder, { recursive: true, force: true });
});

const portOf = ({ url }: Upstream): number => Number(new URL(url).port);
const settings = (variables: NodeJS.ProcessEnv) => readEnvironment(variables, folder).environment;
const proxiesOf = (url: string, noProxy = '') =>
  new ForwardProxies(settings({ HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: noProxy }));
const live = (): AbortSignal => new AbortController().signal;
const call = (url: string, changes: object = {}) =>
  ({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}',
    stream: false,
    connectTimeoutMs: 2_000,
    idleTimeoutMs: 60_000,
    ...changes,
  }) as const;

/** A transport that is closed with the test. */
const open: UndiciTransport[] = [];
afterEach(() => open.splice(0).forEach((transport) => transport.onApplicationShutdown()));
function transportBy(url: string, noProxy?: string): UndiciTransport {
  const transport = new UndiciTransport(undefined, proxiesOf(url, noProxy));
  open.push(transport);
  return transport;
}

describe('a provider at an http:// address', () => {
  it('is called by the proxy with the whole address, and never receives headers for the proxy', async () => {
    const transport = transportBy(proxy.url());
    for (let time = 0; time < 2; time++) {
      const response = await transport.open(call('http://plain.test/v1/messages?a=1'), live());
      expect([response.status, (await response.read(1_000_000)).length > 0]).toEqual([200, true]);
    }
    expect(proxy.carried).toEqual(Array(2).fill('POST http://plain.test/v1/messages?a=1'));
    expect(upstream.requests).toHaveLength(2);
    expect(upstream.requests[0]!.headers).toMatchObject({ host: 'plain.test' });
    expect(upstream.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
  });

  it('is called directly where NO_PROXY names it, or it is this machine', async () => {
    const response = await transportBy(proxy.url()).open(call(`${upstream.url}/v1/messages`), live());
    expect(response.status).toBe(200);
    await expect(transportBy(proxy.url(), 'plain.test').open(call('http://plain.test/v1'), live())).rejects.toMatchObject({ kind: 'unreachable' }); // oxfmt-ignore
    expect(proxy.carried).toEqual([]);
  });

  it('is not the source of a 407: that is the proxy, which requires other credentials', async () => {
    for (const stream of [false, true]) {
      const fault = await transportBy(proxy.url('proxy-user:wrong')).open(call('http://plain.test/v1', { stream }), live()).catch((error: unknown) => error); // oxfmt-ignore
      expect(fault).toMatchObject({ kind: 'unreachable', cause: { code: 'PROXY_407' } });
    }
    expect(upstream.requests).toEqual([]);
  });

  it('is never called by it where a caller named the address', async () => {
    const transport = new UndiciTransport(new CheckedIpAddresses(settings({})), proxiesOf(proxy.url()));
    open.push(transport);
    await expect(transport.open(call('https://plain.test/v1', { isGuarded: true }), live())).rejects.toMatchObject({ kind: 'unreachable' }); // oxfmt-ignore
    expect(proxy.carried).toEqual([]);
  });
});

describe('a tunnel', () => {
  const secure = 'https://provider.test/v1/messages';

  it.each([
    ['a refusal', (): void => void (proxy.refusesWith = 'HTTP/1.1 403 Forbidden\r\n\r\n'), 'PROXY_403'],
    ['no HTTP', (): void => void (proxy.refusesWith = 'SSH-2.0-x\r\n\r\n'), 'PROXY_MALFORMED'],
    ['a closed connection', (): void => void (proxy.refusesWith = ''), 'PROXY_MALFORMED'],
    ['an endless head', (): void => void (proxy.refusesWith = 'x'.repeat(70_000)), 'PROXY_MALFORMED'],
  ])('that the proxy answers with %s is a provider that cannot be reached', async (_, prepare, code) => {
    prepare();
    const fault = await transportBy(proxy.url()).open(call(secure), live()).catch((error: unknown) => error); // oxfmt-ignore
    expect(fault).toMatchObject({ kind: 'unreachable', cause: { code } });
  });

  it('requires the right credentials', async () => {
    const fault = await transportBy(proxy.url('proxy-user:wrong')).open(call(secure), live()).catch((error: unknown) => error); // oxfmt-ignore
    expect(fault).toMatchObject({ kind: 'unreachable', cause: { code: 'PROXY_407' } });
  });

  it('that is never answered ends with the time for connecting', async () => {
    proxy.isSilent = true;
    const fault = await transportBy(proxy.url()).open(call(secure, { connectTimeoutMs: 100 }), live()).catch((error: unknown) => error); // oxfmt-ignore
    expect(fault).toMatchObject({ kind: 'timed-out' });
  });

  it('is closed when its client disconnects', async () => {
    proxy.isSilent = true;
    const abort = new AbortController();
    const opening = transportBy(proxy.url()).open(call(secure), abort.signal);
    while (proxy.carried.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error('gone'));
    await expect(opening).rejects.toThrow('gone');
    while (proxy.openTunnels > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

it('carries calls of engines', async () => {
  const clients = new EngineClients(proxiesOf(proxy.url()));
  const search = { name: 'exa', method: 'POST', path: '/search', headers: {}, body: { q: 1 }, timeoutMs: 5_000, bytesMax: 1_000 } as const;
  const found = clients.open('k').call({ engine: { baseUrl: 'http://engine.test' }, ...search }, new Cancellation());
  expect(await found).toEqual({ found: true });
  expect(proxy.carried).toEqual(['POST http://engine.test/search']);
  proxy.refusesWith = 'HTTP/1.1 403 Forbidden\r\n\r\n';
  const refused = clients.open('k').call({ engine: { baseUrl: 'https://engine.test' }, ...search }, new Cancellation());
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable' });
}); // oxfmt-ignore

it('carries whole replies and streams of a secure provider, whose bytes it cannot read, and reveals no secret', async () => {
  const catalog = join(folder, 'catalog.json');
  const served = (id: string, provider: string): object => ({
    id,
    name: 'm',
    context_length: 100_000,
    max_completion_tokens: 1_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: [{ provider, model: 'm', pricing: { prompt: '1', completion: '1' } }],
  });
  const known = { dialect: 'anthropic-messages', credential: { value: PROVIDER_KEY } };
  await writeFile(
    catalog,
    JSON.stringify({
      version: 1,
      providers: [
        { slug: 'behind', name: 'Behind', base_url: 'https://provider.test', ...known },
        { slug: 'plain', name: 'Plain', base_url: 'http://plain.test', ...known },
      ],
      models: [served('a/m', 'behind'), served('a/plain', 'plain')],
    }),
  ); // oxfmt-ignore
  await copyPreparedStore(join(folder, 'data'));
  const gateway = await GatewayProcess.start(join(folder, 'data'), {
    FAIRLEAD_CATALOG: catalog,
    HTTPS_PROXY: proxy.url(),
    HTTP_PROXY: proxy.url(),
    NODE_EXTRA_CA_CERTS: front.certificate,
    LOG_LEVEL: 'debug',
  });
  try {
    const body = { model: 'a/m', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
    for (const stream of [false, true, true]) {
      const response = await gateway.messages({ ...body, stream });
      const text = await response.text();
      expect([response.status, text.includes(stream ? 'message_stop' : '"end_turn"')]).toEqual([200, true]);
    }
    expect(new Set(proxy.carried)).toEqual(new Set(['CONNECT provider.test:443']));
    expect(upstream.requests).toHaveLength(3);
    expect(upstream.requests[0]!.headers).toMatchObject({ host: 'provider.test', 'x-api-key': PROVIDER_KEY });
    expect(upstream.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
    for (const [status, code] of [
      [400, 400],
      [407, 502],
      [403, 502],
    ] as const) {
      proxy.repeatsWith = status;
      const response = await gateway.messages({ ...body, model: 'a/plain' });
      const text = await response.text();
      expect(response.status).toBe(code);
      for (const secret of [...CREDENTIALS.split(':').slice(1), TOKEN]) expect(text).not.toContain(secret);
      expect(text.includes('[secret]')).toBe(status !== 407);
    }
    while (!gateway.written.includes('"code":"PROXY_407"')) await new Promise((resolve) => setTimeout(resolve, 10));
    await proxy.close();
    expect((await gateway.messages(body)).status).toBe(502);
    expect(gateway.written).not.toContain(TOKEN);
    for (const secret of CREDENTIALS.split(':')) expect(gateway.written).not.toContain(secret);
  } finally {
    await gateway.kill();
  }
}, 240_000);
