/**
 * The bounds of a loop hold at and beyond each of them: tool uses, steps, each kind of stop condition, parallel calls,
 * and the output of each call; an invalid condition is a 400 that names it. A double keeps calling tools, on every
 * face.
 */
import { anthropicReply } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { type Script } from '../support/upstream-answers.js';
import { gate } from '../http/messages-bench.js';
import { CALL, calls, LoopBench, PRICES, ROUTES, answers, TOOLS, USES } from './faults-bench.js';

const STEPS_MAX = 30;
const SIDE_BY_SIDE_MAX = 8;
/** Tokens of one call of the double. */
const TOKENS = 12 + 7;

describeOnEmbedded('a loop', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, {
      models: [{ id: 'test/short', model: { max_completion_tokens: 1_000 } }],
    });
  }, 240_000);
  afterAll(() => bench?.close());

  async function ask(fields: object, route: (typeof ROUTES)[number] = '/messages') {
    const { key } = await bench.gateway.newKey();
    return bench.ask(route, fields, key);
  }
  const sent = (): JsonBody[] => bench.upstreams.main.requests.map(({ json: body }) => body);
  /** Number of calls before the last one, in which tools are off. */
  const stepsBeforeLast = (): number => sent().findIndex(({ tool_choice: choice }) => choice?.type === 'none');

  it.each([1, 3])('runs a tool at most its permitted %i times, and then reports the limit', async (max_uses) => {
    const search = { ...TOOLS.search, parameters: { max_results: 2, max_uses } };
    bench.begin(...Array.from({ length: max_uses + 1 }, () => calls(USES.search)), answers('Enough.'));
    const reply = await ask({ tools: [search] });
    const results = reply.content.filter(({ type }: JsonBody) => type === 'web_search_tool_result');
    expect(results).toHaveLength(max_uses + 1);
    expect(results.slice(0, -1).every(({ content }: JsonBody) => Array.isArray(content))).toBe(true);
    expect(results.at(-1).content).toMatchObject({ error_code: 'max_uses_exceeded' });
    expect(reply.usage.server_tool_use.web_search_requests).toBe(max_uses);
    expect(bench.upstreams.engine.requests).toHaveLength(max_uses);
    expect(await bench.row(reply.id)).toMatchObject({
      cost: (max_uses + 2) * CALL + max_uses * PRICES.search,
      web_searches: max_uses,
    });
  });

  it('counts parallel uses of one step', async () => {
    const search = { ...TOOLS.search, parameters: { max_results: 2, max_uses: 2 } };
    bench.begin(calls(USES.search, USES.search, USES.search), answers('Enough.'));
    const reply = await ask({ tools: [search] });
    const codes = reply.content.map(({ content }: JsonBody) => content?.error_code).filter(Boolean);
    expect(codes).toEqual(['max_uses_exceeded']);
    expect(await bench.row(reply.id)).toMatchObject({ cost: 2 * CALL + 2 * PRICES.search });
  });

  it.each([
    ['advisor_20260301', { name: 'advisor', model: 'test/adviser', max_uses: 1 }],
    ['openrouter:advisor', { parameters: { model: 'test/adviser', max_uses: 1 } }],
  ])('consults an advisor by %s up to its limit', async (type, fields) => {
    bench.begin(calls(USES.advisor), calls(USES.advisor), answers('Enough.'));
    const reply = await ask({ tools: [{ type, ...fields }] });
    expect(reply.content[3].content).toMatchObject({ error_code: 'max_uses_exceeded' });
    expect(bench.upstreams.adviser.requests).toHaveLength(1);
    expect(await bench.row(reply.id)).toMatchObject({ cost: 4 * CALL });
  });

  it.each<[string, object, number]>([
    ['openrouter:advisor', { parameters: { model: 'test/short' } }, 1_000],
    ['openrouter:advisor', { parameters: { model: 'test/short', reasoning: { max_tokens: 1_024 } } }, 1_000],
    ['openrouter:advisor', { parameters: { model: 'test/adviser', max_completion_tokens: 100_000 } }, 8_192],
    ['advisor_20260301', { name: 'advisor', model: 'test/adviser', max_tokens: 9_000 }, 8_192],
  ])('limits the output of an advisor by %s to what it may give: %j', async (type, fields, max_tokens) => {
    bench.begin(calls(USES.advisor), answers('Enough.'));
    const reply = await ask({ tools: [{ type, ...fields }] });
    expect(reply.content[1].content).toEqual({ type: 'advisor_result', text: 'Do it.' });
    const consulted = bench.upstreams.adviser.requests.map(({ json: body }) => body);
    expect(consulted.map(({ max_tokens: most, thinking }) => [most, thinking])).toEqual([[max_tokens, undefined]]);
  });

  it.each(ROUTES)('%s: ends at thirty steps, and calls the model once more for the answer', async (route) => {
    bench.begin(...Array.from({ length: STEPS_MAX }, () => calls(USES.datetime)), answers('At last.'));
    const reply = await ask({}, route);
    expect(sent()).toHaveLength(STEPS_MAX + 1);
    expect(stepsBeforeLast()).toBe(STEPS_MAX);
    expect(JSON.stringify(route === '/messages' ? reply.content : reply.message)).toContain('At last.');
    expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: (STEPS_MAX + 1) * CALL });
  });

  it('runs through twenty-nine steps without a notice', async () => {
    bench.begin(...Array.from({ length: STEPS_MAX - 1 }, () => calls(USES.datetime)), answers('In time.'));
    const reply = await ask({});
    expect(stepsBeforeLast()).toBe(-1);
    expect(reply.stop_reason).toBe('end_turn');
  });

  describe('stops by a condition', () => {
    /** Conditions that end the loop after its second step, and ones that do not. */
    const CONDITIONS: readonly (readonly [at: object, past: object])[] = [
      [{ type: 'step_count_is', step_count: 2 }, { type: 'step_count_is', step_count: 5 }],
      [{ type: 'has_tool_call', tool_name: 'web_search' }, { type: 'has_tool_call', tool_name: 'web_fetch' }],
      [{ type: 'has_tool_call', tool_name: 'openrouter:web_search' }, { type: 'has_tool_call', tool_name: 'openrouter:bash' }],
      [{ type: 'max_tokens_used', max_tokens: 2 * TOKENS }, { type: 'max_tokens_used', max_tokens: 3 * TOKENS + 1 }],
      // The second search is charged by then.
      [{ type: 'max_cost', max_cost_in_dollars: (2 * CALL + PRICES.search) / 1e6 }, { type: 'max_cost', max_cost_in_dollars: 1 }],
      [{ type: 'finish_reason_is', reason: 'max_output' }, { type: 'finish_reason_is', reason: 'never' }],
    ]; // oxfmt-ignore

    it.each(CONDITIONS.slice(0, -1).map(([at]) => at))('that is met: %j', async (condition) => {
      bench.begin(calls(USES.datetime), calls(USES.search), answers('Stopped.'));
      const reply = await ask({ stop_server_tools_when: [condition] });
      expect(stepsBeforeLast()).toBe(2);
      expect(reply).toMatchObject({ stop_reason: 'end_turn' });
      expect(await bench.row(reply.id)).toMatchObject({ cost: 3 * CALL + PRICES.search });
    });

    it.each(CONDITIONS.map(([, past]) => past))('but not by one that is not met: %j', async (condition) => {
      bench.begin(calls(USES.datetime), calls(USES.search), calls(USES.datetime), answers('By itself.'));
      const reply = await ask({ stop_server_tools_when: [condition] });
      expect([sent().length, stepsBeforeLast()]).toEqual([4, -1]);
      expect(reply.stop_reason).toBe('end_turn');
    });

    it.each(['tool_use', 'tool_calls'])('on the reason of a step: %s', async (reason) => {
      bench.begin(calls(USES.datetime), answers('Stopped.'));
      await ask({ stop_server_tools_when: [{ type: 'finish_reason_is', reason }] });
      expect(stepsBeforeLast()).toBe(1);
    });

    it('is refused where it is null, and on chat null counts as absent', async () => {
      bench.begin(calls(USES.datetime), answers('By itself.'));
      const { status, text } = await ask({ stop_server_tools_when: null });
      expect([status, text]).toEqual([400, expect.stringContaining('stop_server_tools_when')]);
      await ask({ stop_server_tools_when: null }, '/chat/completions');
      expect([sent().length, stepsBeforeLast()]).toEqual([2, -1]);
    });

    it('of several, by any of them; an object counts as one', async () => {
      for (const stop_server_tools_when of [CONDITIONS[0]![0], [CONDITIONS[3]![1], CONDITIONS[0]![0]]]) {
        bench.begin(calls(USES.datetime), calls(USES.datetime), answers('Stopped.'));
        await ask({ stop_server_tools_when });
        expect(stepsBeforeLast()).toBe(2);
      }
    });

    it.each<[string, unknown]>([
      ['an unknown kind', [{ type: 'moon_is_full' }]],
      ['no kind', [{}]],
      ['no list', 'step_count_is'],
      ['a number', 7],
      ['an empty list', []],
      ['null in a list', [null]],
      ['steps as text', [{ type: 'step_count_is', step_count: '2' }]],
      ['no steps', [{ type: 'step_count_is' }]],
      ['steps null', [{ type: 'step_count_is', step_count: null }]],
      ['half a step', [{ type: 'step_count_is', step_count: 1.5 }]],
      ['no tool', [{ type: 'has_tool_call' }]],
      ['a tool that is no text', [{ type: 'has_tool_call', tool_name: 7 }]],
      ['no tokens', [{ type: 'max_tokens_used' }]],
      ['tokens as text', [{ type: 'max_tokens_used', max_tokens: '9' }]],
      ['no cost', [{ type: 'max_cost' }]],
      ['cost as text', [{ type: 'max_cost', max_cost_in_dollars: '0.1' }]],
      ['a cost below nothing', [{ type: 'max_cost', max_cost_in_dollars: -1 }]],
      ['no reason', [{ type: 'finish_reason_is' }]],
      ['a reason that is no text', [{ type: 'finish_reason_is', reason: null }]],
    ])('is a 400 that names it for %s', async (_, stop_server_tools_when) => {
      bench.begin(answers('Never.'));
      for (const route of ROUTES) {
        const { status, text } = await ask({ stop_server_tools_when }, route);
        expect(status).toBe(400);
        expect(text).toContain('stop_server_tools_when');
      }
      expect(sent()).toEqual([]);
    });
  });

  it('runs eight calls of a step at a time, and all of them', async () => {
    const { opened, open } = gate();
    let now = 0;
    let most = 0;
    const count = SIDE_BY_SIDE_MAX + 3;
    const adviser: Script = async (request, index) => {
      most = Math.max(most, ++now);
      if (now === SIDE_BY_SIDE_MAX) open();
      await opened;
      now--;
      return answers(`Do ${index}.`)(request, index);
    };
    bench.begin(calls(...Array.from({ length: count }, () => USES.advisor)), answers('All.'));
    bench.upstreams.adviser.script(adviser);
    const reply = await ask({});
    expect(most).toBe(SIDE_BY_SIDE_MAX);
    const results = reply.content.filter(({ type }: JsonBody) => type === 'advisor_tool_result');
    expect(results.map(({ tool_use_id: id }: JsonBody) => id)).toEqual(
      reply.content.filter(({ type }: JsonBody) => type === 'server_tool_use').map(({ id }: JsonBody) => id),
    );
    expect(await bench.row(reply.id)).toMatchObject({ cost: (count + 2) * CALL });
  });

  it.each(ROUTES)('%s: gives each call the same output limit', async (route) => {
    bench.begin(calls(USES.datetime), calls(USES.search), answers('Done.'));
    await ask({ max_tokens: 77 }, route);
    expect(sent().map(({ max_tokens: most }) => most)).toEqual([77, 77, 77]);
  });

  it('charges no call for more output than its limit', async () => {
    const tooMuch = anthropicReply([{ type: 'text', text: 'x' }], { usage: { output_tokens: 5_000 } });
    bench.begin(calls(USES.datetime), tooMuch);
    const reply = await ask({ max_tokens: 100 });
    const row = await bench.row(reply.id);
    expect(row).toMatchObject({ is_over_bound: true });
    expect(row.cost).toBeLessThan(CALL + 5_000 * 15);
    expect(row.operator_cost).toBeGreaterThan(0);
  });
});
