// Checks that a caller that names large media, slow media or many of them costs others no time and the process no
// memory. The gateways may reach a media server of the attacker's; victims run beside (victim-bench.ts).
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';
import { DiscardingProvider } from './discarding-provider.js';

const MIB = 1024 * 1024;
/** Shows its type by its first bytes; the following ones are never read. */
const PDF_SIGNATURE = Buffer.from('%PDF-1.7\n');
const AT_ONCE = 4;
/**
 * What bodies and media of all requests may hold together (its default), twice for what has not been collected yet,
 * beside a gateway at rest.
 */
const MEMORY_MAX = 1_280 * MIB;

describe('media by URL', () => {
  let bench: VictimBench;
  let discarding: DiscardingProvider;
  let server: Server;
  let key: string;
  let origin: string;
  const held: ServerResponse[] = [];

  beforeAll(async () => {
    discarding = await DiscardingProvider.open();
    const piece = Buffer.alloc(MIB);
    server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/pdf');
      if (url.startsWith('/slow')) {
        response.write(PDF_SIGNATURE);
        held.push(response);
        return;
      }
      response.write(PDF_SIGNATURE);
      for (let sent = 0; sent < 31; sent++) response.write(piece);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    bench = await VictimBench.open({ FAIRLEAD_EGRESS_ALLOW: `127.0.0.1:${port}` }, [discarding.entry]);
    key = await bench.newKey();
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await discarding?.close();
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  /** A request of 1.7 KB that names twenty different documents, which this provider takes as bytes only. */
  async function ask(kind: string): Promise<number> {
    const content = Array.from({ length: 20 }, (_, index) => ({
      type: 'document',
      source: { type: 'url', url: `${origin}/${kind}/${index}` },
    }));
    const response = await fetch(`${bench.origin}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/roomy', max_tokens: 9, messages: [{ role: 'user', content }] }),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    return response?.status ?? 0;
  }

  it('twenty files of 31 MiB a request, which is refused with a message', async () => {
    await expectUnharmed(bench, async (signal) => {
      const answers = await storm(AT_ONCE, signal, () => ask('large'));
      expect([...answers.keys()].every((status) => [0, 400, 503].includes(status))).toBe(true);
      expect([...answers.keys()]).not.toEqual([0]);
    });
    expect((await bench.memory()).most).toBeLessThan(MEMORY_MAX);
  }, 240_000);

  it('twenty files a request that do not come', async () => {
    await expectUnharmed(bench, async (signal) => {
      await storm(4 * AT_ONCE, signal, () => ask('slow'));
    });
    for (const response of held.splice(0)) response.destroy();
  }, 240_000);
});
