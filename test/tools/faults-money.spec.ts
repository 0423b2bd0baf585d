/**
 * Money that runs out in the middle of a loop ends it with the answer so far, else with `pause_turn` (chat: `length`),
 * for key and account, and the ledger is exact. A limit, deletion or policy that applies in the middle of a loop
 * becomes a result of the tool concerned, and never an HTTP error. Scripted doubles, with limits exact to the millionth
 * of a USD. Rules: docs/use/tools-and-plugins.md#the-loop.
 */
import { LedgerRepository } from '../../src/ledger/ledger.repository.js';
import { anthropicReply } from '../support/anthropic-upstream.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { neverAnswers, type Script } from '../support/upstream-answers.js';
import { after, gate } from '../http/messages-bench.js';
import {
  CALL,
  calls,
  LoopBench,
  microUsd,
  PRICES,
  ROUTES,
  answers,
  answersAndCalls,
  TOOLS,
  USES,
} from './faults-bench.js';

/** Uses up the hold of a call of 1,000 tokens, except for its prompt. */
const dear = (use: { readonly name: string; readonly input: object }): Script =>
  anthropicReply([{ type: 'tool_use', id: 'toolu_0', ...use }], {
    stopReason: 'tool_use',
    usage: { output_tokens: 1_000 },
  });
const DEAR = 12 * 3 + 1_000 * 15;
const ROUNDS = 8;
/** An amount has twelve decimals at most. */
const usd = (amount: number): number => Number(amount.toFixed(12));
const FACES = ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));

describeOnEachDatabase('money that runs out in mid-loop', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    const limited = { id: 'test/limited', model: { limits: { requests_per_minute: 1 } } };
    bench = await LoopBench.start(database, { models: [limited] });
  }, 240_000);
  afterAll(() => bench?.close());
  afterEach(() => bench.ledger.query(`update spending_windows set "limit" = 1000000 where scope = 'account'`));

  /** The bound of one call, in USD. */
  async function boundOf(fields: object = {}): Promise<number> {
    const response = await bench.gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bench.body(fields)),
    });
    return Number(((await response.json()) as JsonBody).data.candidates[0].bound);
  }

  /** A key that can spend this much, by its own limit or by the account's credit. */
  async function keyWith(room: number, by: string): Promise<string> {
    if (by === 'key') return (await bench.gateway.newKey({ limit: usd(room) })).key;
    await bench.ledger.rest();
    await bench.ledger.query(`update spending_windows set "limit" = used + $1 where scope = 'account'`, [usd(room)]);
    return (await bench.gateway.newKey()).key;
  }

  /** The hold at the second call of a loop, whose first call is this script, in USD. */
  async function heldAtSecond(key: string, script = calls(USES.datetime)): Promise<number> {
    const abort = new AbortController();
    bench.begin(script, neverAnswers());
    const pending = bench.gateway.messages(bench.body(), { key, signal: abort.signal }).catch(() => undefined);
    await bench.upstreams.main.request(1);
    const [hold] = (await bench.ledger.query('select bound from holds where cost is null')) as JsonBody[];
    abort.abort();
    await pending;
    await bench.row();
    return Number(hold.bound);
  }

  /** What the second call takes beyond the bound of the first, without money held ahead, in USD. */
  async function extensionOf(bound: number, script?: Script): Promise<number> {
    const { key } = await bench.gateway.newKey({ limit: usd(3 * bound) });
    return (await heldAtSecond(key, script)) - bound;
  }

  /** The end of a loop that ended early, with or without an answer, on any face. */
  function expectEnd(route: string, reply: JsonBody, isAnswered: boolean): void {
    expect(reply.status).toBe(200);
    if (route === '/messages') expect(reply.stop_reason).toBe(isAnswered ? 'end_turn' : 'pause_turn');
    else expect(reply.finish_reason).toBe(isAnswered ? 'stop' : 'length');
  }

  describe.each(['key', 'account'])('of the %s', (by) => {
    it.each(FACES)(
      '$route, stream $stream: before the second call, with and without an answer',
      async ({ route, stream }) => {
        for (const isAnswered of [false, true]) {
          const key = await keyWith((await boundOf()) + 0.00001, by);
          bench.begin(isAnswered ? answersAndCalls('Hm.', USES.datetime) : calls(USES.datetime), answers('Never.'));
          const reply = await bench.ask(route, { stream }, key);
          expectEnd(route, reply, isAnswered);
          if (route !== '/messages') expect(reply.message.content ?? '').toBe(isAnswered ? 'Hm.' : '');
          expect(bench.upstreams.main.requests).toHaveLength(1);
          expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: CALL });
          expect(microUsd(reply.usage.cost)).toBe(CALL);
        }
      },
    );

    it.each(FACES)('$route, stream $stream: before a call, where an earlier step sent text', async (face) => {
      const { route, stream } = face;
      const key = await keyWith((await boundOf()) + (await extensionOf(await boundOf())) + 0.00001, by);
      bench.begin(answersAndCalls('Hm.', USES.datetime), dear(USES.datetime), calls(USES.datetime));
      const reply = await bench.ask(route, { stream }, key);
      expectEnd(route, reply, true);
      expect(bench.upstreams.main.requests.length).toBeGreaterThan(1);
    });

    it.each(FACES)('$route, stream $stream: before the last call', async ({ route, stream }) => {
      const stop_server_tools_when = [{ type: 'step_count_is', step_count: 1 }];
      const key = await keyWith((await boundOf({ stop_server_tools_when })) + 0.00001, by);
      bench.begin(calls(USES.datetime), answers('Never.'));
      const reply = await bench.ask(route, { stream, stop_server_tools_when }, key);
      expectEnd(route, reply, false);
      expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: CALL });
    });

    it.each(FACES)('$route, stream $stream: before a use that costs: it is not run', async ({ route, stream }) => {
      const key = await keyWith(await boundOf(), by);
      bench.begin(dear(USES.search), answers('Never.'));
      const reply = await bench.ask(route, { stream }, key);
      expectEnd(route, reply, false);
      if (route === '/messages') expect(reply.content[1].content).toMatchObject({ error_code: 'unavailable' });
      expect(bench.upstreams.engine.requests).toEqual([]);
      expect(bench.upstreams.main.requests).toHaveLength(1);
      expect(await bench.row(reply.id)).toMatchObject({ cost: DEAR, tools_cost: 0 });
    });

    it.each(FACES)('$route, stream $stream: before the advisor is consulted: it is not', async ({ route, stream }) => {
      const advisor = { type: 'openrouter:advisor', parameters: { model: 'test/adviser', max_tokens: 8_000 } };
      const key = await keyWith((await boundOf({ tools: [advisor] })) + 0.02, by);
      bench.begin(answersAndCalls('Wait.', USES.advisor), answers('Never.'));
      const reply = await bench.ask(route, { stream, tools: [advisor] }, key);
      expectEnd(route, reply, true);
      if (route === '/messages') expect(reply.content[2].content).toMatchObject({ error_code: 'unavailable' });
      expect(bench.upstreams.adviser.requests).toEqual([]);
      expect(bench.upstreams.main.requests).toHaveLength(1);
      expect(await bench.row(reply.id)).toMatchObject({ cost: CALL });
    });

    it('lets one of two loops that need the last of it continue, and spends no more than there is', async () => {
      const bound = await boundOf();
      // Enough for the first of them, with nothing left for the other.
      const key = await keyWith(2 * bound + (await extensionOf(bound)) + 0.00001, by);
      const { opened, open } = gate();
      const ended = gate();
      bench.begin();
      bench.upstreams.main.script(async (request, index) => {
        const isFirst = request.json.messages.length === 1;
        if (bench.upstreams.main.requests.length === 2) open();
        // The one that continues keeps its hold until the other has ended.
        await (isFirst ? opened : ended.opened);
        return (isFirst ? calls(USES.datetime) : answers('Done.'))(request, index);
      });
      const replies = await Promise.all(
        [1, 2].map(async () => {
          const reply = await bench.ask('/messages', {}, key);
          ended.open();
          return reply;
        }),
      );
      expect(replies.map(({ stop_reason }) => stop_reason).toSorted()).toEqual(['end_turn', 'pause_turn']);
      for (const { id, stop_reason } of replies) {
        expect(await bench.row(id)).toMatchObject({ cost: stop_reason === 'end_turn' ? 2 * CALL : CALL });
      }
    });
  });

  it.each<[string, Script, number]>([
    ['its first call has released its reservation', calls(USES.datetime), 0],
    // A use with 1,000 tokens of its result is reserved first. No page is reached at that address.
    [
      'a use that cost nothing has released its price',
      calls({ name: 'web_fetch', input: { url: 'http://127.0.0.1:1/' } }),
      PRICES.fetch + 3_000,
    ],
  ])('is there to the last of it once %s', async (_, script, reserved) => {
    const bound = await boundOf();
    const extension = await extensionOf(bound, script);
    // The cost of the first call, and a prompt that is longer by a use of a tool.
    expect(microUsd(extension)).toBeLessThan(reserved + 1_500);
    const needed = bound + extension;
    for (const [room, reason] of [
      [needed, 'end_turn'],
      [needed - 1e-12, 'pause_turn'],
    ] as const) {
      // oxfmt-ignore
      const { key } = await bench.gateway.newKey({ limit: usd(room) });
      bench.begin(script, answers('Done.'));
      const reply = await bench.ask('/messages', {}, key);
      expect(reply.stop_reason).toBe(reason);
      expect(await bench.row(reply.id)).toMatchObject({ cost: reason === 'end_turn' ? 2 * CALL : CALL });
    }
  });

  it.each([3, 5.2])(
    'is left to another request of the key while a loop holds, whose limit is %d of its answers',
    async (times) => {
      const bound = await boundOf();
      const { key } = await bench.gateway.newKey({ limit: usd(times * bound) });
      const abort = new AbortController();
      bench.begin(calls(USES.datetime), neverAnswers(), answers('Another.'));
      const pending = bench.gateway.messages(bench.body(), { key, signal: abort.signal }).catch(() => undefined);
      await bench.upstreams.main.request(1);
      const [hold] = (await bench.ledger.query('select bound from holds where cost is null')) as JsonBody[];
      // Held ahead only where as much again stays free.
      expect(Math.round(Number(hold.bound) / bound)).toBe(times === 3 ? 1 : 3);
      expect((await bench.ask('/messages', {}, key)).status).toBe(200);
      abort.abort();
      await pending;
      await bench.ledger.rest();
    },
  );

  it('is not reported as used up when other requests have released some', async () => {
    const bound = await boundOf();
    const large = await boundOf({ max_tokens: 8_000 });
    for (let round = 0; round < ROUNDS; round++) {
      // Enough for both at once, and for the second call when the large one has ended.
      const { key } = await bench.gateway.newKey({ limit: usd(bound + large + 0.0001) });
      const { opened, open } = gate();
      bench.begin(after(opened, calls(USES.datetime)), answers('Large.'), answers('Done.'));
      const looping = bench.ask('/messages', {}, key);
      await bench.upstreams.main.request(0);
      expect((await bench.ask('/messages', { max_tokens: 8_000 }, key)).stop_reason).toBe('end_turn');
      open();
      expect(await looping).toMatchObject({ stop_reason: 'end_turn', content: [{}, {}, { text: 'Done.' }] });
    }
  });

  it('is requested once where two advisors are consulted in parallel', async () => {
    // Far more expensive than the call that consults them.
    const advisor = { type: 'openrouter:advisor', parameters: { model: 'test/adviser', max_tokens: 8_000 } };
    const heldBy = async (count: number): Promise<number> => {
      const { key } = await bench.gateway.newKey();
      const abort = new AbortController();
      bench.begin(calls(...Array.from({ length: count }, () => USES.advisor)));
      bench.upstreams.adviser.script(neverAnswers());
      const body = bench.body({ tools: [advisor] });
      const pending = bench.gateway.messages(body, { key, signal: abort.signal }).catch(() => undefined);
      await bench.upstreams.adviser.request(count - 1);
      const [{ bound }] = (await bench.ledger.query('select bound from holds where cost is null')) as JsonBody[];
      abort.abort();
      await pending;
      await bench.row();
      return microUsd(bound);
    };
    const one = await heldBy(1);
    expect(await heldBy(2)).toBeLessThanOrEqual(2 * one);
  });

  it.each(FACES)('$route, stream $stream: ends with the ledger away, and reports what is charged', async (face) => {
    const { route, stream } = face;
    const { key } = await bench.gateway.newKey();
    const { opened, open } = gate();
    bench.begin(after(opened, answersAndCalls('Hm.', USES.datetime)), answers('Never.'));
    const pending = bench.ask(route, { stream }, key);
    await bench.upstreams.main.request(0);
    const failure = Object.assign(new Error('as the server reports'), { code: '57P03' });
    const repository = bench.gateway.gateway.app.get(LedgerRepository);
    const spies = (['take', 'note'] as const).map((name) => jest.spyOn(repository, name).mockRejectedValue(failure));
    open();
    const reply = await pending;
    for (const spy of spies) spy.mockRestore();
    expectEnd(route, reply, true);
    expect(reply.text).not.toContain('as the server reports');
    expect(bench.upstreams.main.requests).toHaveLength(1);
    expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: CALL });
  });

  it('continues without an advisor whose model is at its limit, and reports it', async () => {
    const { key } = await bench.gateway.newKey();
    const advisor = { type: 'openrouter:advisor', parameters: { model: 'test/limited' } };
    bench.begin(calls(USES.advisor), answers('Alone then.'));
    expect(await bench.ask('/messages', { model: 'test/limited', tools: [] }, key)).toMatchObject({ status: 200 });
    const reply = await bench.ask('/messages', { tools: [advisor] }, key);
    expect(reply.content).toMatchObject([
      {},
      { content: { error_code: 'too_many_requests' } },
      { text: 'Alone then.' },
    ]);
    expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 2 * CALL });
  });

  it.each(['deleted', 'disabled'])(
    'continues with a key that is %s in the middle of a loop, within its limit, and starts no further one',
    async (what) => {
      const bound = await boundOf();
      for (const isEnough of [true, false]) {
        const { key, hash } = await bench.gateway.newKey({ limit: usd(isEnough ? 2 * bound : bound + 0.00001) });
        const { opened, open } = gate();
        bench.begin(after(opened, calls(USES.datetime)), answers('Done.'));
        const pending = bench.ask('/messages', {}, key);
        await bench.upstreams.main.request(0);
        const { status } = await bench.gateway.request(`/keys/${hash}`, {
          key: MANAGEMENT_KEY,
          ...(what === 'deleted'
            ? { method: 'DELETE' }
            : { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"disabled":true}' }),
        });
        expect(status).toBe(200);
        open();
        const reply = await pending;
        expect(reply.stop_reason).toBe(isEnough ? 'end_turn' : 'pause_turn');
        expect(await bench.row(reply.id)).toMatchObject({ cost: isEnough ? 2 * CALL : CALL });
        expect((await bench.ask('/messages', {}, key)).status).toBe(401);
      }
    },
  );

  it('does not call a model that a policy forbids in the middle of a loop, and continues', async () => {
    const { key, hash } = await bench.gateway.newKey();
    const manage = async (path: string, body: object): Promise<JsonBody> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', key: MANAGEMENT_KEY, headers, body: JSON.stringify(body) };
      return (await bench.gateway.request(path, init)).json();
    };
    const { opened, open } = gate();
    bench.begin(after(opened, calls(USES.advisor)), answers('Alone then.'));
    const pending = bench.ask('/messages', {}, key);
    await bench.upstreams.main.request(0);
    const { data } = await manage('/guardrails', { name: 'narrow', allowed_models: ['test/main'] });
    await manage(`/guardrails/${data.id}/assignments/keys`, { key_hashes: [hash] });
    open();
    const reply = await pending;
    expect(reply.content).toMatchObject([{}, { content: { error_code: 'unavailable' } }, { text: 'Alone then.' }]);
    expect(bench.upstreams.adviser.requests).toEqual([]);
    expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: 2 * CALL });
  });

  it('charges each use and each call once, whatever they cost together', async () => {
    const { key } = await bench.gateway.newKey();
    bench.begin(calls(USES.search, USES.bash, bench.fetches, USES.advisor, USES.datetime), answers('All.'));
    const reply = await bench.ask('/messages', { tools: Object.values(TOOLS) }, key);
    const tools = PRICES.search + PRICES.bash + PRICES.fetch;
    expect(await bench.row(reply.id)).toMatchObject({ cost: 3 * CALL + tools, tools_cost: tools });
    expect(microUsd(reply.usage.cost)).toBe(3 * CALL + tools);
    expect(microUsd(reply.usage.cost_details.server_tool_cost)).toBe(tools);
  });
});
