/**
 * Checks /alarms: bodies, the six kinds, and that each reports once for each window and percent, or episode, by the
 * counters that requests fill. The application on both databases, before a scripted upstream and a receiver on the
 * loopback address; the clock is moved by hand, rounds of the jobs are called.
 */
import { DataSource } from 'typeorm';
import { AlarmJob } from '../../src/alarms/alarm-job.js';
import { CatalogStore } from '../../src/catalog/catalog-store.js';
import { newUuid } from '../../src/core/ids.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { OutboxJob } from '../../src/destinations/outbox-job.js';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { startEventReceiver, type EventReceiver } from '../support/event-receiver.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

/** USD, of one request to `test/paid`. */
const COST = 0.000141;
/** As many requests come to. Amounts have twelve decimals at most. */
const costOf = (requests: number): number => Number((COST * requests).toFixed(12));
const ROUND_MS = 10_000;

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

describeOnEachDatabase('alarms', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let receiver: EventReceiver;
  let gateway: TestGateway;
  let store: DataSource;
  let ledger: LedgerReader;
  let destination: string;

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    receiver = await startEventReceiver();
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      clock,
      catalog: catalogOf({ id: 'test/paid', at }, { id: 'test/beside', at: [{ ...at[0], url: `${upstream.url}/p1` }] }),
      variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32', FAIRLEAD_INITIAL_CREDITS: '100' },
    });
    store = gateway.gateway.app.get(DataSource);
    ledger = new LedgerReader(gateway);
    const url = `${receiver.origin}/hook`;
    const made = await call('POST', '/observability/destinations', { name: 'd', type: 'webhook', config: { url } });
    destination = made.body.data.id;
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await receiver?.close();
    await upstream?.close();
  });
  beforeEach(async () => {
    upstream.script(anthropicText('Hi.'));
    await store.query('delete from alarms');
    await store.query('delete from outbox_events');
    receiver.received.length = 0;
  });

  async function call(method: string, path: string, body?: object, key = MANAGEMENT_KEY): Promise<Reply> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  async function make(on: object, more: object = {}): Promise<JsonBody> {
    const reply = await call('POST', '/alarms', { name: 'An alarm', on, destination_ids: [destination], ...more });
    expect([reply.status, reply.body]).toEqual([201, { data: expect.anything() }]);
    return reply.body.data;
  }

  /** A round of every job, after all that was charged is counted. @returns the data of what it sent, in order */
  async function round(): Promise<JsonBody[]> {
    await ledger.rest();
    clock.aheadMs += ROUND_MS;
    const before = receiver.received.length;
    await gateway.gateway.app.get(AlarmJob, { strict: false }).runOnce();
    await gateway.gateway.app.get(OutboxJob, { strict: false }).runOnce();
    // The events are sent concurrently.
    const sent = receiver.received.slice(before).map(({ body }) => body);
    return sent.toSorted((one, other) => one.data.percent - other.data.percent);
  }

  const facts = (events: readonly JsonBody[]): JsonBody[] => events.map(({ data }) => data);

  it('are made, listed, changed and deleted, and every change is logged', async () => {
    const made = await make({ kind: 'limit', key: '*' }, { percents: [100, 50, 50] });
    expect(made).toMatchObject({
      name: 'An alarm',
      enabled: true,
      on: { kind: 'limit', key: '*' },
      percents: [50, 100],
      forecast: false,
      destination_ids: [destination],
    });
    expect((await call('GET', `/alarms/${made.id}`)).body.data).toMatchObject({ id: made.id });
    expect((await call('GET', '/alarms')).body).toMatchObject({ data: [{ id: made.id }], total_count: 1 });
    const changed = await call('PATCH', `/alarms/${made.id}`, { on: { kind: 'outage' } });
    expect(changed.body.data).toMatchObject({ on: { kind: 'outage' }, percents: null });
    expect((await call('PATCH', `/alarms/${made.id}`, {})).body.data).toMatchObject({ on: { kind: 'outage' } });
    expect((await call('DELETE', `/alarms/${made.id}`)).body).toEqual({ deleted: true });
    expect((await call('GET', `/alarms/${made.id}`)).status).toBe(404);
    const entries = await store.query<JsonBody[]>('select action from audit_entries where target = $1 order by seq', [
      made.id,
    ]);
    expect(entries.map(({ action }) => action)).toEqual(['alarm.create', 'alarm.update', 'alarm.delete']);
    const fallback = await make({ kind: 'limit', key: '*' });
    expect(fallback.percents).toEqual([80, 100]);
  });

  it.each<[string, object, object, string]>([
    ['an unknown kind', { kind: 'weather' }, {}, 'on.kind: must be one of limit, budget, balance, outage, credential, operator_cost'],
    ['a field of another kind', { kind: 'balance', key: '*', below_usd: 1 }, {}, 'on.key'],
    ['a key of nobody', { kind: 'limit', key: '0'.repeat(64) }, {}, 'on.key: there is no key with this hash'],
    ['a key that is none', { kind: 'limit', key: 'mine' }, {}, 'on.key: must be the hash of an API key, or *'],
    ['an unknown scope', { kind: 'budget', scope: 'teams', id: '*', interval: 'daily' }, {}, 'on.scope: must be one of'],
    ['a workspace that does not exist', { kind: 'budget', scope: 'workspaces', id: 'none', interval: 'daily' }, {}, 'on.id: there is nothing with this id'],
    ['a tag without a value', { kind: 'budget', scope: 'tags', id: 'team', interval: 'daily' }, {}, 'on.id: must be the name of a tag and its value'],
    ['a guardrail that does not exist', { kind: 'budget', scope: 'guardrails', id: 'none', interval: 'daily' }, {}, 'on.id: there is nothing with this id'],
    ['a provider of no catalog', { kind: 'outage', provider: 'p11' }, {}, 'on.provider: the catalog does not have this provider; did you mean p1?'],
    ['a provider like no other', { kind: 'outage', provider: 'nobody at all' }, {}, 'on.provider: the catalog does not have this provider'],
    ['no amount', { kind: 'balance', below_usd: 0 }, {}, 'on.below_usd: must be at least'],
    ['percents of no limit', { kind: 'balance', below_usd: 1 }, { percents: [50] }, 'percents: an alarm on balance has no limit'],
    ['a forecast of a day', { kind: 'budget', scope: 'workspaces', id: '*', interval: 'daily' }, { forecast: true }, 'forecast: only the end of a month'],
    ['a percent above 100', { kind: 'limit', key: '*' }, { percents: [101] }, 'percents.0: must be at most 100'],
    ['no percent', { kind: 'limit', key: '*' }, { percents: [] }, 'percents: must have at least 1 entry'],
    ['a destination of nobody', { kind: 'outage' }, { destination_ids: [newUuid(0)] }, 'destination_ids: there is no destination'],
    ['what is no id', { kind: 'outage' }, { destination_ids: ['none'] }, 'destination_ids: there is no destination'],
    ['an unknown field', { kind: 'outage' }, { colour: 'red' }, 'colour'],
  ])('refuse %s', async (_, on, more, message) => {
    const reply = await call('POST', '/alarms', { name: 'n', on, destination_ids: [], ...more });
    expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining(message)]);
  }); // oxfmt-ignore

  it('refuse a collector, strangers, inference keys and unknown parameters', async () => {
    const { body } = await call('POST', '/observability/destinations', { name: 'c', type: 'otel-collector', config: { endpoint: receiver.origin } });
    const refused = await call('POST', '/alarms', { name: 'n', on: { kind: 'outage' }, destination_ids: [body.data.id] });
    expect([refused.status, refused.body.error.message]).toEqual([400, 'destination_ids: a destination of the type otel-collector takes no alarms']);
    await call('DELETE', `/observability/destinations/${body.data.id}`);
    expect((await call('GET', '/alarms', undefined, API_KEY)).status).toBe(403);
    expect((await gateway.request('/alarms', { key: null })).status).toBe(401);
    expect((await call('GET', '/alarms?colour=red')).status).toBe(400);
    expect((await call('GET', '/alarms/history?alarm_id=none')).status).toBe(400);
    for (const [method, path] of [['GET', ''], ['PATCH', ''], ['DELETE', ''], ['POST', '/test']] as const)
      expect([method, (await call(method, `/alarms/${newUuid(0)}${path}`, method === 'PATCH' ? {} : undefined)).status]).toEqual([method, 404]);
  }); // oxfmt-ignore

  it('show that what they watch is deleted, and continue with everything else', async () => {
    const { hash, key } = await gateway.newKey({ name: 'short-lived', limit: 1 });
    const unlimited = await gateway.newKey({ name: 'unlimited' });
    const workspace = (await call('POST', '/workspaces', { name: 'w', slug: 'short-lived' })).body.data.id;
    await call('PUT', '/workspaces/short-lived/budgets/daily', { limit_usd: 1 });
    const guarded = await gateway.guardedKey({ limit_usd: 1, reset_interval: 'daily' });
    await call('PUT', '/budgets/users/ida/daily', { limit_usd: 1 });
    const budget = (scope: string, id: string): object => ({ kind: 'budget', scope, id, interval: 'daily' });
    const rules = [
      { kind: 'limit', key: hash },
      { kind: 'limit', key: unlimited.hash },
      budget('workspaces', workspace),
      budget('guardrails', guarded.guardrailId),
      budget('users', 'ida'),
      { kind: 'outage', provider: 'p1' },
      { kind: 'outage' },
      { kind: 'limit', key: '*' },
      budget('users', '*'),
    ];
    const made = await Promise.all(rules.map((on) => make(on)));
    expect(made.map(({ status, status_reason }) => [status, status_reason])).toEqual(
      rules.map((_, index) => (index === 1 ? ['missing', 'The key has no limit.'] : ['watching', null])),
    );
    await call('DELETE', `/keys/${hash}`);
    await call('DELETE', '/workspaces/short-lived');
    await call('DELETE', `/guardrails/${guarded.guardrailId}`);
    await call('DELETE', '/budgets/users/ida/daily');
    const catalog = gateway.gateway.app.get(CatalogStore, { strict: false });
    const before = catalog.current;
    catalog.current = { ...before, providers: new Map([...before.providers].filter(([slug]) => slug !== 'p1')) };
    const reasons = ['The key is deleted.', 'The key has no limit.', 'The workspace is deleted.', 'The guardrail is deleted.', 'There is no such budget.', 'The catalog does not have this provider.', null, null, null];
    const shown = await Promise.all(made.map(({ id }) => call('GET', `/alarms/${id}`)));
    expect(shown.map(({ body }) => body.data.status_reason)).toEqual(reasons);
    const listed = new Map((await call('GET', '/alarms')).body.data.map((one: JsonBody) => [one.id, one.status]));
    expect(made.map(({ id }) => listed.get(id))).toEqual(reasons.map((reason) => (reason ? 'missing' : 'watching')));
    // Such alarms are judged without an error, and may be changed.
    expect(await round()).toEqual([]);
    for (const { id } of made) {
      expect((await call('GET', `/alarms/${id}`)).body.data.judged_at).not.toBeNull();
      expect((await call('PATCH', `/alarms/${id}`, { name: 'renamed' })).status).toBe(200);
    }
    expect((await call('POST', '/alarms', { name: 'n', on: rules[0], destination_ids: [] })).status).toBe(400);
    catalog.current = before;
    expect((await call('GET', `/alarms/${made[5]!.id}`)).body.data.status).toBe('watching');
    expect((await gateway.messages(ask('test/paid'), { key })).status).toBe(401);
  }, 240_000); // oxfmt-ignore

  it('send a test, and show in their history what was sent', async () => {
    const { id } = await make({ kind: 'credential' });
    const sent = await call('POST', `/alarms/${id}/test`);
    expect([sent.status, sent.body.data.destination_ids]).toEqual([200, [destination]]);
    await receiver.has(1);
    await gateway.gateway.app.get(OutboxJob, { strict: false }).runOnce();
    const data = { message: 'This is a test of the alarm An alarm.', test: true, alarm: { id, name: 'An alarm' } };
    expect(receiver.received[0]!.body).toMatchObject({ id: sent.body.data.event_id, type: 'alarm.credential', data });
    await call('DELETE', `/alarms/${id}`);
    const { body } = await call('GET', `/alarms/history?alarm_id=${id}`);
    expect(body).toEqual({
      data: [
        {
          id: sent.body.data.event_id,
          alarm_id: id,
          type: 'alarm.credential',
          occurred_at: receiver.received[0]!.body.occurred_at,
          data,
          deliveries: [
            {
              destination_id: destination,
              status: 'sent',
              attempts: 1,
              last_status: 204,
              last_error: null,
              next_attempt_at: null,
              finished_at: expect.stringMatching(/Z$/),
            },
          ],
        },
      ],
      total_count: 1,
    });
    expect((await call('GET', '/alarms/history?offset=1')).body).toEqual({ data: [], total_count: 1 });
  });

  it('keep in their history what a deleted destination was sent, and drop what waited for it', async () => {
    const config = { url: `${receiver.origin}/kept` };
    const made = await call('POST', '/observability/destinations', { name: 'short-lived', type: 'webhook', config });
    const { id: kept } = made.body.data;
    const { id } = await make({ kind: 'credential' }, { destination_ids: [kept] });
    await call('POST', `/alarms/${id}/test`);
    await receiver.has(1);
    await gateway.gateway.app.get(OutboxJob, { strict: false }).runOnce();
    const history = async (): Promise<JsonBody[]> => (await call('GET', `/alarms/history?alarm_id=${id}`)).body.data;
    const [sent] = await history();
    expect(sent!.deliveries).toMatchObject([{ destination_id: kept, status: 'sent' }]);
    await store.query(
      `with again as (
         insert into outbox_events select gen_random_uuid(), account_id, type, subject, data, occurred_at + interval '1 second', expires_at
         from outbox_events where id = $1 returning id
       ) insert into outbox_deliveries (event_id, destination_id, status, due_at)
         select id, $2, 'waiting', now() + interval '1 hour' from again`,
      [sent!.id, kept],
    );
    expect((await history()).map(({ deliveries }) => deliveries[0].status)).toEqual(['waiting', 'sent']);
    expect((await call('DELETE', `/observability/destinations/${kept}`)).body).toEqual({ deleted: true });
    expect((await history()).map(({ deliveries }) => deliveries)).toEqual([[], sent!.deliveries]);
    expect((await call('GET', `/alarms/${id}`)).body.data.destination_ids).toEqual([]);
  });

  it('report a limit of a key once for each percent, again after a change of the limit, and in the next window', async () => {
    const { key, hash } = await gateway.newKey({ name: 'my app', limit: costOf(25), limit_reset: 'daily' });
    await gateway.newKey({ name: 'another', limit: 1 });
    const { id } = await make({ kind: 'limit', key: '*' }, { percents: [4, 8, 50] });
    expect(await round()).toEqual([]);
    expect((await gateway.messages(ask('test/paid'), { key })).status).toBe(200);
    const [first, ...others] = await round();
    expect([first, others]).toEqual([
      {
        id: expect.any(String),
        type: 'alarm.limit',
        occurred_at: expect.any(String),
        data: {
          message: `The key my app has used 4 % of its daily limit of 0.003525 USD: 0.000141 USD.`,
          key: { hash, name: 'my app', label: expect.any(String) },
          percent: 4,
          forecast_usd: null,
          limit_usd: 0.003525,
          used_usd: COST,
          interval: 'daily',
          window_start: expect.stringMatching(/T00:00:00.000Z$/),
          alarm: { id, name: 'An alarm' },
        },
      },
      [],
    ]);
    expect(await round()).toEqual([]);
    await gateway.messages(ask('test/paid'), { key });
    expect(facts(await round())).toMatchObject([{ percent: 8 }]);
    await call('PATCH', `/keys/${hash}`, { limit: costOf(4) });
    expect(facts(await round())).toMatchObject([{ percent: 4 }, { percent: 8 }, { percent: 50 }]);
    clock.aheadMs += DAY_MS;
    expect(await round()).toEqual([]);
    await call('PATCH', `/keys/${hash}`, { limit: costOf(25) });
    await gateway.messages(ask('test/paid'), { key });
    expect(facts(await round())).toMatchObject([{ percent: 4 }]);
    await call('PATCH', `/alarms/${id}`, { enabled: false });
    await gateway.messages(ask('test/paid'), { key });
    expect(await round()).toEqual([]);
  }, 240_000);

  it('forecast that a month will not do, once', async () => {
    const month = new Date(clock.now());
    // The sixth day of the next month.
    clock.aheadMs += Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 7) - clock.now();
    const { key, hash } = await gateway.newKey({ name: 'busy', limit: costOf(25), limit_reset: 'monthly' });
    await make({ kind: 'limit', key: hash }, { percents: [90], forecast: true });
    await gateway.messages(ask('test/paid'), { key });
    expect(await round()).toEqual([]);
    for (let count = 0; count < 5; count++) await gateway.messages(ask('test/paid'), { key });
    const [event] = await round();
    expect(event!.data).toMatchObject({ percent: null, used_usd: expect.closeTo(costOf(6), 9), interval: 'monthly' });
    expect(event!.data.forecast_usd).toBeGreaterThan(costOf(25));
    expect(event!.data.message).toMatch(
      /^The key busy will reach its monthly limit of 0\.003525 USD before the month ends/,
    );
    expect(await round()).toEqual([]);
  }, 240_000);

  it('report budgets of workspaces and of guardrails', async () => {
    const workspace = (await call('POST', '/workspaces', { name: 'w', slug: 'watched' })).body.data.id;
    await call('PUT', '/workspaces/watched/budgets/weekly', { limit_usd: costOf(15) });
    const inside = await gateway.newKey({ name: 'in', workspace_id: 'watched' });
    const guarded = await gateway.guardedKey({ limit_usd: costOf(15), reset_interval: 'daily' });
    const made = await make({ kind: 'budget', scope: 'workspaces', id: 'watched', interval: 'weekly' }, { percents: [5] });
    expect(made.on.id).toBe(workspace);
    await make({ kind: 'budget', scope: 'guardrails', id: guarded.guardrailId, interval: 'daily' }, { percents: [5] });
    await make({ kind: 'budget', scope: 'guardrails', id: '*', interval: 'weekly' }, { percents: [5] });
    expect(await round()).toEqual([]);
    for (const { key } of [inside, guarded])
      expect((await gateway.messages(ask('test/paid'), { key })).status).toBe(200);
    const sent = facts(await round());
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ scope: 'workspace', id: workspace, percent: 5, interval: 'weekly', used_usd: COST }),
        expect.objectContaining({ scope: 'guardrail', id: guarded.guardrailId, percent: 5, interval: 'daily' }),
      ]),
    );
    expect(await round()).toEqual([]);
  }, 240_000); // oxfmt-ignore

  it('report budgets of users, members and tags, and name whose they are', async () => {
    const { key } = await gateway.newKey({ name: 'of ben', creator_user_id: 'ben' });
    for (const path of ['users/default', 'members/ben', 'tags/team=search'])
      await call('PUT', `/budgets/${path}/daily`, { limit_usd: costOf(15) });
    for (const [scope, id] of [['users', '*'], ['users', 'default'], ['users', 'yan'], ['members', 'ben'], ['tags', 'team=search']])
      await make({ kind: 'budget', scope, id, interval: 'daily' }, { percents: [5] });
    expect(await round()).toEqual([]);
    const sent = await gateway.messages({ ...ask('test/paid'), user: 'zoë', trace: { tags: { team: 'search' } } }, { key });
    expect(sent.status).toBe(200);
    const crossed = facts(await round());
    // Two alarms on users report: that on all and that on the default; yan has sent nothing.
    expect(crossed.map(({ scope, id, is_default }) => [scope, id, is_default]).toSorted()).toEqual([
      ['members', 'ben', false], ['tags', 'team=search', false], ['users', 'zoë', true], ['users', 'zoë', true],
    ]);
    expect(crossed.find(({ scope }) => scope === 'users')).toMatchObject({
      percent: 5, used_usd: COST, message: expect.stringMatching(/^The user zoë has used 5 % of its daily limit of /),
    });
    expect(await round()).toEqual([]);
    await call('POST', '/budgets/members/ben/daily/raise', { amount_usd: 1, until: new Date(clock.now() + 3_600_000).toISOString() });
    await gateway.messages(ask('test/paid'), { key });
    expect(await round()).toEqual([]);
    for (const path of ['users/default', 'members/ben', 'tags/team=search']) await call('DELETE', `/budgets/${path}/daily`);
  }, 240_000); // oxfmt-ignore

  it('report the budget of a user with a long id', async () => {
    const user = 'u'.repeat(1_024);
    await call('PUT', `/budgets/users/-/daily?id=${user}`, { limit_usd: costOf(15) });
    await make({ kind: 'budget', scope: 'users', id: user, interval: 'daily' }, { percents: [5] });
    expect((await call('POST', '/alarms', { name: 'n', on: { kind: 'budget', scope: 'users', id: `${user}u`, interval: 'daily' }, destination_ids: [] })).body.error.message).toBe('on.id: must be at most 1024 characters');
    const { key } = await gateway.newKey({ name: 'of a user' });
    expect((await gateway.messages({ ...ask('test/paid'), user: user.slice(0, 256) }, { key })).status).toBe(200);
    expect(await round()).toEqual([]);
    const sent = await gateway.request('/chat/completions', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...ask('test/paid'), user }),
    });
    expect(sent.status).toBe(200);
    expect(facts(await round())).toMatchObject([{ scope: 'users', percent: 5 }]);
    await call('DELETE', `/budgets/users/-/daily?id=${user}`);
  }, 240_000); // oxfmt-ignore

  it('report a low balance once, and again only after a clear rise', async () => {
    const { total_credits: all, total_usage: used } = (await call('GET', '/credits')).body.data;
    const left = all - used;
    await make({ kind: 'balance', below_usd: 50 });
    expect(await round()).toEqual([]);
    const enter = (amount: number) =>
      call('POST', '/credits', { amount: Number(amount.toFixed(6)), kind: 'adjustment' });
    await enter(49 - left);
    expect(facts(await round())).toMatchObject([{ below_usd: 50, balance_usd: expect.closeTo(49, 4) }]);
    expect(await round()).toEqual([]);
    await enter(2);
    expect(await round()).toEqual([]);
    await enter(-2);
    expect(await round()).toEqual([]);
    await enter(10);
    expect(await round()).toEqual([]);
    await enter(-10);
    expect(facts(await round())).toMatchObject([{ below_usd: 50 }]);
    await enter(51);
  }, 240_000);

  it('report an outage once while it lasts, also one that another replica sees', async () => {
    // The calls of other tests are past.
    clock.aheadMs += HOUR_MS;
    await make({ kind: 'outage' });
    await make({ kind: 'outage', provider: 'p1' });
    const health = gateway.gateway.app.get(HealthRegistry, { strict: false });
    const endpoint = { model: 'test/paid', tag: 'p0', credential: 'shared' };
    for (let count = 0; count < 3; count++) health.failed(endpoint, { by: 'fault' }, { caller: 'one' });
    expect(facts(await round())).toMatchObject([
      { message: 'Endpoints of the provider p0 fail.', provider: 'p0', endpoints: [{ model: 'test/paid', endpoint: 'p0' }] },
    ]);
    expect(await round()).toEqual([]);
    await store.query(
      `insert into alarm_sightings values ('outage', 'p1', '{"endpoints": []}', now() + $1 * interval '1 millisecond')`,
      [clock.aheadMs],
    );
    expect(facts(await round())).toMatchObject([{ provider: 'p1' }, { provider: 'p1' }]);
    for (let count = 0; count < 20; count++) health.succeeded(endpoint);
    clock.aheadMs += 10 * MINUTE_MS;
    expect(await round()).toEqual([]);
    for (let count = 0; count < 3; count++) health.failed(endpoint, { by: 'fault' }, { caller: 'one' });
    expect(facts(await round())).toMatchObject([{ provider: 'p0' }]);
    clock.aheadMs += HOUR_MS;
  }, 240_000); // oxfmt-ignore

  it('report a credential that a provider refuses: the operator’s own, and a stored one', async () => {
    await make({ kind: 'credential' });
    upstream.script({ status: 401, body: JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'no' } }) });
    expect((await gateway.messages(ask('test/paid'))).status).toBe(502);
    expect(facts(await round())).toMatchObject([
      { message: "The provider p0 refuses the operator's credential.", provider: 'p0', credential: null, status: 401, model: 'test/paid' },
    ]);
    expect(await round()).toEqual([]);
    const stored = (await call('POST', '/byok', { provider: 'p0', key: 'a-key-of-my-own-1234', name: 'Mine' })).body.data;
    await store.query(`update provider_credentials set status = 'failing', status_reason = 'Refused.', status_at = now() where id = $1`, [stored.id]);
    expect(facts(await round())).toMatchObject([
      { message: 'The credential Mine at the provider p0 does not work.', credential: { id: stored.id, name: 'Mine' }, reason: 'Refused.' },
    ]);
    await store.query(`update provider_credentials set status = 'ok', status_reason = null where id = $1`, [stored.id]);
    expect(await round()).toEqual([]);
    await store.query(`update provider_credentials set status = 'failing', status_reason = 'Refused.' where id = $1`, [stored.id]);
    expect(facts(await round())).toMatchObject([{ provider: 'p0', reason: 'Refused.' }]);
    await call('DELETE', `/byok/${stored.id}`);
  }, 240_000); // oxfmt-ignore

  it('report what the operator pays, once in an hour', async () => {
    const { id } = await make({ kind: 'operator_cost', usd_per_hour: 0.5 });
    expect((await gateway.messages(ask('test/paid'))).status).toBe(200);
    expect(await round()).toEqual([]);
    const spend = () =>
      store.query(
        `update generations set operator_cost = 0.7, held_at = held_at where id = (select id from generations order by held_at desc limit 1)`,
      );
    await spend();
    expect(facts(await round())).toMatchObject([{ usd_last_hour: 0.7, usd_per_hour: 0.5, alarm: { id } }]);
    expect(await round()).toEqual([]);
    clock.aheadMs += HOUR_MS;
    expect(await round()).toEqual([]);
    await gateway.messages(ask('test/paid'));
    await spend();
    expect(facts(await round())).toMatchObject([{ usd_last_hour: 0.7 }]);
  }, 240_000);

  it('are undone with their events where a transaction fails', async () => {
    const { hash, key } = await gateway.newKey({ limit: costOf(25) });
    await make({ kind: 'limit', key: hash }, { percents: [1] });
    await gateway.messages(ask('test/paid'), { key });
    const { Outbox } = await import('../../src/destinations/outbox.js');
    const failing = jest
      .spyOn(gateway.gateway.app.get(Outbox, { strict: false }), 'add')
      .mockRejectedValue(new Error('full'));
    expect(await round()).toEqual([]);
    failing.mockRestore();
    expect(facts(await round())).toMatchObject([{ percent: 1 }]);
  }, 240_000);
});
