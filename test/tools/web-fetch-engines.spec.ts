// Goal: pages by an engine of the catalog are asked for as the engine publishes it, and whatever it answers is a
// result. Method: stand-ins of each engine's API on loopback, which refuse what the real one refuses.
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
  const asked = (more = {}, key?: string) => ({ parameters: { engine: name, ...more }, tools: tools(key) });

  it('is asked for a page, and paid for it', async () => {
    expect(bench.offer(asked()).price).toBe(5n);
    const result = await bench.fetch(URL_, asked({ max_content_tokens: 100 }));
    const cut = name === 'firecrawl' ? '\n\n[The rest of this page was left out.]' : '';
    expect(result).toMatchObject({
      content: { url: URL_, content: { title: 'On rings', source: { data: `${'r'.repeat(400)}${cut}` } } },
      sources: [{ url: URL_, title: 'On rings' }],
      cost: 5n,
      web: { kind: 'fetch', engine: name, results: 1 },
    });
    expect(engine.bodies).toEqual([body]);
  });

  it('tells what it cannot reach, and what has no text', async () => {
    expect(await bench.fetch('https://example.com/none', asked())).toEqual(failure('url_not_accessible'));
    expect(await bench.fetch('https://example.com/empty', asked())).toEqual(failure('unsupported_content_type'));
  });

  it('is not asked for a domain that is not allowed', async () => {
    const other = { allowed_domains: ['other.example'] };
    expect(await bench.fetch(URL_, asked(other))).toEqual(failure('url_not_allowed'));
    expect(await bench.fetch(URL_, { ...asked(), egress: { blockedDomains: ['example.com'] } })).toEqual(
      failure('url_not_allowed'),
    );
    expect(engine.bodies).toEqual([]);
    expect(await bench.fetch(URL_, asked(other))).not.toHaveProperty('web');
  });

  it('may fail, which is none of the page', async () => {
    expect(await bench.fetch(URL_, asked({}, 'another key'))).toEqual(failure('unavailable'));
    for (const [status, body, code] of [
      [429, '{"error":"rate limited"}', 'too_many_requests'],
      [500, 'oops', 'unavailable'],
      [200, 'no JSON', 'unavailable'],
      [200, '[]', 'unavailable'],
      [200, '{}', 'url_not_accessible'],
      [200, '{"results":[{}],"success":true,"data":{}}', 'unsupported_content_type'],
    ] as const) {
      engine.instead = { status, body };
      expect(await bench.fetch(URL_, asked())).toEqual(failure(code));
    }
  });

  it('may not lead to another domain than those allowed', async () => {
    const page = { url: 'https://evil.example/', title: 't', text: 'x', full_content: 'x' };
    const data = { markdown: 'x', metadata: { title: ['t'], sourceURL: page.url, statusCode: 200 } };
    engine.instead = { status: 200, body: JSON.stringify({ results: [page], success: true, data }) };
    const result = await bench.fetch(URL_, asked());
    expect(result).toMatchObject({ content: { url: page.url, content: { title: 't' } } });
    expect(await bench.fetch(URL_, asked({ allowed_domains: ['example.com'] }))).toEqual(failure('url_not_allowed'));
  });
});
