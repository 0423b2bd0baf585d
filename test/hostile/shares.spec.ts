// Checks that one key's storms, wasted calls and wrong guesses take nothing of the shares of the others of its
// account and address. The limits are small enough to be reached in a moment, the attack is far above them, and
// victims run beside (victim-bench.ts).
import { exchange, RawClient } from '../support/raw-client.js';
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';

const ASK = { model: 'test/well', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };

describe('shares of one account and address', () => {
  let bench: VictimBench;
  let key: string;

  beforeAll(async () => {
    // The victims send some 40 requests a second, fewer than half of the account's window.
    bench = await VictimBench.open({ FAIRLEAD_FLOOD: 'account=1200/10s,auth=30/60s,wasted=50/60s' });
    key = await bench.newKey();
  }, 240_000);
  afterAll(() => bench?.close());

  const statusOf = async (path: string, of: string, body?: Record<string, unknown>): Promise<number> => {
    const headers = [['authorization', `Bearer ${of}`]] as const;
    return (
      await exchange(bench.origin, {
        method: body ? 'POST' : 'GET',
        path: `/api/v1${path}`,
        headers,
        ...(body && { body }),
      })
    ).status;
  };

  it('a storm of requests', async () => {
    await expectUnharmed(bench, async (signal) => {
      // The cheapest request for the gateway, so that as many as possible are sent.
      const answers = await storm(8, signal, () => statusOf('/messages', key, {}));
      expect([...answers.keys()].toSorted()).toEqual([400, 429]);
      expect(answers.get(429)!).toBeGreaterThan(answers.get(400)!);
    });
  }, 240_000);

  it('requests whose client disconnects at once', async () => {
    await expectUnharmed(bench, async (signal) => {
      await storm(4, signal, async () => {
        const client = await RawClient.connect(bench.origin);
        const headers = [['authorization', `Bearer ${key}`]] as const;
        client.send({ path: '/api/v1/messages', headers, body: { ...ASK, model: 'sandbox/slow', stream: true } });
        await new Promise((resolve) => setTimeout(resolve, 20));
        client.reset();
      });
    });
    // The window is a minute long.
    expect(await statusOf('/messages', key, ASK)).toBe(429);
  }, 240_000);

  it('wrong keys from the address of all, each another one', async () => {
    let guess = 0;
    await expectUnharmed(bench, async (signal) => {
      const answers = await storm(8, signal, () => statusOf('/key', `sk-fl-v1-${String(guess++).padStart(64, '0')}`));
      expect([...answers.keys()].toSorted()).toEqual([401, 429]);
    });
  }, 240_000);

  it('a valid key without earlier requests passes beside them, perhaps late', async () => {
    const unseen = await bench.newKey();
    const over = new AbortController();
    let guess = 0;
    const guessing = storm(4, over.signal, () => statusOf('/key', `sk-fl-v1-${String(guess++).padStart(64, 'f')}`));
    let status = 429;
    for (let tries = 0; status === 429 && tries < 10; tries++) status = await statusOf('/key', unseen);
    over.abort();
    await guessing;
    expect(status).toBe(200);
  }, 240_000);
});
