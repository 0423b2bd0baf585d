/**
 * Checks that the console is served whole from this gateway, under a policy that admits nothing else, and is small:
 * the first page with all that it loads. The real app is read over HTTP as a browser reads it: the page, then what it
 * names. test/console opens it in Chromium.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startGateway, type TestGateway } from '../support/app.js';
import { compiledSource } from '../support/compiled-source.js';
import { describeOnEmbedded } from '../support/database.js';
import { exchange } from '../support/raw-client.js';

const ROOT = join(__dirname, '..', '..');
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const FOR_GOOD = 'public, max-age=31536000, immutable';
/** Size of the first page with all that it loads, compressed as proxies do. */
const FIRST_PAGE_BYTES_MAX = 60 * 1024;

describeOnEmbedded('the pages of the console', (database) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${gateway.origin}${path}`, { redirect: 'manual', headers });
  /** The addresses that a page loads, as absolute paths. */
  async function loadedBy(path: string): Promise<string[]> {
    const page = await (await get(path)).text();
    return [...page.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g)].map(
      ([, address]) => new URL(address!, `${gateway.origin}${path}`).pathname,
    );
  }

  it.each(['/console', '/console/', '/console/generations/gen-1', '/console/none'])(
    'answer at %s, to strangers too, under their policy',
    async (path) => {
      const response = await get(path);
      const { status, headers } = response;
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-cache');
      const page = await response.text();
      expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)|https?:|"\/\//i);
    },
  );

  it.each(['/console', '/console/', '/console/generations/gen-1'])(
    'load from %s what is there, to be kept for good, and little of it',
    async (path) => {
      const loaded = await loadedBy(path);
      expect(loaded.length).toBeGreaterThan(3);
      const texts = [await (await get(path)).text()];
      for (const address of loaded) {
        const response = await get(address);
        expect([address, response.status]).toEqual([address, 200]);
        texts.push(await response.text());
        expect(address).toMatch(/^\/console\/assets\/[\w.]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
        const { headers } = response;
        expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([FOR_GOOD, 'nosniff']);
        expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
      }
      // The overview follows with the session, and its chart with it.
      const files = filesOfBuild().filter((name) => /^(?:overview|uPlot|chunk)/.test(name));
      for (const name of files.filter((one) => !loaded.some((address) => address.endsWith(one))))
        texts.push(await (await get(`/console/assets/${name}`)).text());
      const bytes = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
      expect(bytes).toBeLessThan(FIRST_PAGE_BYTES_MAX);
    },
  );

  const filesOfBuild = (): readonly string[] => readdirSync(dirname(compiledSource('console/assets/manifest.json')));

  it('have the licences of what they are made of', async () => {
    const name = filesOfBuild().find((one) => one.startsWith('licenses-'))!;
    const response = await get(`/console/assets/${name}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const text = await response.text();
    for (const part of ['preact 11', '@preact/signals 2', 'uplot 1']) expect(text).toContain(part);
  });

  it.each([
    'manifest.json',
    'main.js',
    '../console.module.js',
    '..%2fconsole.module.js',
    '%2e%2e/console.module.js',
    '/etc/passwd',
    'MAIN',
    '',
  ])('have no other file: %s', async (name) => {
    const { status, headers } = await exchange(gateway.origin, { method: 'GET', path: `/console/assets/${name}` });
    expect([name, status, headers['content-type']]).not.toEqual([name, 200, 'text/javascript; charset=utf-8']);
    if (!name.startsWith('..')) expect([name, status]).toEqual([name, 404]);
  });

  it('are where the root redirects a browser, and no other program', async () => {
    const led = async (accept: string): Promise<unknown> => {
      const { status, headers } = await get('/', { accept });
      return [status, headers.get('location'), headers.get('vary')?.includes('Accept')];
    };
    expect(await led('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')).toEqual([302, '/console', true]);
    expect(await led('*/*')).toEqual([302, '/docs', true]);
    expect(await led('application/json')).toEqual([302, '/docs', true]);
  });
});

it('are written by types of the present description: npm run console:types', () => {
  const script = join(ROOT, 'scripts', 'console-types.ts');
  const run = (): string =>
    execFileSync(process.execPath, ['--import', './scripts/typescript-loader.mjs', script, '--check'], {
      cwd: ROOT,
    }).toString();
  expect(run).not.toThrow();
}, 240_000);
