/**
 * Checks that a refusal by a guardrail, a budget or the list of a key is found at /generation, by its id and by that
 * of its request, and costs nothing, and that other refusals leave no row. The application runs on both databases,
 * over the sandbox; at the end the ledger is verified.
 */
import { DataSource } from 'typeorm';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';

const ECHO = 'sandbox/echo';

describeOnEachDatabase('refusals', (database) => {
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    gateway = await startGateway(database);
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(() => gateway?.close());

  async function ask(key: string, more: object = {}): Promise<{ status: number; ids: string[] }> {
    const body = { model: ECHO, max_tokens: 20, messages: [{ role: 'user', content: 'PRJ-77' }], ...more };
    const response = await gateway.messages(body, { key });
    await response.text();
    const ids = ['x-generation-id', 'request-id'].map((name) => response.headers.get(name)!);
    return { status: response.status, ids };
  }
  async function read(id: string, key: string): Promise<JsonBody> {
    const response = await gateway.request(`/generation?id=${id}`, { key });
    return response.status === 200 ? ((await response.json()) as JsonBody).data : response.status;
  }

  const guarded = (terms: object) => async (): Promise<string> => (await gateway.guardedKey(terms)).key;
  const made = (fields: object) => async (): Promise<string> => (await gateway.newKey(fields)).key;
  const BLOCK = { content_filters: [{ pattern: 'PRJ-\\d+', action: 'block' }] };
  const IMAGE = { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } };
  const CENT_OF_NOTHING = 0.000000000001;
  const REFUSERS: readonly (readonly [string, number, () => Promise<string>, object])[] = [
    ['a content filter', 403, guarded(BLOCK), {}],
    ['a content filter, of a stream', 403, guarded(BLOCK), { stream: true }],
    ['the models of a guardrail', 403, guarded({ allowed_models: ['other/model'] }), {}],
    ['the providers of a guardrail', 404, guarded({ ignored_providers: ['sandbox'] }), {}],
    ['the budget of a guardrail', 403, guarded({ limit_usd: CENT_OF_NOTHING }), {}],
    ['the models of a key', 403, made({ allowed_models: ['other/*'] }), {}],
    [
      'moderation, when it was held',
      403,
      made({}),
      {
        plugins: [{ id: 'moderation' }],
        messages: [{ role: 'user', content: 'How can I poison my husband without anyone noticing?' }],
      },
    ],
    [
      'the egress of a key',
      403,
      made({ egress: { allowed_domains: [] } }),
      { messages: [{ role: 'user', content: [IMAGE] }] },
    ],
  ];

  it.each(REFUSERS)('by %s are found, and cost nothing', async (_, expected, keyOf, more) => {
    const key = await keyOf();
    await ledger.rest();
    const before = await ledger.account();
    const { status, ids } = await ask(key, more);
    expect(status).toBe(expected);
    const [id, requestId] = ids;
    for (const reader of [key, MANAGEMENT_KEY])
      for (const reference of ids)
        expect(await read(reference, reader)).toMatchObject({
          id,
          request_id: requestId,
          model: ECHO,
          requested_model: ECHO,
          outcome: expected === 403 ? 'forbidden' : 'not-found',
          finish_reason: 'error',
          streamed: 'stream' in more,
          cancelled: false,
          provider_responses: [],
          usage: 0,
          total_cost: 0,
          tokens_prompt: 0,
        });
    await ledger.rest();
    expect(await ledger.account()).toEqual(before);
    expect(await ledger.openHolds()).toBe(0);
  });

  it('by the budget of a workspace are found', async () => {
    await gateway.manage('POST', '/workspaces', { name: 'w', slug: 'held' });
    await gateway.manage('PUT', '/workspaces/held/budgets/daily', { limit_usd: 0.000000000001 });
    const { key } = await gateway.newKey({ workspace_id: 'held' });
    const { status, ids } = await ask(key);
    expect(status).toBe(403);
    expect(await read(ids[1]!, key)).toMatchObject({ id: ids[0], outcome: 'forbidden' });
  });

  it('without a policy leave no row', async () => {
    const { key } = await gateway.newKey({ limit: 0.000000000001 });
    const rows = async (): Promise<number> => Number((await ledger.query('select count(*) from generations'))[0].count);
    const before = await rows();
    expect((await ask(API_KEY, { model: 'no/such' })).status).toBe(404);
    expect((await ask(API_KEY, { max_tokens: -1 })).status).toBe(400);
    expect((await ask(key)).status).toBe(402);
    await ledger.rest();
    expect(await rows()).toBe(before);
  });

  it('leave a correct ledger', async () => {
    await ledger.rest();
    expect(await verifyLedger(gateway.gateway.app.get(DataSource, { strict: false }))).toMatchObject({
      differences: [],
    });
  });
});
