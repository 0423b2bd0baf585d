/**
 * The cost of a fusion is held call by call beside the answer, charged exactly, and never exceeds the limit: a model
 * that costs more than is left is not called, a panel whose tools cost more than is left causes no refusal after the
 * charge, and a call that is billed in full continues after its client has disconnected. Keys with small limits, and
 * strict doubles.
 */
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import type { Answer, Script } from '../support/upstream-answers.js';
import { after, gate } from '../http/messages-bench.js';
import {
  answers,
  answersAndCalls,
  CALL,
  calls,
  LoopBench,
  microUsd,
  TWO_ROUTES,
  TOOLS,
  type Route,
} from '../tools/faults-bench.js';

const JUDGED = answers(
  '{"consensus":[],"contradictions":[],"partial_coverage":[],"unique_insights":[],"blind_spots":[]}',
);
const ANSWER = answers('Go home.');
const usd = (amount: number): number => Number(amount.toFixed(12));
const fields = (panel: readonly string[], tools: readonly object[] = []): JsonBody => ({
  model: 'openrouter/fusion',
  tools: undefined,
  plugins: [{ id: 'fusion', analysis_models: panel, model: 'test/main', tools }],
});
/** Far more than the prompts of the judge and the answer beside the panel's text. */
const MARGIN = 0.02;
/** USD of one fetch: more than all calls together. */
const DEAR = 2;
/** The least that is held for the panel's text in the prompt of the answer. */
const LEAST = 0.0038;

interface Fetching {
  readonly route: Route;
  readonly stream: boolean;
  readonly panelists?: number;
  readonly room?: number;
}

describeOnEachDatabase('the cost of a fusion', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    const models = [{ id: 'test/one' }, { id: 'test/two' }];
    bench = await LoopBench.start(database, { models, tools: { web_fetch: { price: String(DEAR) } } });
  }, 240_000);
  afterAll(() => bench?.close());

  const begin = (...scripts: (Script | Answer)[]): void => {
    bench.begin(...scripts);
    bench.upstreams.adviser.script(answers('At nine.'));
  };
  const callsTo = (double: 'main' | 'adviser'): number => bench.upstreams[double].requests.length;

  /** The bounds of the answer, and of one model of the panel, in USD. */
  async function bounds(
    tools: readonly object[] = [],
  ): Promise<{ readonly answer: number; readonly panelist: number }> {
    const response = await bench.gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bench.body(fields(['test/one'], tools))),
    });
    const { data } = (await response.json()) as JsonBody;
    return { answer: Number(data.candidates[0].bound), panelist: Number(data.consulted[0].bound) };
  }

  async function askWith(room: number, panel: readonly string[]): Promise<JsonBody> {
    const { key } = await bench.gateway.newKey({ limit: usd(room) });
    return bench.ask('/messages', fields(panel), key);
  }

  /**
   * @param room the part of the limit beyond the cost of the answer and of `panelists` models, in a panel that may
   *   fetch pages
   */
  async function askFetching(
    { route, stream, panelists = 1, room = LEAST }: Fetching,
    panel: readonly string[],
  ): Promise<JsonBody> {
    const { answer, panelist } = await bounds([TOOLS.fetch]);
    const { key } = await bench.gateway.newKey({ limit: usd(answer + panelists * panelist + room) });
    return bench.ask(route, { stream, ...fields(panel, [TOOLS.fetch]) }, key);
  }

  async function paid(): Promise<number> {
    await bench.ledger.rest();
    const { used, held } = await bench.ledger.account();
    expect([held, await bench.ledger.openHolds()]).toEqual([0, 0]);
    return microUsd(used);
  }

  it('is the sum of its calls', async () => {
    begin(JUDGED, ANSWER);
    const before = await paid();
    const { answer, panelist } = await bounds();
    const reply = await askWith(answer + 3 * panelist, ['test/one', 'test/two']);
    expect(reply.status).toBe(200);
    expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 4 * CALL });
    expect((await paid()) - before).toBe(4 * CALL);
  });

  it('leaves out the model of the panel that costs more than is left', async () => {
    begin(JUDGED, ANSWER);
    const { answer, panelist } = await bounds();
    const reply = await askWith(answer + panelist + MARGIN, ['test/one', 'test/two']);
    expect([reply.status, callsTo('adviser'), callsTo('main')]).toEqual([200, 1, 2]);
    expect(await bench.row(reply.id)).toMatchObject({ cost: 3 * CALL });
  });

  it('calls nothing where the limit suffices for the answer alone', async () => {
    begin(JUDGED, ANSWER);
    const before = await paid();
    const { answer } = await bounds();
    const reply = await askWith(answer + MARGIN, ['test/one', 'test/two']);
    expect([reply.status, callsTo('adviser'), callsTo('main')]).toEqual([402, 0, 0]);
    expect(await paid()).toBe(before);
  });

  it('continues without the judge where it costs more than is left', async () => {
    begin(ANSWER);
    const { answer, panelist } = await bounds();
    const reply = await askWith(answer + panelist + LEAST, ['test/one']);
    expect([reply.status, callsTo('adviser'), callsTo('main')]).toEqual([200, 1, 1]);
    expect(await bench.row(reply.id)).toMatchObject({ cost: 2 * CALL });
  });

  describe.each(TWO_ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream }))))(
    'with tools that cost more than is left, on $route, stream $stream',
    (face) => {
      const fetches = (): number => bench.upstreams.pages.requests.length;

      it('makes the answer without the panel that was charged', async () => {
        begin(ANSWER);
        bench.upstreams.adviser.script(calls(bench.fetches));
        const before = await paid();
        const reply = await askFetching({ ...face, panelists: 2 }, ['test/one', 'test/two']);
        expect([reply.status, callsTo('adviser'), fetches(), callsTo('main')]).toEqual([200, 2, 0, 1]);
        expect(reply.text).toContain('Go ho');
        expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 3 * CALL, tools_cost: 0 });
        expect((await paid()) - before).toBe(3 * CALL);
      });

      it('makes it without a panel of which one was charged and the other costs more than is left', async () => {
        begin(ANSWER);
        bench.upstreams.adviser.script(calls(bench.fetches));
        const reply = await askFetching(face, ['test/one', 'test/two']);
        expect([reply.status, callsTo('adviser'), fetches(), callsTo('main')]).toEqual([200, 1, 0, 1]);
        expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 2 * CALL });
      });

      it('uses what a model of the panel wrote before its call', async () => {
        begin(ANSWER);
        bench.upstreams.adviser.script(answersAndCalls('At nine, I think.', bench.fetches));
        const reply = await askFetching(face, ['test/one']);
        expect([reply.status, callsTo('adviser'), fetches(), callsTo('main')]).toEqual([200, 1, 0, 1]);
        expect(JSON.stringify(bench.upstreams.main.requests[0]!.json)).toContain('At nine, I think.');
        expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 2 * CALL });
      });

      it('fetches where the limit suffices', async () => {
        begin(ANSWER);
        let turn = 0;
        const scripts = [calls(bench.fetches), answers('At nine.')];
        bench.upstreams.adviser.script((request, index) => scripts[Math.min(turn++, 1)]!(request, index));
        const reply = await askFetching({ ...face, panelists: 2, room: DEAR + MARGIN }, ['test/one']);
        expect([reply.status, callsTo('adviser'), fetches()]).toEqual([200, 2, 1]);
        expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', tools_cost: microUsd(DEAR) });
      });
    },
  );

  it('shortens the answers of the panel to what the limit leaves besides the answer', async () => {
    begin(ANSWER);
    bench.upstreams.adviser.script(answers('ä'.repeat(60_000)));
    const { answer, panelist } = await bounds();
    const reply = await askWith(answer + panelist + MARGIN, ['test/one']);
    expect([reply.status, callsTo('adviser'), callsTo('main')]).toEqual([200, 1, 1]);
    expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 2 * CALL });
    const sent = JSON.stringify(bench.upstreams.main.requests[0]!.json);
    expect(sent).toContain('Now answer the user yourself');
    const kept = [...sent].filter((character) => character === 'ä').length;
    expect([kept > 1_000, kept < 10_000]).toEqual([true, true]);
  });
});

describeOnEachDatabase('a fusion that its caller leaves', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    const models = [{ id: 'test/one' }, { id: 'test/two' }];
    bench = await LoopBench.start(database, { models, aborts: { stream: 'billed', whole: 'billed' } });
  }, 240_000);
  afterAll(() => bench?.close());

  it('continues where it is billed in full, and is charged exactly', async () => {
    const { opened, open } = gate();
    bench.begin(JUDGED, ANSWER);
    bench.upstreams.adviser.script(after(opened, answers('At nine.')));
    const { key } = await bench.gateway.newKey();
    const client = await bench.open('/messages', fields(['test/one', 'test/two']), key);
    await bench.upstreams.adviser.request(1);
    await bench.turns();
    client.destroy();
    await bench.turns();
    open();
    expect(await bench.row()).toMatchObject({ outcome: 'caller-gone', cost: 2 * CALL });
    expect(bench.upstreams.main.requests).toHaveLength(0);
  });
});
