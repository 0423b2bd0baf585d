/**
 * Checks the address under which failed authentications are counted: the client's, as trusted proxies report it in
 * any form, otherwise the sender's. A valid key passes from an address over its limit, with a delay, also behind a
 * flood of wrong keys (docs/contribute/threat-model.md). The gateways trust no proxy, this machine, or a chain of
 * proxies; `X-Forwarded-For` has the forms that proxies write.
 */
import { FailedAuthentications } from '../../src/rate-limits/failed-authentications.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';

const FAILURES_MAX = 3;

describeOnEmbedded('the address of a client', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway | undefined;
  let guesses = 0;
  afterEach(() => gateway?.close());
  // Ends the windows of earlier tests.
  beforeEach(() => void (clock.aheadMs += 120_000));

  async function start(trusted?: string): Promise<void> {
    const variables = {
      FAIRLEAD_FLOOD: `auth=${FAILURES_MAX}/60s`,
      ...(trusted !== undefined && { FAIRLEAD_TRUST_PROXY: trusted }),
    };
    gateway = await startGateway(database, { clock, variables });
  }

  const ask = async (forwardedFor: string, key = `guess-${guesses++}`): Promise<number> => {
    const response = await gateway!.request('/key', { key, headers: { 'x-forwarded-for': forwardedFor } });
    await response.arrayBuffer();
    return response.status;
  };
  async function askOften(times: number, forwardedFor: (time: number) => string): Promise<number[]> {
    const statuses: number[] = [];
    for (let time = 0; time < times; time++) statuses.push(await ask(forwardedFor(time)));
    return statuses;
  }

  /** Waits until a burst has arrived: the number of waiting keys no longer grows. */
  async function untilAllWait(): Promise<void> {
    const failures = gateway!.gateway.app.get(FailedAuthentications, { strict: false });
    const queues = Reflect.get(failures, 'queues') as { readonly size: number };
    let before = -1;
    while (before < 20 || queues.size > before) {
      before = queues.size;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it('is the sender’s where no proxy is trusted, whatever it sends', async () => {
    await start();
    expect(await askOften(5, (time) => `192.0.2.${time}`)).toEqual([401, 401, 401, 429, 429]);
  });

  it('is the one that a trusted proxy reports, in any form: each client is counted separately', async () => {
    await start('127.0.0.1/32');
    const forms = ['192.0.2.1', '192.0.2.1:4711', '::ffff:192.0.2.1', '[::ffff:192.0.2.1]:80', '"192.0.2.1:1"'];
    expect(await askOften(5, (time) => forms[time]!)).toEqual([401, 401, 401, 429, 429]);
    const others = ['2001:db8::1', '[2001:db8::2]:4711', '[2001:db8::3]', '2001:db8::4%eth0'];
    expect(await askOften(4, (time) => others[time]!)).toEqual([401, 401, 401, 429]);
    expect(await ask('192.0.2.2:4711')).toBe(401);
    // The client's own claim is to the left of the entry that the proxy has added.
    expect(await askOften(4, (time) => `203.0.113.${time}, 198.51.100.7:${time}`)).toEqual([401, 401, 401, 429]);
    // Unreadable addresses are counted together, and no readable one with them.
    expect(await askOften(4, (time) => `unknown-${time}`)).toEqual([401, 401, 401, 429]);
    expect(await ask('192.0.2.3')).toBe(401);
  });

  it('is found behind several trusted proxies, those with a port too', async () => {
    await start('127.0.0.1/32,10.0.0.0/8,fd00::/8');
    const chain = (time: number): string => `192.0.2.9:${time}, 10.0.0.2:4711, [fd00::${time}]:80`;
    expect(await askOften(4, chain)).toEqual([401, 401, 401, 429]);
    expect(await ask('192.0.2.10:1, 10.0.0.2:4711, [fd00::1]:80')).toBe(401);
  });

  it('that is over its limit: a valid key passes at once where it was accepted before, otherwise in its turn', async () => {
    await start('127.0.0.1/32');
    const { key } = await gateway!.newKey();
    const address = '192.0.2.20';
    expect(await askOften(4, () => address)).toEqual([401, 401, 401, 429]);
    const before = performance.now();
    const flood = Promise.all(Array.from({ length: 60 }, () => ask(address)));
    await untilAllWait();
    expect(await ask(address, MANAGEMENT_KEY)).toBe(200);
    // Too old to be cached: the key has to be looked up again, and is no guess.
    clock.aheadMs += 5_000;
    const soon = performance.now();
    expect(await ask(address, MANAGEMENT_KEY)).toBe(200);
    expect(performance.now() - soon).toBeLessThan(1_000);
    // Never looked up here before: it waits for its turn.
    expect(await ask(address, key)).toBe(200);
    expect(new Set(await flood)).toEqual(new Set([429]));
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(await ask('192.0.2.21')).toBe(401);
  }, 240_000);

  it('that is past its limit has at most five keys a second looked up', async () => {
    await start('127.0.0.1/32');
    expect(await askOften(4, () => '192.0.2.30')).toEqual([401, 401, 401, 429]);
    const before = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const headers = { 'x-forwarded-for': '192.0.2.30' };
        const response = await gateway!.request('/key', { key: `guess-${guesses++}`, headers });
        return { text: await response.text(), retryAfter: Number(response.headers.get('retry-after')) };
      }),
    );
    const waited = replies.filter(({ text }) => text.includes('looked up slowly'));
    // No key waits for more than two seconds, but a busy machine may take longer to deliver them all.
    const seconds = Math.max(2, (performance.now() - before) / 1_000);
    expect(replies.length - waited.length).toBeLessThanOrEqual(1 + 5 * seconds);
    expect(new Set(waited.map(({ retryAfter }) => retryAfter))).toEqual(new Set([2]));
  });
});
