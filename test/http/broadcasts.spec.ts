/**
 * Checks that settled generations reach the destinations that want them, each once, without content: as OTLP spans and
 * as signed events; sampled, filtered, also those settled late, and nothing where no destination wants any. The
 * application on both databases, before a scripted upstream and receivers on the loopback address; rounds are called.
 */
import { DataSource } from 'typeorm';
import { BroadcastJob } from '../../src/destinations/broadcast-job.js';
import { OutboxJob } from '../../src/destinations/outbox-job.js';
import { Outbox } from '../../src/destinations/outbox.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { signatureOf, startEventReceiver, type EventReceiver } from '../support/event-receiver.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { OtherReplica } from '../replicas/other-replica.js';
import { ask } from './messages-bench.js';

const PATH = '/observability/destinations';
const ANSWER = 'The word of the answer.';

describeOnEachDatabase('broadcasts of generations', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let receiver: EventReceiver;
  let gateway: TestGateway;
  let store: DataSource;
  let ledger: LedgerReader;

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    receiver = await startEventReceiver();
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      clock,
      catalog: catalogOf({ id: 'test/paid', at }),
      variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32' },
    });
    store = gateway.gateway.app.get(DataSource);
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await receiver?.close();
    await upstream?.close();
  });
  beforeEach(async () => {
    upstream.script(anthropicText(ANSWER));
    await ledger.rest();
    await store.query('delete from destinations');
    await store.query('delete from outbox_events');
    await store.query('delete from broadcast_queue');
    receiver.received.length = 0;
  });

  const make = async (body: object): Promise<JsonBody> =>
    (await gateway.manage('POST', PATH, { name: 'd', ...body })).data;
  const collector = (more: object = {}): Promise<JsonBody> =>
    make({ type: 'otel-collector', config: { endpoint: receiver.origin }, ...more });
  const webhook = (more: object = {}): Promise<JsonBody> =>
    make({ type: 'webhook', config: { url: `${receiver.origin}/hook` }, ...more });

  /** @returns its id */
  async function request(more: object = {}, key = API_KEY): Promise<string> {
    const response = await gateway.messages({ ...ask('test/paid'), ...more }, { key });
    expect(response.status).toBe(200);
    return ((await response.json()) as JsonBody).id;
  }

  async function round(): Promise<void> {
    await ledger.rest();
    await gateway.gateway.app.get(BroadcastJob, { strict: false }).runOnce();
    await gateway.gateway.app.get(OutboxJob, { strict: false }).runOnce();
  }

  const queued = async (): Promise<number> => (await store.query<unknown[]>('select from broadcast_queue')).length;
  const records = (): JsonBody[] => receiver.received.flatMap(({ body }) => body.data.generations);
  const idsIn = (all: readonly JsonBody[]): string[] => all.map(({ id }) => id);

  it('notes nothing where no destination wants generations', async () => {
    await webhook();
    await collector({ enabled: false });
    await request();
    await ledger.rest();
    expect(await queued()).toBe(0);
  });

  it('sends each generation once as a span, without content', async () => {
    await collector();
    const text = 'A secret word of the question';
    const ids = [
      await request({ messages: [{ role: 'user', content: text }], user: 'u-1' }),
      await request({ trace: { trace_id: 'task-1' } }),
      await request({ trace: { trace_id: 'task-1' } }),
    ];
    await round();
    await round();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/v1/traces']);
    const [{ resource, scopeSpans }] = receiver.received[0]!.body.resourceSpans;
    expect(resource).toEqual({ attributes: [{ key: 'service.name', value: { stringValue: 'fairlead' } }] });
    const { spans } = scopeSpans[0];
    const valuesOf = (span: JsonBody): JsonBody =>
      Object.fromEntries(span.attributes.map(({ key, value }: JsonBody) => [key, Object.values(value)[0]]));
    expect(spans.map((span: JsonBody) => valuesOf(span)['gen_ai.response.id'])).toEqual(ids);
    const [first, second, third] = spans;
    expect(first).toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'chat test/paid',
      kind: 3,
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      status: { code: 1 },
    });
    expect(valuesOf(first)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'test/paid',
      'gen_ai.response.model': 'test/paid',
      'gen_ai.provider.name': 'p0',
      'gen_ai.usage.input_tokens': expect.stringMatching(/^\d+$/),
      'gen_ai.usage.output_tokens': expect.stringMatching(/^\d+$/),
      'gen_ai.response.finish_reasons': { values: [{ stringValue: 'stop' }] },
      'http.response.status_code': '200',
      'user.id': 'u-1',
      'fairlead.usage.cost': expect.any(Number),
    });
    expect([second.traceId === third.traceId, first.traceId === second.traceId]).toEqual([true, false]);
    for (const content of [text, ANSWER]) expect(receiver.received[0]!.text).not.toContain(content);
    expect(await queued()).toBe(0);
    expect(await store.query('select from outbox_events')).toEqual([]);
  }, 240_000);

  it('sends events of generations to a webhook that wants them, by key, and with the fields that it may have', async () => {
    const mine = await gateway.newKey({ name: 'mine' });
    const { config } = await webhook({ api_key_hashes: [mine.hash], broadcast_generation_identity: false, privacy_mode: true });
    await request();
    const id = await request({ user: 'u-1', trace: { note: 'n' } }, mine.key);
    await round();
    const [event] = receiver.received;
    expect(event!.headers['x-fairlead-signature']).toBe(signatureOf(config.secret, event!));
    expect(event!.body).toMatchObject({ type: 'generations', data: { message: '1 generations were settled.' } });
    expect(idsIn(records())).toEqual([id]);
    const fields = Object.keys(records()[0]);
    expect(fields).toEqual(expect.arrayContaining(['model', 'usage', 'session_id']));
    for (const left of ['key', 'member', 'user', 'trace', 'workspace_id']) expect(fields).not.toContain(left);
  }, 240_000); // oxfmt-ignore

  it('sends what the filter keeps, and a share that depends on the generation alone', async () => {
    const rule = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
    const cases: [object, boolean][] = [
      [{ groups: [{ rules: [rule('model', 'equals', 'test/paid'), rule('total_cost', 'gt', 0)] }] }, true],
      [{ groups: [{ rules: [rule('model', 'equals', 'test/paid'), rule('total_cost', 'gt', 1)] }] }, false],
      [{ groups: [{ logic: 'or', rules: [rule('model', 'equals', 'other'), rule('total_tokens', 'gte', 1)] }] }, true],
      [{ groups: [{ rules: [rule('session_id', 'not_exists')] }, { rules: [rule('provider', 'starts_with', 'x')] }] }, false],
      [{ enabled: false, groups: [{ rules: [rule('provider', 'equals', 'x')] }] }, true],
    ];
    const made: JsonBody[] = [];
    for (const [filter_rules] of cases) made.push(await webhook({ filter_rules }));
    await request();
    await round();
    const sent = await store.query<JsonBody[]>(`select id from destinations where status = 'ok'`);
    expect(idsIn(sent).toSorted()).toEqual(idsIn(made.filter((_, index) => cases[index]![1])).toSorted());

    await store.query('delete from destinations');
    receiver.received.length = 0;
    await webhook({ sampling_rate: 0.5 });
    await webhook({ sampling_rate: 0.5 });
    const all: string[] = [];
    for (let count = 0; count < 24; count++) all.push(await request());
    await round();
    const [one, two] = receiver.received.map(({ body }) => idsIn(body.data.generations));
    expect(one).toEqual(two);
    expect(one!.length).toBeGreaterThan(2);
    expect(one!.length).toBeLessThan(22);
  }, 240_000); // oxfmt-ignore

  it('sends what other replicas settle, also late and out of order, and of each workspace only its own', async () => {
    await gateway.manage('POST', '/workspaces', { name: 'w', slug: 'elsewhere' });
    await webhook({ broadcast: true });
    await webhook({ broadcast: true, workspace_id: 'elsewhere' });
    const other = await OtherReplica.start(gateway, clock);
    const [early, late] = [await other.hold(), await other.hold()];
    await other.settle(await other.row(late, '0.001'));
    await round();
    expect(idsIn(records())).toEqual([late]);
    await request();
    await round();
    await other.settle(await other.row(early, '0.001'));
    await round();
    await round();
    expect(idsIn(records())).toHaveLength(3);
    expect(idsIn(records()).at(-1)).toBe(early);
  }, 240_000);

  it('keeps what it took where the transaction of the events fails', async () => {
    await webhook({ broadcast: true });
    const id = await request();
    const failing = jest.spyOn(gateway.gateway.app.get(Outbox, { strict: false }), 'add').mockRejectedValue(new Error('full'));
    await round();
    expect(receiver.received).toEqual([]);
    failing.mockRestore();
    await round();
    expect(idsIn(records())).toEqual([id]);
  }, 240_000); // oxfmt-ignore
});
