// The tool of web pages returns the readable text of any page, reports failures with the format's own codes, and obeys
// its domain rules. The real fetch and the real threads against loopback servers; 127.0.0.2 stands for public
// addresses, 127.0.0.1 for those that must never be reached.
import { gzipSync } from 'node:zlib';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import type { JsonObject } from '../../src/core/json/json.js';
import { webFetch } from '../../src/tools/web-fetch/web-fetch.js';
import { openSeal } from '../support/extension-context.js';
import { pdf, show } from '../support/pdfs.js';
import { flood, redirect, startWebServer, trickle, whole, type WebServer } from '../support/web-server.js';
import { failure, FetchBench, NOW } from './fetch-bench.js';

let bench: FetchBench;
let web: WebServer;
let inside: WebServer;
beforeAll(async () => {
  [web, inside] = [await startWebServer(), await startWebServer('127.0.0.1')];
  bench = new FetchBench();
});
afterAll(() => Promise.all([bench.close(), web.close(), inside.close()]));
afterEach(async () => {
  expect([inside.paths, bench.bytes.held]).toEqual([[], 0]);
  await until(async () => (await web.connections()) === 0);
  web.paths.length = 0;
});
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
const textOf = ({ content }: { content: unknown }): string =>
  (content as { content: { source: { data: string } } }).content.source.data;

const WORDS = 'It is said that the ring leads a rope where it should run, and nowhere else. ';
const PAGE = `<html><head><title>On rings</title></head><body><nav><a href="/">Home</a></nav><article>
  <h1>Where they lead</h1><p>${WORDS.repeat(8)}<a href="../ropes?a=1">Ropes</a></p>
  <table><tr><th>kind</th><th>size</th></tr><tr><td>small</td><td>1</td></tr></table></article></body></html>`;

describe('a page', () => {
  it('is returned as its article in Markdown, with the text for the model, the block and the source', async () => {
    const url = web.at('/a/page', whole('text/html; charset=utf-8', PAGE));
    const result = await bench.fetch(url);
    const data = `## Where they lead\n\n${WORDS.repeat(8)}[Ropes](${web.origin}/ropes?a=1)\n\n| kind | size |\n| --- | --- |\n| small | 1 |`;
    expect(result).toEqual({
      text: `Title: On rings\nURL: ${url}\n\n${data}`,
      content: {
        type: 'web_fetch_result',
        url,
        content: {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data },
          title: 'On rings',
          citations: { enabled: false },
        },
        retrieved_at: new Date(NOW).toISOString(),
      },
      sources: [{ url, title: 'On rings' }],
      isError: false,
      cost: 0n,
      web: { kind: 'fetch', engine: 'openrouter', results: 1 },
    });
    expect(webFetch.recall(result.content, openSeal)).toBe(result.text);
  });

  it.each([
    ['text/plain', 'plain', 'plain'],
    ['text/markdown; charset=UTF-8', '# Ä', '# Ä'],
    ['application/json', '{"a":1}', '{"a":1}'],
    ['application/rss+xml', '<rss><item/></rss>', '<rss><item/></rss>'],
    ['text/csv', 'a,b', 'a,b'],
    ['text/plain; charset=iso-8859-1', Buffer.from('\xe4', 'latin1'), 'ä'],
    ['text/plain; charset="Shift_JIS"', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['text/plain', Buffer.from('\ufeffä', 'utf16le'), 'ä'],
    ['text/plain; charset=utf-8', Buffer.from('wrongly \xe4', 'latin1'), 'wrongly ä'],
    ['text/plain; charset=nonsense', 'ä', 'ä'],
    ['text/html', Buffer.from('<meta charset=windows-1251><p>\xcc\xe8\xf0', 'latin1'), 'Мир'],
    [
      'text/xml',
      Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe4</a>', 'latin1'),
      expect.stringContaining('ä'),
    ],
    ['text/html', '<p>no title', 'no title'],
    ['text/html', '<title>t</title><noscript>Turn scripts on.</noscript><script>x()</script>', 'Turn scripts on.'],
    ['application/octet-stream', pdf({ pages: [show('from a PDF')] }), 'from a PDF'],
    ['text/plain', 'a\x07b\ud800', expect.stringMatching(/^ab/)],
  ])('of %s is read', async (mediaType, body, text) => {
    const result = await bench.fetch(web.at('/kind', whole(mediaType, body)));
    expect(textOf(result)).toEqual(text);
  });

  it.each([
    ['an image', 'image/png', Buffer.from('89504e470d0a1a0a', 'hex'), 'is not text/html'],
    ['an image under a false name', 'text/html', Buffer.from('89504e470d0a1a0a', 'hex'), 'is not text/html'],
    ['bytes under a false name', 'text/html', Buffer.from('7f454c4602010100', 'hex'), 'is no text'],
    ['a packed file', 'application/zip', gzipSync('x'), 'is not text/html'],
    [
      'a page of scripts',
      'text/html',
      '<title>App</title><div id=root></div><script>x()</script>',
      'has no text without',
    ],
    ['nothing', 'text/plain', '', 'has no text'],
    ['a broken PDF', 'application/pdf', '%PDF-1.7\nnothing of the kind', 'is a broken PDF'],
    ['a cut PDF', 'application/pdf', pdf({ pages: [show('x')] }).subarray(0, 60), 'is a broken PDF'],
    ['a PDF of pictures', 'application/pdf', pdf({ pages: ['', ''] }), 'is a PDF without text'],
    ['an encrypted PDF', 'application/pdf', encrypted(), 'is an encrypted PDF'],
  ])('that is %s is rejected', async (_, mediaType, body, why) => {
    const result = await bench.fetch(web.at('/useless', whole(mediaType, body)));
    expect(result).toEqual(failure('unsupported_content_type'));
    expect(result.text).toContain(`It ${why}`);
    expect(result.text).toContain(webFetch.recall(result.content, openSeal));
  });

  it('is not accepted in compressed form', async () => {
    const packed = gzipSync(Buffer.alloc(1024 * 1024));
    const url = web.at('/packed', (response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(packed);
    });
    expect(await bench.fetch(url)).toEqual(failure('unsupported_content_type'));
  });

  it('may be a PDF of 60 pages, with its title', async () => {
    const pages = Array.from({ length: 60 }, (_, index) => show(`Page ${index + 1}. ${WORDS.repeat(50)}`));
    const result = await bench.fetch(web.at('/book.pdf', whole('application/pdf', pdf({ pages }))));
    expect(result.isError).toBe(false);
    expect(textOf(result).match(/Page \d+\./g)).toHaveLength(60);
  });

  it('is cut to the requested tokens, with a notice', async () => {
    const url = web.at('/long', whole('text/plain', 'ä'.repeat(10_000)));
    const options = { parameters: { max_content_tokens: 10 } };
    expect(textOf(await bench.fetch(url, options))).toBe(`${'ä'.repeat(20)}\n\n[The rest of this page was left out.]`);
    const short = web.at('/short', whole('text/plain', 'ä'.repeat(20)));
    expect(textOf(await bench.fetch(short, options))).toBe('ä'.repeat(20));
  });
});

/** As written with a password. */
function encrypted(): Buffer {
  const lock = `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`;
  const open = pdf({ pages: [show('secret')], more: [lock] }).toString('latin1');
  const ids = `/ID [<${'01'.repeat(16)}> <${'01'.repeat(16)}>]`;
  return Buffer.from(open.replace('/Root 1 0 R', `/Root 1 0 R /Encrypt 1000 0 R ${ids}`), 'latin1');
}

describe('an address', () => {
  it.each([
    ['no-scheme.example', 'invalid_tool_input'],
    ['ftp://a.example/', 'invalid_tool_input'],
    ['', 'invalid_tool_input'],
    [`https://a.example/${'a'.repeat(8_175)}`, 'url_too_long'],
    ['https://user:word@a.example/', 'url_not_allowed'],
    ['http://127.0.0.1:1/', 'url_not_allowed'],
    ['http://169.254.169.254/latest/meta-data', 'url_not_allowed'],
    ['http://127.0.0.2:1/', 'url_not_accessible'],
  ])('%.30s: %s', async (url, code) => {
    expect(await bench.fetch(url)).toEqual(failure(code));
  });

  it('that answers with an error, or with too much, is not accessible', async () => {
    const result = await bench.fetch(`${web.origin}/none`);
    expect(result).toEqual(failure('url_not_accessible'));
    expect(result.web).toEqual({ kind: 'fetch', engine: 'openrouter', results: 0 });
    for (const serve of [
      flood('text/html', 100 * 1024 * 1024),
      flood('application/json', 100 * 1024 * 1024),
      whole('text/html', Buffer.alloc(10 * 1024 * 1024 + 1, 'x')),
    ]) {
      expect(await bench.fetch(web.at('/much', serve))).toEqual(failure('url_not_accessible'));
    }
  });

  it('is followed five times, and returned as the final one', async () => {
    const end = web.at('/end', whole('text/plain', 'here'));
    for (let left = 5; left > 0; left--) web.at(`/${left}`, redirect(left === 1 ? end : `/${left - 1}`));
    expect(await bench.fetch(`${web.origin}/5`)).toMatchObject({ content: { url: end }, sources: [{ url: end }] });
    expect(await bench.fetch(web.at('/6', redirect('/5')))).toEqual(failure('url_not_accessible'));
    expect(await bench.fetch(web.at('/loop', redirect('/loop')))).toEqual(failure('url_not_accessible'));
  });

  it.each(['http://127.0.0.1:P/', 'http://localhost:P/', '//127.1:P/', 'file:///etc/passwd'])(
    'is not followed to %s',
    async (location) => {
      const url = web.at('/away', redirect(location.replace('P', String(inside.port))));
      const result = await bench.fetch(url);
      expect(result).toEqual(failure('url_not_allowed'));
      expect(result).not.toHaveProperty('web');
    },
  );
});

describe('domains', () => {
  const elsewhere = (): string => web.origin.replace('http://', '').replace(/:\d+$/, ':1');

  it.each([
    ['allowed_domains', () => ['example.com', web.origin], () => [elsewhere()]],
    ['blocked_domains', () => [elsewhere()], () => [web.origin]],
  ])('of %s bind the address and its redirects', async (field, open, closed) => {
    const url = web.at('/x', whole('text/plain', 'x'));
    const from = web.at('/from', redirect('/x'));
    expect((await bench.fetch(url, { parameters: { [field]: open() } })).isError).toBe(false);
    web.paths.length = 0;
    expect(await bench.fetch(url, { parameters: { [field]: closed() } })).toEqual(failure('url_not_allowed'));
    expect(web.paths).toEqual([]);
    const paths = field === 'allowed_domains' ? [`${web.origin}/from`] : [`${web.origin}/x`];
    expect(await bench.fetch(from, { parameters: { [field]: paths } })).toEqual(failure('url_not_allowed'));
    expect(web.paths).toEqual(['/from']);
  });

  it('of the account and the key bind too', async () => {
    const url = web.at('/x', whole('text/plain', 'x'));
    const [allowedDomains, blockedDomains] = [['example.com'], [web.origin]];
    for (const egress of [{ allowedDomains }, { blockedDomains }]) {
      expect(await bench.fetch(url, { egress })).toEqual(failure('url_not_allowed'));
    }
    expect(web.paths).toEqual([]);
    expect((await bench.fetch(url, { egress: { allowedDomains: [web.origin] } })).isError).toBe(false);
  });
});

describe('a requested tool', () => {
  it('has both names, its price and its limit of uses', () => {
    const tools = { webFetch: { price: 7n, engines: new Map() } };
    const both = ['openrouter:web_fetch', 'web_fetch_20250910'].map((type) => bench.offer({ type, tools }));
    for (const one of both) {
      expect(one).toMatchObject({ price: 7n, usesMax: 50, engine: 'openrouter', asFunction: { name: 'web_fetch' } });
    }
    expect(bench.offer({ parameters: { max_uses: 3, max_content_tokens: null } }).usesMax).toBe(3);
    expect(bench.offer({ parameters: { max_uses: 51 } }).usesMax).toBe(50);
    expect(bench.offer({ parameters: { max_uses: 0 } }).usesMax).toBe(0);
  });

  it('costs its price when it returned a page, and nothing else', async () => {
    const tools = { webFetch: { price: 7n, engines: new Map() } };
    const url = web.at('/x', whole('text/plain', 'x'));
    expect(await bench.fetch(url, { tools })).toMatchObject({ cost: 7n });
    expect(await bench.fetch(`${web.origin}/none`, { tools })).toMatchObject({ cost: 0n });
  });

  it.each(['auto', 'native', 'openrouter'])('may name the engine %s', async (engine) => {
    const url = web.at('/x', whole('text/plain', 'x'));
    expect((await bench.fetch(url, { parameters: { engine } })).isError).toBe(false);
  });

  it("has citations of its documents as the vendor's tool does", async () => {
    const url = web.at('/x', whole('text/plain', 'x'));
    const options = { type: 'web_fetch_20250910', parameters: { name: 'web_fetch', citations: { enabled: true } } };
    expect(await bench.fetch(url, options)).toMatchObject({ content: { content: { citations: { enabled: true } } } });
  });

  it.each<[JsonObject, string]>([
    [{ max_uses: -1 }, 'tools.0.parameters.max_uses'],
    [{ max_content_tokens: 0 }, 'tools.0.parameters.max_content_tokens'],
    [{ max_uses: '1' }, 'tools.0.parameters.max_uses'],
    [{ max_content_tokens: 1.5 }, 'tools.0.parameters.max_content_tokens'],
    [{ allowed_domains: 'a.example' }, 'tools.0.parameters.allowed_domains'],
    [{ allowed_domains: Array.from({ length: 201 }, () => 'a.example') }, 'tools.0.parameters.allowed_domains'],
    [{ blocked_domains: ['a.example', 'a b'] }, 'tools.0.parameters.blocked_domains.1'],
    [{ engine: 'exa' }, 'tools.web_fetch.engines.exa'],
    [{ engine: 'parallel' }, 'tools.web_fetch.engines.parallel'],
    [{ engine: 'firecrawl' }, 'tools.web_fetch.engines.firecrawl'],
  ])('is refused by name: %j', (parameters, name) => {
    expect(() => bench.offer({ parameters })).toThrow(
      expect.objectContaining({ kind: 'invalid-request', message: expect.stringContaining(name) as string }),
    );
  });

  it('has a message for each of its failures, and its own codes for those of others', () => {
    const tool = bench.offer();
    expect({ ...tool.fail('max_uses_exceeded', {}), cost: 0n }).toEqual(failure('max_uses_exceeded'));
    expect({ ...tool.fail('query_too_long', {}), cost: 0n }).toEqual(failure('unavailable'));
    const { text, content } = tool.fail('too_many_requests', {});
    expect(webFetch.recall(content, openSeal)).toBe(text);
  });

  it.each<[unknown, string]>([
    [null, 'The page could not be read.'],
    [
      { type: 'web_fetch_result', url: 'https://a/', content: { source: { type: 'base64', data: 'x' }, title: null } },
      'URL: https://a/\n\n[A document that is not kept as text.]',
    ],
    [{ type: 'web_fetch_tool_result_error', error_code: 'made_up' }, 'The page could not be read.'],
    [{ type: 'web_fetch_tool_result_error', error_code: 'toString' }, 'The page could not be read.'],
  ])('describes in plain text what was sent back as %j', (content, text) => {
    expect(webFetch.recall(content as never, openSeal)).toBe(text);
  });
});

describe('a caller that leaves', () => {
  const gone = async (url: string, when: () => boolean | Promise<boolean>): Promise<void> => {
    const abort = new Cancellation();
    const fetched = bench.fetch(url, { signal: abort.signal });
    const outcome = expect(fetched).rejects.toThrow(CallerGone);
    await until(when);
    const at = performance.now();
    abort.abort(new CallerGone());
    await outcome;
    expect(performance.now() - at).toBeLessThan(1_000);
  };

  it('before it begins', async () => {
    await gone(web.at('/x', whole('text/plain', 'x')), () => true);
  });
  it('while nothing has been answered', async () => {
    await gone(
      web.at('/hang', () => undefined),
      () => web.paths.length === 1,
    );
  });
  it('while the body arrives, slowly and for ever', async () => {
    await gone(web.at('/slow', trickle('text/plain')), () => bench.bytes.held > 10);
  });
  it('while it is read', async () => {
    const page = `<p>${'<a href=/x>y</a>'.repeat(9_000)}`;
    let isSent = false;
    const url = web.at('/read', (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page, () => (isSent = true));
    });
    await gone(url, () => isSent && bench.bytes.held === page.length);
  });
});

describe('beyond the bytes in flight', () => {
  it('a fetch fails as busy, and its bytes are released', async () => {
    const small = new FetchBench(1_000);
    const url = web.at('/x', whole('text/plain', 'x'.repeat(900)));
    expect(await small.fetch(url)).toEqual(failure('too_many_requests'));
    expect(small.bytes.held).toBe(0);
    await small.close();
  });

  it('reading fails as busy, and other keys are not affected', async () => {
    const url = web.at('/x', whole('text/plain', 'x'));
    const results = await Promise.all(Array.from({ length: 40 }, () => bench.fetch(url)));
    const other = bench.fetch(url, { key: 'other' });
    expect((await other).isError).toBe(false);
    for (const result of results.filter(({ isError }) => isError)) expect(result).toEqual(failure('too_many_requests'));
  });

  it('an unexpected failure is left to the caller of the tool, which logs it', async () => {
    const workers = { run: () => Promise.reject(new TypeError('x is not a function')) };
    const url = web.at('/x', whole('text/plain', 'x'));
    await expect(bench.fetch(url, { parts: { workers } })).rejects.toThrow(TypeError);
  });
});
