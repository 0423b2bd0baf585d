// Checks that each attack that broke another gateway (docs/contribute/threat-model.md) is stopped here, again
// and again, without effect on others. Attacks that need a separate store are in the specs that
// docs/contribute/threat-model.md names. All run in turn against one gateway, with its victims beside them
// (victim-bench.ts).
import { createServer, type AddressInfo, type Server } from 'node:net';
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { RawClient, type RawResponse } from '../support/raw-client.js';
import { findSecrets } from '../support/secret-forms.js';
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';

const AT_ONCE = 2;
const ASK = { model: 'test/well', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };
const JSON_TYPE = 'content-type: application/json';
/** The credential with which the catalog calls the provider of the victims. */
const CREDENTIAL = 'credential-of-p0';

describe('known attacks', () => {
  let bench: VictimBench;
  let key: string;
  let listener: Server;
  let inside: string;
  let connections = 0;

  beforeAll(async () => {
    listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    inside = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
    bench = await VictimBench.open({ LOG_LEVEL: 'debug', FAIRLEAD_FLOOD: 'auth=1000000/60s' });
    key = await bench.newKey();
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await new Promise((resolve) => listener?.close(resolve));
  });

  async function answerTo(bytes: string | Buffer): Promise<RawResponse> {
    const client = await RawClient.connect(bench.origin);
    client.write(bytes);
    return client.response().finally(() => client.destroy());
  }

  const request = (line: string, headers: readonly string[], body: object | string = ''): Buffer => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const head = [`${line} HTTP/1.1`, 'host: g', ...headers, `content-length: ${Buffer.byteLength(text)}`];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(text)]);
  };
  const post = (body: object, ...headers: string[]): Buffer =>
    request('POST /api/v1/messages', [`authorization: Bearer ${key}`, JSON_TYPE, ...headers], body);
  const image = (url: string): Buffer => {
    const source = { type: 'url', url };
    return post({ ...ASK, messages: [{ role: 'user', content: [{ type: 'document', source }] }] });
  };
  const bearer = (value: string): Buffer => request('GET /api/v1/key', [`authorization: Bearer ${value}`]);
  const dashes = '-'.repeat(12_000);

  /**
   * Each has the row of docs/contribute/threat-model.md, a title, the permitted statuses, and the bytes to send.
   */
  const attacks = (): readonly (readonly [string, string, readonly number[], Buffer])[] => [
    ['E02', 'a boundary of dashes, without a key', [401], request('POST /api/v1/messages', [`content-type: multipart/form-data; boundary=${dashes}`], dashes)],
    ['E02', 'a boundary of dashes, with one', [415], request('POST /api/v1/messages', [`authorization: Bearer ${key}`, `content-type: multipart/form-data; boundary=${dashes}`], dashes)],
    ['E02', 'thousands of parameters', [415], request('POST /api/v1/messages', [`authorization: Bearer ${key}`, `content-type: application/json-${';a=b'.repeat(3_000)}`], '{}')],
    ['E04', 'SQL for a key', [401], bearer(`' OR '1'='1' --`)],
    ['E04', 'SQL that sleeps', [401], bearer(`'; select pg_sleep(5)--`)],
    ['E04', 'bytes beyond ASCII for a key', [401], bearer('\xff\xfe\xf0\x9f\x98\x80')],
    ['E04', 'a key of 15 KB', [401], bearer('k'.repeat(15_000))],
    ['E06', 'an address in the body', [200, 400], post({ ...ASK, api_base: `http://${inside}`, base_url: `http://${inside}`, api_key: 'x' })],
    ['E06', 'an address in headers', [200], post(ASK, `x-portkey-custom-host: http://${inside}`, `x-forwarded-host: ${inside}`, `x-base-url: http://${inside}`)],
    ['E06', 'an address among preferences', [400], post({ ...ASK, provider: { base_url: `http://${inside}` } })],
    ['E07', 'a route of administrators, with a key that infers', [403], request('GET /api/v1/byok', [`authorization: Bearer ${key}`])],
    ['E07', 'inference with an administrator\'s key', [403], request('POST /v1/chat/completions', [`authorization: Bearer ${MANAGEMENT_KEY}`, JSON_TYPE], ASK)],
    ['E07', 'a path spelt otherwise', [401, 404], request('GET /api/v1//keys/../keys', [])],
    ['E08', 'a document on this machine', [400], image(`http://${inside}/`)],
    ['E08', 'its address as a number', [400], image(`http://2130706433:${inside.split(':')[1]}/`)],
    ['E08', 'its address within another', [400], image(`http://[::ffff:127.0.0.1]:${inside.split(':')[1]}/`)],
    ['E08', 'its name', [400], image(`http://localhost:${inside.split(':')[1]}/`)],
    ['E08', 'the metadata of a cloud', [400], image('http://169.254.169.254/latest/meta-data/')],
    ['E08', 'a file', [400], image('file:///etc/passwd')],
    ['E15', 'a header beyond ASCII', [200], post(ASK, 'x-session-id: \xe9\xff', 'x-title: \xc3\x28')],
    ['E15', 'two keys', [200, 400, 401], post(ASK, 'authorization: Bearer other')],
    ['E15', '64 KB of header', [431], post(ASK, `x-session-id: ${'a'.repeat(65_536)}`)],
    ['E15', 'no HTTP', [400], Buffer.from('\0\x01\x02\r\n\r\n', 'latin1')],
    ['E15', 'nesting without end', [400], request('POST /api/v1/messages', [`authorization: Bearer ${key}`, JSON_TYPE], '{"a":'.repeat(100_000))],
    ['E16', 'a generation that is not there', [404], request('GET /api/v1/generation?id=gen-1700000000-abcdefghijklmnopqrst', [`authorization: Bearer ${key}`])],
    ['E17', 'wildcards for an id', [400, 404], request(`GET /api/v1/generation?id=${'%25'.repeat(200)}`, [`authorization: Bearer ${key}`])],
    ['E28', 'a model outside of what preferences allow', [404], post({ ...ASK, provider: { only: ['sandbox'] }, models: ['test/well', 'test/well'] })],
  ]; // oxfmt-ignore

  it('are stopped, each, without effect on others', async () => {
    const all = attacks();
    const wrong = new Set<string>();
    let turn = 0;
    await expectUnharmed(bench, async (signal) => {
      await storm(AT_ONCE, signal, async () => {
        const [row, what, allowed, bytes] = all[turn++ % all.length]!;
        const { status } = await answerTo(bytes);
        if (!allowed.includes(status)) wrong.add(`${row} ${what}: ${status}`);
      });
    });
    expect([...wrong]).toEqual([]);
    expect(turn).toBeGreaterThan(2 * all.length);
    expect(connections).toBe(0);
  }, 240_000);

  it('reveal no secret, neither in answers nor in the log of all of this (E11, E21)', async () => {
    const replies = await Promise.all(attacks().map(async ([, , , bytes]) => (await answerTo(bytes)).body.toString()));
    const metrics = await (await fetch(`${bench.origin}/metrics`)).text();
    const secrets = { API_KEY, MANAGEMENT_KEY, key, CREDENTIAL };
    expect(findSecrets(secrets, { answers: replies.join('\n'), metrics, log: bench.written })).toEqual([]);
  }, 240_000);

  it('hold for a revoked key within five seconds, under its own traffic (E18, E24)', async () => {
    const created = await bench.manage('/keys', { name: 'to be revoked' });
    const { key: revoked, data } = (await created.json()) as { key: string; data: { hash: string } };
    const ask = (): Promise<RawResponse> =>
      answerTo(request('POST /api/v1/messages', [`authorization: Bearer ${revoked}`, JSON_TYPE], ASK));
    expect((await ask()).status).toBe(200);
    const over = new AbortController();
    const traffic = storm(AT_ONCE, over.signal, async () => (await ask()).status);
    await fetch(`${bench.origin}/api/v1/keys/${data.hash}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      body: '{"disabled":true}',
    });
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const statuses = await Promise.all([ask(), ask(), ask()]);
    over.abort();
    await traffic;
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401]);
  }, 240_000);
});
