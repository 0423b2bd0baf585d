/**
 * Goal: the fetches of one request are bounded, counted while they are kept, and made once; none is left running.
 * Method: fetches that deliver bytes, fail or hang on command, with the real account of bytes.
 */
import { Cancellation } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import type { RequiredMedia } from '../../core/provider.js';
import { BytesInFlight } from '../../shared/queues/bytes-in-flight.js';
import type { Environment } from '../../shared/environment.js';
import { EgressError } from '../../shared/http/client/egress-error.js';
import { type SafeFetch, type SafeFetched, type SafeFetchRequest } from '../../shared/http/client/safe-fetch.js';
import { MediaFetcher } from './media-fetcher.js';
import { unlessAborted } from './unless-aborted.js';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB, '%PDF-');
const media = (...urls: readonly string[]): RequiredMedia[] =>
  urls.map((url, index) => ({ url, accept: 'document', path: `messages.0.content.${index}.source.url` }));
const live = new Cancellation();

/** `5`: that many MiB; `5h`: the same, but the fetch then hangs; any other text: the fetch fails for that reason. */
function bench(bytesMax = 1024 * MIB) {
  const fetched: string[] = [];
  let [open, most] = [0, 0];
  const fetch = async ({ url, take }: SafeFetchRequest, signal: Cancellation): Promise<SafeFetched> => {
    fetched.push(url);
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
  /** Whether another key gets half of all bytes. */
  const isWhole = (): boolean => {
    const other = all.open('other');
    const took = other.take(bytesMax / 2);
    other.release();
    return took;
  };
  return { request, fetched, isWhole, open: () => open, most: () => most };
}

const failure = (kind: string, message: string | RegExp) =>
  expect.objectContaining({ name: 'GatewayError', kind, message: expect.stringMatching(message) as string });

it('fetches each address once, for all targets and however often', async () => {
  const { request, fetched } = bench();
  const [first, second] = await Promise.all([
    request.fetch(media('1a', '1b', '1a'), live),
    request.fetch(media('1b', '1c'), live),
  ]);
  expect(fetched).toEqual(['1a', '1b', '1c']);
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
  const { request, fetched } = bench();
  await expect(request.fetch(media(...names), live)).rejects.toEqual(
    failure('invalid-request', /^messages\.0\.content\.20\.source\.url: at most 20 /),
  );
  expect(fetched).toEqual([]);
  await request.fetch(media(...names.slice(0, 20)), live);
  await expect(request.fetch(media(names[20]!), live)).rejects.toBeInstanceOf(GatewayError);
});

it('takes 64 MiB, all calls together, and names the file that brings more', async () => {
  const { request } = bench();
  await request.fetch(media('32a'), live);
  await request.fetch(media('32b'), live);
  await expect(request.fetch(media('1c'), live)).rejects.toEqual(
    failure('invalid-request', /^messages\.0\.content\.0\.source\.url: .* 67108864 bytes/),
  );
});

it('refuses what exceeds the bytes in flight with 503, and releases all that it held', async () => {
  const { request, isWhole } = bench(8 * MIB);
  expect(isWhole()).toBe(true);
  await request.fetch(media('1'), live);
  expect(isWhole()).toBe(false);
  // Four thirds of three would fit, but not with the first.
  await expect(request.fetch(media('3'), live)).rejects.toEqual(failure('service-unavailable', /retry shortly/));
  request.release();
  expect(isWhole()).toBe(true);
});

it.each([
  ['too-busy', 'service-unavailable', /retry shortly/],
  ['timed-out', 'invalid-request', /^messages\.0\.content\.1\.source\.url: could not be fetched$/],
])('reports %s, and ends the others', async (reason, kind, message) => {
  const { request, open } = bench();
  await expect(request.fetch(media('1h', reason), live)).rejects.toEqual(failure(kind, message));
  expect(open()).toBe(0);
});

it('ends at the abort', async () => {
  const { request, open, fetched } = bench();
  const signal = new Cancellation();
  const fetching = request.fetch(media('1h', '2h', '3', '4h', '5h', '6h'), signal);
  setTimeout(() => signal.abort(new Error('gone')), 20);
  await expect(fetching).rejects.toThrow('gone');
  expect([open(), fetched]).toEqual([0, ['1h', '2h', '3', '4h', '5h']]);
  await expect(request.fetch(media('3'), signal)).rejects.toThrow('gone');
});
