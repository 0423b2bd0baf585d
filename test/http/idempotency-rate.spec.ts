/**
 * Many idempotency keys in a short time: replies that are claimed, written and given again, and requests over HTTP,
 * each twice. All are answered, each runs once, the process stays ready, and neither memory nor rows remain. Measured
 * with 10,000 replies, 64 at a time, on two busy cores: 430 a second on the embedded database, 550 on PostgreSQL.
 */
import { DataSource } from 'typeorm';
import { KeptReplies } from '../../src/kept-replies/kept-replies.service.js';
import { hashName, type ReplyClaim } from '../../src/kept-replies/reply-claim.js';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { retainedBytes } from '../support/retained-bytes.js';
import { ask, askStream, MessagesBench } from './messages-bench.js';

const MIB = 1024 * 1024;
/** `npm run test:soak` sets 10,000. */
const COUNT = Number(process.env['FAIRLEAD_MANY_REPLIES'] ?? 1_000);
const CLAIMS = { count: COUNT, atOnce: 16, perSecondMin: { embedded: 20, postgres: 40 } };
const REQUESTS = { count: 200, atOnce: 16 };
/** What a process may keep of them: caches that fill up once. The embedded engine keeps the memory that it has used. */
const KEPT_BYTES_MAX = { embedded: 128 * MIB, postgres: 8 * MIB };
const OWNER = '0198c0de-0000-7000-8000-00000000000c';

/** Runs the work for each number, a few at a time. @returns the results in order */
async function forEach<T>(
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  work: (at: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const at = next++;
      results[at] = await work(at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

describeOnEachDatabase('many idempotency keys', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const get = <T>(type: abstract new (...inputs: never[]) => T): T =>
    bench.gateway.gateway.app.get<T>(type, { strict: false });
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> => get(DataSource).query(sql, values);
  const countRows = async (): Promise<JsonBody> =>
    (
      await query(
        `SELECT count(*)::int AS replies, count(*) FILTER (WHERE state = 'kept')::int AS kept,
           (SELECT count(*)::int FROM kept_reply_parts) AS parts FROM kept_replies`,
      )
    )[0];
  /** Lets the time of all replies end, and runs the job that removes them. */
  const expire = async (): Promise<void> => {
    await query(`UPDATE kept_replies SET expires_at = now() - interval '1 s'`);
    // One round removes a limited number.
    for (let rows = Infinity; rows > 0;) {
      await get(ExpiringRows).clearOnce();
      const { replies } = await countRows();
      expect(replies).toBeLessThan(rows);
      rows = replies;
    }
  };

  it('claims, writes and gives replies again', async () => {
    const kept = get(KeptReplies);
    const caller = { accountId: OWNER, keyHash: 'c'.repeat(64) } as ReplyClaim['caller'];
    const claimOf = (at: number): ReplyClaim => {
      const name = hashName(`rate ${at}`);
      return { caller, kind: 'idempotency', name, fingerprint: name, mayKeep: true, resumable: false, ttlMs: 600_000 };
    };
    const before = retainedBytes();
    const began = performance.now();
    const first = await forEach(CLAIMS, async (at) => {
      const { log, isFirst } = await kept.claim(claimOf(at));
      log.open({ isStream: false, warnings: [] });
      log.append(`reply ${at}`);
      await kept.complete(log);
      return isFirst;
    });
    const perSecond = CLAIMS.count / ((performance.now() - began) / 1_000);
    expect(perSecond).toBeGreaterThan(CLAIMS.perSecondMin[database.kind]);
    expect(first.filter((isFirst) => isFirst)).toHaveLength(CLAIMS.count);
    expect(await countRows()).toEqual({ replies: CLAIMS.count, kept: CLAIMS.count, parts: CLAIMS.count });
    const texts = await forEach(CLAIMS, async (at) => {
      const { log, isFirst } = await kept.claim(claimOf(at));
      return [isFirst, log.partsFrom(0).join('')];
    });
    expect(texts.filter(([isFirst, text], at) => isFirst || text !== `reply ${at}`)).toEqual([]);
    await expire();
    expect(await countRows()).toEqual({ replies: 0, kept: 0, parts: 0 });
    texts.length = 0;
    expect(retainedBytes() - before).toBeLessThan(KEPT_BYTES_MAX[database.kind]);
  });

  it('answers requests and their repetitions, each request once, and stays ready', async () => {
    const { key } = await bench.gateway.newKey();
    bench.anthropic.script(anthropicText('One of many.'));
    const send = async (at: number) => {
      const body = at % 2 === 0 ? ask('test/native') : askStream('test/native');
      const response = await bench.gateway.messages(body, { key, headers: { 'idempotency-key': `request ${at}` } });
      return {
        status: response.status,
        id: response.headers.get('x-generation-id'),
        isReplay: response.headers.get('x-fairlead-idempotent-replay') === 'true',
        text: await response.text(),
      };
    };
    const isReady = async (): Promise<number> => (await fetch(`${bench.gateway.origin}/health/ready`)).status;
    // What is made once, such as connections and compiled code, is not counted.
    await forEach({ ...REQUESTS, count: REQUESTS.atOnce }, (at) => send(-1 - at));
    const before = retainedBytes();
    const [calls, complaints] = [bench.anthropic.requests.length, bench.complaints.length];
    const readiness: Promise<number>[] = [];
    const first = await forEach(REQUESTS, (at) => {
      if (at % 100 === 50) readiness.push(isReady());
      return send(at);
    });
    const again = await forEach(REQUESTS, send);
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(first.map(({ id }) => id)).size).toBe(REQUESTS.count);
    expect(first.filter(({ isReplay }) => isReplay)).toHaveLength(0);
    const isSame = ({ status, id, text }: (typeof again)[0], at: number): boolean =>
      status === 200 && id === first[at]!.id && text === first[at]!.text;
    expect(again.filter((reply, at) => !reply.isReplay || !isSame(reply, at))).toHaveLength(0);
    expect(bench.anthropic.requests.length - calls).toBe(REQUESTS.count);
    expect(await Promise.all(readiness)).toEqual(readiness.map(() => 200));
    expect(bench.complaints.slice(complaints)).toEqual([]);
    await new LedgerReader(bench.gateway).rest();
    const { data } = (await (await bench.gateway.request('/key', { key })).json()) as JsonBody;
    // Each call has 12 tokens at 3 USD and 7 at 15 USD for a million.
    expect(Math.round(data.usage * 1e6)).toBe(141 * (REQUESTS.count + REQUESTS.atOnce));
    await expire();
    expect(await countRows()).toEqual({ replies: 0, kept: 0, parts: 0 });
    bench.anthropic.requests.length = 0;
    bench.gateway.log.length = 0;
    first.length = again.length = 0;
    expect(retainedBytes() - before).toBeLessThan(KEPT_BYTES_MAX[database.kind]);
  });
});
