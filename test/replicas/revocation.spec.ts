// A key that is revoked at one replica stops at once there and within 5 s at every other, however busy it is. Two
// gateways on one PostgreSQL; the other replica gets requests without a pause until it refuses.
import { DataSource } from 'typeorm';
import { BytesInFlight } from '../../src/shared/queues/bytes-in-flight.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';

const EVERYWHERE_MS_MAX = 5_000;

describeOnPostgres('revocation at two replicas', (database) => {
  let here: TestGateway;
  let there: TestGateway;

  beforeAll(async () => {
    const variables = { FAIRLEAD_FLOOD: 'auth=1000000/60s' };
    here = await startGateway(database, { variables });
    there = await startGateway(database, { variables });
  }, 240_000);
  afterAll(async () => {
    await here?.close();
    await there?.close();
  });

  async function manage(method: string, path: string, body?: object): Promise<Response> {
    const response = await here.request(path, {
      method,
      key: MANAGEMENT_KEY,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect(response.ok).toBe(true);
    return response;
  }

  async function create(): Promise<{ key: string; hash: string }> {
    const response = await manage('POST', '/keys', { name: 'name' });
    const { key, data } = (await response.json()) as { key: string; data: { hash: string } };
    return { key, hash: data.hash };
  }

  async function until(holds: () => boolean): Promise<void> {
    const began = performance.now();
    while (!holds() && performance.now() - began < EVERYWHERE_MS_MAX) await new Promise((on) => setTimeout(on, 2));
    expect(holds()).toBe(true);
  }

  /** An address that needs only the key from the store: 404 for a valid one. */
  const statusAt = async (replica: TestGateway, key: string): Promise<number> =>
    (await replica.messages({ model: 'no/such', messages: [{ role: 'user', content: 'hi' }] }, { key })).status;

  /** How long the other replica took, under steady use, to answer with that status. */
  async function msUntil(key: string, status: number): Promise<number> {
    const began = performance.now();
    while ((await statusAt(there, key)) !== status && performance.now() - began < 2 * EVERYWHERE_MS_MAX);
    return performance.now() - began;
  }

  it.each([
    ['disabled', (hash: string) => manage('PATCH', `/keys/${hash}`, { disabled: true })],
    ['deleted', (hash: string) => manage('DELETE', `/keys/${hash}`)],
  ])(
    'stops a key that was %s',
    async (_, revoke) => {
      const { key, hash } = await create();
      expect([await statusAt(here, key), await statusAt(there, key)]).toEqual([404, 404]);
      await revoke(hash);
      expect(await statusAt(here, key)).toBe(401);
      expect(await msUntil(key, 401)).toBeLessThan(EVERYWHERE_MS_MAX);
      // `GET /key` reads the store itself, so it is never outdated.
      expect((await there.request('/key', { key })).status).toBe(401);
    },
    20_000,
  );

  it('ends open requests of that key at the other replica, and no others', async () => {
    const sending = async (key: string): Promise<RawClient> => {
      const client = await RawClient.connect(there.origin);
      const head = `POST /api/v1/messages HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${key}\r\n`;
      client.write(`${head}content-type: application/json\r\ncontent-length: 1000000\r\n\r\n${' '.repeat(200_000)}`);
      return client;
    };
    const { key, hash } = await create();
    const [ended, other] = [await sending(key), await sending(API_KEY)];
    await until(() => there.gateway.app.get(BytesInFlight).held === 400_000);
    const began = performance.now();
    await manage('DELETE', `/keys/${hash}`);
    expect((await ended.response()).status).toBe(401);
    expect(performance.now() - began).toBeLessThan(EVERYWHERE_MS_MAX);
    expect([there.gateway.app.get(BytesInFlight).held, other.text]).toEqual([200_000, '']);
    for (const client of [ended, other]) client.destroy();
  }, 240_000);

  async function createInWorkspace(slug: string): Promise<{ key: string; hash: string }> {
    await manage('POST', '/workspaces', { name: 'n', slug });
    const { key, data } = (await (await manage('POST', '/keys', { name: 'n', workspace_id: slug })).json()) as {
      key: string;
      data: { hash: string };
    };
    return { key, hash: data.hash };
  }

  it('stops a key whose workspace was deleted', async () => {
    const { key, hash } = await createInWorkspace('gone');
    expect(await statusAt(there, key)).toBe(404);
    await manage('PATCH', `/keys/${hash}`, { disabled: true });
    await manage('DELETE', '/workspaces/gone');
    expect(await statusAt(here, key)).toBe(401);
    expect(await msUntil(key, 401)).toBeLessThan(EVERYWHERE_MS_MAX);
  }, 240_000);

  it('deletes no workspace with a key that is enabled meanwhile', async () => {
    const { key, hash } = await createInWorkspace('busy');
    await manage('PATCH', `/keys/${hash}`, { disabled: true });
    const other = there.gateway.app.get(DataSource).createQueryRunner();
    await other.startTransaction('READ COMMITTED');
    await other.query('update api_keys set disabled = false where hash = $1', [hash]);
    const deletion = here.request('/workspaces/busy', { method: 'DELETE', key: MANAGEMENT_KEY });
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while ((await other.query(waiting)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.commitTransaction();
    await other.release();
    expect((await deletion).status).toBe(400);
    expect(await msUntil(key, 404)).toBeLessThan(EVERYWHERE_MS_MAX);
  }, 240_000);

  it('lets a key work again that was disabled, and a new one at once', async () => {
    const { key, hash } = await create();
    expect(await statusAt(there, key)).toBe(404);
    await manage('PATCH', `/keys/${hash}`, { disabled: true });
    expect(await msUntil(key, 401)).toBeLessThan(EVERYWHERE_MS_MAX);
    await manage('PATCH', `/keys/${hash}`, { disabled: false });
    expect(await statusAt(here, key)).toBe(404);
    expect(await msUntil(key, 404)).toBeLessThan(EVERYWHERE_MS_MAX);
    expect(await statusAt(there, (await create()).key)).toBe(404);
  }, 240_000);

  it('shows a changed limit everywhere at once', async () => {
    const { key, hash } = await create();
    await there.request('/key', { key });
    await manage('PATCH', `/keys/${hash}`, { limit: 3, limit_reset: 'weekly' });
    const { data } = (await (await there.request('/key', { key })).json()) as { data: object };
    expect(data).toMatchObject({ limit: 3, limit_remaining: 3, limit_reset: 'weekly' });
  });

  it('keeps the last management key when both replicas get a request to delete one of two', async () => {
    const response = await manage('POST', '/keys', { name: 'second', kind: 'management' });
    const second = ((await response.json()) as { data: { hash: string } }).data.hash;
    const keys = (await (await manage('GET', '/keys')).json()) as { data: { hash: string; kind: string }[] };
    const first = keys.data.find(({ kind, hash }) => kind === 'management' && hash !== second)!.hash;
    const statuses = await Promise.all(
      [first, second].map(async (hash, index) => {
        const replica = index === 0 ? here : there;
        return (await replica.request(`/keys/${hash}`, { method: 'DELETE', key: MANAGEMENT_KEY })).status;
      }),
    );
    // Where the requesting key itself was deleted first, the other request may be refused before its turn.
    const [deleted, refused] = statuses.sort();
    expect(deleted).toBe(200);
    expect([400, 401]).toContain(refused);
    const { management } = await here.gateway.app
      .get(DataSource)
      .query(`select count(*)::int as management from api_keys where kind = 'management' and deleted_at is null`)
      .then(([row]: { management: number }[]) => row!);
    expect(management).toBe(1);
    expect(await statusAt(here, API_KEY)).toBe(404);
  });
});
