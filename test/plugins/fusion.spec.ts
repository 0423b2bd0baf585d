/**
 * `fusion` calls its panel in parallel, has the answers judged, and has a final answer made from both, streamed from
 * its first word. Each call is held for, billed and reported, and a failed model of the panel is left out visibly.
 * Strict doubles of models and of an engine, whole and streamed, on both faces. Rules:
 * docs/use/plugins/fusion.md.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { CatalogStore } from '../../src/catalog/catalog-store.js';
import { deriveInputs } from '../../src/core/routing/decision/decision-inputs.js';
import { planRoute } from '../../src/core/routing/plan-route.js';
import { DecisionLog } from '../../src/routing/decision-log.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { HANG, json, neverAnswers, sse, type Answer, type Script } from '../support/upstream-answers.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { readMessagesEvents } from '../support/sse.js';
import { buildMessage, delta, OPEN } from '../http/messages-bench.js';
import {
  CALL,
  calls,
  inTurn,
  leftWithin,
  LoopBench,
  microUsd,
  PRICES,
  TWO_ROUTES,
  answers,
  TOOLS,
  USES,
  type Route,
} from '../tools/faults-bench.js';

const FACES = TWO_ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
const ANALYSIS = {
  consensus: ['It is late.'],
  contradictions: [],
  partial_coverage: [],
  unique_insights: [],
  blind_spots: [],
};
const JUDGED = answers(JSON.stringify(ANALYSIS));
const ANSWER = answers('Go home.');
const FAILS = json({ type: 'error', error: { type: 'api_error', message: 'no' } }, 500);
const PANEL = ['test/one', 'test/two'];
const FUSION = { id: 'fusion', analysis_models: PANEL, model: 'test/main', tools: [] as object[] };
const SEARCHES = { tools: [{ type: 'openrouter:web_search' }] };
const SECRET = 'PRJ-4711';

/** Scripts of one double by the name of the called model. */
const byModel =
  (scripts: Readonly<Record<string, Script | Answer>>): Script =>
  (request, index) => {
    const script = scripts[`${request.json.model as string}`.replace('upstream-', 'test/')]!;
    return typeof script === 'function' ? script(request, index) : script;
  };

describeOnEmbedded('the plugin fusion', (database) => {
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    const plain = ['test/one', 'test/two', 'test/three'].map((id) => ({ id }));
    const formed = { id: 'test/formed', endpoint: { supported_parameters: ['max_tokens', 'structured_outputs'] } };
    const presets = { 'general-high': { analysis_models: PANEL, model: 'test/main' } };
    bench = await LoopBench.start(database, { models: [...plain, formed], plugins: { fusion: { presets } } });
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.begin(JUDGED, ANSWER);
    scriptPanel({});
  });

  const scriptPanel = (scripts: Readonly<Record<string, Script | Answer>>): void =>
    bench.upstreams.adviser.script(
      byModel({ 'test/one': answers('At nine.'), 'test/two': answers('At ten.'), ...scripts }),
    );
  const fields = (options: object = {}): JsonBody => ({
    model: 'openrouter/fusion',
    tools: undefined,
    plugins: [{ ...FUSION, ...options }],
  });
  async function ask(route: Route, body: object, { headers = {}, by = key } = {}): Promise<JsonBody> {
    const response = await bench.gateway.request(route, {
      method: 'POST',
      key: by,
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled', ...headers },
      body: JSON.stringify(bench.body(body)),
    });
    return readReply(route, response);
  }
  const requestsTo = (double: 'main' | 'adviser'): RecordedRequest[] => bench.upstreams[double].requests;
  const modelsCalled = (): string[] =>
    requestsTo('adviser')
      .map(({ json: body }) => body.model)
      .sort();
  /** The last turn that the answering model was sent. */
  const read = (request = requestsTo('main').at(-1)!): string => lastTurn(request);

  /** The account's charges, once nothing is held. */
  async function paid(): Promise<number> {
    await bench.ledger.rest();
    const { used, held } = await bench.ledger.account();
    expect([held, await bench.ledger.openHolds()]).toEqual([0, 0]);
    return microUsd(used);
  }

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    it('answers by the texts of its panel and the findings of the judge, and reports and charges each call', async () => {
      const reply = await ask(route, { stream, ...fields() });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      expect(modelsCalled()).toEqual(['upstream-one', 'upstream-two']);
      expect(requestsTo('adviser').map(lastTurn)).toEqual(['What now?', 'What now?']);
      const [judge, answer] = requestsTo('main');
      expect(lastTurn(judge!)).toContain('<answer model="test/one">\nAt nine.\n</answer>');
      expect(lastTurn(answer!)).toMatch(
        /^What now\?\nOther models.*At nine\..*At ten\..*"consensus":\["It is late\."\]/s,
      );
      expect(reply.text).not.toMatch(/At nine|It is late/);
      expect(microUsd(reply.usage.cost)).toBe(4 * CALL);
      expect(stageIn(reply.text)).toMatchObject({
        summary: '2 of 2 answered',
        cost_usd: (3 * CALL) / 1e6,
        data: {
          panel: PANEL.map((model) => ({ model, outcome: 'answered', cost_usd: CALL / 1e6 })),
          judge: { model: 'test/main', outcome: 'judged', cost_usd: CALL / 1e6 },
        },
      });
      expect(reply.text).toContain('"strategy":"fusion"');
      expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', model: 'test/main', cost: 4 * CALL });
    });

    it('leaves out a failed model, visibly and uncharged', async () => {
      scriptPanel({ 'test/two': FAILS });
      const reply = await ask(route, { stream, ...fields() });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      expect(read()).not.toContain('test/two');
      const { summary, data } = stageIn(reply.text);
      expect(summary).toBe('1 of 2 answered');
      expect(data.panel[1]).toMatchObject({ model: 'test/two', outcome: 'left out', cost_usd: 0 });
      expect(await bench.row(reply.id)).toMatchObject({ cost: 3 * CALL });
    });

    it('fails where the whole panel does, calls nothing further and charges nothing', async () => {
      scriptPanel({ 'test/one': FAILS, 'test/two': FAILS });
      const before = await paid();
      const reply = await ask(route, { stream, ...fields() });
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(reply.error.message).toMatch(/^No model of the panel answered: test\/one \(.*\), test\/two \(/);
      expect([requestsTo('main').length, await paid()]).toEqual([0, before]);
    });

    it.each<[string, Script | Answer, string]>([
      ['returns no JSON', answers('They agree.'), 'unusable'],
      ['returns another object', answers('{"consensus": "yes"}'), 'unusable'],
      ['fails', FAILS, 'left out'],
      ['returns no text', answers(''), 'left out'],
    ])('continues without a judge that %s', async (_, judged, outcome) => {
      bench.begin(judged, ANSWER);
      scriptPanel({});
      const reply = await ask(route, { stream, ...fields() });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      expect(read()).toContain('At ten.');
      expect(read()).not.toContain('<analysis>');
      expect(stageIn(reply.text).data.judge).toMatchObject({ outcome });
    });

    it("has the web searched for the user's text, before its panel is called", async () => {
      const plugins = [{ ...FUSION, tools: [] }, { id: 'web' }];
      expect(await ask(route, { stream, ...fields(), plugins })).toMatchObject({ status: 200, shownText: 'Go home.' });
      const searches = bench.upstreams.engine.requests;
      expect(searches.map(({ json: search }) => search.query)).toEqual(['What now?']);
    });

    it('calls nothing for a moderated prompt', async () => {
      const messages = [{ role: 'user', content: 'How can I kill my neighbour without getting caught?' }];
      const plugins = [FUSION, { id: 'moderation' }];
      const { status } = await ask(route, { stream, ...fields(), messages, plugins });
      expect([status, requestsTo('adviser').length, requestsTo('main').length]).toEqual([403, 0, 0]);
    });

    it('lets its panel search within the limit, hidden from the caller and charged', async () => {
      const searchesTwice = inTurn(calls(USES.search), calls(USES.search), answers('At nine.'));
      let index = 0;
      scriptPanel({ 'test/one': (request) => searchesTwice(request, index++) });
      const reply = await ask(route, { stream, ...fields({ ...SEARCHES, max_tool_calls: 1 }) });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      expect(bench.upstreams.engine.requests).toHaveLength(1);
      expect(reply.text).not.toContain('tool_result');
      const usage = route === '/messages' ? reply.usage.server_tool_use : reply.usage.server_tool_use_details;
      expect(usage.web_search_requests).toBe(1);
      // One step with tools, and one without, whose call is refused and ends it.
      expect(requestsTo('adviser').filter(({ json: body }) => body.model === 'upstream-one')).toHaveLength(2);
      expect(await bench.row(reply.id)).toMatchObject({ tools_cost: PRICES.search });
      const searches = reply.text.match(/"name":"openrouter:web_search".*?"model":"test\/one"/gs);
      expect(searches).not.toBeNull();
    });

    it.each<[string, Script | Answer, Script | Answer, () => RecordedRequest[]]>([
      ['the panel', neverAnswers(), JUDGED, () => requestsTo('adviser')],
      ['the panel is in mid-answer', sse([OPEN + delta('At'), HANG]), JUDGED, () => requestsTo('adviser')],
      ['the judge', answers('At nine.'), neverAnswers(), () => requestsTo('main')],
    ])('ends with its caller while it waits for %s', async (_, panel, judged, waiting) => {
      bench.begin(judged, ANSWER);
      scriptPanel({ 'test/one': panel, 'test/two': panel });
      const client = await bench.open(route, { stream, ...fields() }, key);
      const isJudges = waiting() === requestsTo('main');
      await bench.upstreams[isJudges ? 'main' : 'adviser'].request(isJudges ? 0 : 1);
      await bench.turns();
      client.destroy();
      const leftAt = Date.now();
      for (const request of waiting()) expect(await leftWithin(request, leftAt)).toBeLessThan(1_000);
      expect(requestsTo('main')).toHaveLength(isJudges ? 1 : 0);
      expect(await bench.row()).toMatchObject({ outcome: 'caller-gone' });
    });

    it('is streamed from the first word of the answer', async () => {
      if (!stream) return;
      bench.begin(JUDGED, sse([OPEN + delta('Go'), HANG]));
      scriptPanel({});
      const client = await bench.open(route, { stream, ...fields() }, key);
      await client.until('Go');
      client.destroy();
      expect(await bench.row()).toMatchObject({ outcome: 'caller-gone' });
    });
  });

  describe('the options', () => {
    const refused = async (options: object, body: object = {}): Promise<string> => {
      const reply = await ask('/messages', { ...fields(options), ...body });
      expect([reply.status, requestsTo('adviser').length, requestsTo('main').length]).toEqual([400, 0, 0]);
      return reply.error.message;
    };

    it.each<[object, string]>([
      [{ analysis_models: [] }, 'plugins.0.analysis_models'],
      [{ analysis_models: Array(9).fill('test/one') }, 'plugins.0.analysis_models'],
      [{ analysis_models: null }, 'plugins.0.analysis_models'],
      [{ analysis_models: [7] }, 'plugins.0.analysis_models.0'],
      [{ analysis_models: ['test/one', 'no/such'] }, 'plugins.0.analysis_models.1: "no/such" is not in the catalog'],
      [
        { analysis_models: ['openrouter/fusion'] },
        'plugins.0.analysis_models.0: a fusion cannot contain another fusion',
      ],
      [{ model: 'fairlead/fusion:nitro' }, 'plugins.0.model: a fusion cannot contain another fusion'],
      [{ model: 'no/such' }, 'plugins.0.model: "no/such" is not in the catalog'],
      [{ model: null }, 'plugins.0.model'],
      [{ preset: 'general-best' }, 'plugins.0.preset'],
      [{ max_tool_calls: 0 }, 'plugins.0.max_tool_calls'],
      [{ max_tool_calls: 17 }, 'plugins.0.max_tool_calls'],
      [{ max_tool_calls: '8' }, 'plugins.0.max_tool_calls'],
      [{ tools: Array(9).fill({ type: 'openrouter:datetime' }) }, 'plugins.0.tools'],
      [{ tools: [{ type: 'openrouter:fusion' }] }, 'plugins.0.tools.0.type'],
      [{ tools: [{ type: 'mine' }] }, 'plugins.0.tools.0.type'],
      [{ tools: [{ parameters: {} }] }, 'plugins.0.tools.0.type'],
      [
        { tools: [{ type: 'web_search', parameters: { max_results: 99 } }] },
        'plugins.0.tools.0.parameters.max_results',
      ],
      [
        { tools: [{ type: 'web_fetch' }, { type: 'web_search', parameters: { engine: 'parallel' } }] },
        'plugins.0.tools.1.parameters.engine: the engine parallel is not set up',
      ],
      [{ tools: [{ type: 'bash' }] }, 'plugins.0.tools.0: openrouter:bash is run by the caller'],
    ])('%j is refused by name, before anything is called', async (options, message) => {
      expect(await refused(options)).toContain(message);
    });

    it('allow at most eight models, and sixteen uses', async () => {
      const reply = await ask('/messages', fields({ analysis_models: Array(8).fill('test/one'), max_tool_calls: 16 }));
      expect([reply.status, modelsCalled().length]).toEqual([200, 8]);
    });

    it('name the panel of a preset, or default to the first', async () => {
      for (const plugins of [undefined, [{ id: 'fusion' }], [{ id: 'fusion', preset: 'general-high' }]]) {
        bench.begin(JUDGED, ANSWER);
        scriptPanel({});
        const reply = await ask('/messages', { ...fields(), plugins });
        expect([reply.status, modelsCalled()]).toEqual([200, ['upstream-one', 'upstream-two']]);
        expect(stageIn(reply.text).data).toMatchObject({ preset: 'general-high' });
      }
      bench.begin(ANSWER);
      expect(await refused({ preset: 'general-fast', model: undefined })).toContain(
        'plugins.fusion.presets.general-fast',
      );
    });

    it('turn it off: then its name is no model', async () => {
      const off = [{ id: 'fusion', enabled: false }];
      expect(await ask('/messages', { ...fields(), plugins: off })).toMatchObject({ status: 404 });
      bench.begin(ANSWER);
      const reply = await ask('/messages', { ...fields(), model: 'test/main', plugins: off });
      expect([reply.shownText, modelsCalled()]).toEqual(['Go home.', []]);
    });

    it('keep the requested model for the answer, and name the judge', async () => {
      scriptPanel({ 'test/three': JUDGED });
      bench.begin(ANSWER);
      scriptPanel({ 'test/three': JUDGED });
      const reply = await ask('/messages', { ...fields({ model: 'test/three' }), model: 'test/main' });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.', model: 'test/main' });
      expect([modelsCalled(), requestsTo('main').length]).toEqual([
        ['upstream-one', 'upstream-three', 'upstream-two'],
        1,
      ]);
      expect(reply.text).toContain('"strategy":"direct"');
    });

    it('send the judge a schema where it takes one', async () => {
      scriptPanel({ 'test/formed': inTurn(JUDGED) });
      bench.begin(ANSWER);
      scriptPanel({ 'test/formed': JUDGED });
      const reply = await ask('/messages', { ...fields({ model: 'test/formed' }), model: 'test/main' });
      expect(stageIn(reply.text).data.judge).toMatchObject({ outcome: 'judged' });
      const judge = requestsTo('adviser').find(({ json: body }) => body.model === 'upstream-formed')!;
      expect(judge.json.output_config.format).toMatchObject({ type: 'json_schema' });
    });

    it('of the answer apply to the answer alone', async () => {
      const mine = { name: 'look', input_schema: { type: 'object' } };
      const turns = [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'A boat.' }] },
      ];
      const reply = await ask('/messages', {
        ...fields(),
        system: 'Be kind.',
        messages: turns,
        tools: [mine],
        temperature: 0.5,
        stop_sequences: ['END'],
      });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      for (const { json: body } of [...requestsTo('adviser'), requestsTo('main')[0]!]) {
        expect(body).not.toHaveProperty('tools');
        expect(body).not.toHaveProperty('temperature');
        expect(body.max_tokens).toBe(8_192);
        expect(JSON.stringify(body.messages)).toMatch(/Be kind.*A boat\./);
      }
      const answer = requestsTo('main')[1]!.json;
      expect(answer).toMatchObject({ system: expect.anything(), temperature: 0.5, max_tokens: 1_000, tools: [mine] });
      expect(answer.messages).toHaveLength(3);
    });

    it('let the answer use the tools of the request', async () => {
      bench.begin(JUDGED, calls(USES.datetime), ANSWER);
      scriptPanel({});
      const reply = await ask('/messages', { ...fields(), tools: [TOOLS.datetime] });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      expect(await bench.row(reply.id)).toMatchObject({ cost: 5 * CALL });
      expect(
        reply.usage.iterations
          .map(({ type, purpose, model }: JsonBody) => [type, purpose, model].filter(Boolean).join(' '))
          .sort(),
      ).toEqual([
        'advisor_message fusion_judge test/main',
        'advisor_message fusion_panel test/one',
        'advisor_message fusion_panel test/two',
        'message test/main',
        'message test/main',
      ]);
    });

    it('have default tools as far as they are available', async () => {
      const reply = await ask('/messages', fields({ tools: undefined }));
      expect(stageIn(reply.text).data.panel[0].tools).toEqual(['openrouter:web_search', 'openrouter:web_fetch']);
      const { tools } = requestsTo('adviser')[0]!.json;
      expect(tools.map(({ name }: JsonBody) => name)).toEqual(['web_search', 'web_fetch']);
    });
  });

  describe('fusions within fusions', () => {
    it('send each model the depth', async () => {
      await ask('/messages', fields());
      const depths = [...requestsTo('adviser'), ...requestsTo('main')].map(
        ({ headers }) => headers['x-openrouter-fusion-depth'],
      );
      expect(depths).toEqual(['1', '1', '1', '1']);
    });

    it('are not run, and the model answers alone', async () => {
      bench.begin(ANSWER);
      const reply = await ask('/messages', fields(), { headers: { 'x-openrouter-fusion-depth': '1' } });
      expect(reply).toMatchObject({ status: 200, shownText: 'Go home.' });
      expect([modelsCalled(), read()]).toEqual([[], 'What now?']);
      expect(stageIn(reply.text)).toMatchObject({ summary: 'not run' });
    });

    it.each(['-1', 'x', '17', '1.5', ''])('refuse a depth of %j', async (depth) => {
      const reply = await ask('/messages', fields(), { headers: { 'x-openrouter-fusion-depth': depth } });
      expect([reply.status, reply.error.message]).toEqual([
        400,
        'x-openrouter-fusion-depth: must be a whole number of at most 16',
      ]);
    });
  });

  describe('policies', () => {
    const guardedKey = async (terms: object): Promise<string> => (await bench.gateway.guardedKey(terms)).key;

    it('bind the models of the panel, which are not called', async () => {
      const by = await guardedKey({ allowed_models: ['test/main', 'test/one'] });
      const reply = await ask('/messages', fields(), { by });
      expect([reply.status, modelsCalled()]).toEqual([200, ['upstream-one']]);
      expect(stageIn(reply.text).data.panel[1]).toMatchObject({ model: 'test/two', outcome: 'left out' });
      bench.begin(JUDGED, ANSWER);
      const alone = await ask('/messages', fields({ analysis_models: ['test/two'] }), { by });
      expect([alone.status, modelsCalled(), requestsTo('main').length]).toEqual([403, [], 0]);
    });

    it('read the texts of the panel before the model does', async () => {
      const content_filters = [{ pattern: 'PRJ-\\d{4}', action: 'block', label: 'project' }];
      const by = await guardedKey({ content_filters });
      scriptPanel({ 'test/one': answers(`It is ${SECRET}.`) });
      const reply = await ask('/messages', fields(), { by });
      expect(reply.status).toBe(403);
      expect(requestsTo('main')).toHaveLength(0);
    });
  });

  it('is in the stored decision, which reproduces the plan', async () => {
    const reply = await ask('/messages', { ...fields(), plugins: [{ id: 'fusion', tools: [] }] });
    const { app } = bench.gateway.gateway;
    await app.get(DecisionLog, { strict: false }).flush();
    const rows = await bench.ledger.query('select decision from route_decisions where generation_id = $1', [reply.id]);
    expect(rows).toHaveLength(1);
    const { decision } = (rows as unknown as JsonBody[])[0]!;
    expect(JSON.parse(decision).choice).toEqual({
      by: 'fusion',
      strategy: 'fusion',
      data: { preset: 'general-high', panel: PANEL },
    });
    const inputs = deriveInputs(decision, app.get(CatalogStore, { strict: false }).current);
    expect(planRoute(inputs!)).toMatchObject({ models: ['test/main', ...PANEL], strategy: 'fusion' });
  });

  it('is counted and explained without being run', async () => {
    const post = async (path: string): Promise<JsonBody> => {
      const { max_tokens: _, ...body } = bench.body(fields(SEARCHES));
      const response = await bench.gateway.request(path, {
        method: 'POST',
        key: path.endsWith('explain') ? MANAGEMENT_KEY : key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(path.endsWith('explain') ? { ...body, max_tokens: 1_000 } : body),
      });
      return (await response.json()) as JsonBody;
    };
    const before = await paid();
    expect(await post('/messages/count_tokens')).toMatchObject({ input_tokens: expect.any(Number) });
    const { data } = await post('/routing/explain');
    expect(data).toMatchObject({ strategy: 'fusion', models: ['test/main'] });
    expect(data.consulted).toMatchObject([
      { type: 'fusion_panel', model: 'test/one', bound: expect.stringMatching(/^0\.\d+$/), tool_uses_max: 8 },
      { type: 'fusion_panel', model: 'test/two', tools: [{ type: 'openrouter:web_search', price: '0.004' }] },
      { type: 'fusion_judge', model: 'test/main', bound: null },
    ]);
    expect([modelsCalled(), await paid()]).toEqual([[], before]);
  });

  it('is read by real clients', async () => {
    const anthropic = new Anthropic({ apiKey: key, baseURL: `${bench.gateway.origin}/api` });
    const plugins = [FUSION];
    const messages = [{ role: 'user' as const, content: 'What now?' }];
    const request = { model: 'openrouter/fusion', max_tokens: 500, messages, plugins } as Anthropic.MessageStreamParams;
    const message = await anthropic.messages.stream(request).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Go home.' }]);
    bench.begin(JUDGED, ANSWER);
    scriptPanel({});
    const openai = new OpenAI({ apiKey: key, baseURL: `${bench.gateway.origin}/api/v1` });
    const body = { model: 'openrouter/fusion', messages, stream: true as const, plugins };
    let text = '';
    for await (const chunk of await openai.chat.completions.create(body)) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('Go home.');
  });
});

const lastTurn = ({ json: body }: RecordedRequest): string =>
  [body.messages.at(-1).content]
    .flat()
    .map((block: JsonBody) => block.text ?? block)
    .join('\n');

/** The stage of the plugin in the routing metadata of a reply. */
function stageIn(text: string): JsonBody {
  const from = text.indexOf('{"type":"plugin","name":"fusion"');
  for (let to = text.indexOf('}', from); to !== -1; to = text.indexOf('}', to + 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1));
    } catch {
      // The object ends further on.
    }
  }
  return {};
}

async function readReply(route: Route, response: Response): Promise<JsonBody> {
  const text = await response.text();
  const shown = { status: response.status, id: response.headers.get('x-generation-id'), text };
  if (response.status !== 200) return { ...shown, ...(JSON.parse(text) as object) };
  const reply: JsonBody = text.startsWith('{')
    ? JSON.parse(text)
    : route === '/messages'
      ? buildMessage(readMessagesEvents(text))
      : joinChunks(readChunks(text));
  const message = reply.choices?.[0].message ?? reply.message;
  const shownText = message ? message.content : reply.content.map((block: JsonBody) => block.text ?? '').join('');
  return { ...shown, ...reply, shownText };
}
