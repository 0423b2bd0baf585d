/**
 * Tools obey the egress rules of account and key, wherever they run: pages and their redirects, search results, the
 * domains that engines are sent, and a vendor's own search, which is sent the rules or is not used. The real
 * application with strict upstreams, an engine and a site on loopback.
 */
import { MANAGEMENT_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { describeOnEmbedded, type TestDatabase } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import { responsesText } from '../support/responses-upstream.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, Upstream } from '../support/upstreams.js';
import { redirect, startWebServer, whole, type WebServer } from '../support/web-server.js';

const PAGES = ['https://docs.good.test/a', 'https://good.test/b', 'https://evil.test/c'];
const SEARCH = { type: 'openrouter:web_search' };
const VENDORS = { type: 'web_search_20250305', name: 'web_search' };
const inTurn =
  (...scripts: readonly Script[]): Script =>
  (request, index) =>
    scripts[Math.min(index, scripts.length - 1)]!(request, index);

interface AskOptions {
  readonly model: string;
  readonly tool: object;
  readonly egress: object | null;
  readonly stream?: boolean;
}

/** A gateway with a vendor of two formats, a site, and optionally a search engine. */
class Bench {
  vendor!: Upstream;
  responses!: Upstream;
  engine!: Upstream;
  site!: WebServer;
  gateway!: TestGateway;

  async start(database: TestDatabase, hasEngine: boolean): Promise<void> {
    [this.vendor, this.responses] = [await startUpstream('anthropic'), await startUpstream('responses')];
    const { rules, answer } = SEARCH_DOUBLES.exa;
    const found = answer(PAGES.map((url) => ({ url, title: url, text: url })));
    this.engine = await new Upstream(rules, () => found).listen();
    this.site = await startWebServer();
    const exa = { base_url: this.engine.url, credential: { value: KEY } };
    const searching = { pricing: { prompt: '3', completion: '15', web_search: '0.01' } };
    const catalog = catalogOf(
      { id: 'test/plain', at: [{ url: this.vendor.url, dialect: 'anthropic-messages' }] },
      { id: 'test/searching', at: [{ url: this.vendor.url, dialect: 'anthropic-messages' }], endpoint: searching },
      { id: 'test/responses', at: [{ url: this.responses.url, dialect: 'openai-responses' }], endpoint: searching },
    );
    this.gateway = await startGateway(database, {
      catalog: { ...catalog, ...(hasEngine && { tools: { web_search: { engines: { exa } } } }) },
      variables: { FAIRLEAD_EGRESS_ALLOW: `127.0.0.2:${this.site.port}` },
    });
  }

  async close(): Promise<void> {
    await this.gateway?.close();
    await Promise.all([this.vendor, this.responses, this.engine, this.site].map((server) => server?.close()));
  }

  reset(): void {
    for (const upstream of [this.vendor, this.responses, this.engine]) upstream.requests.length = 0;
    this.site.paths.length = 0;
    this.vendor.script(anthropicText('done'));
    this.responses.script(responsesText('done'));
  }

  async ask({ model, tool, egress, stream = false }: AskOptions): Promise<JsonBody> {
    const { key } = await this.gateway.newKey({ egress });
    const messages = [{ role: 'user', content: 'Go.' }];
    const body = { model, max_tokens: 1_000, messages, tools: [tool], stream };
    const response = await this.gateway.messages(body, { key });
    const text = await response.text();
    return stream ? { status: response.status } : { status: response.status, ...JSON.parse(text) };
  }

  /** The tool of the first request to a model. */
  sentTool(model: string): JsonBody {
    const upstream = model === 'test/responses' ? this.responses : this.vendor;
    return upstream.requests[0]?.json?.tools[0];
  }

  /** The tool result that the model was sent. */
  toolResult(): string {
    const { messages } = this.vendor.requests.at(-1)!.json;
    return JSON.stringify(messages.at(-1).content);
  }
}

// Rules that neither vendor can express.
// oxfmt-ignore
const INEXPRESSIBLE: readonly (readonly [string, string, object, object])[] = [
  ['both lists', 'test/searching', VENDORS, { allowed_domains: ['good.test'], blocked_domains: ['x.good.test'] }],
  ['a port', 'test/searching', VENDORS, { blocked_domains: ['good.test:8080'] }],
  ['what is below alone', 'test/searching', SEARCH, { allowed_domains: ['*.good.test'] }],
  ['what no rule expresses', 'test/searching', { ...VENDORS, allowed_domains: ['x.good.test'] }, { allowed_domains: ['good.test/x'] }],
  ['what is blocked', 'test/responses', SEARCH, { blocked_domains: ['evil.test'] }],
  ['what is blocked, of a search by the vendor', 'test/responses', { ...SEARCH, parameters: { engine: 'native' } }, { blocked_domains: ['evil.test'] }],
  ['a path', 'test/responses', SEARCH, { allowed_domains: ['good.test/x'] }],
];

describeOnEmbedded('egress of tools', (database) => {
  const bench = new Bench();
  beforeAll(() => bench.start(database, true), 60_000);
  afterAll(() => bench.close());
  beforeEach(() => bench.reset());

  async function account(egress: object | null): Promise<void> {
    const response = await bench.gateway.request('/account/preferences', {
      method: 'PATCH',
      key: MANAGEMENT_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ egress }),
    });
    expect(response.status).toBe(200);
  }

  describe('web_fetch', () => {
    const fetching = (url: string) =>
      inTurn(anthropicToolUse({ name: 'web_fetch', input: { url } }), anthropicText('done'));
    const tool = { type: 'openrouter:web_fetch' };

    it.each([false, true])('reads allowed addresses, and follows no redirect to others (stream %s)', async (stream) => {
      bench.site.at('/bad', whole('text/plain', 'the secret'));
      const good = bench.site.at('/good/a', whole('text/plain', 'the page'));
      const away = bench.site.at('/good/away', redirect('/bad'));
      const options = {
        model: 'test/plain',
        tool,
        egress: { allowed_domains: [`127.0.0.2:${bench.site.port}/good`] },
        stream,
      };
      bench.vendor.script(fetching(good));
      expect((await bench.ask(options)).status).toBe(200);
      expect(bench.toolResult()).toContain('the page');
      for (const url of [away, `${bench.site.origin}/bad`]) {
        bench.vendor.requests.length = 0;
        bench.vendor.script(fetching(url));
        expect((await bench.ask(options)).status).toBe(200);
        expect([bench.toolResult(), bench.toolResult().includes('the secret')]).toEqual([
          expect.stringContaining('may not be fetched'),
          false,
        ]);
      }
      expect(bench.site.paths).toEqual(['/good/a', '/good/away']);
    });

    it('obeys the rules of the account too', async () => {
      const url = bench.site.at('/x', whole('text/plain', 'the page'));
      await account({ blocked_domains: ['127.0.0.2'] });
      bench.vendor.script(fetching(url));
      await bench.ask({ model: 'test/plain', tool, egress: { allowed_domains: ['127.0.0.2'] } });
      await account(null);
      expect([bench.toolResult(), bench.site.paths]).toEqual([expect.stringContaining('may not be fetched'), []]);
    });
  });

  describe('a search by the gateway', () => {
    const searching = inTurn(
      anthropicToolUse({ name: 'web_search', input: { query: 'boats' } }),
      anthropicText('done'),
    );

    // oxfmt-ignore
    it.each<[string, object, object, readonly string[], object]>([
      ['what the key allows', {}, { allowed_domains: ['good.test'] }, PAGES.slice(0, 2), { includeDomains: ['good.test'] }],
      ['what the key blocks', {}, { blocked_domains: ['evil.test', 'good.test/b'] }, PAGES.slice(0, 1), { excludeDomains: ['evil.test'] }],
      ['both', { allowed_domains: ['good.test'] }, { allowed_domains: ['docs.good.test', 'evil.test'] }, PAGES.slice(0, 1), { includeDomains: ['docs.good.test'] }],
      ['blocked within allowed', { allowed_domains: ['good.test'] }, { blocked_domains: ['docs.good.test', 'evil.test'] }, PAGES.slice(1, 2), { includeDomains: ['good.test'], excludeDomains: ['docs.good.test'] }],
    ])('finds %s, and sends its engine the domains', async (_, parameters, egress, found, domains) => {
      bench.vendor.script(searching);
      const reply = await bench.ask({ model: 'test/plain', tool: { ...SEARCH, parameters }, egress });
      expect(reply.content[1].content.map(({ url }: JsonBody) => url)).toEqual(found);
      const { includeDomains, excludeDomains } = bench.engine.requests[0]!.json;
      expect({ includeDomains, excludeDomains }).toEqual({ includeDomains: undefined, excludeDomains: undefined, ...domains });
    });
  });

  describe('a vendor’s own search', () => {
    // oxfmt-ignore
    it.each<[string, object, object | null, object]>([
      ['nothing, unchanged', { ...VENDORS, allowed_domains: ['a.test'] }, null, { allowed_domains: ['a.test'] }],
      ['what is allowed', VENDORS, { allowed_domains: ['good.test', 'a.test/x'] }, { allowed_domains: ['good.test', 'a.test/x'] }],
      ['what is blocked', VENDORS, { blocked_domains: ['evil.test'] }, { blocked_domains: ['evil.test'] }],
      ['what both allow', { ...VENDORS, allowed_domains: ['x.good.test', 'a.test'] }, { allowed_domains: ['good.test'] }, { allowed_domains: ['x.good.test'] }],
      ['what is not blocked', { ...VENDORS, allowed_domains: ['good.test', 'evil.test'] }, { blocked_domains: ['evil.test'] }, { allowed_domains: ['good.test'] }],
      ['the parameters of the gateway’s own tool', { ...SEARCH, parameters: { allowed_domains: ['x.good.test'] } }, { allowed_domains: ['good.test'] }, { allowed_domains: ['x.good.test'] }],
      ['what the gateway’s own has to block', SEARCH, { blocked_domains: ['evil.test'] }, { blocked_domains: ['evil.test'] }],
    ])('is sent the rules: %s', async (_, tool, egress, domains) => {
      expect((await bench.ask({ model: 'test/searching', tool, egress })).status).toBe(200);
      const { type, name, ...rest } = bench.sentTool('test/searching');
      expect([type, name, rest]).toEqual(['web_search_20250305', 'web_search', domains]);
    });

    it('is sent them in the Responses format, where that can express them', async () => {
      const options = { model: 'test/responses', tool: SEARCH };
      await bench.ask({ ...options, egress: { allowed_domains: ['good.test'] } });
      expect(bench.sentTool('test/responses')).toEqual({
        type: 'web_search',
        filters: { allowed_domains: ['good.test'] },
      });
    });

    it.each(INEXPRESSIBLE)('runs at the gateway where the vendor cannot express %s', async (_, model, tool, egress) => {
      expect((await bench.ask({ model, tool, egress })).status).toBe(200);
      const schema = model === 'test/responses' ? 'parameters' : 'input_schema';
      expect(bench.sentTool(model)).toMatchObject({ name: 'web_search', [schema]: { type: 'object' } });
    });

    it.each([
      { ...SEARCH, parameters: { allowed_domains: ['a.test'] } },
      { ...VENDORS, allowed_domains: ['a.test'] },
      { type: 'web_fetch_20260209', name: 'web_fetch', allowed_domains: ['a.test'] },
    ])('is refused where no domain is left: %j', async (tool) => {
      for (const allowed_domains of [[], ['b.test']]) {
        const { status, error } = await bench.ask({ model: 'test/searching', tool, egress: { allowed_domains } });
        expect([status, error.message]).toEqual([403, expect.stringContaining('tools.0: no domain is left')]);
      }
      expect(bench.vendor.requests).toEqual([]);
    });

    it('sends the rules with a fetch that only the vendor has, or refuses it', async () => {
      const tool = { type: 'web_fetch_20991231', name: 'web_fetch' };
      expect(
        (await bench.ask({ model: 'test/searching', tool, egress: { blocked_domains: ['evil.test'] } })).status,
      ).toBe(200);
      expect(bench.sentTool('test/searching')).toEqual({ ...tool, blocked_domains: ['evil.test'] });
      bench.vendor.requests.length = 0;
      const { status, error } = await bench.ask({
        model: 'test/searching',
        tool,
        egress: { blocked_domains: ['evil.test:8080'] },
      });
      expect([status, error.message, bench.vendor.requests]).toEqual([
        400,
        expect.stringContaining('tools.0: the tool web_fetch_20991231'),
        [],
      ]);
    });
  });
});

describeOnEmbedded('egress of a vendor’s own search, where no engine is set up', (database) => {
  const bench = new Bench();
  beforeAll(() => bench.start(database, false), 60_000);
  afterAll(() => bench.close());
  beforeEach(() => bench.reset());
  const refused = [400, expect.stringContaining('no engine of web searches is set up'), undefined];

  it.each(INEXPRESSIBLE)('refuses it where the vendor cannot express %s', async (_, model, tool, egress) => {
    const { status, error } = await bench.ask({ model, tool, egress });
    expect([status, error.message, bench.sentTool(model)]).toEqual(refused);
  });

  it('passes it with its rules to a vendor whose support is unknown, or refuses it', async () => {
    const model = 'test/plain';
    expect((await bench.ask({ model, tool: VENDORS, egress: { allowed_domains: ['good.test'] } })).status).toBe(200);
    expect(bench.sentTool(model)).toEqual({ ...VENDORS, allowed_domains: ['good.test'] });
    bench.reset();
    const { status, error } = await bench.ask({ model, tool: VENDORS, egress: { allowed_domains: ['*.good.test'] } });
    expect([status, error.message, bench.sentTool(model)]).toEqual(refused);
  });
});
