/**
 * A gateway that is killed while requests of users, members and tags are open leaves budgets that come back exactly:
 * nothing stays held, each counter equals the entries of the ledger that count in it, and what is left is what the next
 * request gets. On PostgreSQL another gateway on the same store settles them, on the embedded database the next
 * process. The killed gateway is a separate process, before a scripted upstream whose streams stay open.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { subjectOf, type SubjectScope } from '../../src/accounts/budget-subjects.js';
import { DAY_MS } from '../../src/core/time.js';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, ENCRYPTION_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded, describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { copyPreparedStore } from '../support/prepared-store.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, delta, OPEN } from '../http/messages-bench.js';

const MODEL = 'test/native';
/** Beyond fifteen seconds without a beat. */
const DEAD_MS = 16_000;
/** Two beats: what has arrived is in one of them. */
const SEEN_MS = 4_500;
const USERS = ['anna', 'ben', 'zoë'];
const BUDGETS = [
  'users/default/lifetime',
  'users/anna/monthly',
  'members/default/monthly',
  'tags/team=search/lifetime',
];
const COUNTERS: readonly (readonly [SubjectScope, string, string])[] = [
  ...USERS.map((user) => ['users', user, 'lifetime'] as const),
  ['users', 'anna', 'monthly'],
  ['members', 'mia', 'monthly'],
  ['tags', 'team=search', 'lifetime'],
];
const variables = { FAIRLEAD_INITIAL_CREDITS: '100' };

async function send(
  origin: string,
  method: string,
  path: string,
  body?: object,
  key = MANAGEMENT_KEY,
): Promise<JsonBody> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

/** Sets all budgets, and makes a key whose member has one. */
async function prepare(origin: string): Promise<string> {
  for (const path of BUDGETS)
    expect(await send(origin, 'PUT', `/budgets/${path}`, { limit_usd: 1 })).toMatchObject({ status: 200 });
  return (await send(origin, 'POST', '/keys', { name: 'k', creator_user_id: 'mia' })).key;
}

const bodyOf = (user: string, stream = false): JsonBody => ({
  ...ask(MODEL),
  user,
  stream,
  trace: { tags: { team: 'search' } },
});

/** A request of each user ends; then as many stay open, one of them after its first word. @returns their ids */
async function openStreams(upstream: Upstream, origin: string, key: string): Promise<string[]> {
  upstream.script(anthropicText('Hi.'));
  for (const user of USERS) expect((await send(origin, 'POST', '/messages', bodyOf(user), key)).status).toBe(200);
  upstream.script(sse([OPEN + delta('forty characters are ten tokens or so...'), HANG]));
  const ids: string[] = [];
  for (const user of USERS) {
    const response = await fetch(`${origin}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(user, true)),
    });
    expect(response.status).toBe(200);
    ids.push(response.headers.get('x-generation-id')!);
    void response.text().catch(() => undefined);
  }
  return ids;
}

/** Each counter, and the sum of the entries that count in it. */
async function countersOf(ledger: LedgerReader): Promise<JsonBody[]> {
  const [{ id: accountId }] = await ledger.query('select id from accounts');
  return Promise.all(
    COUNTERS.map(async ([scope, id, interval]) => {
      const { scopeId } = subjectOf(accountId, scope, id);
      const [row] = await ledger.query(
        `select used::float8 as used, held::float8 as held, (
           select coalesce(sum(amount), 0)::float8 from ledger_entries
           where budgets @> jsonb_build_array(jsonb_build_array($1::text, $2::text, $3::text))
         ) as entered
         from spending_windows where scope = $1 and scope_id = $2 and interval = $3`,
        [scope, scopeId, interval],
      );
      return { scope, id, interval, ...row };
    }),
  );
}

/** After the recovery: counters are exact, and so is what they leave. */
async function expectExact(
  gateway: TestGateway,
  ledger: LedgerReader,
  ids: readonly string[],
  key: string,
): Promise<void> {
  for (const id of ids) expect(await ledger.generation(id)).toMatchObject({ outcome: 'recovered', is_recovered: true });
  expect(await ledger.openHolds()).toBe(0);
  const counters = await countersOf(ledger);
  for (const { scope, id, used, held, entered } of counters) {
    expect([scope, id, held]).toEqual([scope, id, 0]);
    expect([scope, id, used]).toEqual([scope, id, expect.closeTo(entered, 12)]);
    expect(used).toBeGreaterThan(0);
  }
  const { differences, unlisted } = await verifyLedger(gateway.gateway.app.get(DataSource));
  expect({ differences, unlisted }).toEqual({ differences: [], unlisted: 0 });
  // The budget suffices for exactly one more request; a picodollar less would suffice for none.
  const { data: explained } = await send(gateway.origin, 'POST', '/routing/explain', bodyOf('ben'), key);
  const bound = Number(explained.candidates[0].bound);
  const { used } = counters.find(({ id }) => id === 'ben')!;
  const limit = async (usd: number): Promise<JsonBody> =>
    send(gateway.origin, 'PUT', '/budgets/users/ben/lifetime', { limit_usd: Number(usd.toFixed(12)) });
  expect((await limit(used + bound - 1e-12)).data.usage).toBeCloseTo(used, 12);
  const refused = await send(gateway.origin, 'POST', '/messages', bodyOf('ben'), key);
  expect([refused.status, refused.error?.metadata?.limit_source]).toEqual([403, 'budget:users:ben:lifetime']);
  await limit(used + bound);
  expect((await send(gateway.origin, 'POST', '/messages', bodyOf('ben'), key)).status).toBe(200);
}

describeOnPostgres('budgets of users of a killed replica', (database) => {
  const clock = new AheadClock();
  // That of the other process.
  clock.aheadMs = 0;
  let upstream: Upstream;
  let living: TestGateway;
  let killed: GatewayProcess;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const catalog = catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    living = await startGateway(database, { clock, catalog, variables, coolsDown: false });
    killed = await GatewayProcess.start(join(database.settings.dataDir, 'killed'), {
      ...variables,
      FAIRLEAD_CATALOG: living.catalogPath,
      DATABASE_URL: database.settings.databaseUrl!.reveal(),
      FAIRLEAD_ENCRYPTION_KEYS: ENCRYPTION_KEY,
    });
  }, 240_000);
  afterAll(async () => {
    await killed?.kill();
    await living?.close();
    await upstream?.close();
  });

  it('come back exactly, by another one', async () => {
    const ledger = new LedgerReader(living);
    const key = await prepare(killed.origin);
    const ids = await openStreams(upstream, killed.origin, key);
    await sleep(SEEN_MS);
    const open = await countersOf(ledger);
    for (const { scope, id, held } of open) expect([scope, id, held > 0]).toEqual([scope, id, true]);
    await killed.kill();
    await ledger.query(
      `update replicas set heartbeat_at = heartbeat_at - $1 * interval '1 millisecond'
       where id in (select replica from holds where cost is null)`,
      [DEAD_MS],
    );
    clock.aheadMs += DEAD_MS;
    await living.gateway.app.get(LedgerJobs).runAll();
    upstream.script(anthropicText('Hi.'));
    await expectExact(living, ledger, ids, key);
  }, 240_000);
});

describeOnEmbedded('budgets of users of a killed gateway', (database) => {
  let dataDir: string;
  let upstream: Upstream;
  let first: TestGateway;
  let process: GatewayProcess | undefined;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fairlead-budgets-'));
    upstream = await startUpstream('anthropic');
    // Writes the catalog file that the processes read.
    const catalog = catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    first = await startGateway(database, { catalog, variables });
    await copyPreparedStore(dataDir);
  }, 240_000);
  afterAll(async () => {
    await process?.kill();
    await first?.close();
    await upstream?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('come back exactly, by the next one', async () => {
    const start = (): Promise<GatewayProcess> =>
      GatewayProcess.start(dataDir, { ...variables, FAIRLEAD_CATALOG: first.catalogPath });
    process = await start();
    const key = await prepare(process.origin);
    const ids = await openStreams(upstream, process.origin, key);
    await sleep(SEEN_MS);
    await process.kill();
    process = await start();
    upstream.script(anthropicText('Hi.'));
    const { origin } = process;
    const deadline = Date.now() + 60_000;
    const record = async (id: string): Promise<JsonBody> => (await send(origin, 'GET', `/generation?id=${id}`)).data;
    for (const id of ids) {
      let found: JsonBody;
      while (!(found = await record(id)) && Date.now() < deadline) await sleep(200);
      expect(found).toMatchObject({ is_recovered: true });
    }
    // Charged requests of each user: one that ended, and what was seen of one that was open.
    const since = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    const { data: rows } = await send(origin, 'GET', `/activity?from=${since}&group_by=user`);
    const spent = new Map<string, number>();
    for (const { user, usage } of rows) spent.set(user, (spent.get(user) ?? 0) + usage);
    // A shorter interval has a smaller limit.
    await send(origin, 'DELETE', '/budgets/users/anna/monthly');
    const { data: explained } = await send(origin, 'POST', '/routing/explain', bodyOf('ben'), key);
    const bound = Number(explained.candidates[0].bound);
    for (const user of USERS) {
      const used = spent.get(user)!;
      expect(used).toBeGreaterThan(0);
      const path = `/budgets/users/${encodeURIComponent(user)}/lifetime`;
      const set = await send(origin, 'PUT', path, { limit_usd: Number((used + bound - 1e-12).toFixed(12)) });
      expect([user, set.data.usage]).toEqual([user, expect.closeTo(used, 12)]);
      expect([user, (await send(origin, 'POST', '/messages', bodyOf(user), key)).status]).toEqual([user, 403]);
      await send(origin, 'PUT', path, { limit_usd: Number((used + bound).toFixed(12)) });
      expect([user, (await send(origin, 'POST', '/messages', bodyOf(user), key)).status]).toEqual([user, 200]);
    }
    const total = [...spent.values()].reduce((sum, usage) => sum + usage, 0);
    const tagged = await send(origin, 'GET', '/budgets/tags/team%3Dsearch/lifetime');
    expect(tagged.data.usage).toBeGreaterThan(total);
  }, 240_000);
});
