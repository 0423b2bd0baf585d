/**
 * Checks POST /responses over every kind of upstream: whole and streamed replies, loops of the caller's tools in all
 * their forms, reasoning that returns to its maker, failures before and after the start, records and costs. The real
 * application runs over strict loopback upstreams; each reply is handed back as a client does it.
 * Rules: docs/use/responses.md.
 */
import { anthropicReply, anthropicText, anthropicThinking } from '../support/anthropic-upstream.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { seal } from '../support/doubles/double.js';
import { openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { messageItem, responsesReply, responsesText } from '../support/responses-upstream.js';
import { CUT, frame, json, sse, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { delta, OPEN } from './messages-bench.js';

const MODELS = ['test/native', 'test/chat', 'test/own'] as const;
type ModelName = (typeof MODELS)[number];
const MODES = [
  { mode: 'whole', stream: false },
  { mode: 'streamed', stream: true },
] as const;
const CASES = MODELS.flatMap((model) => MODES.map(({ mode, stream }) => ({ model, mode, stream })));

const LOOK = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
const PATCH = { type: 'custom', name: 'patch', description: 'Changes a file.' };
const PROOF = { include: ['reasoning.encrypted_content'] };
const SEALED = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'First this.' }],
  encrypted_content: seal('openai', 'First this.'),
};
const user = (content: string): object => ({ role: 'user', content });

describeOnEmbedded('POST /responses', (database) => {
  let gateway: TestGateway;
  const upstreams = {} as Record<ModelName, Upstream>;

  beforeAll(async () => {
    const kinds = { 'test/native': 'anthropic', 'test/chat': 'openai', 'test/own': 'responses' } as const;
    const dialects = {
      'test/native': 'anthropic-messages',
      'test/chat': 'openai-chat',
      'test/own': 'openai-responses',
    };
    const slugs = { 'test/native': 'anthropic', 'test/chat': 'chat', 'test/own': 'openai' };
    for (const name of MODELS) upstreams[name] = await startUpstream(kinds[name]);
    const supported_parameters = [
      'reasoning',
      'tools',
      'tool_choice',
      'max_tokens',
      'temperature',
      'structured_outputs',
    ];
    const pricing = { prompt: '3', completion: '15', input_cache_read: '0.3' };
    const searching = { ...pricing, web_search: '0.01' };
    const prices = { 'test/native': searching, 'test/chat': pricing, 'test/own': searching };
    const catalog = {
      extends: 'default',
      version: 1,
      providers: MODELS.map((name) => ({
        slug: slugs[name],
        name: slugs[name],
        dialect: dialects[name],
        base_url: upstreams[name].url,
        credential: { value: `credential-of-${slugs[name]}` },
      })),
      models: MODELS.map((id) => ({
        id,
        name: id,
        context_length: 200_000,
        input_modalities: ['text', 'image', 'file'],
        output_modalities: ['text'],
        endpoints: [{ provider: slugs[id], model: 'upstream', pricing: prices[id], supported_parameters }],
      })),
    };
    gateway = await startGateway(database, { catalog, coolsDown: false, variables: { LOG_LEVEL: 'error' } });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(MODELS.map((name) => upstreams[name]?.close()));
  });

  const sentTo = (model: ModelName): JsonBody => upstreams[model].requests.at(-1)!.json;

  const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    gateway.request('/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  /** The response, from the last event where it is streamed. */
  async function ask(body: JsonBody, headers: Record<string, string> = {}): Promise<JsonBody> {
    const response = await post({ input: 'Hello', ...body }, headers);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return body.stream ? readResponseEvents(text).at(-1).response : JSON.parse(text);
  }

  const outputText = (response: JsonBody): string =>
    response.output.flatMap(({ content }: JsonBody) => content ?? []).map(({ text }: JsonBody) => text).join(''); // oxfmt-ignore

  describe.each(CASES)('$model, $mode', ({ model, stream }) => {
    const scripts: Record<ModelName, (text: string) => Script> = {
      'test/native': anthropicText,
      'test/chat': openaiText,
      'test/own': responsesText,
    };
    const calls: Record<ModelName, (name: string, input: object) => Script> = {
      'test/native': (name, input) => anthropicReply([{ type: 'tool_use', id: 'call_1', name, input: input as JsonBody }], { stopReason: 'tool_use' }), // oxfmt-ignore
      'test/chat': (name, input) => openaiTools({ name, input }),
      'test/own': (name, input) => responsesReply([{ id: 'fc_1', type: 'function_call', call_id: 'call_1', name, arguments: JSON.stringify(input), status: 'completed' }]), // oxfmt-ignore
    };

    it('answers, is recorded and charged once', async () => {
      upstreams[model].script(scripts[model]('Grüße, 你好 👋'));
      const response = await post({ model, input: 'Hello', stream, instructions: 'Be brief.', metadata: { a: 'b' } });
      const text = await response.text();
      const body = stream ? readResponseEvents(text).at(-1).response : JSON.parse(text);
      expect(body).toMatchObject({
        id: response.headers.get('x-generation-id'),
        object: 'response',
        status: 'completed',
        model,
        error: null,
        incomplete_details: null,
        instructions: 'Be brief.',
        metadata: { a: 'b' },
        output: [{ type: 'message', role: 'assistant', status: 'completed' }],
        store: false,
      });
      expect(outputText(body)).toBe('Grüße, 你好 👋');
      const { usage } = body;
      expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
      expect(usage.cost).toBeGreaterThan(0);
      const { data } = (await (await gateway.request(`/generation?id=${body.id}`)).json()) as JsonBody;
      expect(data).toMatchObject({ api: 'responses', model, streamed: stream, total_cost: usage.cost });
    });

    it.each([
      ['a function', LOOK, { at: 'it' }, { type: 'function_call', name: 'look', arguments: '{"at":"it"}' }],
      ['a tool of a namespace', { type: 'namespace', name: 'fs', description: 'd', tools: [LOOK] }, {}, { type: 'function_call', name: 'look', namespace: 'fs', arguments: '{}' }],
    ])('continues with %s', async (_what, tool, input, call) => {
      const called = 'namespace' in call ? 'fs__look' : 'look';
      upstreams[model].script(calls[model](called, input));
      const first = await ask({ model, stream, tools: [tool] });
      expect(first.output).toMatchObject([{ ...call, status: 'completed' }]);
      upstreams[model].script(scripts[model]('It is there.'));
      const output = { type: 'function_call_output', call_id: first.output[0].call_id, output: 'found' };
      const second = await ask({ model, stream, tools: [tool], input: [user('Hello'), ...first.output, output] });
      expect(outputText(second)).toBe('It is there.');
      expect(JSON.stringify(sentTo(model))).toContain('found');
      expect(JSON.stringify(sentTo(model))).toContain(first.output[0].call_id);
    }); // oxfmt-ignore

    it('ends a reply that was cut off as incomplete', async () => {
      const cut: Record<ModelName, Script> = {
        'test/native': anthropicText('Half', { stopReason: 'max_tokens' }),
        'test/chat': ({ json: { stream: isStream, model: name } }) => {
          const head = { id: 'c', object: 'chat.completion', created: 1, model: name };
          const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
          const choice = { index: 0, finish_reason: 'length' };
          return isStream
            ? sse([frame('', { ...head, object: 'chat.completion.chunk', choices: [{ ...choice, delta: { role: 'assistant', content: 'Half' } }], usage }), 'data: [DONE]\n\n'])
            : json({ ...head, choices: [{ ...choice, message: { role: 'assistant', content: 'Half' } }], usage });
        },
        'test/own': responsesReply([messageItem('Half')], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
      }; // oxfmt-ignore
      upstreams[model].script(cut[model]);
      expect(await ask({ model, stream })).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete', content: [{ text: 'Half' }] }],
      });
    });
  });

  describe.each(MODES)('$mode', ({ stream }) => {
    it('hands a custom tool to other formats as a function of one text, and its text back', async () => {
      const input = '*** Begin "Patch" \n👋\u0007';
      for (const model of ['test/native', 'test/chat'] as const) {
        upstreams[model].script(model === 'test/native' ? anthropicReply([{ type: 'tool_use', id: 'call_1', name: 'patch', input: { input } }], { stopReason: 'tool_use' }) : openaiTools({ name: 'patch', input: { input } })); // oxfmt-ignore
        const { output } = await ask({ model, stream, tools: [PATCH] });
        expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input }]);
        const [tool] = sentTo(model).tools;
        expect(tool.input_schema ?? tool.function.parameters).toMatchObject({ properties: { input: { type: 'string' } }, required: ['input'] }); // oxfmt-ignore
        upstreams[model].script(model === 'test/native' ? anthropicText('Done.') : openaiText('Done.'));
        const result = { type: 'custom_tool_call_output', call_id: output[0].call_id, output: 'applied' };
        await ask({ model, stream, tools: [PATCH], input: [user('Hello'), ...output, result] });
        expect(JSON.stringify(sentTo(model))).toContain('applied');
      }
    });

    it('passes the tools of this format as they are to a provider of it', async () => {
      const model = 'test/own';
      const input = 'a "text" 👋';
      const items = [
        { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input },
        { id: 'sh_1', type: 'shell_call', call_id: 'call_2', action: { commands: ['ls'], timeout_ms: null, max_output_length: null }, status: 'completed' },
        { id: 'apc_1', type: 'apply_patch_call', call_id: 'call_3', operation: { type: 'delete_file', path: 'a' }, status: 'completed' },
      ]; // oxfmt-ignore
      const tools = [PATCH, { type: 'shell' }, { type: 'apply_patch' }];
      upstreams[model].script(responsesReply(items));
      const { output } = await ask({ model, stream, tools, tool_choice: { type: 'custom', name: 'patch' } });
      expect(sentTo(model)).toMatchObject({ tools, tool_choice: { type: 'custom', name: 'patch' } });
      const idless = (list: readonly JsonBody[]) =>
        list.map(({ id: _id, ...item }) => ({ status: 'completed', ...item }));
      expect(output.map(({ id }: JsonBody) => id)).toEqual(items.map(({ id }) => id));
      expect(idless(output)).toEqual(idless(items));
      upstreams[model].script(responsesText('Done.'));
      const results = [
        { type: 'custom_tool_call_output', call_id: 'call_1', output: 'one' },
        { type: 'shell_call_output', call_id: 'call_2', output: [{ stdout: 's', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
        { type: 'apply_patch_call_output', call_id: 'call_3', status: 'completed' },
      ]; // oxfmt-ignore
      await ask({ model, stream, tools, input: [user('Hello'), ...output, ...results] });
      expect(sentTo(model).input.slice(1)).toEqual([...output, ...results]);
    });

    it('returns sealed reasoning, summaries and phases to the provider that made them, and to no other', async () => {
      const model = 'test/own';
      upstreams[model].script(responsesReply([SEALED, messageItem('Let me look.', { phase: 'commentary' })]));
      const { output } = await ask({ model, stream, ...PROOF });
      expect(output).toMatchObject([
        { type: 'reasoning', id: 'rs_1', summary: SEALED.summary, encrypted_content: expect.stringMatching(/^fr1\./) },
        { type: 'message', phase: 'commentary' },
      ]);
      upstreams[model].script(responsesText('Done.'));
      await ask({ model, stream, ...PROOF, input: [user('Hello'), ...output, user('And?')] });
      expect(sentTo(model).input.slice(1, 3)).toEqual([
        SEALED,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }], phase: 'commentary' }, // oxfmt-ignore
      ]);
      // The proof alone is enough.
      const [{ encrypted_content }, message] = output;
      await ask({ model, stream, input: [user('Hello'), { type: 'reasoning', summary: [], encrypted_content }, message, user('And?')] }); // oxfmt-ignore
      expect(sentTo(model).input[1]).toMatchObject({ id: 'rs_1', encrypted_content: SEALED.encrypted_content });
      upstreams['test/native'].script(anthropicText('Done.'));
      await ask({ model: 'test/native', stream, input: [user('Hello'), ...output, user('And?')] });
      expect(JSON.stringify(sentTo('test/native'))).not.toContain(SEALED.encrypted_content);
      const altered = `${encrypted_content.slice(0, -1)}${encrypted_content.endsWith('0') ? '1' : '0'}`;
      for (const foreign of [altered, 'gAAAAforeign', SEALED.encrypted_content]) {
        await ask({ model, stream, input: [user('Hello'), { type: 'reasoning', summary: [], encrypted_content: foreign }, message, user('And?')] }); // oxfmt-ignore
        expect(JSON.stringify(sentTo(model).input)).not.toContain('encrypted_content');
      }
    });

    it('returns signed thinking to Anthropic, and shows its proof only where it is requested', async () => {
      const model = 'test/native';
      upstreams[model].script(anthropicThinking('Hm, let me see.', 'Here.'));
      const bare = await ask({ model, stream, reasoning: { max_tokens: 1_024 }, max_output_tokens: 4_000 });
      expect(bare.output).toMatchObject([{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm, let me see.' }] }, { type: 'message' }]); // oxfmt-ignore
      expect(JSON.stringify(bare)).not.toContain('encrypted_content');
      const { output } = await ask({ model, stream, ...PROOF });
      const [{ encrypted_content }, message] = output;
      const stripped = { type: 'reasoning', id: 'rs_x', summary: [], encrypted_content };
      await ask({ model, stream, input: [user('Hello'), stripped, message, user('And?')] });
      expect(sentTo(model).messages[1].content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm, let me see.', signature: expect.stringMatching(/./) }); // oxfmt-ignore
    });

    it('runs the tools of the gateway, and shows their uses as items', async () => {
      const tools = [{ type: 'web_search' }, { type: 'openrouter:datetime' }];
      const lines = ['Please:', 'call web_search {"query":"boats"}', 'call datetime {}'];
      const body = { model: 'sandbox/tools', stream, tools, max_output_tokens: 2_000 };
      const { output, usage } = await ask({ ...body, input: lines.join('\n') });
      const search = output.find(({ type }: JsonBody) => type === 'web_search_call');
      expect(search).toMatchObject({ status: 'completed', action: { type: 'search', query: 'boats', sources: expect.arrayContaining([expect.objectContaining({ type: 'url' })]) } }); // oxfmt-ignore
      expect(output.find(({ type }: JsonBody) => type === 'openrouter:datetime')).toMatchObject({ timezone: 'UTC', status: 'completed' }); // oxfmt-ignore
      expect(output.at(-1)).toMatchObject({ type: 'message' });
      expect(usage.server_tool_use_details).toMatchObject({ tool_calls_executed: 2, web_search_requests: 1 });
      // The client sends the items back, and they are left out.
      await ask({ ...body, input: [user('Hello'), ...output, user('Thanks.')] });
    });

    it('states how it was routed where that is requested', async () => {
      upstreams['test/chat'].script(openaiText('Hi.'));
      const routed = await ask({ model: 'test/chat', stream }, { 'x-router-metadata': 'enabled' });
      expect(routed).toMatchObject({
        router_metadata: { requested: 'test/chat' },
        openrouter_metadata: { attempt: 1 },
      });
      const { router_metadata: absent } = await ask({ model: 'test/chat', stream });
      expect(absent).toBeUndefined();
    });

    it('falls back to other models, and heals JSON', async () => {
      upstreams['test/chat'].script(json({ error: { message: 'no', type: 'server_error' } }, 500));
      upstreams['test/native'].script(anthropicText('```json\n{"a": 1,}\n```'));
      const response = await ask({
        models: ['test/chat', 'test/native'],
        stream,
        plugins: [{ id: 'response-healing' }],
        text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false } } }, // oxfmt-ignore
      });
      expect(response.model).toBe('test/native');
      expect(JSON.parse(outputText(response))).toEqual({ a: 1 });
    });

    it('fails before its start with a status and an integer code', async () => {
      for (const [status, expected] of [[500, 502], [429, 429]] as const) {
        upstreams['test/chat'].script(json({ error: { message: 'no', type: 'server_error' } }, status));
        const response = await post({ model: 'test/chat', input: 'Hello', stream });
        expect([response.status, ((await response.json()) as JsonBody).error]).toMatchObject([expected, { code: expected, message: expect.any(String) }]); // oxfmt-ignore
      }
    }); // oxfmt-ignore
  });

  it('fails after its start with a last event, in words that agents know', async () => {
    upstreams['test/native'].script(sse([OPEN, delta('Hal'), CUT]));
    const text = await (await post({ model: 'test/native', input: 'Hello', stream: true })).text();
    const events = readResponseEvents(text);
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } }); // oxfmt-ignore
    expect(events.at(-1).response.error.message).toMatch(
      /provider returned error|overloaded|connection error|rate limit/,
    );
    expect(events.map(({ delta: piece }) => piece ?? '').join('')).toBe('Hal');
  });

  it('shows what was sent upstream where that is requested', async () => {
    upstreams['test/own'].script(responsesText('Hi.'));
    const body = { model: 'test/own', input: 'Hello', stream: true, debug: { echo_upstream_body: true } };
    const events = readResponseEvents(await (await post(body)).text());
    expect(events[2]).toMatchObject({ type: 'response.debug', debug: { echo_upstream_body: { model: 'upstream' } } });
  });

  it('sends equal prefixes as equal bytes', async () => {
    const input = [
      { role: 'developer', content: 'Rules.' },
      user('a'),
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{ "b":1, "a":2 }' },
      { type: 'function_call_output', call_id: 'c1', output: 'r' },
    ];
    for (const model of MODELS) {
      upstreams[model].script({ 'test/native': anthropicText('x'), 'test/chat': openaiText('x'), 'test/own': responsesText('x') }[model]); // oxfmt-ignore
      await ask({ model, tools: [LOOK], input });
      const one = sentTo(model);
      await ask({ model, tools: [LOOK], input: [...input, { role: 'assistant', content: 'b' }, user('c')] });
      const two = sentTo(model);
      const key = model === 'test/own' ? 'input' : 'messages';
      const printed = JSON.stringify(one[key]).slice(0, -1);
      expect(JSON.stringify(two[key]).startsWith(printed)).toBe(true);
      expect(JSON.stringify(two.tools)).toBe(JSON.stringify(one.tools));
    }
  });

  it.each<[object, string]>([
    [{ store: true }, 'store: must be false'],
    [{ previous_response_id: 'gen-1' }, 'previous_response_id: must be null'],
    [{ background: true }, 'background: must be false'],
    [{ prompt: { id: 'p' } }, 'prompt: is not supported'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input.0.id: cannot be resolved'],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: '' }] }, 'input.0.call_id: no call before it'],
    [{ model: null }, 'model: is required; send model or models'],
    [{ stream: 'yes' }, 'stream: must be a boolean'],
  ])('refuses %j with what to do', async (more, message) => {
    const before = MODELS.map((name) => upstreams[name].requests.length);
    const response = await post({ model: 'test/chat', input: 'Hello', ...more });
    const { error } = (await response.json()) as JsonBody;
    expect([response.status, error.code]).toEqual([400, 400]);
    expect(error.message).toContain(message);
    expect(MODELS.map((name) => upstreams[name].requests.length)).toEqual(before);
  });

  it('needs an inference key', async () => {
    const body = JSON.stringify({ model: 'test/chat', input: 'Hello' });
    const statusOf = async (key: string | null) => (await gateway.request('/responses', { method: 'POST', key, body, headers: { 'content-type': 'application/json' } })).status; // oxfmt-ignore
    expect(await statusOf(null)).toBe(401);
    expect(await statusOf('sk-fl-v1-nobody')).toBe(401);
  });

  it('survives a million items, deep nesting and foreign names', async () => {
    const many = `{"model":"test/chat","input":[${'{},'.repeat(999_999)}{}]}`;
    const deep = `{"model":"test/chat","input":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const names = '{"model":"test/chat","input":[{"type":"__proto__"},{"type":"constructor"}]}';
    for (const body of [many, deep, names]) {
      const response = await gateway.request('/responses', { method: 'POST', body, headers: { 'content-type': 'application/json' } }); // oxfmt-ignore
      expect(response.status).toBe(400);
    }
    upstreams['test/chat'].script(openaiText('Alive.'));
    expect(outputText(await ask({ model: 'test/chat' }))).toBe('Alive.');
  }, 240_000);

  describe('a search that an agent offers by itself', () => {
    const SEARCH = { type: 'web_search', external_web_access: true };
    const LEFT_OUT =
      'tools.1: is left out: no vendor of this model runs it here, and this gateway lacks an engine for it';

    it.each([false, true])('is left out with a warning where nobody can run it, stream %s', async (stream) => {
      upstreams['test/chat'].script(openaiText('Hi.'));
      const body = { model: 'test/chat', input: 'Hello', stream, tools: [LOOK, SEARCH], tool_choice: 'auto' };
      const response = await post(body);
      const text = await response.text();
      expect([response.status, response.headers.get('x-fairlead-warning')]).toEqual([200, LEFT_OUT]);
      expect(text).toContain('Hi.');
      expect(sentTo('test/chat').tools).toMatchObject([{ function: { name: 'look' } }]);
      const explained: JsonBody = await (await gateway.request('/routing/explain?format=responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })).json(); // oxfmt-ignore
      expect(explained.data.warnings).toEqual([LEFT_OUT]);
    });

    describe.each([false, true])('stream %s', (stream) => {
      it.each([
        ['test/native', anthropicText, { type: 'web_search_20250305', name: 'web_search' }],
        ['test/own', responsesText, { type: 'web_search' }],
      ] as const)('is sent to a vendor that runs it: %s', async (model, text, own) => {
        upstreams[model].script(text('Hi.'));
        const response = await post({ model, input: 'Hello', stream, tools: [LOOK, SEARCH] });
        expect([response.status, response.headers.get('x-fairlead-warning')]).toEqual([200, null]);
        expect(await response.text()).toContain('Hi.');
        const { tools } = sentTo(model);
        expect(tools).toEqual([expect.objectContaining({ name: 'look' }), own]);
      });

      it('keeps its other options', async () => {
        upstreams['test/own'].script(responsesText('Hi.'));
        const options = {
          search_context_size: 'low',
          filters: { allowed_domains: ['a.example'] },
          search_content_types: ['text', 'image'],
        };
        await ask({ model: 'test/own', stream, tools: [{ ...SEARCH, ...options }] });
        expect(sentTo('test/own').tools).toEqual([{ type: 'web_search', ...options }]);
      });
    });

    it.each([
      ['without that word', { tools: [LOOK, { type: 'web_search' }] }],
      ['with null for that word', { tools: [LOOK, { ...SEARCH, external_web_access: null }] }],
      ['where it is chosen', { tools: [LOOK, SEARCH], tool_choice: { type: 'web_search' } }],
      ['where a call is demanded', { tools: [LOOK, SEARCH], tool_choice: 'required' }],
    ])('is refused by name %s', async (_, fields) => {
      const calls = upstreams['test/chat'].requests.length;
      const response = await post({ model: 'test/chat', input: 'Hello', ...fields });
      const { error }: JsonBody = await response.json();
      expect([response.status, error.message]).toEqual([
        400,
        expect.stringMatching(/^tools\.1: no engine of web searches/),
      ]);
      expect(upstreams['test/chat'].requests).toHaveLength(calls);
    });
  });
});
