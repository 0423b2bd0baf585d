/**
 * Checks that lookups of names that callers choose do not delay other lookups: they run outside the system's four
 * threads, end within two seconds, and stop once their caller has gone. The test runs a name server of its own.
 */
import { lookup } from 'node:dns/promises';
import { Cancellation } from '../../src/core/cancellation.js';
import { ServerNameResolver, SystemNameResolver } from '../../src/shared/http/client/name-resolver.js';
import { NameServer, type NameAnswer } from '../support/name-server.js';

const V6 = '00000000000000000000000000000001';
const NAMES: Record<string, NameAnswer> = {
  'A both.test': ['127.0.0.2', '127.0.0.3'],
  'AAAA both.test': [V6],
  'A v4.test': ['127.0.0.4'],
  'AAAA v6.test': [V6],
  'A half.test': ['127.0.0.5'],
  'AAAA half.test': 'silent',
  'A tarpit.test': 'silent',
  'AAAA tarpit.test': 'silent',
};
let server: NameServer;
let resolver: ServerNameResolver;
beforeEach(async () => {
  server = await new NameServer((type, name) => NAMES[`${type} ${name}`] ?? []).listen();
  resolver = new ServerNameResolver([server.address]);
});
afterEach(() => server.close());

const resolve = async (name: string, signal = new Cancellation()): Promise<string[]> =>
  (await resolver.resolve(name, signal)).map(({ address, family }) => `${family} ${address}`);

it.each([
  ['both.test', ['4 127.0.0.2', '6 ::1', '4 127.0.0.3']],
  ['v4.test', ['4 127.0.0.4']],
  ['v6.test', ['6 ::1']],
])('finds the addresses of %s, of either family', async (name, addresses) => {
  expect(await resolve(name)).toEqual(addresses);
  expect(server.queries.sort()).toEqual([`A ${name}`, `AAAA ${name}`]);
});

it('fails for a name that does not exist, and for one that cannot', async () => {
  await expect(resolve('none.test')).rejects.toThrow();
  await expect(resolve(`${'x'.repeat(64)}.test`)).rejects.toThrow();
});

it('uses no search domain and no hosts file, and sends no query for this machine', async () => {
  await expect(resolve('single')).rejects.toThrow();
  expect(server.queries.sort()).toEqual(['A single', 'AAAA single']);
  for (const name of ['localhost', 'a.localhost', 'localhost.']) {
    expect(await resolve(name)).toEqual(['4 127.0.0.1', '6 ::1']);
  }
  expect(server.queries).toHaveLength(2);
});

it('gives up after two seconds, and takes what has come by then', async () => {
  const began = performance.now();
  const [tarpit, half] = await Promise.allSettled([resolve('tarpit.test'), resolve('half.test')]);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(tarpit.status).toBe('rejected');
  expect(half).toMatchObject({ value: ['4 127.0.0.5'] });
  // Two queries, and no more.
  expect(server.queries.filter((question) => question === 'A tarpit.test').length).toBeLessThanOrEqual(2);
});

it('gives up at the abort, alone', async () => {
  const signal = new Cancellation();
  const [gone, stays] = [resolve('tarpit.test', signal), resolve('both.test')];
  signal.abort(new Error('gone'));
  await expect(gone).rejects.toThrow();
  // A caller that waits to the end sends the query twice.
  expect(server.queries.filter((question) => question === 'A tarpit.test').length).toBeLessThan(2);
  expect(await stays).toHaveLength(3);
  await expect(resolve('both.test', signal)).rejects.toThrow('gone');
});

it('takes no thread that other look-ups need', async () => {
  const signal = new Cancellation();
  let ended = 0;
  const stuck = Array.from({ length: 64 }, () =>
    resolve('tarpit.test', signal)
      .catch(() => 'gone')
      .finally(() => ended++),
  );
  await lookup('localhost');
  expect(ended).toBe(0);
  signal.abort(new Error('gone'));
  expect(new Set(await Promise.all(stuck))).toEqual(new Set(['gone']));
});

it('queries the system for a name at most once at a time', async () => {
  const system = new SystemNameResolver();
  const [first, second] = [system.resolve('localhost'), system.resolve('localhost')];
  expect(first).toBe(second);
  await first;
  expect(system.resolve('localhost')).not.toBe(first);
});
