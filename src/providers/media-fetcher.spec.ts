/**
 * Goal: what one request fetches is bounded, counted while it is held, fetched once, and nothing of it is left under
 * way. Method: fetches that give bytes, fail or hang when they are told to, over the real account of bytes.
 */
import { Cancellation } from '../core/cancellation.js';
import { GatewayError } from '../core/errors.js';
import type { RequiredMedia } from '../core/provider.js';
import { BytesInFlight } from '../shared/bytes-in-flight.js';
import type { Environment } from '../shared/environment.js';
import { EgressError } from '../shared/http/egress-error.js';
import { type SafeFetch, type SafeFetched, type SafeFetchRequest } from '../shared/http/safe-fetch.js';
import { MediaFetcher } from './media-fetcher.js';
import { unlessAborted } from './unless-aborted.js';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB, '%PDF-');
const media = (...urls: readonly string[]): RequiredMedia[] =>
  urls.map((url, index) => ({ url, accept: 'document', path: `messages.0.content.${index}.source.url` }));
const live = new Cancellation();

/** `5`: so many MiB; `5h`: and no more of it comes; anything else: cannot be had for that reason. */
function bench(bytesMax = 1024 * MIB) {
  const asked: string[] = [];
  let [open, most] = [0, 0];
  const fetch = async ({ url, take }: SafeFetchRequest, signal: Cancellation): Promise<SafeFetched> => {
    asked.push(url);
    most = Math.max(most, ++open);
    try {
      await new Promise((resolve) => setImmediate(resolve));
      const size = /^(\d+)(h?)/.exec(url);
      if (!size) throw new EgressError(url as 'unreachable', 'could not be fetched');
      for (let index = 0; index < Number(size[1]); index++) take(CHUNK);
      if (size[2] === 'h') await unlessAborted(new Promise(() => undefined), signal);
      return { mediaType: 'application/pdf', url };
    } finally {
      open--;
    }
  };
  const all = new BytesInFlight({ bodiesInFlightBytesMax: bytesMax } as Environment);
  const request = new MediaFetcher({ fetch } as unknown as SafeFetch, all).open({ keyHash: 'key' });
  /** Whether another key finds half of all free. */
  const isWhole = (): boolean => {
    const other = all.open('other');
    const took = other.take(bytesMax / 2);
    other.release();
    return took;
  };
  return { request, asked, isWhole, open: () => open, most: () => most };
}

const told = (kind: string, message: string | RegExp) =>
  expect.objectContaining({ name: 'GatewayError', kind, message: expect.stringMatching(message) as string });

it('fetches each address once, whoever asks for it and however often', async () => {
  const { request, asked } = bench();
  const [first, second] = await Promise.all([
    request.fetch(media('1a', '1b', '1a'), live),
    request.fetch(media('1b', '1c'), live),
  ]);
  expect(asked).toEqual(['1a', '1b', '1c']);
  expect([[...first.keys()], [...second.keys()]]).toEqual([
    ['1a', '1b'],
    ['1b', '1c'],
  ]);
  expect(first.get('1b')).toBe(second.get('1b'));
  expect(first.get('1a')!.base64.toString() === CHUNK.toString('base64')).toBe(true);
});

it('fetches four at a time', async () => {
  const { request, most } = bench();
  await request.fetch(media(...Array.from({ length: 20 }, (_, index) => `0 ${index}`)), live);
  expect(most()).toBe(4);
});

it('takes twenty addresses, all calls together, and names the one past them', async () => {
  const names = Array.from({ length: 21 }, (_, index) => `0 ${index}`);
  const { request, asked } = bench();
  await expect(request.fetch(media(...names), live)).rejects.toEqual(
    told('invalid-request', /^messages\.0\.content\.20\.source\.url: at most 20 /),
  );
  expect(asked).toEqual([]);
  await request.fetch(media(...names.slice(0, 20)), live);
  await expect(request.fetch(media(names[20]!), live)).rejects.toBeInstanceOf(GatewayError);
});

it('takes 64 MiB, all calls together, and names the file that brings more', async () => {
  const { request } = bench();
  await request.fetch(media('32a'), live);
  await request.fetch(media('32b'), live);
  await expect(request.fetch(media('1c'), live)).rejects.toEqual(
    told('invalid-request', /^messages\.0\.content\.0\.source\.url: .* 67108864 bytes/),
  );
});

it('refuses what there is no room for with 503, and gives back all that it held', async () => {
  const { request, isWhole } = bench(8 * MIB);
  expect(isWhole()).toBe(true);
  await request.fetch(media('1'), live);
  expect(isWhole()).toBe(false);
  // Four thirds of three would fit, but not with the first.
  await expect(request.fetch(media('3'), live)).rejects.toEqual(told('service-unavailable', /retry shortly/));
  request.release();
  expect(isWhole()).toBe(true);
});

it.each([
  ['too-busy', 'service-unavailable', /retry shortly/],
  ['timed-out', 'invalid-request', /^messages\.0\.content\.1\.source\.url: could not be fetched$/],
])('tells of %s, and ends the others', async (reason, kind, message) => {
  const { request, open } = bench();
  await expect(request.fetch(media('1h', reason), live)).rejects.toEqual(told(kind, message));
  expect(open()).toBe(0);
});

it('ends at the abort', async () => {
  const { request, open, asked } = bench();
  const signal = new Cancellation();
  const fetching = request.fetch(media('1h', '2h', '3', '4h', '5h', '6h'), signal);
  setTimeout(() => signal.abort(new Error('gone')), 20);
  await expect(fetching).rejects.toThrow('gone');
  expect([open(), asked]).toEqual([0, ['1h', '2h', '3', '4h', '5h']]);
  await expect(request.fetch(media('3'), signal)).rejects.toThrow('gone');
});
