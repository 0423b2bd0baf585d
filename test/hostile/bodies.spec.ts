// Checks that bodies that are announced, dripped or never finished take nothing from other callers, least of all
// from administrators. Sockets are held open against the attacked gateway, with victims beside them (victim-bench.ts).
import { exchange, RawClient } from '../support/raw-client.js';
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';
import { DiscardingProvider } from './discarding-provider.js';

const MIB = 1024 * 1024;
const JSON_TYPE = 'content-type: application/json';

describe('bodies of one key', () => {
  let bench: VictimBench;
  let discarding: DiscardingProvider;
  let key: string;
  let other: string;
  const sockets: RawClient[] = [];

  beforeAll(async () => {
    discarding = await DiscardingProvider.open();
    bench = await VictimBench.open({ FAIRLEAD_BODIES_IN_FLIGHT: '64MiB' }, [discarding.entry]);
  }, 240_000);
  // New keys for each test, because a key that leaves bodies unfinished is refused for a while.
  beforeEach(async () => {
    [key, other] = [await bench.newKey(), await bench.newKey()];
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    await bench?.close();
    await discarding?.close();
  });

  /** A request whose head has been sent, with so many bytes of its body. */
  async function begin(promised: number, sent: number): Promise<RawClient> {
    const socket = await RawClient.connect(bench.origin);
    sockets.push(socket);
    const head = ['POST /api/v1/messages HTTP/1.1', 'host: g', `authorization: Bearer ${key}`, JSON_TYPE];
    socket.write(`${head.join('\r\n')}\r\ncontent-length: ${promised}\r\n\r\n`);
    for (let at = 0; at < sent; at += MIB) socket.write(Buffer.alloc(Math.min(MIB, sent - at), 32));
    return socket;
  }

  /** A body of 1 MiB, which waits its turn like any of its size, from a key without earlier requests. */
  async function sendsOneMebibyte(): Promise<number> {
    const content = 'x'.repeat(MIB);
    const headers = [['authorization', `Bearer ${other}`]] as const;
    const body = { model: 'test/roomy', messages: [{ role: 'user', content }] };
    return (await exchange(bench.origin, { path: '/api/v1/messages', headers, body })).status;
  }

  it('hundreds that are promised and do not come', async () => {
    await expectUnharmed(bench, async (signal) => {
      await Promise.all(Array.from({ length: 400 }, () => begin(32 * MIB, 0)));
      expect([...(await storm(1, signal, sendsOneMebibyte)).keys()]).toEqual([200]);
    });
  }, 240_000);

  it('many that come but for their end', async () => {
    await expectUnharmed(bench, async (signal) => {
      await Promise.all(Array.from({ length: 16 }, () => begin(8 * MIB, 8 * MIB - 1)));
      expect([...(await storm(1, signal, sendsOneMebibyte)).keys()]).toEqual([200]);
    });
  }, 240_000);

  it('hundreds that come byte by byte', async () => {
    await expectUnharmed(bench, async (signal) => {
      const dripping = await Promise.all(Array.from({ length: 300 }, () => begin(32 * MIB, 0)));
      while (!signal.aborted) {
        for (const socket of dripping) socket.write(' ');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
  }, 240_000);

  it('ends those without a byte for 20 s and those that fall behind their pace, with an answer, and no honest one', async () => {
    const began = performance.now();
    const answerOf = async (socket: RawClient) =>
      [(await socket.response()).status, performance.now() - began] as const;
    const [silent, begun, dripping] = [await begin(32 * MIB, 0), await begin(MIB, 100_000), await begin(MIB, 0)];
    const content = 'x'.repeat(500 * 1024);
    const body = Buffer.from(JSON.stringify({ model: 'test/roomy', messages: [{ role: 'user', content }] }));
    const honest = await begin(body.length, 0);
    // Sixteen kilobytes a second: a quarter of a megabit.
    let sent = 0;
    const pace = setInterval(() => {
      dripping.write(' ');
      if (sent < body.length) honest.write(body.subarray(sent, (sent += 16 * 1024)));
    }, 1_000);
    try {
      for (const [status, ms] of await Promise.all([silent, begun, dripping].map(answerOf))) {
        expect(status).toBe(408);
        expect(ms).toBeGreaterThan(19_500);
        expect(ms).toBeLessThan(30_000);
      }
      expect((await honest.response()).status).toBe(200);
    } finally {
      clearInterval(pace);
    }
  }, 240_000);

  it('two thousand sockets, half of them silent, half dripping', async () => {
    await expectUnharmed(
      bench,
      async (signal) => {
        while (!signal.aborted) {
          for (const socket of sockets.slice(1_000)) socket.write(' ');
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      },
      async () => {
        // A hundred at a time: the test measures their presence, not their arrival.
        for (let hundred = 0; hundred < 20; hundred++) {
          await Promise.all(Array.from({ length: 100 }, () => begin(MIB, 0)));
        }
      },
    );
  }, 240_000);

  it('too many at once, sent and left as fast as can be', async () => {
    await expectUnharmed(bench, async (signal) => {
      await storm(8, signal, async () => {
        const socket = await begin(16 * MIB, 4 * MIB);
        await new Promise((resolve) => setTimeout(resolve, 50));
        socket.destroy();
      });
    });
  }, 240_000);
});
