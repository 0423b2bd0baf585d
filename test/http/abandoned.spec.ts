/**
 * Checks that a call which its caller or its time-out abandons costs what its provider bills: nothing before it is
 * sent, the received part where the provider stops, and all of it where the provider bills the whole call, which is
 * then read unseen and within bounds. The upstreams wait at every stage for the test to release them; rows, metrics
 * and views of the real application are compared. The models cost 3 USD per million input tokens and 15 USD per
 * million output tokens; the prompt has seven tokens by estimate.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '../../src/core/time.js';
import { ActivityRepository } from '../../src/ledger/activity/activity.repository.js';
import { findDimension } from '../../src/ledger/figures/dimensions.js';
import { FiguresRepository } from '../../src/ledger/figures/figures.repository.js';
import { UnseenCalls } from '../../src/routing/unseen-calls.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded, type TestDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { openaiText } from '../support/openai-upstream.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { retainedBytes } from '../support/retained-bytes.js';
import {
  CUT,
  frame,
  HANG,
  json,
  neverAnswers,
  sse,
  type Answer,
  type Piece,
  type Script,
} from '../support/upstream-answers.js';
import { startUpstream } from '../support/upstreams.js';
import {
  after,
  ask,
  askStream,
  delta,
  END,
  gate,
  MessagesBench,
  OPEN,
  START,
  type BenchOptions,
} from './messages-bench.js';
import { STREAM_FACES } from './stream-faces.js';

const STOPS = { stream: 'stops', whole: 'stops' };
const BILLED = { stream: 'billed', whole: 'billed' };
/** Ten tokens by estimate. */
const FORTY = 'forty characters are ten tokens or so...';
const ESTIMATED_PROMPT = 21;
const whole = ask('test/native');
const stream = askStream('test/native');
const chunk = (text: string): string => frame('', { id: 'c', choices: [{ index: 0, delta: { content: text } }] });
const microUsd = (amount: string): number => Math.round(Number(amount) * 1e6);

/** A gateway before scripted upstreams, and the contents of its ledger. */
class Abandonment {
  private constructor(
    readonly bench: MessagesBench,
    readonly ledger: LedgerReader,
  ) {}

  static async start(database: TestDatabase, options: BenchOptions): Promise<Abandonment> {
    const bench = await MessagesBench.start(database, options);
    return new Abandonment(bench, new LedgerReader(bench.gateway));
  }

  get unseen(): UnseenCalls {
    return this.bench.gateway.gateway.app.get(UnseenCalls, { strict: false });
  }

  /** Sends a request and leaves it once it is upstream, or once the client has received part of its reply. */
  async leave(body: object, path = '/api/v1/messages', sees?: string): Promise<RecordedRequest> {
    const upstream = JSON.stringify(body).includes('translated') ? this.bench.openai : this.bench.anthropic;
    const arrival = upstream.request();
    const client = await this.bench.open(body, [], path);
    const record = await arrival;
    if (sees !== undefined) await client.until(sees);
    // Waits several turns of the event loop, which gateway, client and upstream share, so that everything written has
    // been read.
    else for (let turn = 0; turn < 3; turn++) await this.bench.metrics();
    const lines = this.bench.requestLines.length;
    client.destroy();
    await this.bench.requestLine(lines);
    return record;
  }

  /** The row of the latest generation, once it is settled. */
  async row(): Promise<JsonBody> {
    await this.ledger.rest();
    const row = await this.ledger.latest();
    expect(await this.ledger.entriesOf(row.id)).toEqual([{ kind: 'charge', amount: row.cost }]);
    expect(await this.ledger.openHolds()).toBe(0);
    return { ...row, cost: microUsd(row.cost), operator_cost: microUsd(row.operator_cost) };
  }

  async view(id: string): Promise<JsonBody> {
    return ((await (await this.bench.gateway.request(`/generation?id=${id}`)).json()) as JsonBody).data;
  }

  /** The number of calls abandoned with that outcome. */
  async counted(outcome: string): Promise<number> {
    const pattern = new RegExp(
      `^fairlead_abandoned_calls_total\\{provider="p\\d",outcome="${outcome}"\\} (\\d+)`,
      'gm',
    );
    const values = [...(await this.bench.metrics()).matchAll(pattern)];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}

describeOnEmbedded('an abandoned call, at a provider that stops', (database) => {
  let tried: Abandonment;
  beforeAll(async () => {
    tried = await Abandonment.start(database, { aborts: STOPS });
  }, 240_000);
  afterAll(() => tried?.close());

  interface Stage {
    readonly body: ReturnType<typeof ask>;
    readonly answer: Answer;
    readonly sees?: string;
    readonly is?: object;
    readonly costs: number;
  }

  const STAGES: Record<string, Stage> = {
    'before the head of a whole reply': { body: whole, answer: neverAnswers(), costs: ESTIMATED_PROMPT },
    'in a whole reply': { body: whole, answer: { headers: { 'content-type': 'application/json' }, body: ['{"id":', HANG] }, costs: ESTIMATED_PROMPT },
    'before the head of a stream': { body: stream, answer: neverAnswers(), costs: ESTIMATED_PROMPT },
    'before the first event of a stream': { body: stream, answer: sse([HANG]), costs: ESTIMATED_PROMPT },
    'after usage, before the first word': { body: stream, answer: sse([START, HANG]), is: { prompt_tokens: '3', completion_tokens: '1' }, costs: 9 + 15 },
    'in mid-stream': { body: stream, answer: sse([OPEN + delta(FORTY), HANG]), sees: FORTY, is: { prompt_tokens: '3', completion_tokens: '10', model: 'test/native', provider: 'p0' }, costs: 9 + 150 },
    'before the head of a chat reply': { body: ask('test/translated'), answer: neverAnswers(), costs: ESTIMATED_PROMPT },
    'before the first event of a chat stream': { body: askStream('test/translated'), answer: sse([HANG]), costs: ESTIMATED_PROMPT },
    'in a chat stream': { body: askStream('test/translated'), answer: sse([chunk(FORTY), HANG]), sees: FORTY, costs: ESTIMATED_PROMPT + 150 },
  }; // oxfmt-ignore

  const cases = STREAM_FACES.flatMap(({ route, form }) =>
    Object.entries(STAGES).map(([when, stage]) => ({ route, form, when, ...stage })),
  );

  it.each(cases)('$route: $when: what it did is charged, and it is closed', async ({ route, form, body, answer, ...expected }) => {
    const upstream = JSON.stringify(body).includes('translated') ? tried.bench.openai : tried.bench.anthropic;
    upstream.script(answer);
    const record = await tried.leave(form(body), `/api/v1${route}`, expected.sees);
    await record.closed;
    const row = await tried.row();
    expect(row).toMatchObject({ outcome: 'caller-gone', is_estimated: true, cost: expected.costs, operator_cost: 0, ...expected.is });
    expect(await tried.view(row.id)).toMatchObject({
      cancelled: true,
      is_estimated: true,
      model: row.requested_model,
      tokens_prompt: Number(row.prompt_tokens),
      tokens_completion: Number(row.completion_tokens),
      total_cost: expected.costs / 1e6,
    });
  }); // oxfmt-ignore

  it('uses up the limit of a key like any other', async () => {
    const { bench, ledger } = tried;
    const { key } = await bench.gateway.newKey({ limit: 0.01 });
    // A thousand tokens by estimate, and twice as many at most: 0.003 of the 0.0077 USD that are held.
    const prompt = 'forty characters are ten tokens or so...'.repeat(100);
    const body = ask('test/native', { messages: [{ role: 'user', content: prompt }] });
    bench.anthropic.script(neverAnswers());
    const arrival = bench.anthropic.request();
    const leaving = new AbortController();
    const left = bench.gateway.messages(body, { key, signal: leaving.signal }).catch(() => undefined);
    const record = await arrival;
    leaving.abort();
    await Promise.all([left, record.closed]);
    await ledger.rest();
    expect((await bench.gateway.messages(body, { key })).status).toBe(402);
  });

  it('is in the activity of its day, and in the metric', async () => {
    const { app } = tried.bench.gateway.gateway;
    const since = (await app.get(ActivityRepository, { strict: false }).today()).getTime();
    const [{ account_id, sum }] = await tried.ledger.query(
      'select account_id, sum(cost) as sum from generations group by 1',
    );
    const rows = await app.get(FiguresRepository, { strict: false }).read({
      accountId: account_id,
      since,
      until: since + DAY_MS,
      dimensions: ['model', 'endpoint'].map((name) => findDimension(name, 'activity')!),
      metrics: ['total_usage'],
      filters: [],
      order: [],
      limit: 10,
    });
    expect(rows.map(({ dimension_0: model, dimension_1: endpoint }) => [model, endpoint])).toEqual([
      ['test/native', 'p0'],
      ['test/translated', 'p1'],
    ]);
    expect(rows.reduce((total, { total_usage: cost }) => total + microUsd(String(cost)), 0)).toBe(microUsd(sum));
    expect(await tried.counted('stopped')).toBe(cases.length + 1);
    expect(await tried.counted('cut')).toBe(0);
  });
});

describeOnEmbedded('an abandoned call, at a provider that bills all of it', (database) => {
  let tried: Abandonment;
  beforeAll(async () => {
    tried = await Abandonment.start(database, { aborts: BILLED });
  }, 240_000);
  afterAll(() => tried?.close());

  const END_OF_CHAT =
    chunk('x') +
    frame('', { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    frame('', { id: 'c', choices: [], usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 } }) +
    frame('', '[DONE]');

  interface Stage {
    readonly body: ReturnType<typeof ask>;
    /** The content before the client leaves, and after. */
    readonly answer: (opened: Promise<void>) => Answer | Script;
    readonly sees?: string;
    readonly is: object;
    readonly costs: number;
  }

  const streamed =
    (before: readonly Piece[], afterwards: readonly Piece[]) =>
    (opened: Promise<void>): Answer =>
      sse([...before, opened, ...afterwards]);

  const STAGES: Record<string, Stage> = {
    'before the head of a whole reply': {
      body: whole,
      answer: (opened) => after(opened, anthropicText('Hi.')),
      is: { prompt_tokens: '12', completion_tokens: '7', finish_reason: 'end-turn', upstream_id: 'msg_loopback' },
      costs: 141,
    },
    'before the head of a stream': {
      body: stream,
      answer: (opened) => after(opened, () => sse([OPEN + delta('x') + END])),
      is: { prompt_tokens: '3', completion_tokens: '5', finish_reason: 'end-turn' },
      costs: 9 + 75,
    },
    'before the first word': {
      body: stream,
      answer: streamed([START], [OPEN.slice(START.length), delta('x'), END]),
      is: { prompt_tokens: '3', completion_tokens: '5' },
      costs: 9 + 75,
    },
    'in mid-stream': {
      body: stream,
      answer: streamed([OPEN, delta(FORTY)], [delta(FORTY), delta(FORTY), END]),
      sees: FORTY,
      is: { prompt_tokens: '3', completion_tokens: '5', finish_reason: 'end-turn' },
      costs: 9 + 75,
    },
    'in a chat stream': {
      body: askStream('test/translated'),
      answer: streamed([chunk(FORTY)], [END_OF_CHAT]),
      sees: FORTY,
      is: { prompt_tokens: '12', completion_tokens: '7' },
      costs: 36 + 105,
    },
  };

  const cases = STREAM_FACES.flatMap(({ route, form }) =>
    Object.entries(STAGES).map(([when, stage]) => ({ route, form, when, ...stage })),
  );

  it.each(cases)('$route: $when: it is read to its end and charged exactly', async ({ route, form, body, answer, ...expected }) => {
    const { bench, ledger } = tried;
    const { opened, open } = gate();
    const upstream = JSON.stringify(body).includes('translated') ? bench.openai : bench.anthropic;
    upstream.script(answer(opened));
    const read = await tried.counted('read');
    const record = await tried.leave(form(body), `/api/v1${route}`, expected.sees);
    expect([record.aborted, tried.unseen.size, await ledger.openHolds()]).toEqual([false, 1, 1]);
    open();
    await tried.unseen.idle();
    const row = await tried.row();
    expect(row).toMatchObject({ outcome: 'caller-gone', is_estimated: false, cost: expected.costs, operator_cost: 0, ...expected.is });
    expect(row.attempts).toEqual([expect.objectContaining({ status: 200 })]);
    expect(await tried.view(row.id)).toMatchObject({ cancelled: true, is_estimated: false, total_cost: expected.costs / 1e6 });
    expect([record.aborted, await tried.counted('read')]).toEqual([false, read + 1]);
    expect(await bench.metrics()).toMatch(/^fairlead_unseen_calls 0$/m);
  }); // oxfmt-ignore

  it('takes a whole reply of a chat provider to its end', async () => {
    const { opened, open } = gate();
    tried.bench.openai.script(after(opened, openaiText('Hi.')));
    await tried.leave(ask('test/translated'));
    open();
    await tried.unseen.idle();
    expect(await tried.row()).toMatchObject({ outcome: 'caller-gone', is_estimated: false, finish_reason: 'end-turn' });
  });

  it.each<[string, Answer]>([
    ['an error', json(anthropicError('overloaded_error', 'x'), 529)],
    ['a connection that is cut', { body: ['{"id":', CUT] }],
  ])('costs nothing when its provider fails meanwhile, by %s, and no other provider is called', async (_, answer) => {
    const { opened, open } = gate();
    tried.bench.anthropic.script(after(opened, () => answer));
    const others = tried.bench.second.requests.length;
    const failed = await tried.counted('failed');
    await tried.leave(ask('test/native-pair'));
    open();
    await tried.unseen.idle();
    expect(await tried.row()).toMatchObject({ outcome: 'caller-gone', model: null, cost: 0, operator_cost: 0 });
    expect(await tried.counted('failed')).toBe(failed + 1);
    expect(tried.bench.second.requests.length).toBe(others);
  });

  it('costs the caller nothing when its provider breaks off mid-stream meanwhile', async () => {
    const { opened, open } = gate();
    tried.bench.anthropic.script(sse([OPEN + delta(FORTY), opened, CUT]));
    await tried.leave(stream, undefined, FORTY);
    open();
    await tried.unseen.idle();
    expect(await tried.row()).toMatchObject({ outcome: 'caller-gone', cost: 0, operator_cost: 9 + 150 });
  });

  it('keeps nothing of a long reply', async () => {
    let retained = Infinity;
    const { opened, open } = gate();
    const piece = delta('x'.repeat(60_000));
    async function* long(): AsyncGenerator<string> {
      yield OPEN + delta(FORTY);
      await opened;
      const before = retainedBytes();
      for (let count = 0; count < 1_000; count++) yield piece;
      retained = retainedBytes() - before;
      yield END;
    }
    tried.bench.anthropic.script(sse(long()));
    const record = await tried.leave(stream, undefined, FORTY);
    open();
    await tried.unseen.idle();
    expect(record.bodyBytesWritten).toBeGreaterThan(60_000_000);
    // The bytes in the sockets between them.
    expect(retained).toBeLessThan(20_000_000);
    expect(await tried.row()).toMatchObject({ completion_tokens: '5', is_estimated: false });
  });

  it('runs up to four of a key unseen; the next are cut, and charged by estimate', async () => {
    const { bench } = tried;
    const { opened, open } = gate();
    bench.anthropic.script(after(opened, anthropicText('Hi.')));
    const cut = await tried.counted('cut');
    const records: RecordedRequest[] = [];
    for (let call = 0; call < 6; call++) records.push(await tried.leave(whole));
    await Promise.all(records.slice(4).map(({ closed }) => closed));
    expect(records.map(({ aborted }) => aborted)).toEqual([false, false, false, false, true, true]);
    expect([tried.unseen.size, await tried.counted('cut')]).toEqual([4, cut + 2]);
    open();
    await tried.unseen.idle();
    await tried.row();
    const rows = await tried.ledger.query('select cost, is_estimated from generations order by held_at desc, id desc limit 6');
    const costs = rows.map(({ cost, is_estimated }: JsonBody) => [microUsd(cost), is_estimated]);
    expect(costs.sort()).toEqual([...Array(4).fill([141, false]), ...Array(2).fill([ESTIMATED_PROMPT, true])]);
    expect(tried.unseen.size).toBe(0);
  }); // oxfmt-ignore
});

describeOnEmbedded('the time of an abandoned request', (database) => {
  it.each([
    ['a whole reply', whole, neverAnswers(), undefined, ESTIMATED_PROMPT],
    ['a stream', stream, sse([OPEN + delta(FORTY), HANG]), FORTY, 9 + 150],
  ] as const)('ends %s that runs on unseen, which is charged by estimate', async (_, body, answer, sees, costs) => {
    const variables = { FAIRLEAD_TIMEOUTS: 'total=2500ms' };
    const tried = await Abandonment.start(database, { aborts: BILLED, variables });
    try {
      tried.bench.anthropic.script(answer);
      const record = await tried.leave(body, undefined, sees);
      expect(tried.unseen.size).toBe(1);
      await record.closed;
      await tried.unseen.idle();
      expect(await tried.row()).toMatchObject({ outcome: 'caller-gone', is_estimated: true, cost: costs });
      expect(await tried.counted('cut')).toBe(1);
    } finally {
      await tried.close();
    }
  });

  it.each([
    ['before the head of a whole reply', whole, neverAnswers(), ESTIMATED_PROMPT],
    ['before the head of a stream', stream, neverAnswers(), ESTIMATED_PROMPT],
    ['before the first word of a stream', stream, sse([START, HANG]), 9 + 15],
    ['in mid-stream', stream, sse([OPEN + delta(FORTY), HANG]), 9 + 150],
  ] as const)('%s: a call that times out is charged to the caller', async (_, body, answer, costs) => {
    const tried = await Abandonment.start(database, { variables: { FAIRLEAD_TIMEOUTS: 'total=800ms' } });
    try {
      tried.bench.anthropic.script(answer);
      for (const { route, form } of STREAM_FACES) {
        const client = await tried.bench.open(form(body), [], `/api/v1${route}`);
        await client.response().catch(() => undefined);
        const row = await tried.row();
        expect(row).toMatchObject({ outcome: 'timed-out', is_estimated: true, cost: costs, operator_cost: 0 });
        expect(await tried.view(row.id)).toMatchObject({ cancelled: false, total_cost: costs / 1e6 });
      }
    } finally {
      await tried.close();
    }
  });
});

describeOnEmbedded('a process that stops', (database) => {
  let tried: Abandonment;
  const start = async (drain: string): Promise<void> => {
    tried = await Abandonment.start(database, { aborts: BILLED, variables: { FAIRLEAD_DRAIN: drain } });
  };
  /** Read by the next process, because this one has closed its store. */
  async function latest(): Promise<JsonBody> {
    const next = await Abandonment.start(database, {});
    try {
      return await next.row();
    } finally {
      await next.close();
    }
  }

  it('waits for unseen calls', async () => {
    await start('30s');
    const { opened, open } = gate();
    tried.bench.anthropic.script(after(opened, anthropicText('Hi.')));
    await tried.leave(whole);
    const stopped = tried.close();
    const early = await Promise.race([stopped.then(() => 'stopped'), delay(300).then(() => 'waits')]);
    open();
    await stopped;
    expect(early).toBe('waits');
    expect(await latest()).toMatchObject({ outcome: 'caller-gone', cost: 141, is_estimated: false, is_recovered: false });
  }); // oxfmt-ignore

  it('bears the cost of a call that it cuts while its caller waits', async () => {
    await start('200ms');
    tried.bench.anthropic.script(neverAnswers());
    const arrival = tried.bench.anthropic.request();
    const answer = tried.bench.gateway.messages(whole);
    await arrival;
    const stopped = tried.bench.gateway.close();
    expect((await answer).status).toBe(503);
    await stopped;
    await tried.close();
    expect(await latest()).toMatchObject({ outcome: 'service-unavailable', cost: 0, operator_cost: ESTIMATED_PROMPT });
  });

  it('cuts it when its time is over, and charges it by estimate', async () => {
    await start('200ms');
    tried.bench.anthropic.script(neverAnswers());
    await tried.leave(whole);
    await tried.close();
    expect(await latest()).toMatchObject({ outcome: 'caller-gone', cost: ESTIMATED_PROMPT, is_estimated: true, is_recovered: false });
  }); // oxfmt-ignore
});

/** Sends a request on a separate connection. */
async function send(gateway: TestGateway, body: JsonBody): Promise<RawClient> {
  const client = await RawClient.connect(gateway.origin);
  client.send({ path: '/api/v1/messages', headers: [['authorization', `Bearer ${API_KEY}`]], body });
  return client;
}

describeOnEmbedded('a call that never reached its provider', (database) => {
  it('costs nothing', async () => {
    // The port accepts connections but never answers the TLS handshake.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const gateway = await startGateway(database, {
      catalog: catalogOf({ id: 'test/unreached', at: [{ url, dialect: 'anthropic-messages', aborts: BILLED }] }),
    });
    try {
      const ledger = new LedgerReader(gateway);
      for (const streamed of [false, true]) {
        const connected = once(server, 'connection');
        const client = await send(gateway, ask('test/unreached', { stream: streamed }));
        await connected;
        client.destroy();
        await ledger.rest();
        const row = await ledger.latest();
        expect(row).toMatchObject({ outcome: 'caller-gone', model: null, prompt_tokens: '0', streamed });
        expect([Number(row.cost), Number(row.operator_cost)]).toEqual([0, 0]);
      }
    } finally {
      await gateway.close();
      server.close();
    }
  });
});

describeOnEmbedded('a model that answers one request of an account at a time', (database) => {
  it('is free again for a client that disconnects, though its abandoned call continues', async () => {
    const { opened, open } = gate();
    const upstream = await startUpstream('anthropic', after(opened, anthropicText('Hi.')));
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' as const }];
    const gateway = await startGateway(database, {
      catalog: catalogOf({ id: 'test/narrow', at, model: { limits: { concurrency: 1 } } }),
    });
    try {
      const unseen = gateway.gateway.app.get(UnseenCalls, { strict: false });
      const arrival = upstream.request();
      const client = await send(gateway, ask('test/narrow'));
      await arrival;
      expect((await gateway.messages(ask('test/narrow'))).status).toBe(429);
      const enter = unseen.enter.bind(unseen);
      const entered = new Promise<boolean>((resolve) => {
        unseen.enter = (...call) => {
          const runsOn = enter(...call);
          resolve(runsOn);
          return runsOn;
        };
      });
      client.destroy();
      expect(await entered).toBe(true);
      const next = upstream.request();
      const answered = gateway.messages(ask('test/narrow'));
      await next;
      expect(unseen.size).toBe(1);
      open();
      expect((await answered).status).toBe(200);
      await unseen.idle();
    } finally {
      open();
      await gateway.close();
      await upstream.close();
    }
  });
});
