/**
 * The response cache beside the rules of its caller: hits use neither money nor any counted limit, and are given where
 * these are exhausted; required tags hold for them; zero data retention of account, workspace and guardrail switches
 * the cache off, and removes what was kept before; a store that fails costs the cache, not the request. The real
 * application over HTTP, on both databases.
 */
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

const CREDITS = 50;
const ON = { 'x-fairlead-cache': 'true' };
const REPLAY = 'x-fairlead-idempotent-replay';

describeOnEachDatabase('the response cache and the rules of its caller', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  let texts = 0;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    upstream.script(anthropicText('Kept.'));
    const policy = { collects_data: false, zero_data_retention: true };
    const at = [{ url: upstream.url, dialect: 'anthropic-messages', policy }] as const;
    gateway = await startGateway(database, {
      clock,
      catalog: catalogOf(
        { id: 'test/one', at },
        { id: 'test/limited', at, model: { limits: { requests_per_minute: 1 } } },
        { id: 'test/free:free', at, endpoint: { pricing: undefined, free: true } },
      ),
      variables: { FAIRLEAD_INITIAL_CREDITS: String(CREDITS) },
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  // A minute that has just begun: no limit of a minute begins anew within a test.
  beforeEach(() => {
    clock.aheadMs += 60_000 - (clock.now() % 60_000);
  });

  const calls = (): number => upstream.requests.length;
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);
  const sweep = (): Promise<void> => gateway.gateway.app.get(ExpiringRows, { strict: false }).clearOnce();
  /** A body that no test has sent. */
  const fresh = (model = 'test/one', more: object = {}) =>
    ask(model, { messages: [{ role: 'user', content: `Text ${++texts}` }], ...more });
  /** @returns status of the reply, of the cache, and the calls that it made */
  async function send(body: object, key = API_KEY, headers: object = ON): Promise<[number, string | null, number]> {
    const before = calls();
    const reply = await gateway.messages(body, { key, headers: headers as Record<string, string> });
    await reply.text();
    return [reply.status, reply.headers.get('x-fairlead-cache-status'), calls() - before];
  }
  /** Has the reply to a new body stored for the key. */
  async function stored(key: string, model?: string): Promise<object> {
    const body = fresh(model);
    expect(await send(body, key)).toEqual([200, 'MISS', 1]);
    return body;
  }
  const keyStatus = async (key: string): Promise<JsonBody> => {
    await ledger.rest();
    return ((await (await gateway.request('/key', { key })).json()) as JsonBody).data;
  };

  describe('a hit', () => {
    it('takes nothing from the limits of the key by time, and passes when they are exhausted', async () => {
      const limits = { requests_per_minute: 2, tokens_per_minute: 100_000 };
      const { key } = await gateway.newKey({ rate_limits: limits });
      const body = await stored(key);
      for (let hit = 0; hit < 3; hit++) expect(await send(body, key)).toEqual([200, 'HIT', 0]);
      expect(await send(fresh(), key)).toEqual([200, 'MISS', 1]);
      expect(await send(fresh(), key)).toEqual([429, null, 0]);
      expect(await send(body, key)).toEqual([200, 'HIT', 0]);
    });

    it('takes nothing from the limits of a model', async () => {
      const { key } = await gateway.newKey();
      const body = await stored(key, 'test/limited');
      expect(await send(fresh('test/limited'), key)).toEqual([429, null, 0]);
      for (let hit = 0; hit < 3; hit++) expect(await send(body, key)).toEqual([200, 'HIT', 0]);
    });

    it('is no request for a free variant', async () => {
      const { key } = await gateway.newKey();
      const body = await stored(key, 'test/free:free');
      const { free_model_daily_requests: before } = await keyStatus(key);
      expect(before.used).toBe(1);
      for (let hit = 0; hit < 25; hit++) expect(await send(body, key)).toEqual([200, 'HIT', 0]);
      expect((await keyStatus(key)).free_model_daily_requests).toEqual(before);
      expect(await send(fresh('test/free:free'), key)).toEqual([200, 'MISS', 1]);
      expect((await keyStatus(key)).free_model_daily_requests.used).toBe(2);
    });

    it('is given to a key past its limit, and uses none of it', async () => {
      const { key, hash } = await gateway.newKey({ limit: 1 });
      const body = await stored(key);
      await ledger.rest();
      await gateway.manage('PATCH', `/keys/${hash}`, { limit: 0.0001 });
      const before = await keyStatus(key);
      expect(before.usage).toBeGreaterThan(0);
      expect(await send(fresh(), key)).toEqual([402, null, 0]);
      expect(await send(body, key)).toEqual([200, 'HIT', 0]);
      const after = await keyStatus(key);
      for (const field of ['usage', 'usage_daily', 'limit_remaining', 'limit_held'])
        expect([field, after[field]]).toEqual([field, before[field]]);
    });

    it('is given where a budget of a guardrail is used up', async () => {
      const { key, guardrailId } = await gateway.guardedKey({ limit_usd: 1 });
      const body = await stored(key);
      await ledger.rest();
      await query(`UPDATE spending_windows SET used = 1 WHERE scope_id LIKE $1`, [`${guardrailId}:%`]);
      expect(await send(fresh(), key)).toEqual([403, null, 0]);
      expect(await send(body, key)).toEqual([200, 'HIT', 0]);
    });

    it('is given to an account without credit, and is not charged', async () => {
      const { key } = await gateway.newKey();
      const body = await stored(key);
      await ledger.rest();
      const { data: before } = await gateway.manage('GET', '/credits');
      const amount = before.total_credits - before.total_usage;
      await gateway.manage('POST', '/credits', { amount: -Math.floor(amount * 1e6) / 1e6, kind: 'adjustment' });
      expect(await send(fresh(), key)).toEqual([402, null, 0]);
      expect(await send(body, key)).toEqual([200, 'HIT', 0]);
      await ledger.rest();
      expect((await gateway.manage('GET', '/credits')).data.total_usage).toBe(before.total_usage);
      await gateway.manage('POST', '/credits', { amount: Math.floor(amount * 1e6) / 1e6, kind: 'adjustment' });
    });

    it('is refused to a request without the tags that its workspace requires, and to a disabled key', async () => {
      const { data: workspace } = await gateway.manage('POST', '/workspaces', { name: 'Tagged', slug: 'tagged-hits', required_tags: ['team'] }); // oxfmt-ignore
      const { key, hash } = await gateway.newKey({ workspace_id: workspace.id });
      const body = fresh();
      const tagged = { ...ON, 'x-fairlead-tags': 'team=search' };
      expect(await send(body, key, tagged)).toEqual([200, 'MISS', 1]);
      expect(await send(body, key)).toEqual([400, null, 0]);
      expect(await send(body, key, tagged)).toEqual([200, 'HIT', 0]);
      await gateway.manage('PATCH', `/keys/${hash}`, { disabled: true });
      expect(await send(body, key, tagged)).toEqual([401, null, 0]);
    });
  });

  describe('zero data retention that is switched on later', () => {
    interface Rule {
      readonly key: string;
      readonly hash: string;
      readonly set: (isOn: boolean) => Promise<unknown>;
    }
    const RULES: readonly (readonly [string, () => Promise<Rule>])[] = [
      [
        'of the account',
        async () => ({
          ...(await gateway.newKey()),
          set: (enforce_zdr) => gateway.manage('PATCH', '/account/preferences', { enforce_zdr }),
        }),
      ],
      [
        'of the workspace',
        async () => {
          const slug = `zdr-${++texts}`;
          const { data } = await gateway.manage('POST', '/workspaces', { name: slug, slug });
          return {
            ...(await gateway.newKey({ workspace_id: data.id })),
            set: (enforce_zdr) => gateway.manage('PATCH', `/workspaces/${data.id}`, { enforce_zdr }),
          };
        },
      ],
      ...(['enforce_zdr', 'enforce_zdr_other'] as const).map(
        (field) =>
          [
            `by ${field} of a guardrail`,
            async (): Promise<Rule> => {
              const { guardrailId, ...key } = await gateway.guardedKey({ description: null });
              return {
                ...key,
                set: (isOn) => gateway.manage('PATCH', `/guardrails/${guardrailId}`, { [field]: isOn }),
              };
            },
          ] as const,
      ),
    ];

    it.each(RULES)('%s: no hit, nothing is stored, and what was stored goes', async (name, makeRule) => {
      const { key, hash, set } = await makeRule();
      const { key: other, hash: otherHash } = await gateway.newKey();
      const body = await stored(key);
      const kept = await stored(other);
      expect(await send(body, key)).toEqual([200, 'HIT', 0]);
      const named = { 'idempotency-key': `zdr ${++texts}` };
      const once = fresh();
      expect(await send(once, key, named)).toEqual([200, null, 1]);
      const rowsOf = (keyHash: string): Promise<JsonBody[]> =>
        query(
          `SELECT r.kind, r.state, r.head IS NULL AS "isEmpty", count(p.number)::int AS parts
           FROM kept_replies r LEFT JOIN kept_reply_parts p ON p.reply_id = r.id WHERE r.key_hash = $1
           GROUP BY r.id ORDER BY r.kind`,
          [keyHash],
        );
      expect((await rowsOf(hash)).map(({ kind, state }) => [kind, state])).toEqual([['cache', 'kept'], ['idempotency', 'kept']]); // oxfmt-ignore
      await set(true);
      try {
        for (let time = 0; time < 2; time++) expect(await send(body, key)).toEqual([200, null, 1]);
        await sweep();
        expect(await rowsOf(hash)).toEqual([{ kind: 'idempotency', state: 'dropped', isEmpty: true, parts: 0 }]);
        const repeated = await gateway.messages(once, { key, headers: named });
        expect([repeated.status, repeated.headers.get(REPLAY), ((await repeated.json()) as JsonBody).error.error_type]).toEqual([409, null, 'idempotency_not_kept']); // oxfmt-ignore
        // The other key is of the same account.
        const isOfAll = name === 'of the account';
        expect((await rowsOf(otherHash)).length).toBe(isOfAll ? 0 : 1);
      } finally {
        await set(false);
      }
      expect(await send(body, key)).toEqual([200, 'MISS', 1]);
      if (name !== 'of the account') expect(await send(kept, other)).toEqual([200, 'HIT', 0]);
    });

    it('of the request alone stores nothing, and takes nothing from others', async () => {
      const { key, hash } = await gateway.newKey();
      const body = await stored(key);
      const secret = { ...body, provider: { zdr: true } };
      for (let time = 0; time < 2; time++) expect(await send(secret, key)).toEqual([200, null, 1]);
      await sweep();
      expect(await send(body, key)).toEqual([200, 'HIT', 0]);
      expect(await query(`SELECT state FROM kept_replies WHERE key_hash = $1`, [hash])).toEqual([{ state: 'kept' }]);
    });
  });

  describe('what is stored', () => {
    it('does not confirm a guess of a body, nor of a reply that is cached', async () => {
      const { key, hash } = await gateway.newKey();
      const body = await stored(key);
      await send(body, key, { 'idempotency-key': 'guessed' });
      const digests = [JSON.stringify(body), `messages\n${JSON.stringify(body)}`].map((text) =>
        createHash('sha256').update(text).digest('hex'),
      );
      const rows = await query('SELECT kind, name, fingerprint FROM kept_replies WHERE key_hash = $1 ORDER BY kind', [hash]); // oxfmt-ignore
      const keyed = /^([\da-f-]{36}):[\da-f]{64}$/;
      expect(rows).toEqual([
        { kind: 'cache', name: expect.stringMatching(keyed), fingerprint: expect.stringMatching(keyed) },
        { kind: 'idempotency', name: expect.stringMatching(/^[\da-f]{64}$/), fingerprint: rows[0].fingerprint },
      ]);
      for (const digest of digests) expect(JSON.stringify(rows)).not.toContain(digest);
      const keys = await query(`SELECT id::text FROM data_keys WHERE purpose = 'reply-seal'`);
      expect(keys.map(({ id }) => id)).toContain(keyed.exec(rows[0].fingerprint)![1]);
    });

    it('is a 409 to a repetition when its key is gone, and no second call', async () => {
      const { key, hash } = await gateway.newKey();
      const body = fresh();
      const named = { 'idempotency-key': 'of a lost key' };
      expect(await send(body, key, named)).toEqual([200, null, 1]);
      const lost = '00000000-0000-4000-8000-000000000000';
      await query(`UPDATE kept_replies SET data_key = $2::uuid, fingerprint = overlay(fingerprint PLACING $2::text FROM 1 FOR 36) WHERE key_hash = $1`, [hash, lost]); // oxfmt-ignore
      await query(`UPDATE kept_reply_parts p SET data_key = $2 FROM kept_replies r WHERE r.id = p.reply_id AND r.key_hash = $1`, [hash, lost]); // oxfmt-ignore
      const before = calls();
      const repeated = await gateway.messages(body, { key, headers: named });
      expect([repeated.status, ((await repeated.json()) as JsonBody).error.error_type]).toEqual([409, 'idempotency_not_kept']); // oxfmt-ignore
      expect(calls()).toBe(before);
    });
  });

  describe('a store of replies that fails', () => {
    const away = (): Promise<unknown> => query('ALTER TABLE kept_replies RENAME TO kept_replies_away');
    const back = (): Promise<unknown> => query('ALTER TABLE kept_replies_away RENAME TO kept_replies');

    it('before a request: it runs, without the cache', async () => {
      const body = await stored(API_KEY);
      await away();
      try {
        const share = { ...ON, 'x-fairlead-cache-share': 'true' };
        const clear = { ...ON, 'x-fairlead-cache-clear': 'true' };
        for (const headers of [ON, share, clear]) expect(await send(body, API_KEY, headers)).toEqual([200, null, 1]);
      } finally {
        await back();
      }
      expect(await send(body)).toEqual([200, 'HIT', 0]);
    });

    it('while a reply is written: it is complete, replayed from memory, and stored when that is possible', async () => {
      for (const stream of [false, true]) {
        const body = fresh('test/one', { stream });
        const before = calls();
        upstream.script(async (request, index) => {
          await away();
          return anthropicText('Outlasts its store.')(request, index);
        });
        try {
          const first = await gateway.messages(body, { headers: ON });
          expect([first.status, first.headers.get('x-fairlead-cache-status')]).toEqual([200, 'MISS']);
          const text = await first.text();
          expect(text).toContain(stream ? 'message_stop' : 'Outlasts its store.');
          expect(await send(body)).toEqual([200, 'HIT', 0]);
        } finally {
          await back();
          upstream.script(anthropicText('Kept.'));
        }
        await ledger.rest();
        expect(await send(body)).toEqual([200, 'HIT', 0]);
        expect(calls()).toBe(before + 1);
      }
    });
  });
});
