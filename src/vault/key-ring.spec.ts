// Keys that do not open here, and ids that are not stored, are looked up once a minute, however often they are
// presented; an unavailable key service does not turn them into errors. The ring uses counted keys in memory.
import { Logger } from '@nestjs/common';
import { GatewayError } from '../core/errors.js';
import type { DataKeys, StoredDataKey } from './data-keys.js';
import { KeyRing } from './key-ring.js';
import { KeyServiceUnavailable, Undecryptable } from './key-service.js';

const storedKey = (id: string): StoredDataKey => ({
  id,
  purpose: 'tool-seal',
  number: 1,
  keyId: 'k',
  wrappedKey: Buffer.alloc(0),
});

beforeEach(() => jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined));
afterEach(() => jest.restoreAllMocks());

/** @param failures by id: why a key does not open */
function bench(failures: Record<string, Error>, stored = Object.keys(failures)) {
  const calls = { lists: 0, unwraps: [] as string[] };
  const time = { ms: 1_000 };
  const keys: Pick<DataKeys, 'list' | 'unwrap'> = {
    list: () => {
      calls.lists++;
      return Promise.resolve(stored.map(storedKey));
    },
    unwrap: ({ id }) => {
      calls.unwraps.push(id);
      return failures[id] ? Promise.reject(failures[id]) : Promise.resolve(Buffer.alloc(32));
    },
  };
  const use = { purpose: 'tool-seal', logger: new Logger('test'), lost: '', stuck: '', unavailable: 'later' } as const;
  const ring = new KeyRing(keys as DataKeys, use, (id) => ({ id }), () => time.ms); // oxfmt-ignore
  return { ring, calls, time, stored, open: (...ids: string[]) => ring.openThese(new Set(ids)) };
}
const lost = (): Undecryptable => new Undecryptable('another key');
const away = (): KeyServiceUnavailable => new KeyServiceUnavailable('no answer');

it('looks up keys that do not open once a minute', async () => {
  const { calls, time, open } = bench({ a: lost(), b: lost(), c: lost() });
  for (let times = 0; times < 100; times++) await open('a', 'b', 'c');
  expect(calls).toEqual({ lists: 1, unwraps: ['a', 'b', 'c'] });
  time.ms += 59_999;
  await open('a');
  expect(calls.lists).toBe(1);
  time.ms += 1;
  await open('a');
  expect(calls).toEqual({ lists: 2, unwraps: ['a', 'b', 'c', 'a'] });
});

it('looks up ids that are not stored once a minute, and finds a key stored since', async () => {
  const { calls, time, stored, ring, open } = bench({});
  for (let times = 0; times < 100; times++) await open('a', 'b');
  expect(calls.lists).toBe(1);
  stored.push('a');
  time.ms += 60_001;
  await open('a');
  expect(ring.find('a')).toEqual({ id: 'a' });
});

it('remembers a bounded number of them, so that invented ids cannot fill the memory', async () => {
  const { calls, open } = bench({});
  for (let times = 0; times < 2_000; times++) await open(`made-up-${times}`);
  expect(calls.lists).toBe(2_000);
  await open('made-up-1999');
  expect(calls.lists).toBe(2_000);
  await open('made-up-0');
  expect(calls.lists).toBe(2_001);
});

it('opens a new key beside those that are not tried again', async () => {
  const { calls, stored, ring, open } = bench({ a: lost() });
  await open('a');
  stored.push('b');
  await open('a', 'b');
  expect(ring.find('b')).toEqual({ id: 'b' });
  expect(calls.unwraps).toEqual(['a', 'b']);
});

it('treats only keys that did not open before as absent while the key service is down', async () => {
  const failures: Record<string, Error> = { a: lost() };
  const { calls, time, stored, ring, open } = bench(failures);
  await open('a');
  time.ms += 60_000;
  failures['a'] = failures['b'] = away();
  stored.push('b');
  await open('a');
  await open('a');
  expect(calls.unwraps).toEqual(['a', 'a']);
  await expect(open('b')).rejects.toMatchObject(new GatewayError('service-unavailable', 'later'));
  delete failures['b'];
  await open('b');
  expect(ring.find('b')).toEqual({ id: 'b' });
});
