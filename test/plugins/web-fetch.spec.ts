/**
 * The plugin offers the model the tool that fetches pages, with the options of its entry; a request that offers the
 * tool itself keeps its own options. A strict upstream, on both faces, whole and streamed.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { calls, CALL, LoopBench, PRICES, TWO_ROUTES, answers, TOOLS } from '../tools/faults-bench.js';

describeOnEmbedded('the plugin web-fetch', (database) => {
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());

  const entry = (options: object = {}) => ({ tools: [], plugins: [{ id: 'web-fetch', ...options }] });
  const sent = (): JsonBody[] => bench.upstreams.main.requests.map(({ json }) => json);
  const codesIn = ({ content }: JsonBody): unknown[] =>
    content
      .filter(({ type }: JsonBody) => type === 'web_fetch_tool_result')
      .map(({ content: { error_code: code } }: JsonBody) => code ?? 'none');

  it.each(TWO_ROUTES.flatMap((route) => [false, true].map((stream) => [route, stream] as const)))(
    'has the model fetch a page on %s, stream %s',
    async (route, stream) => {
      bench.begin(calls(bench.fetches), answers('It says: a page.'));
      const reply = await bench.ask(route, { ...entry(), stream }, key);
      expect(reply.status).toBe(200);
      expect(JSON.stringify(sent()[1]!.messages)).toContain('A page.');
      expect(sent()[0]!.tools).toMatchObject([{ name: 'web_fetch' }]);
      expect((await bench.row(reply.id)).cost).toBe(2 * CALL + PRICES.fetch);
    },
  );

  it.each<[string, object, unknown[]]>([
    ['as often as it may', { max_uses: 1 }, ['none', 'max_uses_exceeded']],
    ['where it may', { allowed_domains: ['good.example'] }, ['url_not_allowed', 'url_not_allowed']],
    ['not where it may not', { blocked_domains: ['127.0.0.1'] }, ['url_not_allowed', 'url_not_allowed']],
  ])('fetches %s', async (_, options, codes) => {
    bench.begin(calls(bench.fetches, bench.fetches), answers('So.'));
    expect(codesIn(await bench.ask('/messages', entry(options), key))).toEqual(codes);
  });

  it('offers nothing where it is off, and nothing beside the tool itself', async () => {
    bench.begin(answers('So.'));
    await bench.ask('/messages', entry({ enabled: false }), key);
    expect(sent()[0]!.tools ?? []).toEqual([]);
    bench.begin(calls(bench.fetches), answers('So.'));
    const fields = { ...entry({ max_uses: 0 }), tools: [TOOLS.fetch] };
    expect(codesIn(await bench.ask('/messages', fields, key))).toEqual(['none']);
    expect(sent()[0]!.tools).toHaveLength(1);
  });

  it('reports that it has offered the tool', async () => {
    bench.begin(answers('So.'));
    const response = await bench.gateway.request('/messages', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify(bench.body(entry())),
    });
    const { router_metadata } = (await response.json()) as JsonBody;
    expect(router_metadata.pipeline).toMatchObject([{ type: 'plugin', name: 'web-fetch', summary: 'offered' }]);
  });

  it.each([
    [{ max_uses: -1 }, 'plugins.0.max_uses'],
    [{ max_uses: '1' }, 'plugins.0.max_uses'],
    [{ allowed_domains: 'a.example' }, 'plugins.0.allowed_domains'],
    [{ blocked_domains: [null] }, 'plugins.0.blocked_domains.0'],
    [{ max_content_tokens: 1.5 }, 'plugins.0.max_content_tokens'],
    [{ max_content_tokens: 0 }, 'plugins.0.max_content_tokens: must be at least 1'],
    [{ allowed_domains: ['a.example', 'a b'] }, 'plugins.0.allowed_domains.1: must be a domain such as'],
    [{ blocked_domains: Array(201).fill('a.example') }, 'plugins.0.blocked_domains: must be a list of at most 200'],
  ])('refuses %j', async (options, path) => {
    const { status, body } = await bench.ask('/messages', entry(options), key);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(path)]);
    expect(body.error.message).not.toContain('tools.');
  });
});
