/**
 * `max_uses` of a tool covers the whole request, wherever the tool runs: uses by a vendor reduce those by the gateway
 * and the other way round, through all steps of a loop, and in the limits that vendors are sent; so does the cost. A
 * vendor that searches, fetches and consults itself and one that does not are legs of one request, and each may fail in
 * the second step.
 */
import { anthropicError, anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { inTurn, LoopBench, TOOLS, USES } from './faults-bench.js';

const SELLS = { pricing: { prompt: '3', completion: '15', web_search: '0.01' } };
const BUSY: Script = () => json(anthropicError('overloaded_error', 'Later.'), 529);

const DATETIME = { type: 'tool_use', id: 'toolu_0', ...USES.datetime };
const ran = (name: string, id: string, content: JsonBody): JsonBody[] => [
  { type: 'server_tool_use', id: `srvtoolu_01${id}`, name, input: {} },
  { type: `${name}_tool_result`, tool_use_id: `srvtoolu_01${id}`, content },
];
const SEARCHED = [{ type: 'web_search_result', url: 'https://n.example', title: 'N', encrypted_content: 'E' }];
const ADVICE = 'Go by boat.';

/** Runs its own tools, and calls the gateway's clock beside them. */
const vendorRuns = (blocks: JsonBody[], usage: JsonBody): Script =>
  anthropicReply([...blocks, DATETIME], { stopReason: 'tool_use', usage });
const vendorSearches = (...ids: string[]): Script =>
  vendorRuns(
    ids.flatMap((id) => ran('web_search', id, SEARCHED)),
    { server_tool_use: { web_search_requests: ids.length, web_fetch_requests: 0 } },
  );
const vendorFetches = (content: JsonBody): Script =>
  vendorRuns(ran('web_fetch', 'f', content), { server_tool_use: { web_search_requests: 0, web_fetch_requests: 1 } });
const vendorConsults = (id: string, content: JsonBody = { type: 'advisor_result', text: ADVICE }): Script =>
  vendorRuns(ran('advisor', id, content), {
    iterations: [
      { type: 'message', input_tokens: 6, output_tokens: 3 },
      { type: 'advisor_message', model: 'test-wise', input_tokens: 500, output_tokens: 50 },
      { type: 'message', input_tokens: 6, output_tokens: 4 },
    ],
  });

describeOnEmbedded('max_uses of a tool', (database) => {
  let vendor: Upstream;
  let other: Upstream;
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    [vendor, other] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    const at = [{ url: vendor.url, dialect: 'anthropic-messages' }] as const;
    bench = await LoopBench.start(database, {
      models: [
        { id: 'test/vendor', at, endpoint: SELLS },
        { id: 'test/wise', at },
        { id: 'test/other', at: [{ url: other.url, dialect: 'openai-chat' }] },
      ],
    });
    ({ key } = await bench.gateway.newKey({}));
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await Promise.all([vendor?.close(), other?.close()]);
  });

  const search = (uses: number) => ({ type: 'web_search_20250305', name: 'web_search', max_uses: uses });
  const ownSearch = (parameters: object) => ({ type: 'openrouter:web_search', parameters });
  const adviser = (uses?: number) => ({
    type: 'advisor_20260301',
    name: 'advisor',
    model: 'test/wise',
    ...(uses !== undefined && { max_uses: uses }),
  });

  interface Call {
    readonly stream?: boolean;
    readonly tools: readonly object[];
    /** The first provider; the other one is its fallback. */
    readonly first?: 'vendor' | 'other';
    readonly vendors: readonly Script[];
    readonly others?: readonly Script[];
    readonly messages?: JsonBody[];
    readonly fallbacks?: JsonBody[];
  }
  async function ask({ stream = false, tools, first = 'vendor', vendors, others = [], ...fields }: Call) {
    bench.begin();
    for (const upstream of [vendor, other]) upstream.requests.length = 0;
    vendor.script(inTurn(...vendors));
    other.script(inTurn(...others, openaiText('So.')));
    const reply = await bench.ask(
      '/messages',
      {
        model: `test/${first}`,
        fallbacks: [{ model: `test/${first === 'vendor' ? 'other' : 'vendor'}` }],
        tools: [...tools, TOOLS.datetime],
        stream,
        ...fields,
      },
      key,
    );
    expect(reply).toMatchObject({ status: 200, stop_reason: 'end_turn' });
    return reply;
  }

  /** Tools of each call to the vendor: by type, or functions by name. */
  const sentToVendor = (): string[][] =>
    vendor.requests.map(({ json: { tools } }) =>
      tools.map(({ type, name, max_uses: uses }: JsonBody) => `${type ?? name}${uses === undefined ? '' : ` ${uses}`}`),
    );
  const failuresIn = ({ content }: JsonBody): string[] =>
    content.flatMap(({ content: result }: JsonBody) => result?.error_code ?? []);

  describe.each([false, true])('stream %s', (stream) => {
    it.each<[string, object]>([
      ['the vendor’s tool', search(2)],
      ['the gateway’s', ownSearch({ max_uses: 2 })],
    ])('counts searches of a vendor where the gateway searches next: %s', async (_, tool) => {
      const searches = openaiTools(USES.search, USES.search);
      const vendors = [vendorSearches('a', 'b'), BUSY];
      const reply = await ask({ stream, tools: [tool], vendors, others: [searches] });
      expect(failuresIn(reply)).toEqual(['max_uses_exceeded', 'max_uses_exceeded']);
      expect(bench.upstreams.engine.requests).toHaveLength(0);
      expect(reply.usage.server_tool_use).toEqual({ web_search_requests: 2, web_fetch_requests: 0 });
      expect(await bench.row(reply.id)).toMatchObject({ web_searches: 2, tools_cost: 2 * 10_000 });
    });

    it.each<[string, object]>([
      ['the vendor’s tool', { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 1 }],
      ['the gateway’s', { type: 'openrouter:web_fetch', parameters: { max_uses: 1 } }],
    ])('counts fetches of a vendor: %s', async (_, tool) => {
      const fetched = { type: 'web_fetch_result', url: 'https://n.example', content: { type: 'document' } };
      const vendors = [vendorFetches(fetched), BUSY];
      const reply = await ask({ stream, tools: [tool], vendors, others: [openaiTools(bench.fetches)] });
      expect(failuresIn(reply)).toEqual(['max_uses_exceeded']);
      expect(bench.upstreams.pages.requests).toHaveLength(0);
      expect(reply.usage.server_tool_use).toEqual({ web_search_requests: 0, web_fetch_requests: 1 });
      expect((await bench.row(reply.id)).tools_cost).toBe(0);
    });

    it('counts consultations of a vendor where the gateway consults the advisor next', async () => {
      const vendors = [vendorConsults('a'), BUSY];
      const reply = await ask({ stream, tools: [adviser(1)], vendors, others: [openaiTools(USES.advisor)] });
      expect(failuresIn(reply)).toEqual(['max_uses_exceeded']);
      expect(reply.usage.iterations.filter(({ type }: JsonBody) => type === 'advisor_message')).toHaveLength(1);
    });

    it('reduces the limit that a vendor is sent by its own searches, and offers none where none is left', async () => {
      const others = [openaiTools(USES.search, USES.search), BUSY];
      for (const [uses, sent] of [
        [3, ['web_search_20250305 1', 'datetime']],
        [2, ['web_search', 'datetime']],
      ] as const) {
        const vendors = [anthropicText('So.')];
        const reply = await ask({ stream, tools: [search(uses)], first: 'other', vendors, others });
        expect(bench.upstreams.engine.requests).toHaveLength(2);
        expect(sentToVendor()).toEqual([sent]);
        expect(reply.usage.server_tool_use.web_search_requests).toBe(2);
      }
    });

    it('sends a vendor the remaining uses of its advisor in each step, and drops the tool when they are used up', async () => {
      const vendors = [vendorConsults('a'), vendorConsults('b'), anthropicText('By boat.')];
      const reply = await ask({ stream, tools: [adviser(2)], vendors });
      expect(sentToVendor()).toEqual([
        ['advisor_20260301 2', 'datetime'],
        ['advisor_20260301 1', 'datetime'],
        ['advisor', 'datetime'],
      ]);
      expect(reply.usage.iterations.filter(({ type }: JsonBody) => type === 'advisor_message')).toHaveLength(2);
      const conversations = vendor.requests.map(({ json: { messages } }) => JSON.stringify(messages));
      // While the advisor is offered, its advice is in the vendor's own form.
      expect(conversations[1]).toContain('advisor_tool_result');
      expect(conversations[2]).not.toMatch(/advisor_tool_result|server_tool_use/);
      expect(conversations[2]!.split(ADVICE)).toHaveLength(3);
    });
  });

  it('mentions advice that only the vendor can read, in earlier turns too', async () => {
    const sealed = { type: 'advisor_redacted_result', encrypted_content: 'AAAA' };
    const messages = [
      { role: 'user', content: 'How?' },
      { role: 'assistant', content: ran('advisor', 'e', sealed) },
      { role: 'user', content: 'And now?' },
    ];
    await ask({ tools: [adviser(1)], vendors: [vendorConsults('a'), anthropicText('By boat.')], messages });
    const [, second] = vendor.requests as [JsonBody, JsonBody];
    expect(second.json.messages[1].content.map(({ type }: JsonBody) => type)).toEqual(['text', 'text']);
    expect(JSON.stringify(second.json.messages)).not.toContain('AAAA');
  });

  it('drops an advisor that no other provider could consult', async () => {
    const vendors = [vendorConsults('a'), anthropicText('By boat.')];
    await ask({ tools: [adviser(1)], vendors, fallbacks: [] });
    expect(sentToVendor()).toEqual([['advisor_20260301 1', 'datetime'], ['datetime']]);
  });

  it('leaves a tool without a limit to the vendor unchanged', async () => {
    await ask({ tools: [adviser()], vendors: [vendorConsults('a'), anthropicText('By boat.')] });
    expect(sentToVendor()).toEqual(Array.from({ length: 2 }, () => ['advisor_20260301', 'datetime']));
  });

  it("counts a vendor's uses for all tools of their kind, because it does not report which tool it was", async () => {
    const tools = [search(3), ownSearch({ engine: 'exa', max_uses: 2 })];
    // The vendor has the gateway's tool beside its own, under a free name.
    const searchesOn = anthropicReply(
      [{ type: 'tool_use', id: 'toolu_1', name: 'web_search_2', input: USES.search.input }],
      { stopReason: 'tool_use' },
    );
    const vendors = [vendorSearches('a', 'b'), searchesOn, anthropicText('So.')];
    const reply = await ask({ tools, vendors });
    expect(sentToVendor()[1]).toEqual(['web_search_20250305 1', 'web_search_2', 'datetime']);
    expect(failuresIn(reply)).toEqual(['max_uses_exceeded']);
    expect(bench.upstreams.engine.requests).toHaveLength(0);
  });

  it('does not count for a vendor the uses of another tool of the kind', async () => {
    const tools = [search(2), ownSearch({ engine: 'exa', max_uses: 2 })];
    const others = [openaiTools({ name: 'web_search_2', input: USES.search.input }), BUSY];
    await ask({ tools, first: 'other', vendors: [anthropicText('So.')], others });
    expect(bench.upstreams.engine.requests).toHaveLength(1);
    expect(sentToVendor()).toEqual([['web_search_20250305 2', 'web_search_2', 'datetime']]);
  });
});
