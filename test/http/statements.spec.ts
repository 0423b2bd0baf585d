/**
 * Months are closed and stated exactly (docs/operate/month-end.md): what belongs to which, late corrections, the chain
 * of balances, hash and csv, refusals, retention, and that the verification finds what was changed by hand. The real
 * application on both databases, at a moved time; generations are settled by the ledger's own functions.
 */
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { GenerationPartitionsRepository } from '../../src/ledger/generations/generation-partitions.repository.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { summarize } from '../../src/ledger/month-end/close-month.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { generationRow, ownerOf, settle, type Owner } from './generation-rows.js';

const CLEAN = { differences: [], unlisted: 0 };
const HEAD =
  'month,kind,workspace_id,workspace,key,key_name,member,model,count,prompt_tokens,completion_tokens,cached_tokens,reasoning_tokens,amount,byok_amount,operator_cost';

describeOnEachDatabase('statements', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  let store: DataSource;
  let owner: Owner;
  let other: Owner;

  const moveTo = (time: string): void => {
    clock.aheadMs = Date.parse(time) - Date.now();
  };
  const call = async (
    method: string,
    path: string,
    key = MANAGEMENT_KEY,
  ): Promise<{ status: number; body: JsonBody }> => {
    const response = await gateway.request(path, { method, key });
    return { status: response.status, body: await response.json() };
  };
  const refusal = async (method: string, path: string, key?: string): Promise<[number, string]> => {
    const { status, body } = await call(method, path, key);
    return [status, body.error.message];
  };
  const close = async (month: string): Promise<JsonBody> => {
    const { status, body } = await call('POST', `/statements/${month}/close`);
    expect([status, body.error?.message]).toEqual([200, undefined]);
    return body.data;
  };
  const list = async (): Promise<JsonBody[]> => (await call('GET', '/statements')).body.data;
  const show = async (month: string): Promise<JsonBody> => (await call('GET', `/statements/${month}`)).body.data;
  const csv = async (month: string): Promise<string> => {
    const response = await gateway.request(`/statements/${month}?format=csv`, { key: MANAGEMENT_KEY });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    return response.text();
  };
  const spend = async (heldAt: string, changes: Partial<GenerationRow> = {}, of = owner): Promise<GenerationRow> => {
    const row = generationRow(of, { held_at: heldAt, ...changes });
    await settle(store, row);
    return row;
  };
  const enter = (amount: number, kind?: string): Promise<JsonBody> =>
    gateway.manage('POST', '/credits', { amount, ...(kind && { kind }) });
  const closeActions = async (): Promise<JsonBody[]> => (await call('GET', '/audit?action=statement.close')).body.data;

  beforeAll(async () => {
    moveTo('2031-01-10T12:00:00Z');
    gateway = await startGateway(database, {
      clock,
      variables: { FAIRLEAD_INITIAL_CREDITS: '12.5', FAIRLEAD_RETENTION: 'generations=never,ledger_entries=never' },
    });
    store = gateway.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
    const workspace = (await gateway.manage('POST', '/workspaces', { name: 'Gone, "soon"', slug: 'gone' })).data.id;
    const key = await gateway.newKey({ name: '=1+1', workspace_id: workspace, creator_user_id: 'anna' });
    other = await ownerOf(store, key.hash);

    await enter(100.25);
    await spend('2031-01-11T00:00:00.000Z', {
      cost: '1.000000000001',
      prompt_tokens: 10,
      cache_read_tokens: 4,
      completion_tokens: 7,
      reasoning_tokens: 3,
      operator_cost: '0.5',
    });
    await spend('2031-01-31T23:59:59.999Z', { cost: '2', prompt_tokens: 1, settled_at: '2031-02-01T00:00:30.000Z' });
    await spend('2031-01-12T00:00:00.000Z', { cost: '0.1', byok_cost: '3.3', is_byok: true, key_user: 'anna' }, other);
    moveTo('2031-02-10T12:00:00Z');
    await enter(-0.25, 'adjustment');
    await enter(-10, 'refund');
    await spend('2031-02-01T00:00:00.000Z', { cost: '4', model: 'test/second' });
    moveTo('2031-03-10T12:00:00Z');
    await spend('2031-03-01T00:00:00.000Z', { cost: '8' });
  }, 240_000);
  afterAll(() => gateway?.close());

  it('shows open months as they stand, each beginning with the balance of the one before', async () => {
    const open = { status: 'open', corrections: 0, closed_at: null, closed_by: null, hash: null };
    expect(await list()).toEqual([
      { month: '2031-03', opening_balance: 95.399999999999, credits: 0, charges: 8, closing_balance: 87.399999999999, ...open }, // oxfmt-ignore
      { month: '2031-02', opening_balance: 109.649999999999, credits: -10.25, charges: 4, closing_balance: 95.399999999999, ...open }, // oxfmt-ignore
      { month: '2031-01', opening_balance: 0, credits: 112.75, charges: 3.100000000001, closing_balance: 109.649999999999, ...open }, // oxfmt-ignore
    ]);
    const { total_credits, total_usage } = (await call('GET', '/credits')).body.data;
    expect((await list())[0].closing_balance).toBeCloseTo(total_credits - total_usage, 9);
  });

  it('has a line for each kind of credits, and each key, user and model', async () => {
    const { lines, ...totals } = await show('2031-01');
    expect(totals).toEqual((await list())[2]);
    const credits = {
      month: '2031-01',
      workspace_id: null,
      workspace: null,
      key: null,
      key_name: null,
      member: null,
      model: null,
      count: 1,
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
      byok_amount: 0,
      operator_cost: 0,
    };
    expect(lines.slice(0, 2)).toEqual([
      { ...credits, kind: 'grant', amount: 12.5 },
      { ...credits, kind: 'purchase', amount: 100.25 },
    ]);
    expect(lines).toHaveLength(4);
    expect(lines).toContainEqual({
      ...credits,
      kind: 'charge',
      workspace_id: owner.workspace_id,
      workspace: 'Default workspace',
      key: owner.key_hash,
      key_name: expect.any(String),
      model: 'test/model',
      count: 2,
      prompt_tokens: 15,
      completion_tokens: 7,
      cached_tokens: 4,
      reasoning_tokens: 3,
      amount: -3.000000000001,
      operator_cost: 0.5,
    });
    expect(lines).toContainEqual(
      expect.objectContaining({
        key: other.key_hash,
        key_name: '=1+1',
        member: 'anna',
        amount: -0.1,
        byok_amount: 3.3,
      }),
    );
    expect((await show('2031-02')).lines.map((line: JsonBody) => [line.kind, line.amount])).toEqual([
      ['adjustment', -0.25],
      ['refund', -10],
      ['charge', -4],
    ]);
  });

  it('is not closed before it can be', async () => {
    expect(await refusal('POST', '/statements/2031-02/close')).toEqual([
      409,
      '2031-01 has entries and is open: close it before 2031-02.',
    ]);
    expect(await refusal('POST', '/statements/2031-03/close')).toEqual([
      409,
      '2031-03 has not ended: only a month that ended is closed.',
    ]);
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/close'],
    ] as const) {
      expect(await refusal(method, `/statements/2031-04${end}`)).toEqual([400, 'month: 2031-04 has not begun']);
      expect(await refusal(method, `/statements/2030-12${end}`)).toEqual([
        404,
        'There is no statement of 2030-12: nothing was entered before it ended.',
      ]);
      for (const month of ['2031-13', '2031-1', '2031-01-01', 'now', '%00'])
        expect(await refusal(method, `/statements/${month}${end}`)).toEqual([
          400,
          'month: must be a month such as 2030-01',
        ]);
      expect((await refusal(method, `/statements/2031-01${end}`, API_KEY))[0]).toBe(403);
    }
    expect(await refusal('GET', '/statements?monht=1')).toEqual([400, expect.stringContaining('monht')]);
    expect(await refusal('GET', '/statements/2031-01?formt=csv')).toEqual([400, expect.stringContaining('format')]);
    expect((await refusal('GET', '/statements/2031-01?format=xml'))[0]).toBe(400);
    expect((await list()).map(({ status }) => status)).toEqual(['open', 'open', 'open']);
  });

  it('waits for calls that began in it', async () => {
    const replica = '11111111-1111-4111-8111-111111111111';
    await store.query(`insert into replicas (id, heartbeat_at) values ($1, now() + interval '1 day')`, [replica]);
    await store.query(
      `insert into holds (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, bound, byok_bound, replica, deadline_at)
       values ('gen-1-open', '2031-01-31T23:59:00Z', $1, $2, $3, 'lifetime', 0, 0, $4, '2031-03-10T12:30:00Z')`,
      [owner.account_id, owner.workspace_id, owner.key_hash, replica],
    );
    expect(await refusal('POST', '/statements/2031-01/close')).toEqual([
      409,
      'Not settled yet: 1 call that began in 2031-01 or before, the last by 2031-03-10T12:30:00.000Z at the latest; try again then.',
    ]);
    await store.query(`delete from holds where generation_id = 'gen-1-open'`);
    await store.query('delete from replicas where id = $1', [replica]);
  });

  it('is closed once, with the hash of its csv, which has the same bytes for ever', async () => {
    await spend('2031-01-20T00:00:00.000Z', { id: 'gen-1-recovered', cost: '0.5', outcome: 'recovered', model: null, is_recovered: true }); // oxfmt-ignore
    const live = await csv('2031-01');
    const both = await Promise.all([close('2031-01'), close('2031-01')]);
    expect(both[0]).toEqual(both[1]);
    expect(await close('2031-01')).toEqual(both[0]);
    const statement = (await list())[2];
    expect(statement).toEqual(both[0]);
    expect(statement).toMatchObject({
      status: 'closed',
      closed_by: hashKey(MANAGEMENT_KEY),
      charges: 3.600000000001,
      closing_balance: 109.149999999999,
    });
    const text = await csv('2031-01');
    expect(text).toBe(live);
    expect(createHash('sha256').update(text).digest('hex')).toBe(statement.hash);
    const rows = text.split('\n');
    expect([rows[0], rows.at(-1), rows.length]).toEqual([HEAD, '', 7]);
    expect(rows[1]).toBe('"2031-01","grant",,,,,,,1,0,0,0,0,12.5,0,0');
    expect(text).toContain(
      `"2031-01","charge","${other.workspace_id}","Gone, ""soon""","${other.key_hash}","'=1+1","anna","test/model",1,0,0,0,0,-0.1,3.3,0\n`,
    );
    expect(await closeActions()).toMatchObject([
      { action: 'statement.close', target: '2031-01', after: { hash: statement.hash } },
    ]);
    const { lines, ...totals } = await show('2031-01');
    expect(totals).toEqual(statement);
    expect(lines).toHaveLength(5);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });

  it('gives what is entered afterwards to the month in which it is entered', async () => {
    const before = await csv('2031-01');
    // The process had only slept: its own settlement corrects the recovered one.
    await spend('2031-01-20T00:00:00.000Z', { id: 'gen-1-recovered', cost: '0.75', settled_at: '2031-03-09T00:00:00.000Z' }); // oxfmt-ignore
    // The settlement waited in a spool since January.
    await spend('2031-01-21T00:00:00.000Z', { cost: '0.125', settled_at: '2031-01-21T00:00:05.000Z' });
    expect(await csv('2031-01')).toBe(before);
    const [march, february, january] = await list();
    expect(january).toMatchObject({ status: 'closed', closing_balance: 109.149999999999 });
    expect(february).toMatchObject({ opening_balance: 109.149999999999, charges: 4.125, corrections: 0 });
    expect(march).toMatchObject({ charges: 8, corrections: -0.25 });
    const kindsOf = async (month: string): Promise<string[]> =>
      (await show(month)).lines.map((line: JsonBody) => `${line.kind} ${line.model} ${line.amount}`);
    expect(await kindsOf('2031-03')).toEqual(['charge test/model -8', 'correction test/model -0.25']);
    expect(await kindsOf('2031-02')).toContain('charge test/model -0.125');
    const { total_credits, total_usage } = (await call('GET', '/credits')).body.data;
    expect(march.closing_balance).toBeCloseTo(total_credits - total_usage, 9);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });

  it('is closed with what came late, and continues the balance', async () => {
    const live = await csv('2031-02');
    const february = await close('2031-02');
    expect(february).toMatchObject({ opening_balance: 109.149999999999, charges: 4.125, closing_balance: 94.774999999999 }); // oxfmt-ignore
    expect(await csv('2031-02')).toBe(live);
    expect((await list())[0]).toMatchObject({ month: '2031-03', opening_balance: 94.774999999999, corrections: -0.25 });
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });

  it('has names of keys and workspaces that are deleted', async () => {
    await gateway.manage('DELETE', `/keys/${other.key_hash}`);
    await spend('2031-03-02T00:00:00.000Z', { cost: '0.1' }, other);
    await gateway.manage('DELETE', '/workspaces/gone');
    const names = (await show('2031-03')).lines.map((line: JsonBody) => [line.key_name, line.workspace]);
    expect(names).toContainEqual(['=1+1', 'Gone, "soon"']);
  });

  it('is read to its last line, of any number', async () => {
    moveTo('2031-05-10T12:00:00Z');
    const models = Array.from({ length: 450 }, (_, index) => `test/${String(index).padStart(3, '0')}`);
    await store.query(`select ensure_month_1('2031-04-01T00:00:00Z')`);
    const rows = models.map((model) => generationRow(owner, { held_at: '2031-04-02T00:00:00.000Z', model, cost: '0.001' })); // oxfmt-ignore
    await settle(store, ...rows);
    const live = await csv('2031-04');
    await close('2031-03');
    const { hash } = await close('2031-04');
    const text = await csv('2031-04');
    expect(text).toBe(live);
    expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
    expect((await show('2031-04')).lines.map(({ model }: JsonBody) => model)).toEqual(models);
  });

  it('is verified: an altered line, total, balance or hash is named', async () => {
    const altered = async (change: string, undo: string): Promise<string[]> => {
      await store.query(change);
      const { differences } = await verifyLedger(store);
      await store.query(undo);
      return differences.map(({ what }) => what.replace(/account [0-9a-f-]+/, 'account'));
    };
    const line = (sign: string): string =>
      `update statement_lines set amount = amount ${sign} 1 where month = '2031-01-01T00:00:00Z' and kind = 'purchase'`;
    expect(await altered(line('+'), line('-'))).toEqual([
      'statement of 2031-01, account: credits',
      'statement of 2031-01, account: amount of purchase',
      'statement of 2031-01, account: hash of its lines',
    ]);
    const name = (from: string, to: string): string =>
      `update statement_lines set key_name = '${to}' where month = '2031-01-01T00:00:00Z' and key_name = '${from}'`;
    expect(await altered(name('=1+1', 'x'), name('x', '=1+1'))).toEqual([
      'statement of 2031-01, account: hash of its lines',
    ]);
    // With a hash that fits.
    const first = new Date('2031-01-01T00:00:00Z');
    await store.query(name('=1+1', 'x'));
    const [{ hash }] = await store.query(`select hash from statements where month = $1`, [first]);
    const rehash = (to: string): string => `update statements set hash = '${to}' where month = '2031-01-01T00:00:00Z'`;
    expect(await altered(rehash((await summarize(store, owner.account_id, first)).hash), rehash(hash))).toEqual([
      'statement of 2031-01, account: hash in the audit log',
    ]);
    await store.query(name('x', '=1+1'));
    const open = `update statements set hash = null where month = '2031-02-01T00:00:00Z'`;
    const [{ hash: second }] = await store.query(`select hash from statements where month = '2031-02-01T00:00:00Z'`);
    expect(
      await altered(open, `update statements set hash = '${second}' where month = '2031-02-01T00:00:00Z'`),
    ).toContain('statement of 2031-02, account: hash in the audit log');
    const balance = (sign: string): string =>
      `update statements set closing_balance = closing_balance ${sign} 1 where month = '2031-01-01T00:00:00Z'`;
    expect(await altered(balance('+'), balance('-'))).toEqual([
      'statement of 2031-01, account: closing_balance',
      'statement of 2031-02, account: opening_balance',
    ]);
    const late = (sign: string): string =>
      `update late_entries set amount = amount ${sign} 1 where kind = 'correction'`;
    expect(await altered(late('+'), late('-'))).toEqual([
      'statement of 2031-03, account: amount of correction, key ' + `${owner.key_hash.slice(0, 12)}…`,
    ]);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });

  it('is closed before its rows are dropped, and outlives them', async () => {
    moveTo('2031-07-10T12:00:00Z');
    await spend('2031-05-02T00:00:00.000Z', { cost: '1', model: 'test/dropped' });
    await spend('2031-06-02T00:00:00.000Z', { cost: '2' });
    const live = await csv('2031-05');
    const months = gateway.gateway.app.get(GenerationPartitionsRepository, { strict: false });
    for (const month of ['01', '02', '03', '04', '05'])
      for (const table of ['generations', 'ledger_entries'] as const)
        expect(await months.drop({ table, first: new Date(`2031-${month}-01T00:00:00Z`) })).toBe('dropped');
    expect((await list()).slice(0, 3)).toMatchObject([
      { month: '2031-07', status: 'open' },
      { month: '2031-06', status: 'open', charges: 2 },
      { month: '2031-05', status: 'closed', closed_by: 'retention', charges: 1 },
    ]);
    const text = await csv('2031-05');
    expect(text).toBe(live);
    expect(createHash('sha256').update(text).digest('hex')).toBe((await show('2031-05')).hash);
    // Late even for that: its month is made again, and it belongs to an open one when that is dropped again.
    await spend('2031-05-03T00:00:00.000Z', { cost: '0.25' });
    for (const table of ['generations', 'ledger_entries'] as const)
      expect(await months.drop({ table, first: new Date('2031-05-01T00:00:00Z') })).toBe('dropped');
    expect((await close('2031-06')).charges).toBe(2.25);
    expect(await csv('2031-05')).toBe(text);
    const { total_credits, total_usage } = (await call('GET', '/credits')).body.data;
    expect((await list())[0].closing_balance).toBeCloseTo(total_credits - total_usage, 9);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });

  it('includes empty months before it', async () => {
    moveTo('2031-10-10T12:00:00Z');
    expect(await close('2031-09')).toMatchObject({ credits: 0, charges: 0 });
    expect((await list()).slice(0, 4).map(({ month, status }) => `${month} ${status}`)).toEqual([
      '2031-10 open',
      '2031-09 closed',
      '2031-08 closed',
      '2031-07 closed',
    ]);
    expect(
      createHash('sha256')
        .update(await csv('2031-08'))
        .digest('hex'),
    ).toBe((await show('2031-08')).hash);
    expect(await csv('2031-08')).toBe(`${HEAD}\n`);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });
});
