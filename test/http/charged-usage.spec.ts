/**
 * Checks that the charge of a reply follows one rule for every dialect, whole and streamed: unreported usage is
 * estimated and marked, usage that cannot be estimated is charged at the bound, compactions and advisors count, and
 * searches and hour-long caches are charged. The row, the charge and the printed usage of each case are compared for
 * scripted upstreams of both dialects. The models cost 3 USD per million input tokens and 15 USD per million output
 * tokens, the advisor 10 and 50.
 */
import { anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import { AheadClock } from '../support/ahead-clock.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { frame, json, sse, type Answer, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, delta, OPEN } from './messages-bench.js';

const MICRO = 1e-6;
/** Forty characters: ten tokens by estimate. */
const FORTY = 'forty characters are ten tokens or so...';
/** After this time the observations of an endpoint have faded: seven half-lives. */
const FADED_MS = 7 * 30 * 60_000;
/** Estimated tokens of `Hello`. */
const ESTIMATED_PROMPT = 7;
/** 67 tokens of prompt and the 100 that are allowed, in microdollars. */
const BOUND = 67 * 3 + 100 * 15;
const ADVISOR = { type: 'advisor_20260301', name: 'advisor', model: 'test/advisor', max_uses: 1 };

const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }], ...more })}\n\n`;

/** One reply with this text in each dialect, whole and streamed. `usage` is the vendor's own object, or none. */
const REPLIES: Record<string, (usage: object | undefined) => Answer | Script> = {
  'native whole': (usage) =>
    json({ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: FORTY }], stop_reason: 'end_turn', stop_sequence: null, ...(usage && { usage }) }),
  'native stream': (usage) =>
    sse([
      frame('message_start', { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null } }),
      frame('content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      delta(FORTY),
      frame('content_block_stop', { type: 'content_block_stop', index: 0 }),
      frame('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...(usage && { usage }) }),
      frame('message_stop', { type: 'message_stop' }),
    ]),
  'translated whole': (usage) =>
    json({ ...CHUNK, object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: FORTY } }], ...(usage && { usage }) }),
  'translated stream': (usage) =>
    sse([
      chunk({ delta: { role: 'assistant', content: FORTY } }),
      chunk({ finish_reason: 'stop' }),
      ...(usage ? [`data: ${JSON.stringify({ ...CHUNK, choices: [], usage })}\n\n`] : []),
      'data: [DONE]\n\n',
    ]),
}; // oxfmt-ignore

/** The figures in the form of each dialect. */
const spelt = (reply: string, input: unknown, output: unknown): object =>
  reply.startsWith('native')
    ? { input_tokens: input, output_tokens: output }
    : { prompt_tokens: input, completion_tokens: output };

interface ReportedUsage {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly is: { readonly prompt: number; readonly completion: number; readonly estimated: boolean };
}

const REPORTED_USAGES: Record<string, ReportedUsage> = {
  'what can be': { input: 12, output: 9, is: { prompt: 12, completion: 9, estimated: false } },
  'no output': { input: 12, is: { prompt: 12, completion: 10, estimated: true } },
  'output of 0': { input: 12, output: 0, is: { prompt: 12, completion: 10, estimated: true } },
  'output below 0': { input: 12, output: -4, is: { prompt: 12, completion: 10, estimated: true } },
  'a fraction': { input: 12, output: 20.5, is: { prompt: 12, completion: 21, estimated: true } },
  words: { input: '12', output: '9', is: { prompt: ESTIMATED_PROMPT, completion: 10, estimated: true } },
  'no prompt': { output: 9, is: { prompt: ESTIMATED_PROMPT, completion: 9, estimated: true } },
};

describeOnEachDatabase('the usage that is charged', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  let anthropic: Upstream;
  let openai: Upstream;
  let ledger: LedgerReader;

  beforeAll(async () => {
    [anthropic, openai] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    const native = { url: anthropic.url, dialect: 'anthropic-messages' } as const;
    const translated = { url: openai.url, dialect: 'openai-chat' } as const;
    const searching = { pricing: { prompt: '3', completion: '15', web_search: '0.01' } };
    const caching = {
      pricing: { prompt: '3', completion: '15', input_cache_write: '3.75', input_cache_write_1h: '6' },
    };
    const catalog = catalogOf(
      { id: 'test/native', at: [native] },
      { id: 'test/translated', at: [translated] },
      { id: 'test/searching', at: [translated], endpoint: searching },
      { id: 'test/caching', at: [native], endpoint: caching },
      { id: 'test/advisor', at: [native], endpoint: { pricing: { prompt: '10', completion: '50' } } },
      { id: 'test/elsewhere', at: [translated] },
      { id: 'test/wordy', at: [native] },
    );
    gateway = await startGateway(database, {
      catalog,
      variables: { FAIRLEAD_INITIAL_CREDITS: '1000' },
      coolsDown: false,
      clock,
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([anthropic, openai].map((upstream) => upstream?.close()));
  });

  const upstreamOf = (reply: string): Upstream => (reply.startsWith('native') ? anthropic : openai);
  const micro = (text: string): number => Math.round(Number(text) / MICRO);

  async function answered(body: object): Promise<{ text: string; row: JsonBody }> {
    const response = await gateway.messages(body);
    const text = await response.text();
    expect(text).not.toContain('"type":"error"');
    expect(response.status).toBe(200);
    return { text, row: await ledger.generation(response.headers.get('x-generation-id')!) };
  }

  describe.each(Object.keys(REPLIES))('of a reply: %s', (reply) => {
    const [model, mode] = reply.split(' ');
    const body = ask(`test/${model}`, { stream: mode === 'stream' });

    it.each(Object.entries(REPORTED_USAGES))('that reports %s', async (_, { input, output, is }) => {
      upstreamOf(reply).script(REPLIES[reply]!(spelt(reply, input, output)));
      const { text, row } = await answered(body);
      expect(row).toMatchObject({
        prompt_tokens: `${is.prompt}`,
        completion_tokens: `${is.completion}`,
        is_estimated: is.estimated,
        is_over_bound: false,
        operator_cost: '0.000000000000',
      });
      expect(micro(row.cost)).toBe(is.prompt * 3 + is.completion * 15);
      const printed = text.slice(text.lastIndexOf('"usage"'));
      expect(printed).toContain(`"input_tokens":${is.prompt},"output_tokens":${is.completion}`);
    });

    it('that reports a free prompt of 0 tokens', async () => {
      const free = { ...spelt(reply, 0, 9), cost_details: { upstream_inference_prompt_cost: 0 } };
      upstreamOf(reply).script(REPLIES[reply]!(free));
      const { row } = await answered(body);
      expect(row).toMatchObject({ prompt_tokens: '0', completion_tokens: '9', is_estimated: false });
      expect(micro(row.cost)).toBe(9 * 15);
    });

    it('that reports no usage', async () => {
      upstreamOf(reply).script(REPLIES[reply]!(undefined));
      const { row } = await answered(body);
      expect(row).toMatchObject({ completion_tokens: '10', is_estimated: true });
      expect(micro(row.cost)).toBe(ESTIMATED_PROMPT * 3 + 150);
    });

    it.each([
      ['output', 12, 200_000],
      ['prompt', 90_000, 9],
    ])('that reports more %s than is possible', async (_, input, output) => {
      upstreamOf(reply).script(REPLIES[reply]!(spelt(reply, input, output)));
      const before = await implausible();
      const { text, row } = await answered(body);
      expect(micro(row.bound)).toBe(BOUND);
      expect(micro(row.cost)).toBe(BOUND);
      expect(micro(row.operator_cost)).toBe(input * 3 + output * 15 - BOUND);
      expect(row.is_over_bound).toBe(true);
      expect(micro(row.prompt_cost) + micro(row.completion_cost) + micro(row.tools_cost)).toBe(BOUND);
      expect(text).toContain(`"cost":${BOUND / 1e6}`);
      expect(await implausible()).toBe(before + 1);
      // The observation has faded before the next case.
      clock.aheadMs += FADED_MS;
    });
  });

  describe('of an endpoint whose replies exceed their bounds', () => {
    const body = { model: 'test/wordy', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
    const OUTPUT = 700;
    const REPORTED_MICRO = 12 * 3 + OUTPUT * 15;
    /** (100 + 256) × 2: the 700 are 1.97 times what is observed, in steps of a sixteenth. */
    const WIDENED = 67 * 3 + 712 * 15;
    const reply = (): void => anthropic.script(REPLIES['native whole']!(spelt('native', 12, OUTPUT)));

    async function ask(key?: string): Promise<JsonBody> {
      reply();
      const response = await gateway.messages(body, key === undefined ? {} : { key });
      expect(response.status).toBe(200);
      await response.text();
      return ledger.generation(response.headers.get('x-generation-id')!);
    }

    async function explained(): Promise<JsonBody> {
      const response = await gateway.request('/routing/explain', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return ((await response.json()) as JsonBody).data.candidates[0];
    }

    it('is an operator cost once per caller, then held and charged, for all callers after two, until it fades', async () => {
      const lost = { bound: BOUND, cost: BOUND, operator: REPORTED_MICRO - BOUND, isOver: true };
      const paid = { bound: WIDENED, cost: REPORTED_MICRO, operator: 0, isOver: false };
      const amounts = (row: JsonBody): object => ({
        bound: micro(row.bound),
        cost: micro(row.cost),
        operator: micro(row.operator_cost),
        isOver: row.is_over_bound,
      });
      const [second, third] = [(await gateway.newKey()).key, (await gateway.newKey()).key];
      expect((await explained()).health).toBeNull();
      expect([amounts(await ask()), amounts(await ask())]).toEqual([lost, paid]);
      expect((await explained()).health).toMatchObject({ widening: { input: 1, output: 2 } });
      expect(micro((await explained()).bound)).toBe(WIDENED);
      expect([amounts(await ask(second)), amounts(await ask(third))]).toEqual([lost, paid]);

      const metrics = await gateway.metrics();
      expect(metrics).toMatch(/fairlead_ledger_events_total\{event="widened"\} [1-9]/);
      const costs = [...metrics.matchAll(/fairlead_operator_cost_usd_total\{provider="[^"]+"\} (\S+)/g)];
      const total = costs.reduce((sum, [, cost]) => sum + Number(cost), 0);
      expect(total).toBeGreaterThanOrEqual((2 * (REPORTED_MICRO - BOUND)) / 1e6 - 1e-9);

      clock.aheadMs += FADED_MS;
      expect(amounts(await ask(third))).toEqual(lost);
    });
  });

  async function implausible(): Promise<number> {
    const text = await gateway.metrics();
    return Number(/fairlead_ledger_events_total\{event="implausible"\} (\d+)/.exec(text)?.[1] ?? 0);
  }

  it('estimates a stream that reports before its last content and never again', async () => {
    const end = frame('content_block_stop', { type: 'content_block_stop', index: 0 }) +
      frame('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }) +
      frame('message_stop', { type: 'message_stop' }); // oxfmt-ignore
    anthropic.script(sse([OPEN + delta(FORTY) + end]));
    const native = await answered(ask('test/native', { stream: true }));
    expect(native.row).toMatchObject({ prompt_tokens: '3', completion_tokens: '10', is_estimated: true });
    const early = { usage: { prompt_tokens: 3, completion_tokens: 1 } };
    openai.script(
      sse([
        chunk({ delta: { content: FORTY.slice(0, 4) } }, early),
        chunk({ delta: { content: FORTY.slice(4) } }),
        chunk({ finish_reason: 'stop' }),
        'data: [DONE]\n\n',
      ]),
    );
    const translated = await answered(ask('test/translated', { stream: true }));
    expect(translated.row).toMatchObject({ prompt_tokens: '3', completion_tokens: '10', is_estimated: true });
  });

  it('charges the searches of a chat upstream', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 9, server_tool_use: { web_search_requests: 3 } };
    openai.script(REPLIES['translated whole']!(usage));
    const { row } = await answered(ask('test/searching'));
    expect(row.web_searches).toBe(3);
    expect(micro(row.cost)).toBe(12 * 3 + 9 * 15 + 30_000);
  });

  it.each([
    ['1h', 6],
    ['5m', 3.75],
  ])('charges writes of %s as such where their lifetime is not reported', async (ttl, price) => {
    const content = [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral', ttl } }];
    anthropic.script(anthropicText('Hi.', { usage: { input_tokens: 0, cache_creation_input_tokens: 40 } }));
    const { row } = await answered(ask('test/caching', { messages: [{ role: 'user', content }] }));
    expect(micro(row.cost)).toBe(40 * price + 7 * 15);
  });

  it('charges a compaction, and includes it in the tokens of the record', async () => {
    const call = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const iterations = [
      { type: 'compaction', input_tokens: 200, output_tokens: 30, ...call },
      { type: 'message', input_tokens: 12, output_tokens: 7, ...call },
    ];
    anthropic.script(anthropicText('Hi.', { usage: { iterations } }));
    const { text, row } = await answered(
      ask('test/native', { context_management: { edits: [{ type: 'compact_20260112' }] } }),
    );
    expect(row).toMatchObject({ prompt_tokens: '212', completion_tokens: '37', is_over_bound: false });
    expect(micro(row.cost)).toBe(212 * 3 + 37 * 15);
    expect(micro(row.bound)).toBeGreaterThan(2 * BOUND);
    expect(JSON.parse(text).usage).toMatchObject({ input_tokens: 12, output_tokens: 7, iterations });
  });

  describe('with an advisor', () => {
    const advised = ask('test/native', { tools: [ADVISOR] });
    const iterations = [
      { type: 'message', input_tokens: 12, output_tokens: 7 },
      { type: 'advisor_message', model: 'advisor', input_tokens: 100, output_tokens: 20 },
    ];

    it('names it as its provider does, holds for it, and charges it at its own price', async () => {
      anthropic.script(anthropicReply([{ type: 'text', text: 'Hi.' }], { usage: { iterations } }));
      const arrival = anthropic.request();
      const { row } = await answered(advised);
      const sent = (await arrival).json;
      expect(sent.tools).toEqual([{ ...ADVISOR, model: expect.not.stringContaining('/') }]);
      expect(micro(row.cost)).toBe(12 * 3 + 7 * 15 + 100 * 10 + 20 * 50);
      expect(row).toMatchObject({
        model: 'test/native',
        prompt_tokens: '12',
        completion_tokens: '7',
        is_over_bound: false,
      });
      expect(Number(row.bound)).toBeGreaterThan(1);
    });

    it.each([
      ['the catalog does not have', { ...ADVISOR, model: 'test/nobody' }, 'test/native'],
      ['no model named', { ...ADVISOR, model: '' }, 'test/native'],
    ])('refuses one that %s', async (_, tool, model) => {
      const response = await gateway.messages(ask(model, { tools: [{ name: 'f', input_schema: {} }, tool] }));
      expect(response.status).toBe(400);
      expect(((await response.json()) as JsonBody).error.message).toContain('tools.1.model: ');
    });

    it('is called by the gateway where its provider does not serve it: the model is shown a function', async () => {
      anthropic.script(anthropicReply([{ type: 'text', text: 'Hi.' }]));
      const arrival = anthropic.request();
      const tools = [{ ...ADVISOR, model: 'test/elsewhere' }];
      expect((await gateway.messages(ask('test/native', { tools }))).status).toBe(200);
      expect((await arrival).json.tools).toMatchObject([{ name: 'advisor', input_schema: { type: 'object' } }]);
    });
  });
});
