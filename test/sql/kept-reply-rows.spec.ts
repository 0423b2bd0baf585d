/**
 * The limit of 1,000,000 idempotency keys for each API key: the oldest is removed, and its request runs again. Rows
 * that the test inserts, and the real application over HTTP. On PostgreSQL alone: the embedded engine takes two
 * minutes to insert them.
 */
import { DataSource } from 'typeorm';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, MessagesBench } from '../http/messages-bench.js';

const OWNER = '0198c0de-0000-7000-8000-00000000000e';
/** Rows of one statement, which has an answer in time. */
const INSERTED_MAX = 100_000;

describeOnPostgres('a key with a million idempotency keys', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    bench.gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);

  it('keeps the youngest of them', async () => {
    const { key, hash } = await bench.gateway.newKey();
    bench.anthropic.script(anthropicText('One of many.'));
    const send = (name: string) => bench.gateway.messages(ask('test/native'), { key, headers: { 'idempotency-key': name } }); // oxfmt-ignore
    /** @returns status and replay header */
    const outcomeOf = async (name: string): Promise<unknown[]> => {
      const response = await send(name);
      await response.text();
      return [response.status, response.headers.get('x-fairlead-idempotent-replay')];
    };
    expect(await outcomeOf('oldest')).toEqual([200, null]);
    /** Inserts younger rows without contents, numbered from and to. */
    const insert = async (from: number, to: number): Promise<void> => {
      for (let at = from; at <= to; at += INSERTED_MAX) {
        await query(
          `INSERT INTO kept_replies (id, account_id, key_hash, kind, name, fingerprint, state, resumable, owner, leased_until, parts, created_at, ended_at, expires_at)
           SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'idempotency', n::text, '', 'dropped', false, $1, now(), 0, now(), now(), now() + interval '1 d'
           FROM generate_series($3::int, $4::int) n`,
          [OWNER, hash, at, Math.min(at + INSERTED_MAX - 1, to)],
        );
      }
    };
    const clear = async (): Promise<unknown> => {
      await bench.gateway.gateway.app.get(ExpiringRows, { strict: false }).clearOnce();
      return (await query('SELECT count(*)::int AS rows FROM kept_replies WHERE key_hash = $1', [hash]))[0]!.rows;
    };

    await insert(1, 999_998);
    expect(await outcomeOf('young')).toEqual([200, null]);
    expect(await clear()).toBe(1_000_000);
    expect(await outcomeOf('oldest')).toEqual([200, 'true']);

    expect(await outcomeOf('younger')).toEqual([200, null]);
    expect(await clear()).toBe(1_000_000);
    expect(bench.anthropic.requests.length).toBe(3);
    expect(await outcomeOf('oldest')).toEqual([200, null]);
    expect(await outcomeOf('young')).toEqual([200, 'true']);
    expect(bench.anthropic.requests.length).toBe(4);
    // Nothing of the removed reply remains.
    expect(await query('SELECT DISTINCT reply_id FROM kept_reply_parts')).toHaveLength(3);
  });
});
