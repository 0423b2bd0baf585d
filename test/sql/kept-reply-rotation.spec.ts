/**
 * Replies that were stored before `npm run vault:rotate` are given again after it: by a gateway that has the new key
 * alone, and on PostgreSQL by one that runs during the rotation. Whole and streamed, by idempotency key, as a resumed
 * stream, and from the response cache. The real application over HTTP and the real command, on both databases.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runRotation } from '../../src/byok/rotate-command.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { outputOf } from '../support/command-output.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, askStream, MessagesBench } from '../http/messages-bench.js';

const keyOf = (id: string): string => `${id}:${Buffer.alloc(32, `canary ${id}`).toString('base64')}`;
const [OLD, NEW] = [keyOf('old'), keyOf('new')];
const CACHE_STATUS = 'x-fairlead-cache-status';
const BODIES = [
  ['whole', ask('test/native')],
  ['streamed', askStream('test/native')],
] as const;

describeOnEachDatabase('kept replies and the rotation of keys', (database) => {
  const start = (...keys: string[]): Promise<MessagesBench> =>
    MessagesBench.start(database, { variables: { FAIRLEAD_ENCRYPTION_KEYS: keys.join() } });
  const rotate = () => {
    const { databaseUrl, dataDir } = database.settings;
    const variables = {
      DATA_DIR: dataDir,
      FAIRLEAD_ENCRYPTION_KEYS: [NEW, OLD].join(),
      ...(databaseUrl && { DATABASE_URL: databaseUrl.reveal() }),
    };
    return outputOf((context) => runRotation(context, database.opener), { words: [], variables });
  };

  it('are given again after it', async () => {
    // The engine of the suite stores its files elsewhere; this folder marks that there is a database.
    if (database.kind === 'embedded') await mkdir(join(database.settings.dataDir, 'database'), { recursive: true });
    let bench = await start(OLD);
    bench.anthropic.script(anthropicText('From before.'));
    const send = (body: object, headers: Record<string, string>): Promise<Response> =>
      bench.gateway.messages(body, { headers });
    const stored = new Map<string, string>();
    const resumable = { 'x-fairlead-resumable': 'true' };
    let id = '';
    const cached = new Map<string, string>();
    try {
      for (const [name, body] of BODIES) {
        const first = await send(body, { 'idempotency-key': name, ...resumable });
        stored.set(name, await first.text());
        id = first.headers.get('x-generation-id')!;
        const miss = await send(body, { 'x-fairlead-cache': 'true', 'x-fairlead-cache-ttl': '3600' });
        expect(miss.headers.get(CACHE_STATUS)).toBe('MISS');
        await miss.text();
        cached.set(name, miss.headers.get('x-generation-id')!);
      }
      const expectAllAgain = async (): Promise<void> => {
        const before = bench.anthropic.requests.length;
        for (const [name, body] of BODIES) {
          const again = await send(body, { 'idempotency-key': name, ...resumable });
          expect([again.status, again.headers.get('x-fairlead-idempotent-replay')]).toEqual([200, 'true']);
          expect(await again.text()).toBe(stored.get(name));
          const other = await send({ ...body, max_tokens: 7 }, { 'idempotency-key': name });
          const { error } = (await other.json()) as JsonBody;
          expect([other.status, error.metadata.error_type]).toEqual([409, 'idempotency_conflict']);
          const hit = await send(body, { 'x-fairlead-cache': 'true' });
          expect([hit.headers.get(CACHE_STATUS), hit.headers.get('x-fairlead-cache-source-id')]).toEqual(['HIT', cached.get(name)]); // oxfmt-ignore
          expect(await hit.text()).toContain('From');
        }
        const resumed = await bench.gateway.request(`/generation/stream?id=${id}`);
        expect([resumed.status, await resumed.text()]).toEqual([200, stored.get('streamed')]);
        expect(bench.anthropic.requests.length).toBe(before);
      };
      await expectAllAgain();

      if (database.kind === 'postgres') {
        await bench.close();
        bench = await start(NEW, OLD);
      } else await bench.close();
      const { code, out, error } = await rotate();
      expect([code, error]).toEqual([0, '']);
      expect(out).toMatch(/[1-9]\d* seal keys? put under new/);
      if (database.kind === 'postgres') {
        await expectAllAgain();
        await bench.close();
      }
      bench = await start(NEW);
      await expectAllAgain();
    } finally {
      await bench.close();
    }
  }, 240_000);
});
