/**
 * All of the gateway's tools can be tried without an account, with a sandbox model that makes the calls in the user's
 * text, step by step. The shipped catalog, whole and streamed, on both faces.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { buildMessage } from '../http/messages-bench.js';

const service = (name: string, parameters: object = {}) => ({ type: `openrouter:${name}`, parameters });
const BASH = service('bash', { engine: 'openrouter' });

describeOnEmbedded('tools of the sandbox', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  async function ask(tools: object[], lines: string[], fields: object = {}, route = '/messages'): Promise<JsonBody> {
    const response = await gateway.request(route, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox/tools',
        max_tokens: 2_000,
        messages: [{ role: 'user', content: ['Please:', ...lines].join('\n') }],
        tools,
        ...fields,
      }),
    });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    if (!('stream' in fields) || !fields.stream) {
      const body = JSON.parse(text);
      return route === '/chat/completions' ? body.choices[0].message : body;
    }
    return route === '/messages' ? buildMessage(readMessagesEvents(text)) : joinChunks(readChunks(text)).message;
  }
  const resultsIn = ({ content }: JsonBody): JsonBody[] =>
    content.filter(({ type }: JsonBody) => type.endsWith('_tool_result')).map((block: JsonBody) => block.content);

  it('are explained, with the model that draws and its price', async () => {
    const { data } = await ask([service('image_generation'), BASH], [], {}, '/routing/explain');
    expect(data.tools).toMatchObject([
      { runs_at: 'gateway', model: 'sandbox/image', model_pricing: { prompt: '1', completion: '2' }, price: '0' },
      { runs_at: 'gateway', engine: 'openrouter', model: null, price: '0' },
    ]);
    expect(data.tools[1]).not.toHaveProperty('model_pricing');
  });

  describe.each([false, true])('stream %s', (stream) => {
    it.each<[string, object, string, unknown]>([
      ['a command', BASH, 'call bash {"command":"echo hi"}', { stdout: 'hi\n', return_code: 0 }],
      [
        'a search',
        service('web_search'),
        'call web_search {"query":"boats"}',
        expect.arrayContaining([expect.objectContaining({ type: 'web_search_result' })]),
      ],
      [
        'a vendor’s search',
        { type: 'web_search_20250305', name: 'web_search' },
        'call web_search {"query":"boats"}',
        expect.arrayContaining([expect.objectContaining({ type: 'web_search_result' })]),
      ],
      [
        'a page',
        service('web_fetch'),
        'call web_fetch {"url":"http://127.0.0.1:1/"}',
        { error_code: 'url_not_allowed' },
      ],
      [
        'a vendor’s page',
        { type: 'web_fetch_20250910', name: 'web_fetch' },
        'call web_fetch {"url":"http://127.0.0.1:1/"}',
        { error_code: 'url_not_allowed' },
      ],
      ['the time', service('datetime', { timezone: 'UTC' }), 'call datetime', { timezone: 'UTC' }],
      [
        'models',
        service('experimental__search_models'),
        'call search_models {"query":"echo"}',
        { models: expect.arrayContaining([expect.objectContaining({ id: 'sandbox/echo' })]) },
      ],
      [
        'an adviser',
        service('advisor', { model: 'sandbox/echo' }),
        'call advisor {"question":"So?"}',
        { type: 'advisor_result', text: expect.stringContaining('So?') as string },
      ],
      [
        'a vendor’s adviser',
        { type: 'advisor_20260301', name: 'advisor', model: 'sandbox/echo' },
        'call advisor {"question":"So?"}',
        { type: 'advisor_result' },
      ],
      ['a picture', service('image_generation'), 'call generate_image {"prompt":"a boat"}', { status: 'ok' }],
    ])('calls %s', async (_, tool, line, result) => {
      const reply = await ask([tool], [line], { stream });
      expect(reply.stop_reason).toBe('end_turn');
      expect(resultsIn(reply)).toMatchObject([result]);
      expect(reply.content.at(-1)).toMatchObject({ type: 'text', text: expect.stringMatching(/^The tool answered: /) });
    });

    it('calls tools on chat too', async () => {
      const { content } = await ask([BASH], ['call bash {"command":"echo hi"}'], { stream }, '/chat/completions');
      expect(content).toMatch(/^The tool answered: [^]*hi/);
    });

    it('makes a step for each line', async () => {
      const lines = ['call bash {"command":"echo one > f"}', 'call datetime', 'call bash {"command":"cat f"}'];
      const reply = await ask([BASH, service('datetime')], lines, { stream });
      expect(resultsIn(reply)).toMatchObject([{ return_code: 0 }, { timezone: 'UTC' }, { stdout: 'one\n' }]);
      expect(reply.usage.iterations).toHaveLength(4);
    });

    it.each<[string, object, number]>([
      ['steps', { type: 'step_count_is', step_count: 2 }, 2],
      ['a tool', { type: 'has_tool_call', tool_name: 'bash' }, 2],
      ['tokens', { type: 'max_tokens_used', max_tokens: 1 }, 1],
      ['money', { type: 'max_cost', max_cost_in_dollars: 0 }, 1],
      ['a reason', { type: 'finish_reason_is', reason: 'tool_use' }, 1],
    ])('stops by %s', async (_, condition, steps) => {
      const lines = ['call datetime', 'call bash {"command":"true"}', 'call datetime'];
      const fields = { stream, stop_server_tools_when: [condition] };
      expect(resultsIn(await ask([BASH, service('datetime')], lines, fields))).toHaveLength(steps);
    });
  });

  it('fails a use beyond its limit and invalid arguments, and reports an unknown tool', async () => {
    const tool = service('web_search', { max_uses: 1 });
    const lines = ['call web_search {"query":"a"}', 'call web_search {"query":"b"}', 'call web_search {"query":5}'];
    const codes = resultsIn(await ask([tool], lines)).map(({ error_code }) => error_code);
    expect(codes).toEqual([undefined, 'max_uses_exceeded', 'max_uses_exceeded']);
    expect(resultsIn(await ask([service('web_search')], [lines[2]!]))).toMatchObject([{ error_code: 'invalid_tool_input' }]);
    expect((await ask([tool], ['call bash'])).content).toMatchObject([{ text: 'There is no tool bash.' }]);
  }); // oxfmt-ignore

  it('leaves the caller’s own tools to the caller', async () => {
    const own = { name: 'look', input_schema: { type: 'object' } };
    const reply = await ask([own, service('datetime')], ['call datetime', 'call look {"at":"it"}']);
    expect(reply).toMatchObject({ stop_reason: 'tool_use' });
    expect(reply.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'look', input: { at: 'it' } });
  });
});
