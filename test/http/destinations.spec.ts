/**
 * Checks /observability/destinations and the outbox behind them: bodies, secrets, limits, signatures, and what becomes
 * of events whose receiver hangs, redirects, floods, fails or is gone. The application on both databases, before
 * receivers on the loopback address; the clock is moved by hand, rounds of the job are called.
 */
import { DataSource } from 'typeorm';
import { newUuid } from '../../src/core/ids.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { OutboxJob } from '../../src/destinations/outbox-job.js';
import { Outbox } from '../../src/destinations/outbox.js';
import { OutboxRepository } from '../../src/destinations/outbox.repository.js';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { answering, signatureOf, startEventReceiver, type EventReceiver } from '../support/event-receiver.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startSecureFront } from '../support/secure-front.js';

const PATH = '/observability/destinations';
/** More than is ever read of an answer. */
const FLOOD_BYTES = 256 * 1024 * 1024;

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

describeOnEachDatabase('destinations', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  let receiver: EventReceiver;
  let store: DataSource;
  let job: OutboxJob;
  let rows: ExpiringRows;

  beforeAll(async () => {
    receiver = await startEventReceiver();
    gateway = await startGateway(database, { clock, variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32' } });
    store = gateway.gateway.app.get(DataSource);
    job = gateway.gateway.app.get(OutboxJob, { strict: false });
    rows = gateway.gateway.app.get(ExpiringRows, { strict: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await receiver?.close();
  });
  beforeEach(async () => {
    receiver.answer(answering(204));
    await store.query('delete from outbox_events');
    await store.query('delete from destinations');
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

  const webhook = (config: object = {}): object => ({
    name: 'On call',
    type: 'webhook',
    config: { url: `${receiver.origin}/hook`, ...config },
  });

  async function make(body: object = webhook()): Promise<JsonBody> {
    const reply = await call('POST', PATH, body);
    expect([reply.status, reply.body]).toEqual([201, { data: expect.anything() }]);
    return reply.body.data;
  }

  const show = async (id: string): Promise<JsonBody> => (await call('GET', `${PATH}/${id}`)).body.data;

  /** Adds an event for destinations, as alarms do. */
  async function emit(...destinationIds: string[]): Promise<string> {
    const [{ id: accountId }] = await store.query<JsonBody[]>('select id from accounts limit 1');
    const id = newUuid(clock.now());
    const event = {
      id,
      accountId,
      subject: newUuid(0),
      type: 'alarm.test',
      data: { message: 'Look!' },
      occurredAt: new Date(clock.now()),
    };
    await store.transaction((manager) =>
      gateway.gateway.app.get(Outbox, { strict: false }).add(manager, event, destinationIds),
    );
    return id;
  }

  const delivery = async (eventId: string): Promise<JsonBody> =>
    (await store.query<JsonBody[]>('select * from outbox_deliveries where event_id = $1', [eventId]))[0];

  it('are made, listed, changed and deleted, and every change is logged without a secret', async () => {
    const made = await make({ ...webhook({ secret: 'a secret of my own' }), privacy_mode: true });
    expect(made).toMatchObject({
      name: 'On call',
      type: 'webhook',
      config: { url: `${receiver.origin}/hook`, secret: '•••• own' },
      enabled: true,
      broadcast: false,
      privacy_mode: true,
      sampling_rate: 1,
      api_key_hashes: null,
      filter_rules: null,
      status: 'untested',
      status_at: null,
    });
    expect(await show(made.id)).toEqual(made);
    expect((await call('GET', PATH)).body).toEqual({ data: [made], total_count: 1 });
    const changed = await call('PATCH', `${PATH}/${made.id}`, { name: 'Later', config: made.config });
    expect(changed.body.data).toMatchObject({ name: 'Later', config: made.config });
    expect((await call('DELETE', `${PATH}/${made.id}`)).body).toEqual({ deleted: true });
    expect((await call('GET', `${PATH}/${made.id}`)).status).toBe(404);
    const entries = await store.query<JsonBody[]>(
      'select action, before, after from audit_entries where target = $1 order by seq',
      [made.id],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'destination.create',
      'destination.update',
      'destination.delete',
    ]);
    expect(JSON.stringify(entries)).not.toContain('a secret of my own');
    const rows = await store.query('select * from audit_entries');
    expect(JSON.stringify(rows)).not.toContain('a secret of my own');
  });

  it.each<[string, () => object, string]>([
    ['an unknown type', () => ({ ...webhook(), type: 'datadog' }), 'type: must be one of webhook, slack, otel-collector'],
    ['no address', () => ({ name: 'n', type: 'webhook', config: {} }), 'config.url: is required'],
    ['another type’s address', () => ({ name: 'n', type: 'otel-collector', config: { url: 'http://a.test' } }), 'config.endpoint: is required'],
    ['a private address', () => webhook({ url: 'http://10.0.0.1/' }), 'config.url: leads to an address that is not public'],
    ['another scheme', () => webhook({ url: 'ftp://a.test/' }), 'config.url: must be an http or https URL'],
    ['a short secret', () => webhook({ secret: 'short' }), 'config.secret: must be at least 16 characters'],
    ['a header of its own', () => webhook({ headers: { Host: 'a' } }), 'config.headers: "Host" cannot be set'],
    ['a header with a line break', () => webhook({ headers: { a: 'b\r\nc: d' } }), 'config.headers: the value of a has'],
    ['a rate above one', () => ({ ...webhook(), sampling_rate: 1.5 }), 'sampling_rate: must be at most 1'],
    ['no key', () => ({ ...webhook(), api_key_hashes: [] }), 'api_key_hashes: must have at least 1 entry'],
    ['a key of nobody', () => ({ ...webhook(), api_key_hashes: ['0'.repeat(64)] }), 'api_key_hashes: there is no key'],
    ['content to filter by', () => ({ ...webhook(), filter_rules: { groups: [{ rules: [{ field: 'input', operator: 'exists' }] }] } }), 'filter_rules.groups.0.rules.0.field: must be one of model'],
    ['generations for Slack', () => ({ name: 'n', type: 'slack', config: { url: receiver.origin }, broadcast: true }), 'broadcast: a destination of the type slack gets no generations'],
    ['an unknown field', () => ({ ...webhook(), colour: 'red' }), 'colour'],
  ])('refuse %s', async (_, body, message) => {
    const reply = await call('POST', PATH, body());
    expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining(message)]);
  }); // oxfmt-ignore

  it('refuse strangers, inference keys and unknown parameters', async () => {
    expect((await call('GET', PATH, undefined, API_KEY)).status).toBe(403);
    expect((await gateway.request(PATH, { key: null })).status).toBe(401);
    expect((await call('GET', `${PATH}?colour=red`)).status).toBe(400);
    for (const id of ['none', newUuid(0)]) {
      for (const [method, path, body] of [['GET', ''], ['PATCH', '', {}], ['DELETE', ''], ['POST', '/test'], ['POST', '/rotate', { grace_seconds: 0 }]] as const)
        expect([method, path, (await call(method, `${PATH}/${id}${path}`, body)).status]).toEqual([method, path, 404]);
    }
  }); // oxfmt-ignore

  it('are at most five of a type in a workspace, however many are made at once', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => call('POST', PATH, webhook())));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 409, 409, 409]);
    await make({ name: 'n', type: 'slack', config: { url: `${receiver.origin}/services/secret` } });
  });

  it('hide the secrets of addresses and headers, which stay where they are sent back as shown', async () => {
    const slack = await make({ name: 'n', type: 'slack', config: { url: `${receiver.origin}/services/T0/B0` } });
    expect(slack.config).toEqual({ url: `${receiver.origin}/••••` });
    const collector = await make({
      name: 'n',
      type: 'otel-collector',
      config: { endpoint: `${receiver.origin}?token=1234`, headers: { authorization: 'Bearer abc', 'x-team': 'one' } },
    });
    const shown = { endpoint: `${receiver.origin}/?••••`, headers: { authorization: '••••', 'x-team': '••••' } };
    expect([collector.config, collector.broadcast]).toEqual([shown, true]);
    await call('PATCH', `${PATH}/${collector.id}`, {
      config: { ...shown, headers: { ...shown.headers, 'x-team': 'two' } },
    });
    await call('PATCH', `${PATH}/${slack.id}`, { config: slack.config });
    for (const { id } of [collector, slack])
      expect((await call('POST', `${PATH}/${id}/test`)).body.data).toMatchObject({ delivered: true, status: 204 });
    const [first, second] = receiver.received;
    expect([first!.path, first!.headers['authorization'], first!.headers['x-team']]).toEqual([
      '/v1/traces?token=1234',
      'Bearer abc',
      'two',
    ]);
    expect([second!.path, second!.body]).toEqual(['/services/T0/B0', { text: 'This is a test of the destination n.' }]);
    const raw = await store.query('select * from destinations');
    for (const secret of ['Bearer abc', '1234', 'services/T0'])
      expect(Buffer.from(JSON.stringify(raw)).includes(secret)).toBe(false);
  });

  it('sign events; after a rotation both secrets do, and at the end of the grace the new one alone', async () => {
    const made = await make();
    const { secret } = made.config;
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect((await show(made.id)).config.secret).toBe(`••••${secret.slice(-4)}`);
    const test = async () => (await call('POST', `${PATH}/${made.id}/test`)).body.data;
    expect(await test()).toMatchObject({ delivered: true, status: 204, event_id: expect.any(String) });
    const [first] = receiver.received;
    expect(first!.headers['x-fairlead-signature']).toBe(signatureOf(secret, first!));
    const seconds = Number(first!.headers['x-fairlead-timestamp']);
    expect(Math.abs(seconds - clock.now() / 1_000)).toBeLessThan(60);
    expect(first!.body).toEqual({
      id: expect.any(String),
      type: 'destination.test',
      occurred_at: expect.stringMatching(/Z$/),
      data: { message: 'This is a test of the destination On call.', destination_id: made.id },
    });

    const rotated = await call('POST', `${PATH}/${made.id}/rotate`, { grace_seconds: 3_600 });
    const fresh = rotated.body.data.config.secret;
    expect([rotated.status, fresh === secret]).toEqual([200, false]);
    await call('PATCH', `${PATH}/${made.id}`, { config: { headers: { 'x-team': 'one' } } });
    await test();
    const second = receiver.received[1]!;
    expect(second.headers['x-fairlead-signature']).toBe(`${signatureOf(fresh, second)},${signatureOf(secret, second)}`);
    clock.aheadMs += HOUR_MS;
    await test();
    const third = receiver.received[2]!;
    expect(third.headers['x-fairlead-signature']).toBe(signatureOf(fresh, third));
    expect((await show(made.id)).status).toBe('ok');
  });

  it('show a test that failed with its reason and time, which switches nothing off, and one that did not', async () => {
    const { id } = await make();
    const test = async (): Promise<JsonBody> => (await call('POST', `${PATH}/${id}/test`)).body.data;
    receiver.answer(answering(500));
    for (let count = 0; count < 25; count++) expect((await test()).delivered).toBe(false);
    const failed = await show(id);
    expect(failed).toMatchObject({ enabled: true, status: 'failing', status_reason: 'It answered with status 500.' });
    expect(Math.abs(Date.parse(failed.status_at) - clock.now())).toBeLessThan(MINUTE_MS);
    receiver.answer(answering(204));
    expect((await test()).delivered).toBe(true);
    expect(await show(id)).toMatchObject({ status: 'ok', status_reason: null, status_at: expect.any(String) });
    // One that its owner disabled is tested too; one that was switched off stays so until it is enabled.
    await call('PATCH', `${PATH}/${id}`, { enabled: false });
    receiver.answer(answering(404));
    await test();
    expect(await show(id)).toMatchObject({ enabled: false, status: 'failing', status_reason: 'It answered with status 404.' });
    await store.query(`update destinations set status = 'switched_off' where id = $1`, [id]);
    await test();
    expect((await show(id)).status).toBe('switched_off');
  }, 240_000); // oxfmt-ignore

  it('are deleted with their workspace, which is logged, and alarms continue without them', async () => {
    const { data: workspace } = (await call('POST', '/workspaces', { name: 'w', slug: 'with-destinations' })).body;
    const inside = await make({ ...webhook(), workspace_id: workspace.id });
    const outside = await make();
    const on = { kind: 'balance', below_usd: 1 };
    const alarm = await call('POST', '/alarms', { name: 'n', on, destination_ids: [inside.id, outside.id] });
    const waiting = await emit(inside.id);
    expect((await call('DELETE', `/workspaces/${workspace.id}`)).status).toBe(200);
    expect((await call('GET', `${PATH}/${inside.id}`)).status).toBe(404);
    expect(await delivery(waiting)).toBeUndefined();
    expect((await call('GET', `/alarms/${alarm.body.data.id}`)).body.data.destination_ids).toEqual([outside.id]);
    const { data: entries } = (await call('GET', `/audit?workspace_id=${workspace.id}`)).body;
    expect(entries.map(({ action, target }: JsonBody) => [action, target])).toContainEqual(['destination.delete', inside.id]);
    expect((await call('GET', `${PATH}?workspace_id=with-destinations`)).status).toBe(404);
    expect((await call('DELETE', `/alarms/${alarm.body.data.id}`)).status).toBe(200);
  }, 240_000); // oxfmt-ignore

  describe('the outbox', () => {
    it('sends an event once to each of its destinations', async () => {
      const [one, two] = [await make(), await make()];
      const id = await emit(one.id, two.id, newUuid(0));
      await job.runOnce();
      await job.runOnce();
      expect(receiver.received.map(({ body }) => body.id)).toEqual([id, id]);
      expect(await delivery(id)).toMatchObject({ status: 'sent', attempts: 1, last_status: 204 });
    });

    it('sends nothing of a transaction that is undone', async () => {
      const { id } = await make();
      const outbox = gateway.gateway.app.get(Outbox, { strict: false });
      const [{ id: accountId }] = await store.query<JsonBody[]>('select id from accounts limit 1');
      const undone = store.transaction(async (manager) => {
        const event = { id: newUuid(0), accountId, type: 'a', data: {}, occurredAt: new Date(clock.now()) };
        await outbox.add(manager, event, [id]);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await job.runOnce();
      expect(receiver.received).toEqual([]);
    });

    it.each<[string, number | null, string, (destination: JsonBody) => Promise<void> | void]>([
      ['fails', 500, 'It answered with status 500.', () => receiver.answer(answering(500))],
      ['redirects', 302, 'It answered with a redirect (status 302), which is not followed.', () => receiver.answer(answering(302, { location: `${receiver.origin}/other` }))],
      ['hangs up', null, 'Its address could not be reached', () => receiver.answer((response) => void response.destroy())],
      ['is at a private address now', null, 'Its address leads to an address that is not public.', async ({ id }) => { await readdress(id, 'http://10.0.0.1/'); }],
      ['speaks no TLS', null, 'Its address could not be reached', async ({ id }) => { await readdress(id, receiver.origin.replace('http:', 'https:')); }],
    ])('repeats an event whose receiver %s, first within a minute, with the same id', async (_, status, error, arrange) => {
      const destination = await make();
      await arrange(destination);
      const id = await emit(destination.id);
      await job.runOnce();
      expect(await delivery(id)).toMatchObject({ status: 'waiting', attempts: 1, last_status: status, last_error: expect.stringContaining(error) });
      const failing = await show(destination.id);
      expect(failing).toMatchObject({ status: 'failing', enabled: true, status_reason: expect.stringContaining(error) });
      const before = receiver.received.length;
      expect(before).toBeLessThan(2);
      await job.runOnce();
      expect(receiver.received.length).toBe(before);
      receiver.answer(answering(204));
      await readdress(destination.id, `${receiver.origin}/hook`);
      clock.aheadMs += MINUTE_MS;
      await job.runOnce();
      expect(receiver.received.at(-1)!.body.id).toBe(id);
      expect(await delivery(id)).toMatchObject({ status: 'sent', attempts: 2 });
      expect(await show(destination.id)).toMatchObject({ status: 'ok', status_reason: null });
    }, 240_000); // oxfmt-ignore

    /** Past the check of addresses, as when a name resolves to another address later. */
    async function readdress(id: string, url: string): Promise<void> {
      const { SealedConfigs } = await import('../../src/destinations/destination-seals.js');
      const configs = gateway.gateway.app.get(SealedConfigs, { strict: false });
      const [row] = await store.query<JsonBody[]>('select * from destinations where id = $1', [id]);
      const sealed = configs.seal({ url, secret: 'a secret of my own' }, { id, accountId: row.account_id });
      await store.query('update destinations set data_key = $2, sealed = $3 where id = $1', [
        id,
        sealed.dataKey,
        sealed.sealed,
      ]);
    }

    it('refuses a certificate that is not trusted', async () => {
      const front = await startSecureFront(database.settings.dataDir, Number(new URL(receiver.origin).port), [
        'localhost',
      ]);
      try {
        const { id } = await make(webhook({ url: `https://127.0.0.1:${front.port}/` }));
        const { body } = await call('POST', `${PATH}/${id}/test`);
        expect(body.data).toMatchObject({
          delivered: false,
          status: null,
          message: expect.stringMatching(/could not be reached \([A-Z_]+\)/),
        });
        expect(receiver.received).toEqual([]);
      } finally {
        await front.close();
      }
    });

    it('does not read an answer without end, whose status counts', async () => {
      let sent = 0;
      receiver.answer((response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(64 * 1024);
        const more = (): void => {
          while (sent < FLOOD_BYTES && !response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', more);
          }
        };
        more();
      });
      const { id } = await make();
      expect((await call('POST', `${PATH}/${id}/test`)).body.data).toMatchObject({ delivered: true, status: 200 });
      expect(sent).toBeLessThan(FLOOD_BYTES / 4);
    });

    it('waits ten seconds at most for one that hangs, while others get theirs', async () => {
      const hanging = await startEventReceiver();
      hanging.answer(() => undefined);
      try {
        const stuck = await make(webhook({ url: hanging.origin }));
        const quick = await make();
        const first = await emit(stuck.id);
        const round = job.runOnce();
        await hanging.has(1);
        const later = await emit(stuck.id, quick.id);
        job.hurry();
        await receiver.has(1);
        expect(receiver.received[0]!.body.id).toBe(later);
        await round;
        expect(await delivery(first)).toMatchObject({ status: 'waiting', last_status: null, last_error: 'Its address did not answer within 10000 ms.' });
      } finally {
        await hanging.close();
      }
    }, 240_000); // oxfmt-ignore

    it('sends an event again, with its id, whose sender died before it noted the answer', async () => {
      const { id: destination } = await make();
      const outbox = gateway.gateway.app.get(OutboxRepository, { strict: false });
      const lost = jest.spyOn(outbox, 'finish').mockResolvedValue();
      const id = await emit(destination);
      await job.runOnce();
      lost.mockRestore();
      expect(receiver.received.map(({ body }) => body.id)).toEqual([id]);
      expect(await delivery(id)).toMatchObject({ status: 'waiting', attempts: 1 });
      await job.runOnce();
      expect(receiver.received).toHaveLength(1);
      clock.aheadMs += 31_000;
      await job.runOnce();
      await job.runOnce();
      expect(receiver.received.map(({ body }) => body.id)).toEqual([id, id]);
      expect(await delivery(id)).toMatchObject({ status: 'sent', attempts: 2 });
    });

    it('gives an event up after a day, with growing pauses, and switches its destination off', async () => {
      const { id: destination } = await make();
      receiver.answer(answering(503));
      const id = await emit(destination);
      const began = clock.aheadMs;
      const at: number[] = [];
      for (let seen = 0; (await delivery(id)).status === 'waiting'; clock.aheadMs += 5 * MINUTE_MS) {
        await job.runOnce();
        if (receiver.received.length > seen) at.push(clock.aheadMs - began);
        seen = receiver.received.length;
      }
      expect(at.length).toBeGreaterThan(8);
      expect(at[1]! - at[0]!).toBeLessThanOrEqual(5 * MINUTE_MS);
      expect(at.at(-1)! - at.at(-2)!).toBeGreaterThan(3 * HOUR_MS);
      expect(at.at(-1)).toBeLessThanOrEqual(DAY_MS);
      expect(await delivery(id)).toMatchObject({ status: 'given_up', last_status: 503 });
      expect(await show(destination)).toMatchObject({ enabled: false, status: 'switched_off', status_reason: 'It answered with status 503.' });
      const [entry] = await store.query<JsonBody[]>(`select * from audit_entries where action = 'destination.disable' and target = $1`, [destination]);
      expect([entry.actor, JSON.parse(entry.after)]).toEqual(['operator', { enabled: false, status_reason: 'It answered with status 503.' }]);

      receiver.answer(answering(204));
      const later = await emit(destination);
      await job.runOnce();
      expect((await delivery(later)).attempts).toBe(0);
      expect((await call('PATCH', `${PATH}/${destination}`, { enabled: true })).body.data).toMatchObject({ status: 'untested', status_reason: null });
      await job.runOnce();
      expect(receiver.received.at(-1)!.body.id).toBe(later);
    }, 240_000); // oxfmt-ignore

    it('is counted by type for the metrics: what waits, for how long, and what became of it', async () => {
      const read = async (): Promise<Map<string, number>> => {
        await job.countOnce();
        const lines = (await gateway.metrics()).matchAll(/^fairlead_outbox_(\w+)\{([^}]*)\} (\S+)$/gm);
        return new Map([...lines].map(([, name, labels, value]) => [`${name} ${labels}`, Number(value)]));
      };
      const TYPE = 'type="alarm.test"';
      const began = await read();
      for (const type of ['alarm.limit', 'alarm.budget', 'alarm.balance', 'alarm.outage', 'alarm.credential', 'alarm.operator_cost', 'generations', 'destination.test'])
        for (const outcome of ['delivered', 'failed', 'given_up'])
          expect([type, began.has(`events_total type="${type}",outcome="${outcome}"`)]).toEqual([type, true]);
      expect(began.get('waiting type="alarm.limit"')).toBe(0);
      const rose = async (): Promise<number[]> => {
        const now = await read();
        return ['delivered', 'failed', 'given_up'].map((outcome) => {
          const series = `events_total ${TYPE},outcome="${outcome}"`;
          return (now.get(series) ?? 0) - (began.get(series) ?? 0);
        });
      };
      const { id: destination } = await make();
      await emit(destination);
      await job.runOnce();
      expect(await rose()).toEqual([1, 0, 0]);
      receiver.answer(answering(503));
      await emit(destination);
      await job.runOnce();
      expect(await rose()).toEqual([1, 1, 0]);
      clock.aheadMs += 10 * MINUTE_MS;
      await emit(destination);
      const waiting = await read();
      expect(waiting.get(`waiting ${TYPE}`)).toBe(2);
      expect(waiting.get(`oldest_seconds ${TYPE}`)).toBeGreaterThanOrEqual(600);
      expect(waiting.get(`oldest_seconds ${TYPE}`)).toBeLessThan(700);
      // What waits for one that is off is not tried.
      await call('PATCH', `${PATH}/${destination}`, { enabled: false });
      const off = await read();
      expect([off.get(`waiting ${TYPE}`), off.get(`oldest_seconds ${TYPE}`)].map((value) => value ?? 0)).toEqual([0, 0]);
      clock.aheadMs += DAY_MS + HOUR_MS;
      await rows.clearOnce();
      // The job may have tried in between by itself.
      expect(await rose()).toEqual([1, receiver.received.length - 1, 2]);
      const tests = 'events_total type="destination.test",outcome="failed"';
      const before = (await read()).get(tests)!;
      await call('POST', `${PATH}/${destination}/test`);
      expect((await read()).get(tests)).toBe(before + 1);
      const text = await gateway.metrics();
      for (const secret of [destination, '/hook']) expect(text).not.toContain(secret);
    }, 240_000); // oxfmt-ignore

    it('switches off a destination that answers 410 at once', async () => {
      const { id: destination } = await make();
      receiver.answer(answering(410));
      await emit(destination);
      await job.runOnce();
      expect(await show(destination)).toMatchObject({ enabled: false, status: 'switched_off' });
    });

    it('holds a bounded number for each destination, and removes what is past its time', async () => {
      const { id: destination } = await make();
      await call('PATCH', `${PATH}/${destination}`, { enabled: false });
      const first = await emit(destination);
      await store.query(
        `insert into outbox_events select gen_random_uuid(), account_id, type, subject, data, occurred_at, expires_at
         from outbox_events, generate_series(1, 999) where id = $1`,
        [first],
      );
      await store.query(
        `insert into outbox_deliveries select id, $1, 'waiting', 0, occurred_at from outbox_events where id <> $2`,
        [destination, first],
      );
      const late = await emit(destination);
      expect(await delivery(late)).toMatchObject({ status: 'given_up', last_error: 'More than 1000 events wait for this destination.' });
      clock.aheadMs += DAY_MS + HOUR_MS;
      await rows.clearOnce();
      expect(await delivery(first)).toMatchObject({ status: 'given_up', last_error: 'The destination was off.' });
      clock.aheadMs += 30 * DAY_MS;
      await rows.clearOnce();
      expect(await store.query('select from outbox_events')).toEqual([]);
    }, 240_000); // oxfmt-ignore

    it('keeps the newest 10,000 events of the history of alarms, and all that wait', async () => {
      const { id: destination } = await make();
      await call('PATCH', `${PATH}/${destination}`, { enabled: false });
      const waits = await emit(destination);
      // More are too many than one statement removes. None of them waits, and all are older than the one that does.
      await store.query(
        `insert into outbox_events (id, account_id, type, subject, data, occurred_at, expires_at)
         select gen_random_uuid(), account_id, type, subject, jsonb_build_object('n', n), occurred_at - n * interval '1 ms', expires_at
         from outbox_events, generate_series(1, 11001) n where id = $1`,
        [waits],
      );
      const count = async (): Promise<JsonBody> =>
        (await store.query<JsonBody[]>(`select count(*)::int, max((data->>'n')::int) as oldest, bool_or(id = $1) as waits from outbox_events`, [waits]))[0];
      await rows.clearOnce();
      expect(await count()).toEqual({ count: 10_001, oldest: 10_000, waits: true });
      await emit();
      await rows.clearOnce();
      expect(await count()).toEqual({ count: 10_001, oldest: 9_999, waits: true });
    }, 240_000); // oxfmt-ignore
  });
});
