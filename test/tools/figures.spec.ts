/**
 * Reported figures of tools match what happened: requested and executed calls, requests to the web, the cost of each
 * step, which engine searched and its results, and the models that this key may call. An upstream calls tools, whole
 * and streamed, on both faces.
 */
import { anthropicReply, anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ActiveGuardrails, NONE } from '../../src/guardrails/active-guardrails.js';
import { buildMessage } from '../http/messages-bench.js';

const ASK = { role: 'user', content: 'Look.' };
const SEARCH = { type: 'openrouter:web_search', parameters: { max_results: 2, max_uses: 1 } };
const FETCH = { type: 'openrouter:web_fetch' };
const CLOCK = { type: 'openrouter:datetime' };
const BASH = { type: 'openrouter:bash', parameters: { engine: 'openrouter' } };
const MODELS = { type: 'openrouter:experimental__search_models', parameters: { max_results: 20 } };
const CALLERS = {
  messages: { name: 'look', description: 'Looks.', input_schema: { type: 'object' } },
  chat: { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } },
};
const search = (query: string) => ({ name: 'web_search', input: { query } });
const fetching = (url: string) => ({ name: 'web_fetch', input: { url } });

describeOnEmbedded('figures of tools', (database) => {
  let upstream: Upstream;
  let adviser: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    [upstream, adviser] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' as const }];
    gateway = await startGateway(database, {
      catalog: {
        ...catalogOf(
          { id: 'test/one', at },
          { id: 'test/searching', at, endpoint: { pricing: { prompt: '3', completion: '15', web_search: '0.01' } } },
          { id: 'test/wise', at: [{ url: adviser.url, dialect: 'openai-chat' }] },
        ),
        tools: { web_search: { default: 'simulated', engines: { simulated: { price: '0.004' } } } },
      },
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([upstream, adviser].map((one) => one?.close()));
  });

  const begin = (...scripts: readonly Script[]): void => {
    upstream.requests.length = 0;
    upstream.script((request, index) => scripts[Math.min(index, scripts.length - 1)]!(request, index));
  };
  const post = (path: string, body: object, init: object = {}) =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ model: 'test/one', max_tokens: 1_000, messages: [ASK], ...body }),
      ...init,
    });

  async function ask(stream: boolean, body: object): Promise<JsonBody> {
    const response = await post('/messages', { ...body, stream });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    if (!stream) return JSON.parse(text);
    const events = readMessagesEvents(text);
    return { ...buildMessage(events), ...events.at(-1) };
  }

  async function chat(stream: boolean, body: object): Promise<JsonBody> {
    const response = await post('/chat/completions', { ...body, stream });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    if (stream) return joinChunks(readChunks(text));
    const { choices, usage } = JSON.parse(text);
    return { ...choices[0], usage };
  }

  async function recorded(id: string): Promise<JsonBody> {
    await ledger.rest();
    const response = await gateway.request(`/generation?id=${id}`);
    return ((await response.json()) as JsonBody).data;
  }

  describe.each([false, true])('stream %s', (stream) => {
    const step = anthropicToolUse({ name: 'datetime', input: {} }, search('boats'), search('more'), {
      name: 'datetime',
      input: { none: 1, such: 'field' },
    });

    it('counts requested and executed calls of all tools on chat', async () => {
      begin(step, anthropicText('Done.'));
      const { usage } = await chat(stream, { tools: [CLOCK, SEARCH] });
      expect(usage.server_tool_use_details).toEqual({
        tool_calls_requested: 4,
        tool_calls_executed: 3,
        web_search_requests: 1,
      });
      begin(anthropicToolUse({ name: 'datetime', input: {} }), anthropicText('Late.'));
      const late = await chat(stream, { tools: [CLOCK] });
      expect(late.usage.server_tool_use_details).toMatchObject({ tool_calls_requested: 1, tool_calls_executed: 1 });
    });

    it('counts no request that did not reach the web', async () => {
      const nowhere = [search(' '), fetching('ftp://x'), fetching('nonsense'), fetching('http://127.0.0.1/private')];
      begin(anthropicToolUse(...nowhere), anthropicText('Nothing.'));
      const { usage, id, content } = await ask(stream, { tools: [SEARCH, FETCH] });
      expect(content.filter(({ type }: JsonBody) => type.endsWith('_result'))).toHaveLength(4);
      expect(usage).toMatchObject({ server_tool_use: null, cost_details: { server_tool_cost: 0 } });
      expect(await recorded(id)).toMatchObject({ num_searches: 0, num_fetches: 0, web_search_engine: null });
    });

    it('records the cost of tools, the search engine, and its results', async () => {
      begin(step, anthropicText('Done.'));
      const { id, usage } = await ask(stream, { tools: [CLOCK, SEARCH] });
      expect(usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
      expect(await recorded(id)).toMatchObject({
        server_tool_cost: 0.004,
        num_searches: 1,
        num_search_results: 2,
        web_search_engine: 'simulated',
        total_cost: usage.cost,
      });
    });

    it('counts the searches of a vendor by its report or its results, and none where it cites an earlier one', async () => {
      const cited = { type: 'web_search_result_location', cited_text: 'c', url: 'https://a', title: 'A', encrypted_index: 'i' };
      const citing = { type: 'text', text: 'So.', citations: [cited] };
      const found = [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'boats' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ type: 'web_search_result', url: 'https://a', title: 'A', encrypted_content: 'e', page_age: null }] },
      ];
      const body = { model: 'test/searching', tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
      const searches = async (content: readonly JsonBody[], usage: object, messages: readonly object[] = [ASK]) => {
        begin(anthropicReply(content, { usage: usage as Record<string, unknown> }));
        const reply = await ask(stream, { ...body, messages });
        const row = await recorded(reply.id);
        expect(row.total_cost).toBe(reply.usage.cost);
        return [row.num_searches, Math.floor(reply.usage.cost / 0.01)];
      };
      const later = [ASK, { role: 'assistant', content: [...found, citing] }, { role: 'user', content: 'And?' }];
      expect(await searches([citing], {}, later)).toEqual([0, 0]);
      expect(await searches([citing], { server_tool_use: null }, later)).toEqual([0, 0]);
      expect(await searches([...found, citing], {})).toEqual([1, 1]);
      expect(await searches([...found, citing], { server_tool_use: { web_search_requests: 2 } })).toEqual([2, 2]);
    }); // oxfmt-ignore

    it('reports the cost of each stage, consulted models included, and the reason of a refusal', async () => {
      begin(anthropicToolUse({ name: 'advisor', input: {} }, search('a'), search('b')), anthropicText('So.'));
      adviser.script(openaiText('Do it.'));
      const tools = [{ type: 'advisor_20260301', name: 'advisor', model: 'test/wise' }, SEARCH];
      const { router_metadata, usage } = await ask(stream, { tools });
      const { pipeline } = router_metadata;
      const advice = usage.iterations[1];
      expect(advice).toMatchObject({ type: 'advisor_message', model: 'test/wise' });
      const cost = (advice.input_tokens * 3 + advice.output_tokens * 15) / 1e6;
      expect(cost).toBeGreaterThan(0);
      expect(pipeline).toMatchObject([
        { type: 'server_tools', name: 'advisor_20260301', summary: 'completed', cost_usd: expect.closeTo(cost, 12) },
        { name: SEARCH.type, summary: 'completed', cost_usd: 0.004, data: { step: 1 } },
        { name: SEARCH.type, summary: 'refused', cost_usd: 0, data: { step: 1, error_code: 'max_uses_exceeded' } },
      ]);
      expect(usage.cost_details.server_tool_cost).toBe(0.004);
    });

    it('shows only models that this key may call', async () => {
      const found = async (query: string): Promise<string[]> => {
        begin(anthropicToolUse({ name: 'search_models', input: { query } }), anthropicText('These.'));
        const { content } = await ask(stream, { tools: [MODELS] });
        return content[1].content.models.map(({ id }: JsonBody) => id);
      };
      // The shipped catalogue has them, but there is no credential for them here.
      expect(await found('claude gpt gemini')).toEqual([]);
      expect(await found('test')).toEqual(['test/one', 'test/searching', 'test/wise']);
      const guardrails = gateway.gateway.app.get(ActiveGuardrails, { strict: false });
      const policies = [{ ignoreModels: ['*/wise'] }];
      const inForce = jest.spyOn(guardrails, 'of').mockResolvedValue({ ...NONE, policies });
      try {
        expect(await found('test')).toEqual(['test/one', 'test/searching']);
      } finally {
        inForce.mockRestore();
      }
    });

    it('keeps no container whose id no response carries', async () => {
      const count = async (): Promise<number> =>
        (await ledger.query('select count(*)::int as count from tool_containers'))[0].count;
      const before = await count();
      const commands = ['echo seven > note', 'cat note'].map((command) =>
        anthropicToolUse({ name: 'bash', input: { command } }),
      );
      begin(...commands, anthropicText('Seven.'));
      await chat(stream, { tools: [BASH] });
      // Within one reply its files are kept.
      expect(JSON.stringify(upstream.requests[2]!.json)).toContain('seven\\n');
      expect(await count()).toBe(before);
      begin(...commands, anthropicText('Seven.'));
      const { content } = await ask(stream, { tools: [BASH] });
      expect(content[1].content.container_id).toMatch(/^[\w-]{20}$/);
      expect(await count()).toBe(before + 1);
    });

    it('informs the model in the next turn which results did not fit on chat', async () => {
      const print = { name: 'bash', input: { command: 'printf "%030000d" 1' } };
      const steps = Array.from({ length: 10 }, () => anthropicToolUse(print));
      begin(...steps, anthropicToolUse({ name: 'look', input: {} }));
      const tools = [BASH, CALLERS.chat];
      const { message } = await chat(stream, { tools });
      const { reasoning_details: details, tool_calls } = message;
      expect(details).toHaveLength(10);
      expect(details.reduce((sum: number, { data }: JsonBody) => sum + data.length, 0)).toBeLessThanOrEqual(256 * 1024);
      begin(anthropicText('I see.'));
      const assistantTurn = { ...message, role: 'assistant', content: message.content ?? null };
      await chat(stream, {
        tools,
        messages: [ASK, assistantTurn, { role: 'tool', tool_call_id: tool_calls[0].id, content: 'there' }],
      });
      const [{ json }] = upstream.requests as unknown as [{ json: JsonBody }];
      const results = json.messages.flatMap(({ content }: JsonBody) =>
        Array.isArray(content) ? content.filter(({ type }: JsonBody) => type === 'tool_result') : [],
      );
      expect(results).toHaveLength(11);
      const texts = results.map((result: JsonBody) => JSON.stringify(result));
      expect(texts[0]).toMatch(/too large to be kept/);
      expect(texts[9]).toMatch(/00000001/);
      expect(texts[10]).toMatch(/there/);
    });
  });

  it('explains what runs a tool, and the vendor’s price', async () => {
    const tools = [SEARCH, { type: 'web_search_20250305', name: 'web_search' }, FETCH, BASH].slice(1);
    tools.push({ type: 'advisor_20260301', name: 'advisor', model: 'test/wise' } as never);
    const response = await post('/routing/explain', { model: 'test/searching', fallbacks: [{ model: 'test/one' }], tools });
    const { data } = (await response.json()) as JsonBody;
    expect(data.tools).toMatchObject([
      { runs_at: 'gateway', engine: 'simulated', model: null, price: '0.004', native_at: [{ tag: 'p0', price: '0.01' }] },
      { runs_at: 'gateway', engine: 'openrouter', model: null, native_at: [] },
      { runs_at: 'gateway', engine: 'openrouter', model: null, native_at: [] },
      { runs_at: 'gateway', engine: null, model: 'test/wise', model_pricing: { prompt: '3', completion: '15' }, price: '0', native_at: [] },
    ]);
  }); // oxfmt-ignore
});
