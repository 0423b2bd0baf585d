// Fetches of tools obey the domains and limits of their generation, and the byte limit of the process. The real fetch
// against a loopback server; 127.0.0.2 stands for public addresses.
import { Cancellation } from '../../src/core/cancellation.js';
import type { FetchLimits } from '../../src/core/extension.js';
import type { GenerationPages } from '../../src/tools/guarded-pages.js';
import { flood, redirect, startWebServer, trickle, whole, type WebServer } from '../support/web-server.js';
import { FetchBench } from './fetch-bench.js';

const LIMITS: FetchLimits = {
  bytesMax: 1_000,
  timeoutMs: 5_000,
  accept: ['text/*', 'application/pdf'],
  redirectsMax: 1,
};
const { signal } = new Cancellation();
const fault = (kind: string) => expect.objectContaining({ name: 'ExtensionFault', kind });

let web: WebServer;
let bench: FetchBench;
beforeAll(async () => {
  web = await startWebServer();
  bench = new FetchBench();
});
afterAll(() => Promise.all([web.close(), bench.close()]));

const pages = (egress = {}): GenerationPages => bench.context({ egress }).guardedFetch as GenerationPages;

it('returns the final address of a page, its type and encoding, and holds its bytes until they are released', async () => {
  const end = web.at('/end', whole('Text/HTML; Charset="ISO-8859-1"', 'page'));
  const page = await pages().fetch(web.at('/start', redirect('/end')), LIMITS, signal);
  expect(page).toMatchObject({ url: end, mediaType: 'text/html', charset: 'iso-8859-1', bytes: Buffer.from('page') });
  expect(bench.bytes.held).toBe(4);
  page.release();
  page.release();
  expect(bench.bytes.held).toBe(0);
});

it('returns no encoding where the server sends none', async () => {
  const page = await pages().fetch(web.at('/plain', whole('text/plain', 'x')), LIMITS, signal);
  expect('charset' in page).toBe(false);
  page.release();
});

it('releases everything at the end of the generation, and holds no more', async () => {
  const guarded = pages();
  await guarded.fetch(web.at('/x', whole('text/plain', 'kept')), LIMITS, signal);
  expect(bench.bytes.held).toBe(4);
  guarded.close();
  expect(bench.bytes.held).toBe(0);
  await expect(guarded.fetch(`${web.origin}/x`, LIMITS, signal)).rejects.toEqual(fault('busy'));
});

it.each<[string, string, () => string]>([
  ['refused', 'a private address', () => 'http://127.0.0.1:1/'],
  ['refused', 'a name and a word', () => 'http://user:word@127.0.0.2/'],
  ['refused', 'another domain', () => web.at('/off', redirect('http://127.0.0.2:1/'))],
  ['not-found', 'a status', () => `${web.origin}/none`],
  ['not-found', 'too many redirects', () => web.at('/loop', redirect('/loop'))],
  ['unsupported', 'another kind', () => web.at('/png', whole('image/png', Buffer.from('89504e470d0a1a0a', 'hex')))],
  ['too-large', 'too much', () => web.at('/much', flood('text/plain', 100 * 1024 * 1024))],
  ['timed-out', 'something slow', () => web.at('/slow', trickle('text/plain'))],
  ['unavailable', 'no listener', () => 'http://127.0.0.2:9/'],
])('is reported as %s: %s', async (kind, _, url) => {
  const limits = { ...LIMITS, timeoutMs: kind === 'timed-out' ? 300 : 5_000 };
  const allows = (target: string): boolean => !target.includes(':1/') || target.includes('127.0.0.1');
  await expect(pages().fetch(url(), { ...limits, allows }, signal)).rejects.toEqual(fault(kind));
  expect(bench.bytes.held).toBe(0);
});

it('checks which addresses it allows, and never connects to others', async () => {
  const guarded = pages({ blockedDomains: [web.origin] });
  expect([guarded.allows(`${web.origin}/x`), guarded.allows('https://example.com/')]).toEqual([false, true]);
  web.paths.length = 0;
  await expect(guarded.fetch(`${web.origin}/x`, LIMITS, signal)).rejects.toEqual(fault('refused'));
  expect(web.paths).toEqual([]);
});
