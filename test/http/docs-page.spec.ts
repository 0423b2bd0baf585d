/**
 * Checks that the pages of the documentation are served whole from this gateway, under a policy that admits nothing
 * else, that only its own files are served beside them, and that each field, status and kind of error has an anchor
 * that the search leads to. The real app is read over HTTP as a browser reads it: a page, then what it names.
 * docs-browser.spec.ts opens them in Chromium.
 */
import { readFileSync } from 'node:fs';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { exchange } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const FOR_GOOD = 'public, max-age=31536000, immutable';
const PAGES = [
  '/docs',
  '/api/v1/docs',
  '/v1/docs',
  '/docs/errors',
  '/docs/api/messagesCreate',
  '/v1/docs/api/keysList',
  '/docs/use/tools/bash',
];
type Found = readonly [kind: string, title: string, of: string, text: string, path: string];

describeOnEmbedded('the pages of the documentation', (database) => {
  let gateway: TestGateway;
  let description: JsonBody;

  beforeAll(async () => {
    gateway = await startGateway(database);
    description = (await (await get('/openapi.json')).json()) as JsonBody;
  }, 240_000);
  afterAll(() => gateway?.close());

  const get = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${gateway.origin}${path}`, { redirect: 'manual', ...init });
  const read = async (path: string): Promise<string> => (await get(path)).text();
  const operations = (): JsonBody[] =>
    Object.values(description.paths).flatMap((item: JsonBody) =>
      Object.values(item).filter((one: JsonBody) => one.operationId),
    );
  const found = async (): Promise<readonly Found[]> =>
    (await (await get('/docs/search.json')).json()) as readonly Found[];

  it.each(PAGES)('answer at %s, to anybody, under their policy, with nothing inline', async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-cache');
    const page = await read(path);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).not.toMatch(/<style|<[^>]*\sstyle=|<[^>]*\son\w+=|javascript:|<script(?![^>]*\ssrc=)/i);
    const loaded = [...page.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(2);
    for (const [, address] of loaded) {
      const { pathname } = new URL(address!, `${gateway.origin}${path}`);
      const file = await get(pathname);
      expect([pathname, file.status, file.headers.get('cache-control')]).toEqual([pathname, 200, FOR_GOOD]);
      expect([pathname, file.headers.get('x-content-type-options')]).toEqual([pathname, 'nosniff']);
    }
  });

  it('are one for each operation, which the contents of each page name', async () => {
    const page = await read('/docs/errors');
    for (const { operationId, summary } of operations()) {
      expect([operationId, page.includes(`href="./api/${operationId}"`)]).toEqual([operationId, true]);
      const own = await read(`/docs/api/${operationId}`);
      const [, heading] = /<h1 tabindex="-1">(.*)<\/h1>/.exec(own)!;
      expect([operationId, heading!.replaceAll(/<\/?code>/g, '`')]).toEqual([operationId, summary]);
    }
  }, 240_000);

  it('have no anchor twice, and an anchor for every link within them', async () => {
    const faults: string[] = [];
    for (const { operationId } of operations()) {
      const page = await read(`/docs/api/${operationId}`);
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
      const known = new Set(ids);
      if (known.size !== ids.length) faults.push(`${operationId}: ${ids.find((id, at) => ids.indexOf(id) !== at)}`);
      for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g))
        if (!known.has(anchor!)) faults.push(`${operationId}: #${anchor}`);
    }
    expect(faults).toEqual([]);
  }, 240_000);

  it('have an anchor for every field of a body and a parameter', async () => {
    const followed = (one: JsonBody): JsonBody =>
      one.$ref
        ? followed(
            one.$ref
              .slice(2)
              .split('/')
              .reduce((value: JsonBody, key: string) => value[key], description),
          )
        : one;
    const seen = new Map<string, string>();
    for (const { operationId, parameters = [], requestBody } of operations()) {
      const page = await read(`/docs/api/${operationId}`);
      const schema = requestBody?.content['application/json'].schema ?? {};
      // A body that an operation before it has is led to.
      const owner = seen.get(schema.$ref);
      if (owner !== undefined) expect(page).toContain(`href="${owner}#part-body"`);
      else if (schema.$ref) seen.set(schema.$ref, operationId);
      const { properties = {} } = owner === undefined ? followed(schema) : {};
      const anchors = [
        ...Object.keys(properties).map((name) => `body.${name}`),
        ...parameters.map(({ in: location, name }: JsonBody) => `${location}.${name}`),
      ];
      expect([operationId, anchors.filter((anchor) => !page.includes(` id="${anchor}"`))]).toEqual([operationId, []]);
    }
  }, 240_000);

  it('can be searched: each match has an anchor', async () => {
    const all = await found();
    expect(new Set(all.map(([kind]) => kind))).toEqual(
      new Set(['operation', 'field', 'guide', 'status', 'error kind']),
    );
    expect(all.length).toBeGreaterThan(2_000);
    const pages = new Map<string, string>();
    const broken: string[] = [];
    for (const [, , , , path] of all) {
      const [page = '', anchor] = path.split('#');
      if (!pages.has(page)) pages.set(page, await read(`/docs/${page}`));
      const leads = anchor === undefined || pages.get(page)!.includes(` id="${decodeURIComponent(anchor)}"`);
      if (!leads) broken.push(path);
    }
    expect(broken).toEqual([]);
    expect(all.find(([kind, title]) => kind === 'status' && title === '402')![4]).toBe('errors#status-402');
    expect(all.find(([kind, title]) => kind === 'error kind' && title === 'overloaded')![4]).toBe('errors#overloaded');
    const fields = all.filter(([kind, title]) => kind === 'field' && title === 'max_completion_tokens');
    expect(fields.map(([, , of]) => of)).toContain('POST /chat/completions');
  }, 240_000);

  it('print a request in three languages with the variable of its kind of key', async () => {
    const keys = await read('/docs/api/keysCreate');
    expect(keys).toContain('-H &quot;authorization: Bearer $FAIRLEAD_MANAGEMENT_KEY&quot;');
    const messages = await read('/docs/api/messagesCreate');
    expect(messages).toContain('os.environ[&quot;FAIRLEAD_API_KEY&quot;]');
    expect(messages).toContain('`Bearer ${process.env.FAIRLEAD_API_KEY}`');
    expect(await read('/docs/api/metricsShow')).not.toContain('authorization');
  });

  it('fill no body with a made-up secret, and what they fill in is refused', async () => {
    const filled = async (id: string): Promise<JsonBody[]> => {
      const [, json] = /data-operation="([^"]+)"/.exec(await read(`/docs/api/${id}`))!;
      return Object.values(JSON.parse(json!.replaceAll('&quot;', '"').replaceAll('&amp;', '&')).examples);
    };
    for (const example of [...(await filled('byokCreate')), ...(await filled('byokUpdate'))])
      if ('key' in example) expect(example.key).toBe('');
    for (const example of await filled('byokCreate')) {
      const reply = await gateway.request('/byok', {
        method: 'POST',
        key: MANAGEMENT_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(example),
      });
      const { error } = (await reply.json()) as JsonBody;
      expect([reply.status, error.message]).toEqual([400, 'key: must be at least 1 character']);
    }
    expect(await read('/docs/api/byokCreate')).not.toContain('sk-an-example');
    // A session is no way around the kind of key.
    expect((await gateway.request('/byok', { key: API_KEY })).status).toBe(403);
  });

  it('answer browsers that look for an icon by themselves', async () => {
    const { status, headers } = await get('/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(await read('/favicon.ico')).toBe(readFileSync('console/icon.svg', 'utf8'));
  });

  it('answer HEAD as GET, without the body', async () => {
    for (const path of ['/docs', '/docs/errors', '/']) {
      const [viaGet, viaHead] = [await get(path), await get(path, { method: 'HEAD' })];
      expect([path, viaHead.status, await viaHead.text()]).toEqual([path, viaGet.status, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy', 'location'])
        expect([path, name, viaHead.headers.get(name)]).toEqual([path, name, viaGet.headers.get(name)]);
    }
  });

  it.each([
    '/docs/package.json',
    '/docs/index.html',
    '/docs/constructor',
    '/docs/__proto__',
    '/docs/api/constructor',
    '/docs/api/none',
    '/docs/assets/manifest.json',
    '/docs/assets/docs.js',
    '/docs/assets/..%2f..%2fdescription.controller.js',
    '/docs/..%2fdescription.controller.js',
    '/docs/..%2f..%2f..%2fpackage.json',
    '/docs/%2e%2e%2fdescription.js',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/a/b',
    '/api/v1/docs/package.json',
  ])('have nothing at %s', async (path) => {
    const { status, json } = await exchange(gateway.origin, { method: 'GET', path });
    expect([status, json.error.code]).toEqual([404, 404]);
  });

  it('are led to from the root, and from nothing else', async () => {
    const { status, headers } = await get('/');
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
    for (const path of ['/api/v1', '/api/v1/', '/index.html', '/doc'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect((await get('/', { method: 'POST' })).status).toBe(405);
    expect((await get('/docs', { method: 'POST' })).status).toBe(405);
  });
});

describeOnEmbedded('the pages without a console', (database) => {
  it('name none, and are whole', async () => {
    const gateway = await startGateway(database, { variables: { FAIRLEAD_CONSOLE: 'off' } });
    try {
      const page = await (await fetch(`${gateway.origin}/docs/api/messagesCreate`)).text();
      expect(page).not.toContain('../console');
      const [, script] = /<script [^>]*src="([^"]+)"/.exec(page)!;
      expect((await fetch(new URL(script!, `${gateway.origin}/docs/api/messagesCreate`))).status).toBe(200);
    } finally {
      await gateway.close();
    }
  }, 240_000);
});
