/**
 * Two gateways close months on one PostgreSQL while generations are settled, posted and corrected in them
 * (docs/contribute/ledger.md#month-end): every entry is in exactly one statement, both gateways answer the same, and a
 * closing that a process leaves unfinished is finished by the other.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { formatUsd, parseUsd, type PicoUsd } from '../../src/core/money/credits.js';
import { announce } from '../../src/ledger/month-end/close-month.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { generationRow, ownerOf, type Owner } from '../http/generation-rows.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const CLEAN = { differences: [], unlisted: 0 };
const MONTHS = ['2031-01', '2031-02', '2031-03', '2031-04'];
const WRITERS = 3;
/** Closings that are refused because calls are not posted yet, and tried again. */
const TRIES_MAX = 500;

describeOnPostgres('months that two replicas close', (database) => {
  const clock = new AheadClock();
  const gateways: TestGateway[] = [];
  let store: DataSource;
  let owner: Owner;

  const closeAt = async (gateway: TestGateway, month: string): Promise<JsonBody> => {
    for (let tries = 1; ; tries++) {
      const response = await gateway.request(`/statements/${month}/close`, { method: 'POST', key: MANAGEMENT_KEY });
      const body = (await response.json()) as JsonBody;
      if (response.status === 200) return body.data;
      if (tries === TRIES_MAX || !/^Not settled yet/.test(body.error.message)) throw new Error(body.error.message);
      await delay(2);
    }
  };
  const sum = async (text: string): Promise<PicoUsd> => {
    const [row] = await store.query<{ sum: string }[]>(text);
    return parseUsd(row!.sum)!;
  };

  beforeAll(async () => {
    clock.aheadMs = Date.parse('2031-01-01T00:00:00Z') - Date.now();
    const options = {
      clock,
      variables: {
        FAIRLEAD_INITIAL_CREDITS: '1000',
        LOG_LEVEL: 'warn',
        // The months that the template has are old at the moved time: dropping them would end settlements.
        FAIRLEAD_RETENTION: 'generations=never,ledger_entries=never',
      },
    };
    for (let number = 0; number < 2; number++) gateways.push(await startGateway(database, options));
    store = gateways[0]!.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
    for (const month of MONTHS) await store.query('select ensure_month_1($1)', [`${month}-01T00:00:00Z`]);
    clock.aheadMs = Date.parse('2031-05-10T00:00:00Z') - Date.now();
  }, 240_000);
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
  }, 240_000);

  it('have every entry in one statement, however it was settled meanwhile', async () => {
    let settled = 0;
    let isOver = false;
    const amount = (): string => `0.${String((++settled * 7919) % 1_000_000).padStart(6, '0')}`;
    const settleAndPost = async (row: object & { readonly id: string }): Promise<void> => {
      await store.query('select settle_generations_2($1)', [JSON.stringify([row])]);
      await delay(Math.random() * 4);
      await store.query('select post_holds_2($1)', [[row.id]]);
    };
    const write = async (month: string): Promise<void> => {
      while (!isOver) {
        const at = { held_at: `${month}-15T00:00:00.000Z` };
        const left = generationRow(owner, { ...at, cost: amount(), is_recovered: true, outcome: 'recovered', model: null }); // oxfmt-ignore
        await settleAndPost(left);
        const plain = generationRow(owner, { ...at, cost: amount() });
        const settled_at = Math.random() < 0.5 ? '2031-05-09T00:00:00.000Z' : at.held_at;
        await settleAndPost(plain);
        await settleAndPost({ ...generationRow(owner, { ...at, settled_at, cost: amount() }), id: left.id });
        await delay(Math.random() * 12);
      }
    };
    for (const month of MONTHS) {
      isOver = false;
      const writing = Array.from({ length: WRITERS }, () => write(month));
      await delay(150);
      const [one, two] = await Promise.all(gateways.map((gateway) => closeAt(gateway, month)));
      expect(two).toEqual(one);
      await delay(50);
      isOver = true;
      await Promise.all(writing);
    }
    const count = async (where: string): Promise<number> => Number(await sum(`select count(*)::text as sum from ${where}`)); // oxfmt-ignore
    expect(await count(`late_entries where month is null`)).toBeGreaterThan(0);
    expect(await count(`late_entries where month is null and kind = 'correction'`)).toBeGreaterThan(0);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);

    // The open month takes the rest: then all entries are in statements.
    const { data } = await gateways[1]!.manage('GET', '/statements');
    const used = await sum(`select used::text as sum from spending_windows where scope = 'account'`);
    expect(data[0].closing_balance).toBeCloseTo(1000 - Number(formatUsd(used)), 9);
    clock.aheadMs = Date.parse('2031-06-10T00:00:00Z') - Date.now();
    await closeAt(gateways[1]!, '2031-05');
    expect(await count(`late_entries where month is null`)).toBe(0);
    for (const kind of ['charge', 'correction']) {
      const [lines, entries] = [`statement_lines where kind = '${kind}'`, `ledger_entries where kind = '${kind}'`];
      expect(await sum(`select sum(count)::text as sum from ${lines}`)).toBe(await sum(`select count(*)::text as sum from ${entries}`)); // oxfmt-ignore
      expect(await sum(`select -sum(amount) as sum from ${lines}`)).toBe(await sum(`select sum(amount) as sum from ${entries}`)); // oxfmt-ignore
    }
    expect(await sum(`select closing_balance as sum from statements where month = '2031-05-01T00:00:00Z'`)).toBe(parseUsd('1000')! - used); // oxfmt-ignore
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  }, 240_000);

  it('are finished by a reader, where a process died while it closed one', async () => {
    clock.aheadMs = Date.parse('2031-07-10T00:00:00Z') - Date.now();
    await gateways[0]!.manage('POST', '/credits', { amount: 5 });
    clock.aheadMs = Date.parse('2031-08-10T00:00:00Z') - Date.now();
    const month = new Date('2031-07-01T00:00:00Z');
    const closing = { accountId: owner.account_id, month, by: hashKey(MANAGEMENT_KEY), aheadMs: clock.aheadMs };
    await store.transaction('READ COMMITTED', (manager) => announce(manager, closing));
    const lists = await Promise.all(gateways.map((gateway) => gateway.manage('GET', '/statements')));
    expect(lists[1]).toEqual(lists[0]);
    const statement = lists[0].data[1];
    expect(statement).toMatchObject({ month: '2031-07', status: 'closed', credits: 5 });
    const response = await gateways[1]!.request('/statements/2031-07?format=csv', { key: MANAGEMENT_KEY });
    expect(
      createHash('sha256')
        .update(await response.text())
        .digest('hex'),
    ).toBe(statement.hash);
    const { data } = await gateways[0]!.manage('GET', '/audit?action=statement.close');
    expect(data.filter(({ target }: JsonBody) => target === '2031-07')).toHaveLength(1);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  });

  it('date credits into no month that is closed meanwhile', async () => {
    clock.aheadMs = Date.parse('2031-08-31T23:59:59.000Z') - Date.now();
    let isOver = false;
    const entering = (async () => {
      while (!isOver) await gateways[0]!.manage('POST', '/credits', { amount: 1 });
    })();
    await delay(1_100);
    await closeAt(gateways[1]!, '2031-08');
    await delay(50);
    isOver = true;
    await entering;
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
    const [newest] = (await gateways[1]!.manage('GET', '/statements')).data;
    expect(newest).toMatchObject({ month: '2031-09', status: 'open' });
    expect(newest.credits).toBeGreaterThan(0);
  });
});
