/**
 * The calls of a step are bounded and checked alike, whole and streamed, on every face: invalid arguments, many calls
 * at once, uses beyond a limit, names that two tools share. A strict upstream with the real application.
 */
import { describeOnEmbedded } from '../support/database.js';
import { openaiReply, openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import {
  CALL,
  calls,
  inTurn,
  LoopBench,
  PRICES,
  ROUTES,
  answers,
  answersAndCalls,
  TOOLS,
  USES,
} from './faults-bench.js';

/** Deeper than a history that is sent back may be. */
const DEEP = `{"timezone":${'['.repeat(300)}${']'.repeat(300)}}`;

describeOnEmbedded('bounds of the loop of tools', (database) => {
  let openai: Upstream;
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    openai = await startUpstream('openai');
    bench = await LoopBench.start(database, {
      models: [
        { id: 'test/openai', at: [{ url: openai.url, dialect: 'openai-chat' }] },
        { id: 'test/searcher', at: [{ url: openai.url, dialect: 'openai-chat' }] },
      ],
    });
    ({ key } = await bench.gateway.newKey({}));
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await openai?.close();
  });

  const resultsOf = (reply: JsonBody): JsonBody[] =>
    reply.content.filter(({ type }: JsonBody) => type.endsWith('_tool_result'));

  describe.each(['{"timezone"', '[1]', '"Paris"', 'null', DEEP])('arguments %s', (text) => {
    it.each(ROUTES.flatMap((route) => [false, true].map((stream) => [route, stream] as const)))(
      'are a failure that the model is sent, on %s, stream %s',
      async (route, stream) => {
        openai.requests.length = 0;
        const broken = openaiReply({ tools: [{ name: 'datetime', arguments: text }] });
        openai.script(inTurn(broken, openaiText('It is late.')));
        const fields = { model: 'test/openai', tools: [TOOLS.datetime], stream };
        const reply = await bench.ask(route, fields, key);
        expect(reply.status).toBe(200);
        expect(JSON.stringify(reply.content ?? reply.message)).toContain('It is late.');
        const [, { json: second }] = openai.requests as [JsonBody, JsonBody];
        const [, use, result] = second.messages;
        expect(use.tool_calls).toMatchObject([{ function: { name: 'datetime', arguments: '{}' } }]);
        expect(result.content).toMatch(/invalid_tool_input|arguments/);
        if (route !== '/messages') return;
        expect(reply.content[0]).toMatchObject({ type: 'server_tool_use', input: {} });
        // A reader of the stream parses the arguments it receives.
        const pieces = [...reply.text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(([, json]) =>
          JSON.parse(json),
        );
        expect(() => JSON.parse(pieces.join('') || '{}')).not.toThrow();
      },
    );
  });

  it('runs sixty-four calls of a step, and is not delayed by the others', async () => {
    bench.begin(calls(...Array.from({ length: 2_000 }, () => USES.datetime)), answers('It is late.'));
    const reply = await bench.ask('/messages', { tools: [TOOLS.datetime] }, key);
    const failed = resultsOf(reply).filter(({ content }) => JSON.stringify(content).includes('max_uses_exceeded'));
    expect(resultsOf(reply)).toHaveLength(2_000);
    expect(failed).toHaveLength(2_000 - 64);
    expect(reply.stop_reason).toBe('end_turn');
  });

  it('holds money for what may run only', async () => {
    const once = { type: 'openrouter:web_search', parameters: { max_results: 2, max_uses: 1 } };
    // Enough for one use, for 1,000 tokens of its result, and for eleven refusals.
    const limit = (2 * (await boundOf([once])) * 1e6 + PRICES.search + 10_000) / 1e6;
    const { key: poor } = await bench.gateway.newKey({ limit: Number(limit.toFixed(12)) });
    bench.begin(calls(...Array.from({ length: 12 }, () => USES.search)), answers('Two boats.'));
    const reply = await bench.ask('/messages', { tools: [once], max_tokens: 300 }, poor);
    expect(bench.upstreams.engine.requests).toHaveLength(1);
    expect(reply.stop_reason).toBe('end_turn');
    expect(resultsOf(reply)[0]!.content).toMatchObject([{ type: 'web_search_result' }]);
    expect((await bench.row(reply.id)).tools_cost).toBe(PRICES.search);
  });

  it('runs as many uses as the limit allows, in their order, and reads them', async () => {
    const bound = await boundOf([TOOLS.search]);
    // A use with 1,000 tokens of its result, beside both calls.
    const perUse = PRICES.search + 3_000;
    const { key: poor } = await bench.gateway.newKey({ limit: Number((2 * bound + (4 * perUse) / 1e6).toFixed(12)) });
    bench.begin(calls(...Array.from({ length: 8 }, () => USES.search)), answers('All of them.'));
    const reply = await bench.ask('/messages', { tools: [TOOLS.search], max_tokens: 300 }, poor);
    expect(reply.stop_reason).toBe('end_turn');
    const failures = resultsOf(reply).map(({ content }) => content.error_code ?? 'none');
    const room = failures.filter((failure) => failure === 'none').length;
    expect([3, 4]).toContain(room);
    expect(failures).toEqual([...Array<string>(room).fill('none'), ...Array<string>(8 - room).fill('unavailable')]);
    expect(bench.upstreams.engine.requests).toHaveLength(room);
    expect((await bench.row(reply.id)).cost).toBe(2 * CALL + room * PRICES.search);
  });

  async function boundOf(tools: readonly object[]): Promise<number> {
    const response = await bench.gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bench.body({ tools, max_tokens: 300 })),
    });
    const { data } = (await response.json()) as JsonBody;
    return Number(data.candidates[0].bound);
  }

  it('leaves results that parallel searches do not return to the others', async () => {
    const search = { type: 'openrouter:web_search', parameters: { max_results: 25 } };
    bench.begin(calls(USES.search, USES.search, USES.search, USES.search), answers('So.'));
    const reply = await bench.ask('/messages', { tools: [search] }, key);
    expect(resultsOf(reply).map(({ content }) => content.error_code ?? content.length)).toEqual([1, 1, 1, 1]);
  });

  it('runs nothing that is called where no tool may be', async () => {
    bench.begin(calls(USES.search), answers('Never.'));
    const fields = { tools: [TOOLS.search], tool_choice: { type: 'none' } };
    const reply = await bench.ask('/messages', fields, key);
    expect(reply).toMatchObject({ stop_reason: 'end_turn' });
    expect(resultsOf(reply)).toMatchObject([{ content: { error_code: 'max_uses_exceeded' } }]);
    expect([bench.upstreams.engine.requests, bench.upstreams.main.requests]).toMatchObject([[], { length: 1 }]);
    expect((await bench.row(reply.id)).cost).toBe(CALL);
  });

  it('sends an advisor the step that consults it', async () => {
    bench.begin(answersAndCalls('I plan to sink it.', USES.advisor), answers('So be it.'));
    const reply = await bench.ask('/messages', { tools: [TOOLS.advisor] }, key);
    expect(reply.stop_reason).toBe('end_turn');
    const [{ json }] = bench.upstreams.adviser.requests as [JsonBody];
    expect(JSON.stringify(json.messages)).toContain('I plan to sink it.');
  });

  it("gives precedence to the caller's bash, whose calls are the caller's", async () => {
    const handed = { type: 'bash_20250124', name: 'bash' };
    for (const tools of [
      [TOOLS.bash, handed],
      [handed, TOOLS.bash],
    ]) {
      bench.begin(calls(USES.bash));
      const reply = await bench.ask('/messages', { tools }, key);
      expect(reply).toMatchObject({ stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'bash' }] });
      const [{ json }] = bench.upstreams.main.requests as [JsonBody];
      expect(json.tools.map(({ name }: JsonBody) => name).sort()).toEqual(['bash', 'bash_2']);
    }
  });
});
