/**
 * A caller that leaves ends all that a plugin has under way, at once, and pays for what had ended and for the open call
 * as for any abandoned call. Each plugin runs in a request on which it has an effect; a bare socket leaves while the
 * answering model, or a service that the plugin calls, hangs; both faces, whole and streamed, on both databases. Rules:
 * docs/contribute/ledger.md#abandoned-calls.
 */
import { delta, OPEN, START } from '../http/messages-bench.js';
import { describeOnEachDatabase } from '../support/database.js';
import { HANG, neverAnswers, sse, type Script } from '../support/upstream-answers.js';
import { CALL, leftWithin, PRICES, TWO_ROUTES } from '../tools/faults-bench.js';
import { MatrixBench, type Hanging } from './matrix-bench.js';
import { CASES } from './matrix-cases.js';

const LEFT_MS_MAX = 1_000;

interface Stage {
  readonly when: string;
  readonly hanging: Hanging;
  /** What has ended by then, in millionths of a USD. */
  readonly ended: number;
  /** Number of open model calls. */
  readonly calls: number;
}

const half: Script = (request) =>
  request.json.stream === true
    ? sse([OPEN + delta('word'), HANG])
    : { headers: { 'content-type': 'application/json' }, body: ['{"id":"msg', HANG] };
const begun: Script = (request) => (request.json.stream === true ? sse([START, HANG]) : neverAnswers());

/** The cost of a plugin before the answering model is called. */
const BEFORE: Readonly<Record<string, number>> = { moderation: CALL, fusion: 3 * CALL, web: PRICES.search };
const answering = (id: string): readonly Stage[] => {
  const [ended, calls] = [BEFORE[id] ?? 0, 1];
  return [
    { when: 'before the first byte', hanging: { at: 'first', index: 0, answer: neverAnswers }, ended, calls },
    { when: 'before the first word', hanging: { at: 'first', index: 0, answer: begun }, ended, calls },
    { when: 'in the answer', hanging: { at: 'first', index: 0, answer: half }, ended, calls },
  ];
};

/** Stages of services that a plugin calls itself. */
const ASIDES: Readonly<Record<string, readonly Stage[]>> = {
  web: [{ when: 'while it searches', hanging: { at: 'engine', index: 0, answer: neverAnswers }, ended: 0, calls: 0 }],
  'web-fetch': [
    { when: 'while it fetches', hanging: { at: 'pages', index: 0, answer: neverAnswers }, ended: CALL, calls: 0 },
  ],
  moderation: [
    { when: 'while the request is judged', hanging: { at: 'adviser', index: 0, answer: neverAnswers }, ended: 0, calls: 1 },
    { when: 'while the reply is judged', hanging: { at: 'adviser', index: 1, answer: begun }, ended: 2 * CALL, calls: 1 },
  ],
  fusion: [
    { when: 'while a model of the panel thinks', hanging: { at: 'adviser', index: 1, answer: half }, ended: 0, calls: 2 },
    { when: 'while the judge thinks', hanging: { at: 'adviser', index: 2, answer: neverAnswers }, ended: 2 * CALL, calls: 1 },
  ],
}; // oxfmt-ignore

const CELLS = CASES.flatMap((plugin) =>
  [...answering(plugin.id), ...(ASIDES[plugin.id] ?? [])].flatMap((stage) =>
    (plugin.routes ?? TWO_ROUTES).flatMap((route) =>
      [false, true].map((stream) => ({ id: plugin.id, when: stage.when, route, stream, plugin, stage })),
    ),
  ),
);

describeOnEachDatabase('a caller that leaves', (database) => {
  let bench: MatrixBench;
  let key: string;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
    ({ key } = await bench.loop.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(CELLS)('$id $when, $route, stream $stream', async ({ plugin, stage, route, stream }) => {
    const before = await bench.used();
    const { client, record } = await bench.hang(plugin, { route, stream, hanging: stage.hanging }, key);
    await bench.loop.turns();
    const called = bench.called;
    const leftAt = Date.now();
    client.destroy();
    expect(await leftWithin(record, leftAt)).toBeLessThan(LEFT_MS_MAX);
    const cost = Math.round(((await bench.used()) - before) * 1e6);
    // The open ones: the usage that their providers had reported, or an estimate of at most the requested maximum.
    expect(cost).toBeGreaterThanOrEqual(stage.ended);
    expect(cost).toBeLessThanOrEqual(stage.ended + 200 * CALL * stage.calls);
    // Nothing is called for a client that has disconnected.
    await bench.loop.turns();
    expect(bench.called).toEqual(called);
  });
});
