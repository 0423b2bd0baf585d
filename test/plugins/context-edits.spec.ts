// Requested edits of the context are applied by the vendor where it supports them, else by the gateway, so that models
// of every dialect read the same history. Each leg gets the edits that its vendor lacks, in a tool loop at each call;
// they are reported, counted and charged as sent. Strict doubles of every dialect, and scripted upstreams at endpoints
// of several contexts.
import { CLEARED_RESULT } from '../../src/core/conversation/clear-context.js';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { anthropicFrames } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { signatureOf, type WireDialect } from '../support/doubles/double.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { json, sse } from '../support/upstream-answers.js';
import { ask, at, inTurn, model, RoutingBench } from '../http/routing-bench.js';

const METADATA = { 'x-router-metadata': 'enabled' };
const USES = { type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 3 }, keep: { type: 'tool_uses', value: 2 } }; // oxfmt-ignore
const THINKING = { type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 1 } };
const BOTH = { edits: [THINKING, USES] };
const COMPACT = { type: 'compact_20260112' };

const thought = (words: string): object => ({
  type: 'thinking',
  thinking: words,
  signature: signatureOf('anthropic', words),
});
const use = (id: string): object => ({ type: 'tool_use', id, name: 'look', input: { at: `place of ${id}` } });
const result = (id: string, length = 400): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text: `result of ${id} ${'x'.repeat(length)}` }],
});
/** One question a turn, each answered by two tool uses and a text, with signed reasoning. */
const turn = (at: number, length?: number): object[] => [
  { role: 'user', content: `Question ${at}?` },
  { role: 'assistant', content: [thought(`thought ${at}a`), use(`toolu_${at}a`)] },
  { role: 'user', content: [result(`toolu_${at}a`, length)] },
  { role: 'assistant', content: [use(`toolu_${at}b`)] },
  { role: 'user', content: [result(`toolu_${at}b`, length)] },
  { role: 'assistant', content: [{ type: 'text', text: `Answer ${at}.` }] },
];
const talk = (turns: number, length?: number): object[] => [
  ...Array.from({ length: turns }, (_, at) => turn(at, length)).flat(),
  { role: 'user', content: 'And now?' },
];
const TOOLS = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }];

/**
 * Edits of three such turns with two uses each: all but the last two uses, and the reasoning of all but the last turn.
 */
const APPLIED = [
  { type: THINKING.type, cleared_thinking_turns: 2, cleared_input_tokens: expect.any(Number) as number },
  { type: USES.type, cleared_tool_uses: 4, cleared_input_tokens: expect.any(Number) as number },
];

const endOf = (events: readonly JsonBody[]): JsonBody => events.find(({ type }) => type === 'message_delta');
const metadataOf = (events: readonly JsonBody[]): JsonBody =>
  events.find(({ type }) => type === 'message_stop').router_metadata;
const count = (text: string, word: string): number => text.split(word).length - 1;

describeOnEmbedded('context edits, in every dialect', (database) => {
  const PLACES: readonly { id: string; slug: string; dialect: WireDialect; model: string; isBedrock?: true }[] = [
    { id: 'test/other-messages', slug: 'thinkingmachines', dialect: 'anthropic-messages', model: 'claude-sonnet-4-5' },
    { id: 'test/invoke', slug: 'amazon-bedrock', dialect: 'anthropic-messages', model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', isBedrock: true },
    { id: 'test/converse', slug: 'amazon-bedrock', dialect: 'bedrock-converse', model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', isBedrock: true },
    { id: 'test/cohere', slug: 'cohere', dialect: 'cohere-chat', model: 'command-a-reasoning-08-2025' },
    { id: 'test/gemini', slug: 'google-ai-studio', dialect: 'google-gemini', model: 'gemini-3-flash-preview' },
    { id: 'test/chat', slug: 'openai', dialect: 'openai-chat', model: 'gpt-5.1' },
    { id: 'test/responses', slug: 'openai', dialect: 'openai-responses', model: 'gpt-5.1' },
  ]; // oxfmt-ignore
  const NATIVE = { id: 'test/native', slug: 'anthropic', dialect: 'anthropic-messages', model: 'claude-sonnet-4-5' } as const; // oxfmt-ignore
  let direct: Double;
  let bedrock: Double;
  let gateway: TestGateway;

  beforeAll(async () => {
    [direct, bedrock] = await Promise.all([startDouble('direct'), startDouble('bedrock')]);
    const all = [...PLACES, NATIVE];
    const hostOf = (slug: string): Double => (slug === 'amazon-bedrock' ? bedrock : direct);
    gateway = await startGateway(database, {
      coolsDown: false,
      catalog: {
        version: 1,
        providers: [...new Map(all.map((target) => [target.slug, target])).values()].map(({ slug, dialect }) => ({
          slug,
          name: slug,
          dialect,
          platform: hostOf(slug).platform,
          base_url: hostOf(slug).baseUrl(dialect),
          credential: { value: hostOf(slug).credential },
        })),
        models: all.map(({ id, slug, dialect, model: upstream }) =>
          model(id, [{ provider: slug, model: upstream, dialect, pricing: { prompt: '1', completion: '2' } }], {
            max_completion_tokens: 8_000,
          }),
        ),
      },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([direct?.close(), bedrock?.close()]);
  });
  beforeEach(() => {
    for (const double of [direct, bedrock]) {
      double.script({ parts: [{ type: 'text', text: 'Now.' }] });
      double.calls.length = 0;
      double.violations.length = 0;
    }
  });

  const send = async (body: object): Promise<{ status: number; body: JsonBody; events: readonly JsonBody[] }> => {
    const response = await gateway.messages(body, { headers: METADATA });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    return {
      status: response.status,
      body: isStream ? undefined : JSON.parse(text),
      events: isStream ? readMessagesEvents(text) : [],
    };
  };
  const calls = (): JsonBody[] => [...direct.calls, ...bedrock.calls].map(({ body }) => body);
  const bodyFor = (to: string, more: object): object => ask(to, { messages: talk(3), tools: TOOLS, ...more });

  describe.each(PLACES)('$id', ({ id }) => {
    it.each([false, true])('reads the cleared history, stream: %s', async (stream) => {
      const { status, body, events } = await send(bodyFor(id, { context_management: BOTH, stream }));
      expect([status, body?.error, direct.violations, bedrock.violations]).toEqual([200, undefined, [], []]);
      const [sent] = calls().map((call) => JSON.stringify(call));
      expect(count(sent!, CLEARED_RESULT)).toBe(4);
      for (const use of ['0a', '0b', '1a', '1b']) expect(sent).not.toContain(`result of toolu_${use}`);
      for (const use of ['2a', '2b']) expect(sent).toContain(`result of toolu_${use}`);
      // Arguments stay unless clearing them is requested.
      for (const use of ['0a', '2b']) expect(sent).toContain(`place of toolu_${use}`);
      expect(sent).not.toMatch(/thought [01]a|context_management/);
      const reported = stream ? endOf(events) : body;
      expect(reported.context_management).toEqual({ applied_edits: APPLIED });
      const metadata = stream ? metadataOf(events) : body.router_metadata;
      expect(metadata.pipeline).toEqual([
        {
          type: 'context_compression',
          name: 'context-management',
          summary: `${THINKING.type}, ${USES.type}`,
          data: {
            endpoint: expect.any(String) as string,
            cleared_thinking_turns: 2,
            cleared_tool_uses: 4,
            cleared_input_tokens: APPLIED_TOKENS(reported),
            milliseconds: expect.any(Number) as number,
          },
          cost_usd: 0,
        },
      ]);
      expect(metadata.attempts[0].dropped ?? []).not.toContain('context_management');
    });

    it('clears arguments where that is requested, except those of excluded tools', async () => {
      const edit = { ...USES, clear_tool_inputs: ['look'] };
      await send(bodyFor(id, { context_management: { edits: [edit] } }));
      await send(bodyFor(id, { context_management: { edits: [{ ...edit, exclude_tools: ['look'] }] } }));
      expect([...direct.violations, ...bedrock.violations]).toEqual([]);
      const [cleared, excluded] = calls().map((call) => JSON.stringify(call));
      expect([count(cleared!, 'place of'), count(excluded!, 'place of')]).toEqual([2, 6]);
      expect(excluded).not.toContain(CLEARED_RESULT);
    });

    it('is sent an empty list below the trigger', async () => {
      const edit = { ...USES, trigger: { type: 'tool_uses', value: 6 } };
      const { body } = await send(bodyFor(id, { context_management: { edits: [edit] } }));
      expect(body.context_management).toEqual({ applied_edits: [] });
      expect(JSON.stringify(calls())).not.toContain(CLEARED_RESULT);
      expect(body.router_metadata.pipeline).toBeUndefined();
    });

    it('clears in each call of a tool loop, including the results of the loop', async () => {
      const datetime = (index: number): object => ({ type: 'call', id: `call_${index}`, name: 'datetime', input: {} });
      for (const double of [direct, bedrock]) {
        double.script((_, index) =>
          index < 2 ? { parts: [datetime(index) as never] } : { parts: [{ type: 'text', text: 'Noon.' }] },
        );
      }
      const keep = { type: 'tool_uses', value: 1 };
      const { status, body } = await send({
        ...bodyFor(id, { context_management: { edits: [{ ...USES, keep }] } }),
        tools: [...TOOLS, { type: 'openrouter:datetime' }],
      });
      expect([status, body.error, direct.violations, bedrock.violations]).toEqual([200, undefined, [], []]);
      expect(calls().map((call) => count(JSON.stringify(call), CLEARED_RESULT))).toEqual([5, 6, 7]);
      expect(body.context_management).toMatchObject({ applied_edits: [{ cleared_tool_uses: 7 }] });
    });
  });

  it('leaves the edits to a vendor that supports them, as a plan explains', async () => {
    await send(bodyFor('test/native', { context_management: BOTH }));
    expect(calls()[0].context_management).toEqual(BOTH);
    expect(JSON.stringify(calls()[0])).not.toContain(CLEARED_RESULT);
    const { data } = await explain('test/chat', { edits: [USES, COMPACT] });
    expect(data.candidates[0].dropped).toEqual(['context_management']);
    expect((await explain('test/chat', BOTH)).data.candidates[0].dropped ?? []).toEqual([]);
  });

  it('drops by name the edit that needs a model, and applies the rest', async () => {
    const { body } = await send(bodyFor('test/chat', { context_management: { edits: [COMPACT, USES] } }));
    expect(body.router_metadata.attempts[0].dropped).toContain('context_management');
    expect(body.context_management.applied_edits).toMatchObject([{ type: USES.type }]);
    const alone = await send(bodyFor('test/chat', { context_management: { edits: [COMPACT] } }));
    expect([alone.status, alone.body.context_management]).toEqual([200, null]);
    expect(alone.body.router_metadata.attempts[0].dropped).toContain('context_management');
  });

  const explain = async (to: string, context_management: object): Promise<JsonBody> => {
    const response = await gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyFor(to, { context_management })),
    });
    return response.json();
  };
  const APPLIED_TOKENS = (reported: JsonBody): number =>
    (reported.context_management.applied_edits as { cleared_input_tokens: number }[]).reduce(
      (sum, { cleared_input_tokens: tokens }) => sum + tokens,
      0,
    );
});

describeOnEmbedded('context edits, for each leg', (database) => {
  let bench: RoutingBench;
  let ledger: LedgerReader;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: {}, beta: { kind: 'openai' }, gamma: { quirks: { omit: ['context_management'] } } },
      models: [
        model('test/two', inTurn(['alpha', 'beta'])),
        model('test/lacks', [at('gamma')]),
        model('test/native', [at('alpha')]),
        model('test/short', [at('beta', { context_length: 8_192 })]),
        model('anthropic/lacks', [at('gamma')]),
      ],
    });
    ledger = new LedgerReader(bench.gateway);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());
  const bodyFor = (to: string, more: object = {}): object =>
    ask(to, { messages: talk(3), tools: TOOLS, context_management: BOTH, ...more });
  const sent = (slug: string): string => JSON.stringify(bench.sent(slug).json);

  it.each([false, true])(
    'falls back to an endpoint without support, and clears for that one only, stream: %s',
    async (stream) => {
      bench.fails('alpha', 500);
      const { body, events } = await bench.ask(bodyFor('test/two', { stream }), { headers: METADATA });
      expect(bench.calls).toEqual(['alpha', 'beta']);
      expect(bench.sent('alpha').json.context_management).toEqual(BOTH);
      expect([count(sent('alpha'), CLEARED_RESULT), count(sent('beta'), CLEARED_RESULT)]).toEqual([0, 4]);
      expect((stream ? endOf(events) : body).context_management).toEqual({ applied_edits: APPLIED });
    },
  );

  it.each([false, true])(
    "returns the vendor's report where the vendor applies the edits, stream: %s",
    async (stream) => {
      const message = {
      id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
    }; // oxfmt-ignore
      const reported = {
        applied_edits: [{ type: USES.type, cleared_tool_uses: 9, cleared_input_tokens: 99, more: 1 }],
      };
      const frames = anthropicFrames(message).map((frame) =>
        frame.replace(
          '{"type":"message_delta"',
          `{"context_management":${JSON.stringify(reported)},"type":"message_delta"`,
        ),
      );
      bench.script('alpha', stream ? sse(frames) : json({ ...message, context_management: reported }));
      const { body, events } = await bench.ask(bodyFor('test/native', { stream }));
      expect((stream ? endOf(events) : body).context_management).toEqual(reported);
    },
  );

  it('runs before compression: a prompt that fits once it is cleared loses nothing else', async () => {
    // About 12,000 tokens before, of which 8,000 are cleared.
    const messages = talk(3, 8_000);
    const { status, body } = await bench.ask(
      bodyFor('test/short', { messages, context_management: { edits: [{ ...USES, trigger: { type: 'input_tokens', value: 5_000 } }] } }),
      { headers: METADATA },
    ); // oxfmt-ignore
    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.router_metadata.pipeline).toMatchObject([{ name: 'context-management' }]);
    expect(count(sent('beta'), 'Question')).toBe(3);
  });

  it("keeps Claude's reasoning by Claude's default, and of others the last turn's", async () => {
    const edits = { context_management: { edits: [{ type: THINKING.type }] } };
    await bench.ask(bodyFor('anthropic/lacks', edits));
    expect(count(sent('gamma'), 'thought ')).toBe(3);
    await bench.ask(bodyFor('test/lacks', edits));
    expect(count(sent('gamma'), 'thought ')).toBe(1);
  });

  it('does not exclude an endpoint for a length that clearing removes', async () => {
    const messages = talk(3, 40_000);
    const { status } = await bench.ask(bodyFor('test/short', { messages, plugins: [{ id: 'context-compression', enabled: false }] })); // oxfmt-ignore
    expect([status, bench.calls]).toEqual([200, ['beta']]);
  });

  it('counts what would be sent, and reports the original size', async () => {
    const counted = async (to: string, more: object): Promise<JsonBody> => {
      const response = await bench.gateway.request('/messages/count_tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyFor(to, more)),
      });
      return response.json();
    };
    const plain = await counted('test/short', { context_management: null });
    const edited = await counted('test/short', {});
    expect(plain).toEqual({ input_tokens: expect.any(Number) as number });
    expect(edited.input_tokens).toBeLessThan(plain.input_tokens);
    expect(Math.abs(edited.context_management.original_input_tokens - plain.input_tokens)).toBeLessThan(3);
    const original = { original_input_tokens: 70 };
    bench.script('alpha', json({ input_tokens: 30, context_management: original }));
    expect(await counted('test/native', {})).toEqual({ input_tokens: 30, context_management: original });
    bench.script('gamma', json({ input_tokens: 30 }));
    const { input_tokens: tokens, context_management: reported } = await counted('test/lacks', {});
    expect([tokens, count(sent('gamma'), CLEARED_RESULT)]).toEqual([30, 4]);
    expect(reported.original_input_tokens).toBeGreaterThan(30 + 400);
  });

  it('is charged for what was sent, and leaves nothing held', async () => {
    await ledger.rest();
    const before = await ledger.account();
    const { body } = await bench.ask(bodyFor('test/lacks'));
    await ledger.rest();
    const after = await ledger.account();
    expect(after.used - before.used).toBeCloseTo(body.usage.cost, 12);
    expect([after.held, await ledger.openHolds()]).toEqual([before.held, 0]);
  });

  it('is no field of the other face', async () => {
    const response = await bench.gateway.request('/chat/completions', {
      method: 'POST',
      key: API_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/short',
        messages: [{ role: 'user', content: 'Hi' }],
        context_management: BOTH,
      }),
    });
    expect(response.status).toBe(200);
    expect(sent('beta')).not.toContain('context_management');
  });
});
