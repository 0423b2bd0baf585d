/**
 * A request with tools that the gateway runs is answered by one reply, whole and streamed, on both faces: tool calls,
 * their results and the text between them, sums of usage, and exact cost. A strict upstream of each of two formats,
 * which calls tools and then answers.
 */
import { anthropicReply, anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { openaiReply, openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { json, neverAnswers, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { buildMessage } from '../http/messages-bench.js';

const TOOL = { type: 'openrouter:datetime', parameters: { timezone: 'Europe/Paris' } };
const ASK = { role: 'user', content: 'What time is it?' };

const SEARCHES = { name: 'web_search', input: { query: 'boats' } };
const UPSTREAMS = {
  anthropic: {
    calls: (...calls: { name: string; input: unknown }[]) => anthropicToolUse(...calls),
    text: anthropicText,
    dearSearch: anthropicReply([{ type: 'tool_use', id: 'toolu_0', ...SEARCHES }], {
      stopReason: 'tool_use',
      usage: { output_tokens: 1_000 },
    }),
  },
  openai: {
    calls: (...calls: { name: string; input: unknown }[]) => openaiTools(...calls),
    text: openaiText,
    dearSearch: openaiReply({
      tools: [{ name: SEARCHES.name, arguments: JSON.stringify(SEARCHES.input) }],
      usage: { prompt_tokens: 12, completion_tokens: 1_000, total_tokens: 1_012 },
    }),
  },
};
type Kind = keyof typeof UPSTREAMS;
const KINDS = Object.keys(UPSTREAMS) as Kind[];

/** One after the other; the last one repeats. */
const inTurn =
  (...scripts: readonly Script[]): Script =>
  (request, index) =>
    scripts[Math.min(index, scripts.length - 1)]!(request, index);

describeOnEmbedded('the loop of tools', (database) => {
  const upstreams = {} as Record<Kind, Upstream>;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    for (const kind of KINDS) upstreams[kind] = await startUpstream(kind);
    gateway = await startGateway(database, {
      catalog: {
        tools: { web_search: { engines: { simulated: { price: '0.004' } } } },
        ...catalogOf(
          { id: 'test/anthropic', at: [{ url: upstreams.anthropic.url, dialect: 'anthropic-messages' }] },
          { id: 'test/openai', at: [{ url: upstreams.openai.url, dialect: 'openai-chat' }] },
        ),
      },
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  });

  const begin = (kind: Kind, ...scripts: Script[]) => {
    upstreams[kind].requests.length = 0;
    upstreams[kind].script(inTurn(...scripts));
  };

  async function ask(kind: Kind, stream: boolean, fields: object = {}, init: object = {}): Promise<JsonBody> {
    const response = await gateway.messages(
      {
        model: `test/${kind}`,
        max_tokens: 1_000,
        messages: [ASK],
        tools: [TOOL],
        stream,
        ...fields,
      },
      init,
    );
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, body: JSON.parse(text) };
    return stream ? buildMessage(readMessagesEvents(text)) : JSON.parse(text);
  }

  async function chat(kind: Kind, stream: boolean, fields: object = {}): Promise<JsonBody> {
    const response = await gateway.request('/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `test/${kind}`,
        max_tokens: 1_000,
        messages: [ASK],
        tools: [TOOL],
        stream,
        ...fields,
      }),
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    if (stream) return joinChunks(readChunks(text));
    const { choices, usage } = JSON.parse(text);
    return { ...choices[0], usage };
  }

  const sentTo = (kind: Kind): JsonBody[] => upstreams[kind].requests.map(({ json }) => json);

  describe.each(KINDS)('over %s', (kind) => {
    const { calls, text } = UPSTREAMS[kind];
    const call = calls({ name: 'datetime', input: {} });
    const callersCall = { name: 'look', input: { at: 'it' } };

    describe.each([false, true])('stream %s', (stream) => {
      it('returns calls, results and the answer as one reply', async () => {
        begin(kind, call, text('It is late.'));
        const reply = await ask(kind, stream);
        expect(reply).toMatchObject({
          stop_reason: 'end_turn',
          content: [
            { type: 'server_tool_use', id: expect.stringMatching(/^srvtoolu_fl\w{22}$/), name: 'datetime', input: {} },
            {
              type: 'openrouter_datetime_tool_result',
              tool_use_id: reply.content?.[0].id,
              content: { timezone: 'Europe/Paris', datetime: expect.stringMatching(/^20\d\d-.*\+0[12]:00$/) },
            },
            { type: 'text', text: 'It is late.' },
          ],
          usage: {
            input_tokens: 24,
            output_tokens: 14,
            iterations: [
              { type: 'message', model: `test/${kind}`, output_tokens: 7 },
              { type: 'message', model: `test/${kind}`, output_tokens: 7 },
            ],
          },
        });
        expect(reply.usage.cost).toBeCloseTo((24 * 3 + 14 * 15) / 1e6, 12);
        expect(upstreams[kind].requests).toHaveLength(2);
        const row = await ledger.generation(reply.id);
        expect(Number(row.cost)).toBeCloseTo(reply.usage.cost, 12);
        await ledger.rest();
        expect(await ledger.openHolds()).toBe(0);
      });

      it('returns on chat only the answer, with the sums', async () => {
        begin(kind, call, text('It is late.'));
        const { message, finish_reason, usage } = await chat(kind, stream);
        expect(message).toMatchObject({ role: 'assistant', content: 'It is late.' });
        expect(message).not.toHaveProperty('tool_calls');
        expect(message).not.toHaveProperty('reasoning_details');
        expect(finish_reason).toBe('stop');
        expect(usage).toMatchObject({ prompt_tokens: 24, completion_tokens: 14 });
      });

      it('sends a later turn the exact texts that its model had', async () => {
        begin(kind, call, text('It is late.'));
        const reply = await ask(kind, stream);
        begin(kind, text('Yes.'));
        const again = [ASK, { role: 'assistant', content: reply.content }, { role: 'user', content: 'Really?' }];
        expect(await ask(kind, stream, { messages: again })).toMatchObject({ content: [{ text: 'Yes.' }] });
        const [sent] = sentTo(kind);
        begin(kind, call, text('It is late.'));
        await ask(kind, stream);
        const [, inLoop] = sentTo(kind);
        const withoutIds = (messages: unknown) =>
          JSON.stringify(messages).replaceAll(/srvtoolu_fl\w+|T[\d:]+[+]/g, 'x');
        expect(withoutIds(sent!.messages.slice(0, 3))).toBe(withoutIds(inLoop!.messages));
      });

      it("leaves the caller's tools to the caller, and continues with the results of both", async () => {
        const look = { name: 'look', input_schema: { type: 'object' } };
        begin(kind, calls({ name: 'datetime', input: {} }, callersCall));
        const reply = await ask(kind, stream, { tools: [TOOL, look] });
        expect(reply).toMatchObject({
          stop_reason: 'tool_use',
          content: [
            { type: 'server_tool_use', name: 'datetime' },
            { type: 'tool_use', name: 'look', input: { at: 'it' } },
            { type: 'openrouter_datetime_tool_result' },
          ],
        });
        begin(kind, text('Done.'));
        const answer = { type: 'tool_result', tool_use_id: reply.content[1].id, content: 'seen' };
        const again = [ASK, { role: 'assistant', content: reply.content }, { role: 'user', content: [answer] }];
        expect(await ask(kind, stream, { tools: [TOOL, look], messages: again })).toMatchObject({
          content: [{ text: 'Done.' }],
        });
        expect(JSON.stringify(sentTo(kind)[0])).toMatch(/Europe\/Paris.*seen/);
      });

      it('restores it over chat, sealed beside the calls', async () => {
        const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
        begin(kind, call, calls({ name: 'datetime', input: {} }, callersCall));
        const { message, finish_reason } = await chat(kind, stream, { tools: [TOOL, look] });
        expect(finish_reason).toBe('tool_calls');
        expect(message.tool_calls).toMatchObject([{ function: { name: 'look' } }]);
        expect(message.reasoning_details).toMatchObject([
          { type: 'reasoning.encrypted', format: 'unknown', data: expect.stringMatching(/^fl1\./) },
          { type: 'reasoning.encrypted', format: 'unknown' },
        ]);
        begin(kind, text('Done.'));
        const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'seen' };
        const fields = { tools: [TOOL, look], messages: [ASK, message, result] };
        expect((await chat(kind, stream, fields)).message.content).toBe('Done.');
        const [sent] = sentTo(kind);
        expect(JSON.stringify(sent!.messages).match(/Europe\/Paris/g)).toHaveLength(2);
        // A seal of another account, or a changed one, is ignored.
        begin(kind, text('Done.'));
        const forged = { ...message, reasoning_details: [{ ...message.reasoning_details[0], data: 'fl1.forged' }] };
        expect((await chat(kind, stream, { ...fields, messages: [ASK, forged, result] })).message.content).toBe(
          'Done.',
        );
      });

      it('runs several calls of one turn, in order', async () => {
        begin(
          kind,
          calls({ name: 'datetime', input: {} }, { name: 'search_models', input: { query: 'openai' } }),
          text('Both.'),
        );
        const { content } = await ask(kind, stream, {
          tools: [TOOL, { type: 'openrouter:experimental__search_models' }],
        });
        expect(content.map((block: JsonBody) => block.type)).toEqual([
          'server_tool_use',
          'server_tool_use',
          'openrouter_datetime_tool_result',
          'openrouter_search_models_tool_result',
          'text',
        ]);
      });

      it('reports invalid arguments to the model, and continues', async () => {
        begin(kind, calls({ name: 'search_models', input: { query: 7 } }), text('I see.'));
        const reply = await ask(kind, stream, { tools: [{ type: 'openrouter:experimental__search_models' }] });
        expect(reply.content).toMatchObject([
          { type: 'server_tool_use' },
          { content: { error: 'invalid_tool_input' } },
          { text: 'I see.' },
        ]);
      });

      it.each<[string, object | object[]]>([
        ['steps', [{ type: 'step_count_is', step_count: 1 }]],
        ['one condition alone', { type: 'step_count_is', step_count: 1 }],
        ['a call', [{ type: 'has_tool_call', tool_name: 'openrouter:datetime' }]],
        [
          'tokens',
          [
            { type: 'step_count_is', step_count: 9 },
            { type: 'max_tokens_used', max_tokens: 19 },
          ],
        ],
        ['cost', [{ type: 'max_cost', max_cost_in_dollars: 0.00001 }]],
        ['a reason', [{ type: 'finish_reason_is', reason: 'tool_calls' }]],
      ])('calls once more without tools when a condition is met: %s', async (_, stop_server_tools_when) => {
        begin(kind, call, text('Enough.'));
        const reply = await ask(kind, stream, { stop_server_tools_when });
        expect(reply).toMatchObject({ stop_reason: 'end_turn', content: [{}, {}, { text: 'Enough.' }] });
        const [first, second] = sentTo(kind);
        expect(first!.tool_choice).toBeUndefined();
        expect(second!.tool_choice).toEqual(kind === 'anthropic' ? { type: 'none' } : 'none');
      });

      it('ends after thirty steps', async () => {
        begin(kind, call);
        const reply = await ask(kind, stream);
        expect(upstreams[kind].requests).toHaveLength(31);
        expect(reply.content).toHaveLength(62);
        expect(reply.content.at(-1)).toMatchObject({ content: { error: 'max_uses_exceeded' } });
        expect(reply.stop_reason).toBe('end_turn');
        expect(reply.usage).toMatchObject({ input_tokens: 31 * 12 });
      });

      it.each([
        ['is heard', { max_tool_calls: 1 }, 2],
        [
          'is not heard beside a condition',
          { max_tool_calls: 1, stop_server_tools_when: { type: 'step_count_is', step_count: 2 } },
          3,
        ],
        ['is read as thirty where it is more', { max_tool_calls: 31 }, 31],
      ])('ends after so many uses: max_tool_calls %s', async (_, fields, requests) => {
        begin(kind, call);
        for (const reply of [await ask(kind, stream, fields), (begin(kind, call), await chat(kind, stream, fields))]) {
          expect(upstreams[kind].requests).toHaveLength(requests);
          const { stop_reason, finish_reason } = reply;
          expect(stop_reason ?? finish_reason).toBe(stop_reason ? 'end_turn' : 'stop');
        }
      });

      it('does not force a tool after its first call', async () => {
        begin(kind, call, text('Once.'));
        await ask(kind, stream, { tool_choice: { type: 'tool', name: 'datetime' } });
        const choices = sentTo(kind).map(({ tool_choice }) => tool_choice);
        expect(choices).toEqual(
          kind === 'anthropic'
            ? [{ type: 'tool', name: 'datetime' }, { type: 'auto' }]
            : [{ type: 'function', function: { name: 'datetime' } }, 'auto'],
        );
      });

      it('reports a fault of a later call in mid-reply, and charges what was answered', async () => {
        begin(kind, call, () => json({ error: { message: 'no', type: 'api_error' } }, 500));
        const response = await gateway.messages({
          model: `test/${kind}`,
          max_tokens: 9,
          messages: [ASK],
          tools: [TOOL],
          stream,
        });
        const body = await response.text();
        expect(response.status).toBe(stream ? 200 : 502);
        expect(body).toContain('"type":"error"');
        const row = await ledger.generation(response.headers.get('x-generation-id')!);
        expect(Number(row.cost)).toBeCloseTo((12 * 3 + 7 * 15) / 1e6, 12);
        await ledger.rest();
        expect(await ledger.openHolds()).toBe(0);
      });

      it('ends with the answer so far where the key’s limit does not allow another call', async () => {
        // Enough for the first call, but not for a second one.
        const response = await gateway.request('/routing/explain', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: `test/${kind}`, max_tokens: 1_000, messages: [ASK], tools: [TOOL] }),
        });
        const { data } = (await response.json()) as JsonBody;
        const { key } = await gateway.newKey({ limit: Number(data.candidates[0].bound) + 0.00001 });
        begin(kind, call, text('Never.'));
        const reply = await ask(kind, stream, {}, { key });
        expect(reply).toMatchObject({ stop_reason: 'pause_turn', content: [{ type: 'server_tool_use' }, {}] });
        expect(upstreams[kind].requests).toHaveLength(1);
        expect(reply.usage.cost).toBeCloseTo((12 * 3 + 7 * 15) / 1e6, 12);
      });
    });

    it('reports each use in the route, with its time and cost', async () => {
      begin(kind, call, text('It is late.'));
      const { router_metadata } = await ask(kind, false, {}, { headers: { 'x-router-metadata': 'enabled' } });
      expect(router_metadata.pipeline).toEqual([
        {
          type: 'server_tools',
          name: 'openrouter:datetime',
          summary: 'completed',
          data: { step: 1, milliseconds: expect.any(Number) },
          cost_usd: 0,
        },
      ]);
      expect(router_metadata.attempts).toHaveLength(2);
    });

    it('is explained: what would run each tool, and at what price', async () => {
      const response = await gateway.request('/routing/explain', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: `test/${kind}`, messages: [ASK], tools: [TOOL] }),
      });
      const { data } = (await response.json()) as JsonBody;
      expect(data.tools).toEqual([
        {
          type: 'openrouter:datetime',
          runs_at: 'gateway',
          function: 'datetime',
          engine: null,
          model: null,
          price: '0',
          uses_max: null,
          native_at: [],
        },
      ]);
    });

    it('consults another model of the catalogue, as a call of its own price', async () => {
      const other = KINDS.find((one) => one !== kind)!;
      begin(kind, calls({ name: 'advisor', input: { question: 'And now?' } }), text('So I do.'));
      begin(other, UPSTREAMS[other].text('Do it.'));
      const reply = await ask(kind, true, {
        tools: [{ type: 'advisor_20260301', name: 'advisor', model: `test/${other}` }],
      });
      expect(reply.content).toMatchObject([
        { type: 'server_tool_use', name: 'advisor' },
        { type: 'advisor_tool_result', content: { type: 'advisor_result', text: 'Do it.' } },
        { text: 'So I do.' },
      ]);
      expect(reply.usage.iterations.map(({ type, model }: JsonBody) => [type, model])).toEqual([
        ['message', `test/${kind}`],
        ['advisor_message', `test/${other}`],
        ['message', `test/${kind}`],
      ]);
      expect(reply.usage.input_tokens).toBe(24);
      expect(reply.usage.cost).toBeCloseTo((36 * 3 + 21 * 15) / 1e6, 12);
      expect(JSON.stringify(sentTo(other)[0])).toMatch(/What time is it\?.*And now\?/);
    });

    it.each([
      ['fails', () => json({ error: { message: 'no', type: 'api_error' } }, 500)],
      ['is not there', undefined],
    ])('continues when the advisor %s', async (_, script) => {
      const other = KINDS.find((one) => one !== kind)!;
      begin(kind, calls({ name: 'advisor', input: {} }), text('Alone then.'));
      if (script) begin(other, script);
      const tools = [{ type: 'advisor_20260301', name: 'advisor', model: script ? `test/${other}` : 'test/nobody' }];
      const reply = await ask(kind, false, { tools });
      if (script)
        expect(reply.content).toMatchObject([{}, { content: { error_code: 'unavailable' } }, { text: 'Alone then.' }]);
      else
        expect(reply).toMatchObject({
          status: 400,
          body: { error: { message: expect.stringMatching(/tools\.0\.model/) } },
        });
    });

    it('runs bash, and resumes its files in another request', async () => {
      const tool = (environment?: object) => ({
        type: 'openrouter:bash',
        parameters: { engine: 'openrouter', ...(environment && { environment }) },
      });
      begin(kind, calls({ name: 'bash', input: { command: 'echo seven > note; ls' } }), text('Noted.'));
      const { content } = await ask(kind, true, { tools: [tool()] });
      expect(content[1]).toMatchObject({ type: 'openrouter_bash_tool_result', content: { stdout: 'note\n' } });
      const { container_id } = content[1].content;
      begin(kind, calls({ name: 'bash', input: { command: 'cat note' } }), text('Seven.'));
      const again = await ask(kind, false, { tools: [tool({ type: 'container_reference', container_id })] });
      expect(again.content[1].content).toMatchObject({ stdout: 'seven\n' });
    });

    it('offers vendors’ tools that the caller runs as functions at another vendor', async () => {
      begin(kind, calls({ name: 'bash', input: { command: 'ls' } }));
      const tools = [{ type: 'bash_20250124', name: 'bash' }];
      const reply = await ask(kind, false, { tools });
      expect(reply).toMatchObject({
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 'bash', input: { command: 'ls' } }],
      });
      const [{ tools: sent }] = sentTo(kind) as [JsonBody];
      if (kind === 'anthropic') expect(sent).toEqual(tools);
      else expect(sent).toMatchObject([{ type: 'function', function: { name: 'bash' } }]);
    });

    describe.each([false, true])('a search that costs, stream %s', (stream) => {
      const SEARCH = { type: 'openrouter:web_search', parameters: { max_results: 2 } };
      const URL = 'https://simulated.example/boats/1';
      const searches = calls(SEARCHES);

      it('is counted, charged, and cited where it is used', async () => {
        begin(kind, searches, text(`As [one](${URL}) says.`));
        const reply = await ask(kind, stream, { tools: [SEARCH] });
        expect(reply.content).toMatchObject([
          { type: 'server_tool_use', name: 'web_search', input: { query: 'boats' } },
          {
            type: 'web_search_tool_result',
            content: [{ type: 'web_search_result', url: URL, encrypted_content: expect.stringMatching(/^fl1\./) }, {}],
          },
          { type: 'text', citations: [{ type: 'web_search_result_location', url: URL }] },
        ]);
        expect(reply.usage).toMatchObject({
          server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
          cost_details: { server_tool_cost: 0.004 },
        });
        expect(reply.usage.cost).toBeCloseTo((24 * 3 + 14 * 15) / 1e6 + 0.004, 12);
        const row = await ledger.generation(reply.id);
        expect([Number(row.tools_cost), Number(row.web_searches)]).toEqual([0.004, 1]);
        expect(Number(row.cost)).toBeCloseTo(reply.usage.cost, 12);
        // A turn later the model reads exactly the same.
        const [, inLoop] = sentTo(kind);
        begin(kind, text('Yes.'));
        await ask(kind, stream, {
          tools: [SEARCH],
          messages: [ASK, { role: 'assistant', content: reply.content }, { role: 'user', content: 'Sure?' }],
        });
        const [later] = sentTo(kind);
        expect(later!.messages.slice(0, 3)).toEqual(inLoop!.messages);
      });

      it('is cited in a turn that continues when the caller has answered, on both faces', async () => {
        const look = { name: 'look', input_schema: { type: 'object' } };
        begin(kind, calls(SEARCHES, callersCall));
        const { content } = await ask(kind, stream, { tools: [SEARCH, look] });
        begin(kind, text(`As ${URL} says.`));
        const { id } = content.find(({ type }: JsonBody) => type === 'tool_use');
        const answered = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] };
        const reply = await ask(kind, stream, {
          tools: [SEARCH, look],
          messages: [ASK, { role: 'assistant', content }, answered],
        });
        const [cited] = reply.content[0].citations;
        expect(cited).toMatchObject({ type: 'web_search_result_location', url: URL, title: expect.any(String) });
        expect(cited.cited_text).not.toBe('');

        const own = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
        begin(kind, calls(SEARCHES, callersCall));
        const { message } = await chat(kind, stream, { tools: [SEARCH, own] });
        begin(kind, text(`As ${URL} says.`));
        const seen = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'seen' };
        const later = await chat(kind, stream, { tools: [SEARCH, own], messages: [ASK, message, seen] });
        expect(later.message.annotations).toMatchObject([
          { url_citation: { url: URL, title: cited.title, content: cited.cited_text } },
        ]);
      });

      it('is reported by its citations on chat', async () => {
        begin(kind, searches, text(`See ${URL}`));
        const { message, usage } = await chat(kind, stream, { tools: [SEARCH] });
        expect(message.annotations).toMatchObject([{ type: 'url_citation', url_citation: { url: URL } }]);
        expect(usage).toMatchObject({
          server_tool_use_details: { web_search_requests: 1 },
          cost_details: { server_tool_cost: 0.004 },
        });
      });

      it('is not run where it exceeds a limit', async () => {
        const response = await gateway.request('/routing/explain', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: `test/${kind}`, max_tokens: 1_000, messages: [ASK], tools: [SEARCH] }),
        });
        const { data } = (await response.json()) as JsonBody;
        expect(data.tools).toMatchObject([{ type: SEARCH.type, runs_at: 'gateway', price: '0.004' }]);
        const { key } = await gateway.newKey({ limit: Number(data.candidates[0].bound) });
        // The first call uses up all of the hold.
        begin(kind, UPSTREAMS[kind].dearSearch, text('Never.'));
        const reply = await ask(kind, stream, { tools: [SEARCH] }, { key });
        expect(reply).toMatchObject({
          stop_reason: 'pause_turn',
          content: [{}, { content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } }],
          usage: { server_tool_use: null },
        });
        expect(upstreams[kind].requests).toHaveLength(1);
      });
    });

    it('ends with its caller, in any of its calls', async () => {
      begin(kind, call, neverAnswers);
      const abort = new AbortController();
      const pending = gateway.messages(
        { model: `test/${kind}`, max_tokens: 9, messages: [ASK], tools: [TOOL], stream: true },
        { signal: abort.signal },
      );
      const response = await pending;
      await upstreams[kind].request(1);
      abort.abort();
      await expect(response.text()).rejects.toThrow();
      await ledger.rest();
      const row = await ledger.generation(response.headers.get('x-generation-id')!);
      expect(row).toMatchObject({ outcome: 'caller-gone' });
      expect(Number(row.cost)).toBeGreaterThanOrEqual((12 * 3 + 7 * 15) / 1e6);
      expect(upstreams[kind].connectionsOpen).toBeLessThanOrEqual(1);
      await ledger.rest();
      expect(await ledger.openHolds()).toBe(0);
    });
  });
});
