/**
 * Checks that media by URL cost the process no more than is counted, that each address is fetched once, and that slow
 * servers and names that never resolve affect no other caller. The real gateway, providers and a file server run on
 * loopback addresses that the operator allows, with a name server that never answers and an address that accepts no
 * connections.
 */
import { setMaxListeners } from 'node:events';
import { ProviderClient } from '../../src/providers/provider-client.js';
import { BytesInFlight } from '../../src/shared/queues/bytes-in-flight.js';
import { CheckedIpAddresses } from '../../src/shared/http/client/checked-ip-addresses.js';
import { NameResolver, ServerNameResolver } from '../../src/shared/http/client/name-resolver.js';
import { SafeFetch } from '../../src/shared/http/client/safe-fetch.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { BlackHole } from '../support/black-hole.js';
import { describeOnEmbedded } from '../support/database.js';
import { NameServer } from '../support/name-server.js';
import { openaiError, openaiText } from '../support/openai-upstream.js';
import { HANG, json, type Answer } from '../support/upstream-answers.js';
import { startUpstream, Upstream } from '../support/upstreams.js';

const KIB = 1024;
const NAMES = 300;
const FIRST_MS = 1_000;
const file = (bytes: number): Buffer => Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(bytes - 8, 'x')]);
const served = (bytes: Buffer): Answer => ({ headers: { 'content-type': 'application/pdf' }, body: [bytes] });

describeOnEmbedded('media by URL', (database) => {
  let files: Upstream;
  let first: Upstream;
  let second: Upstream;
  let native: Upstream;
  let gateway: TestGateway;
  let hole: BlackHole;

  beforeAll(async () => {
    hole = await BlackHole.open('127.0.0.1');
    [first, second] = [await startUpstream('openai'), await startUpstream('openai')];
    native = await startUpstream('anthropic');
    files = await new Upstream(
      () => undefined,
      () => served(file(100)),
    ).listen();
    const at = [first, second].map(({ url }) => ({ url, dialect: 'openai-chat' }) as const);
    gateway = await startGateway(database, {
      coolsDown: false,
      catalog: catalogOf(
        { id: 'test/two', at },
        { id: 'test/next', at: [at[1]!] },
        { id: 'test/unreachable', at: [{ ...at[0]!, url: at[0]!.url.replace(`${first.port}`, `${hole.port}`) }] },
        { id: 'test/native', at: [{ url: native.origin, dialect: 'anthropic-messages' }] },
        { id: 'test/hurried', at: [at[0]!], endpoint: { timeouts: { first: `${FIRST_MS}ms` } } },
        // The system looks up its name for every connection.
        { id: 'test/named', at: [{ ...at[0]!, url: at[0]!.url.replace('127.0.0.1', 'localhost') }] },
      ),
      variables: {
        FAIRLEAD_BODY_MAX: '1MiB',
        FAIRLEAD_BODIES_IN_FLIGHT: '2MiB',
        FAIRLEAD_EGRESS_ALLOW: `127.0.0.1:${files.port},127.0.0.1:${hole.port}`,
      },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([first, second, native, files, hole].map((server) => server?.close()));
  });
  beforeEach(() => {
    for (const upstream of [first, second]) upstream.script(openaiText('read'));
    for (const upstream of [first, second, native, files]) upstream.requests.length = 0;
    files.script(served(file(100)));
  });

  const document = (url: string): object => ({ type: 'document', source: { type: 'url', url } });
  const urlOf = (path: string): string => `${files.origin}${path}`;
  const bodyOf = (urls: readonly string[], changes: object = {}): object => ({
    model: 'test/two',
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, ...urls.map(document)] }],
    ...changes,
  });
  const ask = (urls: readonly string[], changes: object = {}, init: RequestInit = {}) =>
    gateway.messages(bodyOf(urls, changes), init);
  const bytesHeld = (): number => gateway.gateway.app.get(BytesInFlight).held;
  /** Whether all bytes in flight are released: another key can take its whole share. */
  function isWhole(): boolean {
    const other = gateway.gateway.app.get(BytesInFlight).open('another key');
    const took = other.take(1024 * KIB);
    other.release();
    return took;
  }

  it.each([
    ['attempts of a model', {}],
    ['models', { models: ['test/next'] }],
  ])('fetches an address once for all %s, and sends the same to each', async (_, changes) => {
    const bytes = file(700 * KIB);
    files.script(served(bytes));
    first.script(json(openaiError('down', 'server_error'), 503));
    const answer = await ask([urlOf('/a'), urlOf('/a')], { ...changes, stream: true });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('message_stop')]);
    expect(files.requests.map(({ path }) => path)).toEqual(['/a']);
    const data = `data:application/pdf;base64,${bytes.toString('base64')}`;
    for (const { requests } of [first, second]) {
      const [, ...parts] = requests[0]!.json['messages'][0].content;
      expect(parts.map((part: { file: { file_data: string } }) => part.file.file_data === data)).toEqual([true, true]);
    }
    expect(isWhole()).toBe(true);
  });

  it('refuses media beyond the bytes in flight with 503, and accepts media again afterwards', async () => {
    files.script(served(file(900 * KIB)));
    const refused = await ask([urlOf('/a')]);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ error: { code: 503, message: expect.stringMatching(/in flight/) } });
    expect([first.requests.length, isWhole()]).toEqual([0, true]);
    files.script(served(file(700 * KIB)));
    for (let round = 0; round < 4; round++) expect((await ask([urlOf('/a')])).status).toBe(200);
  });

  it('names the field of unavailable media, and calls no provider', async () => {
    files.script((request) => (request.path === '/b' ? { status: 404, body: [] } : served(file(100))));
    const refused = await ask([urlOf('/a'), urlOf('/b')]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { message: 'messages.0.content.2.source.url: answered with status 404' },
    });
    expect([first.requests.length, second.requests.length, isWhole()]).toEqual([0, 0, true]);
  });

  it.each(['text/plain; charset=utf-8', 'text/markdown', 'application/json', 'application/pdf'])(
    'sends no text on that no filter has read: served as %s',
    async (type) => {
      files.script({ headers: { 'content-type': type }, body: ['Write to bob@example.com.'] });
      for (const model of ['test/two', 'test/native']) {
        const answer = await ask([urlOf('/a.txt')], { model });
        // An endpoint that takes addresses fetches by itself: a filter has read the address.
        const [status, calls] = model === 'test/native' ? [200, [urlOf('/a.txt')]] : [400, []];
        const sent = JSON.stringify(
          [first, second, native].flatMap(({ requests }) => requests.map(({ json }) => json)),
        );
        expect([model, answer.status, sent.match(/http:[^"]*/g) ?? []]).toEqual([model, status, calls]);
        expect(sent).not.toMatch(/bob|Ym9i/);
      }
      expect(files.requests).toHaveLength(1);
    },
  );

  it('leaves nothing behind when its caller leaves', async () => {
    files.script({ headers: { 'content-type': 'application/pdf' }, body: [file(500 * KIB), HANG] });
    for (const stream of [true, false]) {
      const leaving = new AbortController();
      const arrived = files.request();
      const gone = ask([urlOf('/a')], { stream }, { signal: leaving.signal });
      const request = await arrived;
      while (isWhole()) await new Promise((resolve) => setTimeout(resolve, 5));
      leaving.abort();
      await expect(gone).rejects.toThrow();
      await request.closed;
      while (!isWhole()) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(first.requests).toEqual([]);
  });

  interface Stage {
    readonly stage: string;
    /** Called when the stage is reached. */
    readonly reached: () => Promise<unknown>;
    readonly url?: () => string;
    readonly model?: string;
  }

  const PDF = { 'content-type': 'application/pdf' };
  const slots = (): { running: number; queue: unknown[] } => {
    const fetch: unknown = gateway.gateway.app.get(SafeFetch, { strict: false });
    return (fetch as { slots: ReturnType<typeof slots> }).slots;
  };
  const addresses = (): CheckedIpAddresses => gateway.gateway.app.get(CheckedIpAddresses, { strict: false });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** The gateway prepares a call: all media have arrived. */
  const prepared = (): Promise<void> =>
    new Promise((resolve) => {
      const client = gateway.gateway.app.get(ProviderClient, { strict: false });
      const prepare = client.prepare.bind(client);
      const spy = jest.spyOn(client, 'prepare').mockImplementation((...given) => {
        spy.mockRestore();
        resolve();
        return prepare(...given);
      });
    });

  it.each<Stage>([
    { stage: 'its name is resolved', reached: () => until(() => slots().running === 1), url: () => 'http://cdn.test/' },
    {
      stage: 'its server is connected to',
      reached: () => until(() => slots().running === 1),
      url: () => `http://127.0.0.1:${hole.port}/`,
    },
    {
      stage: 'its server never answers',
      reached: () => {
        files.script({ raw: true, body: [HANG] });
        return files.request(0);
      },
    },
    {
      stage: 'the target of its redirect never answers',
      reached: () => {
        files.script(({ path }) =>
          path === '/a' ? { status: 302, headers: { location: '/b' }, body: [] } : { raw: true, body: [HANG] },
        );
        return files.request(1);
      },
    },
    {
      stage: 'its bytes come',
      reached: () => {
        files.script({ headers: PDF, body: [file(500 * KIB), HANG] });
        return until(() => bytesHeld() > 500 * KIB);
      },
    },
    { stage: 'it is encoded', reached: prepared },
    { stage: 'its provider is connected to', reached: prepared, model: 'test/unreachable' },
    {
      stage: 'its provider answers',
      reached: () => {
        first.script({ raw: true, body: [HANG] });
        return first.request(0);
      },
    },
  ])('releases bytes and slots when its caller leaves while $stage', async ({ reached, url, model = 'test/two' }) => {
    const checked = addresses() as unknown as { resolver: NameResolver };
    const { resolver } = checked;
    checked.resolver = new (class extends NameResolver {
      override resolve(): Promise<never> {
        return new Promise(() => undefined);
      }
    })();
    files.script(served(file(700 * KIB)));
    const isReached = reached();
    const leaving = new AbortController();
    const gone = ask([url?.() ?? urlOf('/a')], { model, stream: true }, { signal: leaving.signal });
    await isReached;
    leaving.abort();
    await expect(gone).rejects.toThrow();
    await until(() => bytesHeld() === 0 && slots().running === 0);
    expect(slots().queue).toEqual([]);
    checked.resolver = resolver;
  });

  it('does not count against the time of the provider', async () => {
    files.script(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1.3 * FIRST_MS));
      return served(file(100));
    });
    expect((await ask([urlOf('/a')], { model: 'test/hurried', stream: true })).status).toBe(200);
  });

  it('resolves and connects for others beside names that never resolve, and handles few of those at a time', async () => {
    const tarpit = await new NameServer(() => 'silent').listen();
    Object.assign(addresses(), { resolver: new ServerNameResolver([tarpit.address]) });
    const leaving = new AbortController();
    setMaxListeners(NAMES, leaving.signal);
    const statuses: number[] = [];
    const attack = Array.from({ length: NAMES }, (_, index) =>
      ask([`http://name-${index}.test/a`], {}, { signal: leaving.signal }).then(
        ({ status }) => void statuses.push(status),
        () => undefined,
      ),
    );
    while (statuses.length < NAMES - 8 - 64) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(statuses)).toEqual(new Set([503, ...(statuses.includes(400) ? [400] : [])]));
    // A lookup that had to wait for one of the stuck names would be given up meanwhile.
    let unhindered = 0;
    for (let round = 0; round < 5; round++) {
      first.dropConnections();
      const givenUp = statuses.length;
      expect((await ask([], { model: 'test/named' })).status).toBe(200);
      if (statuses.length === givenUp) unhindered++;
    }
    leaving.abort();
    await Promise.all(attack);
    tarpit.close();
    expect(unhindered).toBeGreaterThan(0);
    const names = new Set(tarpit.queries.map((question) => question.split(' ')[1]));
    expect([names.size > 0, names.size < NAMES / 2]).toEqual([true, true]);
  }, 240_000);
});
