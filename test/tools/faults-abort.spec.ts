/**
 * A caller that leaves a tool loop ends all that is under way within a second, at every stage, and pays for exactly the
 * calls and uses that had ended, and for the open call as for any abandoned call. The same holds for a loop whose time
 * is over. Bare sockets leave at a known moment, and the doubles report when they were left; every face, whole and
 * streamed. Rules: docs/contribute/ledger.md, docs/use/tools-and-plugins.md#the-loop.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { RecordedRequest } from '../support/recorded-request.js';
import { frame, HANG, neverAnswers, sse, type Answer, type Script } from '../support/upstream-answers.js';
import { delta, gate, OPEN, START } from '../http/messages-bench.js';
import { CALL, calls, leftWithin, LoopBench, PRICES, ROUTES, answers, TOOLS, USES } from './faults-bench.js';

const LEFT_MS_MAX = 1_000;
/** Keeps its thread busy until it is ended. */
const ENDLESS = { name: 'bash', input: { command: 'while true; do seq 1 50000 | sort -r | md5sum; done' } };
/** The part of a reply that has arrived when the client leaves, streamed or whole. */
const half: Script = (request) =>
  request.json.stream === true
    ? sse([OPEN + delta('word'), HANG])
    : { headers: { 'content-type': 'application/json' }, body: ['{"id":"msg', HANG] };
const begun: Script = (request) => (request.json.stream === true ? sse([START, HANG]) : neverAnswers());

type Double = keyof LoopBench['upstreams'];

interface Stage {
  readonly script: (bench: LoopBench) => readonly (Script | Answer)[];
  readonly engine?: Answer;
  readonly pages?: Answer;
  readonly adviser?: Script | Answer;
  readonly fields?: object;
  /**
   * The open call when the client leaves, and how many calls the double has had by then; absent: only a thread is busy.
   */
  readonly open?: readonly [double: Double, index: number];
  /** Model calls and tool uses that have ended, in millionths of a USD. */
  readonly ended: number;
  /** The open one is a call of a model. */
  readonly isCall?: true;
}

const STAGES: Readonly<Record<string, Stage>> = {
  'before the first call’s first byte': { script: () => [neverAnswers()], open: ['main', 0], ended: 0, isCall: true },
  'before the first call’s first word': { script: () => [begun], open: ['main', 0], ended: 0, isCall: true },
  'within the first call': { script: () => [half], open: ['main', 0], ended: 0, isCall: true },
  'while the engine is silent': {
    script: () => [calls(USES.search)],
    engine: neverAnswers(),
    open: ['engine', 0],
    ended: CALL,
  },
  'in mid-answer of the engine': {
    script: () => [calls(USES.search)],
    engine: { headers: { 'content-type': 'application/json' }, body: ['{"results":[', HANG] },
    open: ['engine', 0],
    ended: CALL,
  },
  'while a page does not come': {
    script: (bench) => [calls(bench.fetches)],
    pages: neverAnswers(),
    open: ['pages', 0],
    ended: CALL,
  },
  'in mid-page': {
    script: (bench) => [calls(bench.fetches)],
    pages: { headers: { 'content-type': 'text/html' }, body: ['<p>Half', HANG] },
    open: ['pages', 0],
    ended: CALL,
  },
  'while a command runs': { script: () => [calls(ENDLESS)], ended: CALL },
  'while the advisor is silent': {
    script: () => [calls(USES.advisor)],
    adviser: neverAnswers(),
    open: ['adviser', 0],
    ended: CALL,
    isCall: true,
  },
  'beside a use that has ended': {
    script: (bench) => [calls(USES.search), calls(USES.bash, bench.fetches)],
    pages: neverAnswers(),
    open: ['pages', 0],
    // The command beside it may have ended or not.
    ended: 2 * CALL + PRICES.search,
  },
  'before the following call’s first byte': {
    script: () => [calls(USES.search), neverAnswers()],
    open: ['main', 1],
    ended: CALL + PRICES.search,
    isCall: true,
  },
  'within the following call': {
    script: () => [calls(USES.search), half],
    open: ['main', 1],
    ended: CALL + PRICES.search,
    isCall: true,
  },
  'within the last call': {
    script: () => [calls(USES.search), half],
    fields: { stop_server_tools_when: [{ type: 'step_count_is', step_count: 1 }] },
    open: ['main', 1],
    ended: CALL + PRICES.search,
    isCall: true,
  },
};

/** Sends the request, and disconnects when the stage is reached. @returns when it disconnected */
async function leave(
  bench: LoopBench,
  stage: Stage,
  route: (typeof ROUTES)[number],
  stream: boolean,
  key: string,
): Promise<{ readonly leftAt: number; readonly record: RecordedRequest | undefined }> {
  const { upstreams } = bench;
  bench.begin(...stage.script(bench));
  for (const name of ['engine', 'pages', 'adviser'] as const) {
    const script = stage[name];
    if (script) upstreams[name].script(script);
  }
  const client = await bench.open(route, { stream, ...stage.fields }, key);
  const record = stage.open && (await upstreams[stage.open[0]].request(stage.open[1]));
  if (!record) await (await upstreams.main.request(0)).closed;
  if (stream && route === '/messages' && stage.script(bench).at(-1) === half) await client.until('word');
  await bench.turns();
  const leftAt = Date.now();
  client.destroy();
  return { leftAt, record };
}

const CASES = Object.entries(STAGES).flatMap(([when, stage]) =>
  ROUTES.flatMap((route) => [false, true].map((stream) => ({ when, route, stream, stage }))),
);

describeOnEmbedded('a loop that its caller leaves', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(CASES)('$route, stream $stream: $when', async ({ stage, route, stream, when }) => {
    const { key } = await bench.gateway.newKey();
    const { leftAt, record } = await leave(bench, stage, route, stream, key);
    if (record) expect(await leftWithin(record, leftAt)).toBeLessThan(LEFT_MS_MAX);
    const callsBefore = bench.upstreams.main.requests.length;
    const row = await bench.row();
    expect(Date.now() - leftAt).toBeLessThan(2 * LEFT_MS_MAX);
    // An engine that was reached before the client disconnected may bill its search.
    const lost = stage.open?.[0] === 'engine' ? PRICES.search : 0;
    expect(row).toMatchObject({ outcome: 'caller-gone', operator_cost: lost });
    if (stage.isCall) {
      // The usage that the provider had reported, or an estimate: between zero and the requested maximum.
      expect(row.is_estimated).toBe(true);
      expect(row.cost).toBeGreaterThan(stage.ended);
      expect(row.cost).toBeLessThan(stage.ended + 20 * CALL);
    } else if (when === 'beside a use that has ended') {
      expect([stage.ended, stage.ended + PRICES.bash]).toContain(row.cost);
    } else expect(row.cost).toBe(stage.ended);
    // Nothing is called for a client that has disconnected.
    await bench.turns();
    expect(bench.upstreams.main.requests).toHaveLength(callsBefore);
  });

  it('frees the thread of a command for the next one of the same key', async () => {
    const { key } = await bench.gateway.newKey();
    const { leftAt } = await leave(bench, STAGES['while a command runs']!, '/messages', true, key);
    bench.begin(calls(USES.bash), answers('Done.'));
    const reply = await bench.ask('/messages', {}, key);
    expect(reply.content[1].content).toMatchObject({ stdout: 'hi\n' });
    expect(Date.now() - leftAt).toBeLessThan(10 * LEFT_MS_MAX);
  });
});

describeOnEmbedded('an abandoned loop', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  it('leaves no timer behind, however often', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const leaveOnce = async (): Promise<void> => {
      const { key } = await bench.gateway.newKey();
      await leave(bench, STAGES['while a page does not come']!, '/messages', true, key);
      await bench.row();
    };
    await leaveOnce();
    const before = timers();
    for (let times = 0; times < 10; times++) await leaveOnce();
    // Kept connections have timers, which come and go.
    expect(timers()).toBeLessThan(before + 5);
  });
});

const BILLED = { stream: 'billed', whole: 'billed' };
/** A scripted reply that reports usage only in its last event. */
const lateReply =
  (opened: Promise<void>): Script =>
  async (request, index) => {
    await opened;
    return answers('Late.')(request, index);
  };

describeOnEmbedded('an abandoned loop at providers that bill all of a call', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { aborts: BILLED });
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream }))))(
    '$route, stream $stream: the following call runs on unseen, and is charged exactly',
    async ({ route, stream }) => {
      const { key } = await bench.gateway.newKey();
      const { opened, open } = gate();
      bench.begin(calls(USES.search), lateReply(opened));
      const client = await bench.open(route, { stream }, key);
      const record = await bench.upstreams.main.request(1);
      await bench.turns();
      await leaveUnseen(client, record, open);
      const row = await bench.row();
      expect(row).toMatchObject({ outcome: 'caller-gone', cost: 2 * CALL + PRICES.search, is_estimated: false });
    },
  );

  it('is read to its end although a slow client disconnects before reading all that was sent', async () => {
    const { key } = await bench.gateway.newKey();
    const { opened, open } = gate();
    const named = (type: string, more: object): string => frame(type, { type, ...more });
    const long = sse([
      OPEN +
        delta('x'.repeat(12_000_000)) +
        named('content_block_stop', { index: 0 }) +
        named('content_block_start', {
          index: 1,
          content_block: { type: 'tool_use', id: 'toolu_0', ...USES.datetime },
        }) +
        named('content_block_stop', { index: 1 }) +
        named('message_delta', {
          delta: { stop_reason: 'tool_use', stop_sequence: null },
          usage: { output_tokens: 5 },
        }) +
        named('message_stop', {}),
    ]);
    bench.begin(long, lateReply(opened));
    const client = await bench.open('/messages', { stream: true, tools: [TOOLS.datetime] }, key);
    client.pause();
    const record = await bench.upstreams.main.request(1);
    await bench.turns();
    await leaveUnseen(client, record, open);
    expect(await bench.row()).toMatchObject({ outcome: 'caller-gone' });
    expect(await bench.ledger.openHolds()).toBe(0);
  }, 240_000);

  it.each(['the answer', 'one of a panel'])(
    'in the middle of a tool call: %s is read to its end, and counted so',
    async (who) => {
      const { key } = await bench.gateway.newKey();
      const { opened, open } = gate();
      const tool = { type: 'tool_use', id: 'toolu_1', name: 'datetime', input: {} };
      const event = (type: string, data: object): string => frame(type, { type, ...data });
      const callsHalf = sse([
        OPEN +
          delta('word') +
          event('content_block_stop', { index: 0 }) +
          event('content_block_start', { index: 1, content_block: tool }),
        opened,
        event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } }) +
          event('content_block_stop', { index: 1 }) +
          event('message_delta', {
            delta: { stop_reason: 'tool_use', stop_sequence: null },
            usage: { output_tokens: 7 },
          }) +
          event('message_stop', {}),
      ]);
      const isAnswer = who === 'the answer';
      const panel = { id: 'fusion', analysis_models: ['test/adviser'], tools: [{ type: 'datetime' }] };
      bench.begin(isAnswer ? callsHalf : answers('Never.'));
      bench.upstreams.adviser.script(callsHalf);
      const fields = isAnswer ? { tools: [TOOLS.datetime] } : { tools: undefined, plugins: [panel] };
      const before = await counts();
      const client = await bench.open('/messages', { stream: true, ...fields }, key);
      const record = await bench.upstreams[isAnswer ? 'main' : 'adviser'].request(0);
      if (isAnswer) await client.until('word');
      await bench.turns();
      await leaveUnseen(client, record, open);
      expect(await bench.row()).toMatchObject({ outcome: 'caller-gone', is_estimated: false });
      const after = await counts();
      const grown = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - before[name]!]));
      expect(grown).toEqual({ answered: 1, aborted: 0, read: 1, cut: 0 });
    },
  );

  /** Disconnects while a call is under way, which continues: its provider sends the rest afterwards. */
  async function leaveUnseen(
    client: Awaited<ReturnType<LoopBench['open']>>,
    record: RecordedRequest,
    goOn: () => void,
  ): Promise<void> {
    client.destroy();
    await bench.turns();
    expect(record.closedAt).toBeUndefined();
    goOn();
    await record.closed;
    expect(record.aborted).toBe(false);
  }

  /** Counts over the calls of all providers: by outcome, and by what became of abandoned ones. */
  async function counts(): Promise<Record<string, number>> {
    const text = await (await fetch(`${bench.gateway.origin}/metrics`)).text();
    const sum = (name: string, outcome: string): number =>
      text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) && line.includes(`outcome="${outcome}"`))
        .reduce((count, line) => count + Number(line.split(' ').at(-1)), 0);
    const [attempts, abandoned] = ['fairlead_upstream_attempts_total', 'fairlead_abandoned_calls_total'] as const;
    return {
      answered: sum(attempts, 'answered'),
      aborted: sum(attempts, 'aborted'),
      read: sum(abandoned, 'read'),
      cut: sum(abandoned, 'cut'),
    };
  }

  it.each(ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream }))))(
    '$route, stream $stream: so does an advisor’s',
    async ({ route, stream }) => {
      const { key } = await bench.gateway.newKey();
      const { opened, open } = gate();
      bench.begin(calls(USES.advisor), answers('Never.'));
      bench.upstreams.adviser.script(lateReply(opened));
      const client = await bench.open(route, { stream }, key);
      const record = await bench.upstreams.adviser.request(0);
      await bench.turns();
      await leaveUnseen(client, record, open);
      expect(await bench.row()).toMatchObject({ outcome: 'caller-gone', cost: 2 * CALL, is_estimated: false });
      expect(bench.upstreams.main.requests).toHaveLength(1);
    },
  );
});

describeOnEmbedded('a loop whose time is over', (database) => {
  const TOTAL_MS = 1_500;
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: `total=${TOTAL_MS}ms` } });
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(
    ['while the engine is silent', 'while a command runs', 'before the following call’s first byte'].flatMap((when) =>
      [false, true].map((stream) => ({ when, stream })),
    ),
  )('stream $stream: $when: reports it, and charges what had ended', async ({ when, stream }) => {
    const stage = STAGES[when]!;
    const { key } = await bench.gateway.newKey();
    bench.begin(...stage.script(bench));
    if (stage.engine) bench.upstreams.engine.script(stage.engine);
    const beganAt = Date.now();
    const reply = await bench.gateway.messages(bench.body({ stream }), { key });
    const text = await reply.text();
    expect(Date.now() - beganAt).toBeLessThan(TOTAL_MS + LEFT_MS_MAX);
    expect(reply.status).toBe(stream ? 200 : 504);
    expect(text).toContain('The request took longer than this gateway allows.');
    const record = stage.open && bench.upstreams[stage.open[0]].requests[stage.open[1]];
    if (record) expect(await leftWithin(record, beganAt + TOTAL_MS)).toBeLessThan(LEFT_MS_MAX);
    const row = await bench.row();
    expect(row.outcome).toBe('timed-out');
    if (stage.isCall) expect(row.cost).toBeGreaterThan(stage.ended);
    else expect(row.cost).toBe(stage.ended);
  });
});

describeOnEmbedded('a gateway that stops', (database) => {
  it.each([
    ['while the engine is silent', CALL + PRICES.search],
    ['while a command runs', CALL],
    ['within the following call', CALL + PRICES.search],
    // The caller will retry, so both what had ended and what is open are the operator's cost.
  ])('ends its loops, and charges nothing, %s', async (when, ended) => {
    const bench = await LoopBench.start(database, { variables: { FAIRLEAD_DRAIN: '100ms' } });
    const stage = STAGES[when]!;
    bench.begin(...stage.script(bench));
    if (stage.engine) bench.upstreams.engine.script(stage.engine);
    const { key } = await bench.gateway.newKey();
    const client = await bench.open('/messages', { stream: true }, key);
    if (stage.open) await bench.upstreams[stage.open[0]].request(stage.open[1]);
    else await (await bench.upstreams.main.request(0)).closed;
    await bench.turns();
    const beganAt = Date.now();
    await bench.gateway.close();
    expect(Date.now() - beganAt).toBeLessThan(5_000);
    expect(client.text).toContain('The gateway is shutting down; retry.');
    const again = await LoopBench.start(database);
    const row = await again.row();
    expect(row).toMatchObject({ outcome: 'service-unavailable', cost: 0, tools_cost: 0 });
    if (stage.isCall) expect(row.operator_cost).toBeGreaterThan(ended);
    else expect(row.operator_cost).toBe(ended);
    await again.close();
    await bench.closeDoubles();
  });
});

describeOnEmbedded('a reader that takes nothing', (database) => {
  it('delays no tool, and gets everything when it reads on', async () => {
    const bench = await LoopBench.start(database);
    const { key } = await bench.gateway.newKey();
    const long = answers('x'.repeat(400_000));
    bench.begin(calls(USES.search), calls(bench.fetches), long);
    const client = await bench.open('/messages', { stream: true, tools: [TOOLS.search, TOOLS.fetch] }, key);
    client.pause();
    await bench.upstreams.pages.request(0);
    const last = await bench.upstreams.main.request(2);
    await bench.turns();
    expect(last.closedAt === undefined || last.closedAt >= last.openedAt).toBe(true);
    client.resume();
    const { body } = await client.response();
    expect(body.toString()).toContain('message_stop');
    expect(await bench.row()).toMatchObject({ outcome: 'completed', cost: 3 * CALL + PRICES.search + PRICES.fetch });
    await bench.close();
    // Compiling the thread's code for the first page takes some 14 s of a slow machine.
  }, 240_000);
});
