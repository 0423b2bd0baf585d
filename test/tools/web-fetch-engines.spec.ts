// Engines of the catalog are called for pages by their published API, and all of their answers become results.
// Stand-ins for each engine's API on loopback, which refuse what the real one refuses.
import { ExtensionFault, type EngineCall } from '../../src/core/extension.js';
import { Secret } from '../../src/core/secret.js';
import type { ToolsConfiguration } from '../../src/core/routing/catalog.js';
import { exaPages } from '../support/engines/exa-pages.js';
import { firecrawlPages } from '../support/engines/firecrawl-pages.js';
import { ENGINE_KEY, startPageEngine, type PageEngine } from '../support/engines/page-engine.js';
import { parallelPages } from '../support/engines/parallel-pages.js';
import { failure, FetchBench } from './fetch-bench.js';

const URL_ = 'https://example.com/rings';
const PAGES = {
  [URL_]: { title: 'On rings', text: `${'r'.repeat(500)}ing` },
  'https://example.com/empty': { title: '', text: ' ' },
};

describe.each([
  ['exa', exaPages, { urls: [URL_], text: { maxCharacters: 400 } }],
  ['parallel', parallelPages, { urls: [URL_], excerpts: false, full_content: { max_chars_per_result: 400 } }],
  ['firecrawl', firecrawlPages, { url: URL_, formats: ['markdown'], onlyMainContent: true }],
])('the engine %s', (name, api, body) => {
  let engine: PageEngine;
  const bench = new FetchBench();
  beforeEach(async () => {
    engine = await startPageEngine(api, PAGES);
  });
  afterEach(() => engine.close());
  afterAll(() => bench.close());

  const tools = (key = ENGINE_KEY): ToolsConfiguration => {
    const configured = { baseUrl: engine.baseUrl, credential: new Secret(key), price: 5n };
    return { webFetch: { price: 1n, engines: new Map([[name, configured]]) } };
  };
  const options = (more = {}, key?: string) => ({ parameters: { engine: name, ...more }, tools: tools(key) });

  it('is called for a page, and paid for it', async () => {
    expect(bench.offer(options()).price).toBe(5n);
    const result = await bench.fetch(URL_, options({ max_content_tokens: 100 }));
    const cut = name === 'firecrawl' ? '\n\n[The rest of this page was left out.]' : '';
    expect(result).toMatchObject({
      content: { url: URL_, content: { title: 'On rings', source: { data: `${'r'.repeat(400)}${cut}` } } },
      sources: [{ url: URL_, title: 'On rings' }],
      cost: 5n,
      web: { kind: 'fetch', engine: name, results: 1 },
    });
    expect(engine.bodies).toEqual([body]);
  });

  it('reports what it cannot reach, and what has no text', async () => {
    // Firecrawl returns the page of an error as any other.
    const cost = name === 'firecrawl' ? 5n : 0n;
    expect(await bench.fetch('https://example.com/none', options())).toEqual(failure('url_not_accessible', cost));
    expect(await bench.fetch('https://example.com/empty', options())).toEqual(failure('unsupported_content_type', 5n));
  });

  it('is not called for a domain that is not allowed', async () => {
    const other = { allowed_domains: ['other.example'] };
    expect(await bench.fetch(URL_, options(other))).toEqual(failure('url_not_allowed'));
    expect(await bench.fetch(URL_, { ...options(), egress: { blockedDomains: ['example.com'] } })).toEqual(
      failure('url_not_allowed'),
    );
    expect(engine.bodies).toEqual([]);
    expect(await bench.fetch(URL_, options(other))).not.toHaveProperty('web');
  });

  it('may fail, which is not a failure of the page', async () => {
    expect(await bench.fetch(URL_, options({}, 'another key'))).toEqual(failure('unavailable'));
    for (const [status, body, code, cost = 0n] of [
      [429, '{"error":"rate limited"}', 'too_many_requests'],
      [404, '{}', 'unavailable'],
      [500, 'oops', 'unavailable'],
      [200, 'no JSON', 'unavailable'],
      [200, '[]', 'unavailable'],
      [200, '{}', 'unavailable'],
      [200, '{"results":[{}],"success":true,"data":{}}', 'unsupported_content_type', 5n],
      [200, '{"results":[],"errors":[{}],"statuses":[{"status":"error"}],"success":false}', 'url_not_accessible'],
      ...(name === 'firecrawl'
        ? ([
            [200, '{"success":true,"data":{"markdown":"x","metadata":{"statusCode":400}}}', 'url_not_accessible', 5n],
            [200, '{"success":true,"data":null}', 'unavailable'],
          ] as const)
        : []),
    ] as const) {
      engine.instead = { status, body };
      expect(await bench.fetch(URL_, options())).toEqual(failure(code, cost));
    }
  });

  /** Answers with a page at this final address. */
  const leadTo = (url: string, metadata: object = { sourceURL: url }): void => {
    const page = { url, title: 't', text: 'x', full_content: 'x' };
    const data = { markdown: 'x', metadata: { title: ['t'], statusCode: 200, ...metadata } };
    engine.instead = { status: 200, body: JSON.stringify({ results: [page], success: true, data }) };
  };

  it('has a minute and four MiB for an answer, and its failure is not one of the page', async () => {
    const called: EngineCall[] = [];
    for (const [kind, code] of [
      ['timed-out', 'unavailable'],
      ['too-large', 'unavailable'],
      ['busy', 'too_many_requests'],
      ['unsupported', 'unavailable'],
    ] as const) {
      const call = (one: EngineCall): Promise<never> => {
        called.push(one);
        return Promise.reject(new ExtensionFault(kind, 'of the engine'));
      };
      expect(await bench.fetch(URL_, { ...options(), parts: { engines: { call } } })).toEqual(failure(code));
    }
    expect(called[0]).toMatchObject({ timeoutMs: 60_000, bytesMax: 4 * 1024 * 1024 });
  });

  it('is trusted where it reports that it could not fetch a page, whatever else it answers', async () => {
    leadTo(URL_, { statusCode: 404 });
    engine.instead = {
      ...engine.instead!,
      body: engine.instead!.body.replace('{', '{"statuses":[{"status":"error"}],'),
    };
    const answered = await bench.fetch(URL_, options());
    if (name === 'parallel') expect(answered).toMatchObject({ content: { url: URL_ } });
    else expect(answered).toEqual(failure('url_not_accessible', name === 'firecrawl' ? 5n : 0n));
  });

  it('may not redirect to a domain outside the allowed ones', async () => {
    const evil = 'https://evil.example/';
    for (const metadata of [{ sourceURL: evil }, { sourceURL: URL_, url: evil }]) {
      leadTo(evil, metadata);
      expect(await bench.fetch(URL_, options())).toMatchObject({ content: { url: evil, content: { title: 't' } } });
      for (const rules of [
        options({ allowed_domains: ['example.com'] }),
        { ...options(), egress: { allowedDomains: ['example.com'] } },
        { ...options(), egress: { blockedDomains: ['evil.example'] } },
      ]) {
        expect(await bench.fetch(URL_, rules)).toEqual(failure('url_not_allowed', 5n));
      }
    }
  });

  it('has the requested address where the engine names none', async () => {
    leadTo('');
    expect(await bench.fetch(URL_, options())).toMatchObject({ content: { url: URL_ } });
  });
});
