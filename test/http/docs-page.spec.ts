/**
 * Checks that the page of the reference is served whole from this gateway, under a policy that admits nothing else,
 * and that only its own files are served beside it. The real app is read over HTTP as a browser reads it: the page,
 * then what it names. docs-browser.spec.ts opens it in Chromium.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { exchange } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';

const PACKAGE = join(__dirname, '..', '..', 'node_modules', 'swagger-ui-dist');
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FOR_GOOD = 'public, max-age=31536000, immutable';
const FILES: readonly (readonly [string, string])[] = [
  ['icon.svg', 'image/svg+xml; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['reference.css', 'text/css; charset=utf-8'],
  ['swagger-ui.js', 'text/javascript; charset=utf-8'],
  ['reference.js', 'text/javascript; charset=utf-8'],
];

describeOnEmbedded('the page of the reference', (database) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 60_000);
  afterAll(() => gateway?.close());

  const get = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${gateway.origin}${path}`, { redirect: 'manual', ...init });
  /** The addresses that this page loads, as absolute paths. */
  async function loadedBy(path: string): Promise<string[]> {
    const page = await (await get(path)).text();
    return [...page.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g)].map(([, address]) => {
      const { pathname, search } = new URL(address!, `${gateway.origin}${path}`);
      return pathname + search;
    });
  }

  it.each(['/docs', '/api/v1/docs', '/v1/docs', '/docs/'])(
    'answers at %s, to anybody, under its policy',
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('has neither script nor style in its text, and names no other host', async () => {
    const page = await (await get('/docs')).text();
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)|https?:|"\/\//i);
    expect([...page.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, text]) => text)).toEqual(['', '']);
  });

  it.each(['/docs', '/api/v1/docs', '/v1/docs', '/docs/'])(
    'loads from %s what is there, to be kept for good',
    async (path) => {
      const loaded = await loadedBy(path);
      expect(loaded.map((address) => address.replace(/^.*\/docs\/|\?.*$/g, ''))).toEqual(FILES.map(([name]) => name));
      for (const [index, address] of loaded.entries()) {
        const { status, headers } = await get(address);
        expect([address, status, headers.get('content-type')]).toEqual([address, 200, FILES[index]![1]]);
        expect([address, headers.get('cache-control')]).toEqual([address, FOR_GOOD]);
        expect([address, headers.get('x-content-type-options')]).toEqual([address, 'nosniff']);
      }
    },
  );

  it('answers browsers that look for an icon by themselves', async () => {
    const { status, headers } = await get('/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(await (await get('/favicon.ico')).text()).toBe(readFileSync('src/description/viewer/icon.svg', 'utf8'));
  });

  it('leads to the description beside it', async () => {
    for (const path of ['/docs', '/api/v1/docs', '/docs/']) {
      const [, address] = /data-description="([^"]+)"/.exec(await (await get(path)).text())!;
      const description = await fetch(new URL(address!, `${gateway.origin}${path}`));
      expect([path, ((await description.json()) as { openapi: string }).openapi]).toEqual([path, '3.1.0']);
    }
  });

  it('serves the viewer as its package has it', async () => {
    for (const [name, file] of [['swagger-ui.js', 'swagger-ui-bundle.js'], ['swagger-ui.css', 'swagger-ui.css']] as const)
      expect((await (await get(`/docs/${name}`)).text()) === readFileSync(join(PACKAGE, file), 'utf8')).toBe(true);
  }); // oxfmt-ignore

  it('revalidates a file, and answers 304 where it is the same', async () => {
    const first = await get('/docs/reference.css');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{16}"$/);
    // Written by hand, because `fetch` of Node turns such a request into one for the whole file.
    const askAgain = (known: string) =>
      exchange(gateway.origin, { method: 'GET', path: '/docs/reference.css', headers: [['if-none-match', known]] });
    const again = await askAgain(etag);
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await askAgain('"other"')).status).toBe(200);
    // Of another release, as during a rolling upgrade: served, but not cached for good.
    const other = await get('/docs/reference.css?v=other');
    expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const path of ['/docs', '/docs/swagger-ui.js', '/']) {
      const [viaGet, viaHead] = [await get(path), await get(path, { method: 'HEAD' })];
      expect([path, viaHead.status, await viaHead.text()]).toEqual([path, viaGet.status, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy', 'location'])
        expect([path, name, viaHead.headers.get(name)]).toEqual([path, name, viaGet.headers.get(name)]);
    }
  });

  it.each([
    '/docs/package.json',
    '/docs/index.html',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.js.map',
    '/docs/constructor',
    '/docs/__proto__',
    '/docs/..%2fdescription.controller.js',
    '/docs/..%2f..%2f..%2fpackage.json',
    '/docs/%2e%2e%2freference.js',
    '/docs/..%5creference.js',
    '/docs/viewer%2freference.js',
    '/docs/reference.js%00.css',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/a/b',
    '/api/v1/docs/package.json',
  ])('has nothing at %s', async (path) => {
    const { status, json } = await exchange(gateway.origin, { method: 'GET', path });
    expect([status, json.error.code]).toEqual([404, 404]);
  });

  it('fills no body with a made-up secret, and what it fills in is refused', async () => {
    const given: { config?: { plugins: ((system: object) => JsonBody)[] } } = {};
    const page = {
      document: { getElementById: () => ({ dataset: { description: 'openapi.json' } }) },
      location: { href: `${gateway.origin}/docs` },
      URL,
      MutationObserver: class {
        observe(): void {}
      },
      SwaggerUIBundle: (config: { plugins: ((system: object) => JsonBody)[] }) => void (given.config = config),
    };
    runInNewContext(await (await get('/docs/reference.js')).text(), page);
    const [plugin] = given.config!.plugins;
    const React = { createElement: () => undefined, Component: class {}, useState: () => [] };
    const { updateJsonSpec } = plugin!({ React, getComponent: () => undefined }).statePlugins.spec.wrapActions;
    const document = (await (await get('/openapi.json')).json()) as JsonBody;
    const shown = updateJsonSpec((description: JsonBody) => description)(structuredClone(document));
    const examplesOf = (description: JsonBody, path: string, method: string): { value: JsonBody }[] =>
      Object.values(description.paths[path][method].requestBody.content['application/json'].examples);
    for (const { value } of [...examplesOf(shown, '/byok', 'post'), ...examplesOf(shown, '/byok/{id}', 'patch')])
      if ('key' in value) expect(value.key).toBe('');
    for (const { value } of examplesOf(shown, '/byok', 'post')) {
      const reply = await gateway.request('/byok', {
        method: 'POST',
        key: MANAGEMENT_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
      const { error } = (await reply.json()) as JsonBody;
      expect([reply.status, error.message]).toEqual([400, 'key: must be at least 1 character']);
    }
    expect((await gateway.manage('GET', '/byok')).total_count).toBe(0);
    // Nothing else of the description is touched.
    expect(examplesOf(shown, '/messages', 'post')).toEqual(examplesOf(document, '/messages', 'post'));
  });

  it('is led to from the root, and from nothing else', async () => {
    const { status, headers } = await get('/');
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
    for (const path of ['/api/v1', '/api/v1/', '/index.html', '/doc'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect((await get('/', { method: 'POST' })).status).toBe(405);
    expect((await get('/docs', { method: 'POST' })).status).toBe(405);
  });
});
