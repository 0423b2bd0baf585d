/**
 * Checks that the gateway shows the pages of docs/use beside its reference, from the same files: each is served under
 * the policy of the reference, their links and anchors lead somewhere, and the reference finds their words. The real
 * app is read over HTTP; a page with HTML of its own is rendered by the build's program in a separate folder.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';

const ROOT = join(__dirname, '..', '..');
const USE = join(ROOT, 'docs', 'use');
const NAMES = readdirSync(USE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.slice(0, -'.md'.length))
  .toSorted();
const POLICY = /^default-src 'none'; script-src 'self';.*; require-trusted-types-for 'script'; trusted-types 'none'$/;

/** A section, as the search of the documentation finds it. */
type Section = readonly [kind: string, heading: string, page: string, text: string, path: string];

const linksIn = (html: string): string[] => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href!);
const idsIn = (html: string): ReadonlySet<string> => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));

describeOnEmbedded('the guide', (database) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  const get = (path: string): Promise<Response> => fetch(`${gateway.origin}${path}`, { redirect: 'manual' });
  const sections = async (): Promise<readonly Section[]> =>
    ((await (await get('/docs/search.json')).json()) as readonly Section[]).filter(([kind]) => kind === 'guide');

  it('has every page of docs/use, to anybody, under the policy of the reference', async () => {
    const shown = [...(await (await get('/docs')).text()).matchAll(/<main[^]*<\/main>/g)].flatMap(([main]) =>
      linksIn(main),
    );
    expect(
      shown
        .filter((href) => href.startsWith('docs/use/'))
        .map((href) => href.slice('docs/use/'.length))
        .toSorted(),
    ).toEqual(NAMES);
    for (const path of NAMES.flatMap((name) => [`/docs/use/${name}`, `/api/v1/docs/use/${name}`])) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toMatch(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('has neither script nor style in its pages', async () => {
    for (const name of NAMES) {
      const page = await (await get(`/docs/use/${name}`)).text();
      expect([
        name,
        /<style|<script(?![^>]*\ssrc=)|<iframe|\sstyle=|<[^>]*\son\w+=|href="(?!https?:)\w+:/i.exec(page),
      ]).toEqual([name, null]);
    }
  });

  it('has in every link a page, a heading or another host', async () => {
    const pages = new Map<string, string>();
    const read = async (path: string): Promise<string> => {
      if (!pages.has(path)) pages.set(path, await (await get(path)).text());
      return pages.get(path)!;
    };
    const broken: string[] = [];
    let count = 0;
    for (const name of NAMES) {
      for (const href of linksIn(await read(`/docs/use/${name}`))) {
        const { origin, pathname, hash } = new URL(href, `${gateway.origin}/docs/use/${name}`);
        if (origin !== gateway.origin) continue;
        count++;
        const found = await read(pathname);
        const leads =
          hash === '' ? found.startsWith('<!doctype html>') : idsIn(found).has(decodeURIComponent(hash.slice(1)));
        if (!leads) broken.push(`${name}: ${href}`);
      }
    }
    expect(count).toBeGreaterThan(1_000);
    expect(broken).toEqual([]);
  });

  it('gives the search the words of each section', async () => {
    const all = await sections();
    const wasted = all.find(([, , , , path]) => path === 'use/limits#wasted-calls')!;
    expect(wasted.slice(0, 3)).toEqual(['guide', 'Wasted calls', 'Limits']);
    expect(wasted[3]).toContain('FAIRLEAD_FLOOD');
    const headings = new Set(all.map(([, heading]) => heading));
    for (const name of NAMES) {
      const [, title] = /^# (.+)$/m.exec(readFileSync(join(USE, `${name}.md`), 'utf8'))!;
      expect([name, headings.has(title!.replaceAll('`', ''))]).toEqual([name, true]);
    }
  });

  it.each([
    '/docs/use',
    '/docs/use/',
    '/docs/use/nothing',
    '/docs/use/quickstart.md',
    '/docs/use/quickstart/',
    '/docs/use/constructor',
    '/docs/use/tools',
    '/docs/use/tools%2fbash',
    '/docs/use/..%2f..%2fpackage.json',
    '/docs/use/%2e%2e/%2e%2e/package.json',
    '/docs/pages.json',
  ])('has nothing at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

it('shows the HTML of a source, follows no link of another kind, and keeps the text of other links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  try {
    mkdirSync(join(folder, 'docs', 'use'), { recursive: true });
    writeFileSync(join(folder, 'docs', 'README.md'), '[A page](use/page.md)');
    writeFileSync(
      join(folder, 'docs', 'use', 'page.md'),
      [
        '# A <b>page</b> & more',
        '<script>alert(1)</script>',
        '<!-- A remark. -->',
        '<img src=x onerror=alert(1)> [harm](javascript:alert(1)) [data](data:text/html,x)',
        '[out](../operate/catalog.md#prices) [here](page.md#a-bpageb--more) [there](https://example.com/)',
        '```html\n<script>\n```',
      ].join('\n\n'),
    );
    const program = `import { writeGuide } from ${JSON.stringify(join(ROOT, 'scripts', 'render-guide.mjs'))};
      writeGuide(${JSON.stringify(folder)}, ${JSON.stringify(folder)});`;
    execFileSync(process.execPath, ['--input-type=module', '-e', program]);
    const [page] = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as {
      titleHtml: string;
      html: string;
    }[];
    expect(page!.titleHtml).toBe('A &lt;b&gt;page&lt;/b&gt; &amp; more');
    expect(page!.html.match(/<(?!\/)[^>]*>/g)).toEqual([
      '<h1 id="a-bpageb--more">',
      '<p>',
      '<p>',
      '<p>',
      '<a href="page#a-bpageb--more">',
      '<a href="https://example.com/" rel="noreferrer">',
      '<pre>',
      '<code class="language-html">',
    ]);
    expect(page!.html).toContain('out <a');
    expect(page!.html).not.toContain('remark');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
