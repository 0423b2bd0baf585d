/**
 * Checks that a rotated key is the same key with another secret: its id, limits, usage and history stay, it is still
 * found by its hash, both secrets are valid during the time of grace, and the former one is invalid afterwards. The
 * application runs before a scripted upstream; time is moved by hand. Rules: docs/operate/keys.md#rotation.
 */
import { hashKey } from '../../src/core/ids.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, MANAGEMENT_KEY, startGateway, type NewKey, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

/** USD; of one answer, whose prompt has 12 tokens and whose text 7. */
const COST = 0.000141;
/** USD; the most that `ask` may cost: 67 tokens in, 100 out. */
const BOUND = (67 * 3 + 100 * 15) / 1e6;
const HOUR_SECONDS = 3_600;

describeOnEmbedded('rotation of keys', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      clock,
      variables: { FAIRLEAD_FLOOD: 'auth=100000/60s' },
      catalog: catalogOf({ id: 'test/one', at }, { id: 'test/two', at }),
    });
    ledger = new LedgerReader(gateway);
    upstream.script(anthropicText('Hi.'));
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  afterEach(() => void (clock.aheadMs = 0));

  async function send(method: string, path: string, body?: object, key = MANAGEMENT_KEY): Promise<JsonBody> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  const rotate = (hash: string, graceSeconds: number, key?: string): Promise<JsonBody> =>
    send('POST', `/keys/${hash}/rotate`, { grace_seconds: graceSeconds }, key);
  async function rotated({ hash }: NewKey, graceSeconds: number): Promise<string> {
    const { status, body } = await rotate(hash, graceSeconds);
    expect(status).toBe(201);
    return body.key;
  }
  const message = (key: string, model = 'test/one'): Promise<JsonBody> => send('POST', '/messages', ask(model), key);
  const statuses = (...keys: string[]): Promise<number[]> =>
    Promise.all(keys.map(async (key) => (await send('GET', '/key', undefined, key)).status));

  it('answers like the creation of a key, and the key is the same but for its secret', async () => {
    const made = await gateway.newKey({ name: 'one', limit: 5, limit_reset: 'daily', creator_user_id: 'user' });
    const before = (await send('GET', `/keys/${made.hash}`)).body.data;
    const { status, headers, body } = await rotate(made.hash, HOUR_SECONDS);
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(body.key).toMatch(/^sk-fl-v1-[0-9a-f]{64}$/);
    expect(body.key).not.toBe(made.key);
    const label = `${body.key.slice(0, 12)}...${body.key.slice(-3)}`;
    const former = [{ id: made.hash, label: before.label, expires_at: expect.stringMatching(/Z$/) }];
    expect(body.data).toEqual({
      ...before,
      label,
      updated_at: expect.stringMatching(/Z$/),
      former_secrets: former,
    });
    expect((await send('GET', `/keys/${made.hash}`)).body.data).toEqual(body.data);
    // The id is the hash of the first secret, and of no other.
    expect((await send('GET', `/keys/${hashKey(body.key)}`)).status).toBe(404);
    expect((await send('GET', '/key', undefined, body.key)).body.data).toMatchObject({ label, limit: 5 });
    const printed = JSON.stringify([
      (await send('GET', '/keys')).body,
      (await send('GET', '/audit')).body,
      gateway.log,
    ]);
    for (const secret of [body.key, made.key]) expect(printed).not.toContain(secret);
  });

  it('shares limit, usage and history between both secrets', async () => {
    const made = await gateway.newKey({ limit: Number((BOUND + COST).toFixed(12)) });
    const first = await message(made.key);
    const second = await rotated(made, HOUR_SECONDS);
    await ledger.rest();
    const last = await message(second);
    expect([first.status, last.status]).toEqual([200, 200]);
    await ledger.rest();
    for (const key of [made.key, second]) {
      expect((await message(key)).status).toBe(402);
      expect((await send('GET', '/key', undefined, key)).body.data.usage).toBeCloseTo(2 * COST, 12);
      for (const { body } of [first, last])
        expect((await send('GET', `/generation?id=${body.id}`, undefined, key)).status).toBe(200);
    }
    const rows = await ledger.query('select distinct key_hash from generations where id = any($1)', [
      [first.body.id, last.body.id],
    ]);
    expect(rows).toEqual([{ key_hash: made.hash }]);
  });

  it('ends the former secret with its grace, and nothing of the latest', async () => {
    const made = await gateway.newKey();
    const second = await rotated(made, HOUR_SECONDS);
    expect(await statuses(made.key, second)).toEqual([200, 200]);
    clock.aheadMs = HOUR_SECONDS * 1_000 - 10_000;
    expect(await statuses(made.key, second)).toEqual([200, 200]);
    clock.aheadMs = HOUR_SECONDS * 1_000;
    expect(await statuses(made.key, second)).toEqual([401, 200]);
    expect([(await message(made.key)).status, (await message(second)).status]).toEqual([401, 200]);
  });

  it('ends it at once without grace, though it is in use', async () => {
    const made = await gateway.newKey();
    expect(await statuses(made.key)).toEqual([200]);
    const second = await rotated(made, 0);
    expect(await statuses(made.key, second)).toEqual([401, 200]);
    const third = await rotated(made, 0);
    expect(await statuses(made.key, second, third)).toEqual([401, 401, 200]);
  });

  it('permits the repetition of a rotation whose answer was lost: the secret in use keeps its grace', async () => {
    const made = await gateway.newKey();
    const lost = await rotated(made, HOUR_SECONDS);
    const second = await rotated(made, HOUR_SECONDS);
    expect(await statuses(made.key, lost, second)).toEqual([200, 200, 200]);
    // At most four remain valid beside the latest: the oldest ends.
    const later = [];
    for (let count = 0; count < 3; count++) later.push(await rotated(made, HOUR_SECONDS));
    expect(await statuses(made.key, lost, second, ...later)).toEqual([401, 200, 200, 200, 200, 200]);
    const final = await rotated(made, 0);
    expect(await statuses(lost, second, ...later, final)).toEqual([401, 401, 401, 401, 401, 200]);
  });

  it('leaves guardrails, credentials and restrictions in force, whichever secret is used', async () => {
    const made = await gateway.newKey({ allowed_models: ['test/*'], egress: { allowed_domains: [] } });
    const guardrail = (await send('POST', '/guardrails', { name: 'g', allowed_models: ['test/one'] })).body.data;
    await send('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [made.hash] });
    const second = await rotated(made, HOUR_SECONDS);
    for (const key of [made.key, second]) {
      expect([(await message(key)).status, (await message(key, 'test/two')).status]).toEqual([200, 403]);
      const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
      const led = await send(
        'POST',
        '/messages',
        ask('test/one', { messages: [{ role: 'user', content: [image] }] }),
        key,
      );
      expect(led.status).toBe(403);
    }
    const assigned = await send('GET', `/guardrails/${guardrail.id}/assignments/keys`);
    expect(assigned.body.data).toMatchObject([{ key_hash: made.hash, key_label: (await send('GET', `/keys/${made.hash}`)).body.data.label }]); // oxfmt-ignore
    const credential = { provider: 'openai', key: 'sk-nothing', allowed_api_key_hashes: [made.hash] };
    expect((await send('POST', '/byok', credential)).status).toBe(201);
    expect((await send('POST', '/byok', { ...credential, allowed_api_key_hashes: [hashKey(second)] })).status).toBe(
      400,
    );
  });

  it.each([
    ['disabled', (hash: string) => send('PATCH', `/keys/${hash}`, { disabled: true })],
    ['deleted', (hash: string) => send('DELETE', `/keys/${hash}`)],
  ])('ends both secrets of a key that is %s', async (_, end) => {
    const made = await gateway.newKey();
    const second = await rotated(made, HOUR_SECONDS);
    expect(await statuses(made.key, second)).toEqual([200, 200]);
    expect((await end(made.hash)).status).toBe(200);
    expect(await statuses(made.key, second)).toEqual([401, 401]);
  });

  it('ends those of a workspace that is deleted', async () => {
    await send('POST', '/workspaces', { name: 'w', slug: 'rotating' });
    const made = await gateway.newKey({ workspace_id: 'rotating' });
    const second = await rotated(made, HOUR_SECONDS);
    expect(await statuses(made.key, second)).toEqual([200, 200]);
    await send('PATCH', `/keys/${made.hash}`, { disabled: true });
    expect((await send('DELETE', '/workspaces/rotating')).status).toBe(200);
    expect(await statuses(made.key, second)).toEqual([401, 401]);
  });

  it('shows the secrets in grace, and ends one of them by its id', async () => {
    const made = await gateway.newKey();
    const second = await rotated(made, HOUR_SECONDS);
    const third = await rotated(made, HOUR_SECONDS);
    const shown = async (): Promise<JsonBody[]> => (await send('GET', `/keys/${made.hash}`)).body.data.former_secrets;
    const labelOf = (key: string): string => `${key.slice(0, 12)}...${key.slice(-3)}`;
    const former = await shown();
    expect(former).toHaveLength(2);
    for (const key of [made.key, second])
      expect(former).toContainEqual({
        id: hashKey(key),
        label: labelOf(key),
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
    expect(await statuses(made.key, second, third)).toEqual([200, 200, 200]);
    const end = (id: string): Promise<JsonBody> => send('DELETE', `/keys/${made.hash}/secrets/${id}`);
    expect((await end(hashKey(second))).body).toEqual({ deleted: true });
    expect(await statuses(made.key, second, third)).toEqual([200, 401, 200]);
    expect((await shown()).map(({ id }) => id)).toEqual([hashKey(made.key)]);
    // An expired one, the latest one, one of another key, and an invalid one.
    const other = await gateway.newKey();
    await rotated(other, HOUR_SECONDS);
    for (const id of [hashKey(second), hashKey(third), other.hash, 'x']) expect((await end(id)).status).toBe(404);
    expect(await statuses(made.key, third, other.key)).toEqual([200, 200, 200]);
    const { data } = (await send('GET', `/audit?action=api_key.secret.end&target=${made.hash}`)).body;
    expect(data).toMatchObject([{ before: { id: hashKey(second), label: labelOf(second) }, after: null }]);
    clock.aheadMs = (HOUR_SECONDS + 1) * 1_000;
    expect(await shown()).toEqual([]);
  });

  it('is in the audit log, with the labels and the end of the former secret', async () => {
    const made = await gateway.newKey();
    const { body } = await rotate(made.hash, 60);
    const { data } = (await send('GET', `/audit?action=api_key.rotate&target=${made.hash}`)).body;
    expect(data).toMatchObject([{ before: { label: expect.any(String) }, after: { label: body.data.label } }]);
    expect(data[0].before.label).not.toBe(body.data.label);
    const after = Date.parse(data[0].after.former_secrets_end_at) - Date.parse(body.data.updated_at);
    expect(after).toBe(60_000);
  });

  it.each<[object | undefined, string]>([
    [{}, 'grace_seconds: is required'],
    [{ grace_seconds: null }, 'grace_seconds: must be'],
    [{ grace_seconds: -1 }, 'grace_seconds: must be'],
    [{ grace_seconds: 604_801 }, 'grace_seconds: must be'],
    [{ grace_seconds: 1.5 }, 'grace_seconds: must be'],
    [{ grace_seconds: '60' }, 'grace_seconds: must be'],
    [{ grace_seconds: 60, key: 'mine' }, 'key: is not a known field'],
  ])('refuses %j, and changes nothing', async (body, message) => {
    const made = await gateway.newKey();
    const reply = await send('POST', `/keys/${made.hash}/rotate`, body);
    expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining(message)]);
    expect(await statuses(made.key)).toEqual([200]);
  });

  it('rejects other, invalid and expired secrets', async () => {
    for (const hash of ['f'.repeat(64), 'x', "'%20OR%20'1'='1"]) expect((await rotate(hash, 0)).status).toBe(404);
    const deleted = await gateway.newKey();
    await send('DELETE', `/keys/${deleted.hash}`);
    expect((await rotate(deleted.hash, 0)).status).toBe(404);
    expect((await rotate(deleted.hash, 0, API_KEY)).status).toBe(403);
    const over = await gateway.newKey({ expires_at: '2100-01-01T00:00:00Z' });
    clock.aheadMs = Date.parse('2100-01-01T00:00:00Z') - Date.now();
    const reply = await rotate(over.hash, 0);
    expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining('expired')]);
  });

  // The last test: the key of this suite expires in it.
  it('rotates management keys, by themselves too, and the last one cannot lose its rights by it', async () => {
    const second = (await rotate(hashKey(MANAGEMENT_KEY), HOUR_SECONDS)).body.key;
    expect((await send('GET', '/keys', undefined, second)).status).toBe(200);
    const third = (await rotate(hashKey(MANAGEMENT_KEY), HOUR_SECONDS, second)).body.key;
    const last = await send('DELETE', `/keys/${hashKey(MANAGEMENT_KEY)}`, undefined, third);
    expect([last.status, last.body.error.message]).toEqual([400, expect.stringContaining('last management key')]);
    expect(await statuses(MANAGEMENT_KEY, second, third)).toEqual([200, 200, 200]);
  });
});
