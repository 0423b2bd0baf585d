/**
 * The restrictions of a key bind its tools too: consulted models have to be permitted, and each step and each consulted
 * model uses up its tokens; a refusal in the middle of a loop is a result of the tool, or the end of the turn, and
 * never an HTTP error. Scripted doubles, with a clock in the middle of a minute. Rules:
 * docs/use/limits.md#limits-of-keys.
 */
import { StandingClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';
import { calls, LoopBench, ROUTES, answers, TOOLS, USES } from './faults-bench.js';

const FACES = ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
/** Tokens of each call: its prompt has 12, its reply 7. */
const CALL_TOKENS = 19;
/** More than a request of the bench holds together with its tools. */
const ROOMY = 20_000;

describeOnEmbedded('the restrictions of keys, and their tools', (database) => {
  const clock = new StandingClock();
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { clock });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => void (clock.aheadMs += 60_000 - (clock.now() % 60_000) + 20_000));

  it.each(FACES)(
    'end the turn where the tokens of the minute are used up: $route $stream',
    async ({ route, stream }) => {
      // Less than one request may use: it takes all of a minute.
      const { key } = await bench.gateway.newKey({ rate_limits: { tokens_per_minute: 100 } });
      bench.begin(calls(USES.datetime), answers('Never.'));
      const reply = await bench.ask(route, { stream }, key);
      expect(reply.status).toBe(200);
      expect(reply.stop_reason ?? reply.finish_reason).toBe(route === '/messages' ? 'pause_turn' : 'length');
      expect(bench.upstreams.main.requests).toHaveLength(1);
      await bench.row();
    },
  );

  it('are reported to a tool whose model has no tokens left', async () => {
    const { key } = await bench.gateway.newKey({ rate_limits: { tokens_per_minute: 100 } });
    bench.begin(calls(USES.advisor), answers('Never.'));
    const reply = await bench.ask('/messages', { tools: [TOOLS.advisor] }, key);
    expect(reply.content.at(-1).content).toMatchObject({ error_code: 'too_many_requests' });
    expect(reply.stop_reason).toBe('pause_turn');
    expect(bench.upstreams.adviser.requests).toEqual([]);
    await bench.row();
  });

  it('count the tokens of each call, and one request for all of them', async () => {
    const rate_limits = { tokens_per_minute: ROOMY, requests_per_minute: 2 };
    const { key } = await bench.gateway.newKey({ rate_limits });
    bench.begin(calls(USES.advisor), answers('Done.'));
    const reply = await bench.ask('/messages', { tools: [TOOLS.advisor] }, key);
    expect(reply.stop_reason).toBe('end_turn');
    expect([bench.upstreams.main.requests.length, bench.upstreams.adviser.requests.length]).toEqual([2, 1]);
    await bench.row(reply.id);
    const tooMuch = { tools: [], messages: [{ role: 'user', content: 'x '.repeat(ROOMY) }] };
    const response = await bench.gateway.messages(bench.body(tooMuch), { key });
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([
      429,
      String(ROOMY - 3 * CALL_TOKENS),
    ]);
    expect((await bench.ask('/messages', { tools: [] }, key)).status).toBe(200);
    const third = await bench.ask('/messages', { tools: [] }, key);
    expect([third.status, third.body.error.metadata.limit]).toEqual([429, 'requests_per_minute']);
  });

  it.each([
    ['tools.0.parameters.model', TOOLS.advisor],
    ['tools.0.model', { type: 'advisor_20260301', name: 'advisor', model: 'test/adviser' }],
  ])('call no model that the key may not use: %s', async (field, tool) => {
    const { key } = await bench.gateway.newKey({ allowed_models: ['test/main'] });
    bench.begin(answers('Never.'));
    const { status, body } = await bench.ask('/messages', { tools: [tool] }, key);
    const message = `${field}: The allowed_models of this key do not have test/adviser.`;
    expect([status, body.error.message]).toEqual([403, message]);
    expect([bench.upstreams.main.requests, bench.upstreams.adviser.requests]).toEqual([[], []]);
  });
});
