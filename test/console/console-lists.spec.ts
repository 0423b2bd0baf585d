/**
 * Checks that the console opens and turns pages as fast with many rows as with few: 100,000 requests and as many of
 * other rows in the store, in a real Chromium, the best of some rounds each; and one request a turn.
 */
import type { Browser } from 'playwright-core';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeInChromium, launchChromium } from '../support/browser.js';
import {
  expectShown,
  openConsole,
  settled,
  signIn,
  STEP_MS_MAX,
  type WatchedPage,
} from '../support/console-browser.js';
import { fastest } from '../support/cpu-time.js';
import { describeOnPostgres } from '../support/database.js';
import { generationRow } from '../http/generation-rows.js';

const ROWS = 100_000;
/** Rows of one statement: the store ends longer ones on a busy machine. */
const PART = 10_000;
const PARTS = Array.from({ length: ROWS / PART }, (_, part) => part);
/** Time from the request of a page's document to its first text, and to the rows of a turn. */
const FIRST_PAINT_MS_MAX = 1_000;
const TURN_MS_MAX = 300;
/** What the panels of the overview request. */
const PANELS = [
  'activitygroup_by=error_type',
  'activitygroup_by=model',
  'alarms/history',
  'analytics/query',
  'credits',
  'keys',
  'providers',
];

describeInChromium('the console with many requests', () => {
  describeOnPostgres('in the store', (database) => {
    let gateway: TestGateway;
    let browser: Browser;
    let watched: WatchedPage;

    beforeAll(async () => {
      gateway = await startGateway(database);
      await fill(gateway.gateway.app.get(DataSource));
      browser = await launchChromium();
      watched = await openConsole(browser, gateway);
      await signIn(watched);
    }, STEP_MS_MAX * 3);
    afterAll(async () => {
      await browser?.close();
      await gateway?.close();
    }, STEP_MS_MAX);

    const firstPaint = (): Promise<number> =>
      watched.page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);

    it.each(['/console', '/console/generations', '/console/keys', '/console/credits', '/console/audit'])(
      'paints %s within a second',
      async (path) => {
        const paint = async (): Promise<number> => {
          await watched.page.goto(gateway.origin + path);
          await settled(watched);
          await expectShown(() => watched.page.locator('td').count()).toBeGreaterThan(0);
          return firstPaint();
        };
        expect(await fastest(paint, FIRST_PAINT_MS_MAX)).toBeLessThan(FIRST_PAINT_MS_MAX);
      },
      STEP_MS_MAX,
    );

    it(
      'answers each panel of the overview by one request, within 300 ms',
      async () => {
        const { page } = watched;
        const slowest = async (): Promise<number> => {
          await page.goto(`${gateway.origin}/console`);
          await settled(watched);
          const called = await page.evaluate<readonly (readonly [string, number])[]>(
            `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/'))
               .map(({ name, duration }) => [new URL(name).pathname.slice('/api/v1/'.length) + (/group_by=\\w+/.exec(name)?.[0] ?? ''), duration])`,
          );
          const panels = await page.locator('.panel').count();
          expect([panels, called.map(([name]) => name).toSorted()]).toEqual([PANELS.length, PANELS]);
          return Math.max(...called.map(([, duration]) => duration));
        };
        expect(await fastest(slowest, TURN_MS_MAX)).toBeLessThan(TURN_MS_MAX);
      },
      STEP_MS_MAX,
    );

    it.each([
      ['generations', 'Older'],
      ['keys', 'Next'],
      ['workspaces', 'Next'],
      ['workspaces/default', 'Next'],
      ['budgets', 'Next'],
      ['credits', 'Older'],
      ['audit', 'Older'],
    ])(
      'turns a page of %s within 300 ms, by one request',
      async (path, button) => {
        const { page, requested } = watched;
        await page.goto(`${gateway.origin}/console/${path}`);
        await page.locator('tbody tr').nth(49).waitFor();
        await page.waitForLoadState('networkidle');
        const turn = async (): Promise<number> => {
          requested.length = 0;
          const took = await page.evaluate<number>(`new Promise((resolve) => {
            const first = () => document.querySelector('tbody a')?.href;
            const [before, begin] = [first(), performance.now()];
            const observer = new MutationObserver(() => {
              if (first() === undefined || first() === before) return;
              observer.disconnect();
              resolve(performance.now() - begin);
            });
            observer.observe(document.body, { childList: true, subtree: true, attributes: true });
            [...document.querySelectorAll('button')].find((one) => one.textContent === '${button}').click();
          })`);
          expect(requested.filter((address) => !address.includes('/icon-'))).toHaveLength(1);
          return took;
        };
        // The page's own time: other suites have the cores in between.
        expect(await fastest(turn, TURN_MS_MAX)).toBeLessThan(TURN_MS_MAX);
      },
      STEP_MS_MAX,
    );
  });
});

/** Requests of the last hour, a row of each second of it 28 times. */
async function fill(store: DataSource): Promise<void> {
  const [owner] = await store.query<{ account_id: string; workspace_id: string; key_hash: string }[]>(
    'select account_id, workspace_id, hash as key_hash from api_keys where hash = $1',
    [hashKey(MANAGEMENT_KEY)],
  );
  const model = generationRow(owner!, { cost: '0.000012', prompt_tokens: 12, completion_tokens: 9 });
  const begin = new Date(Date.now() - 3_600_000).toISOString();
  await store.query('select ensure_month_1($1::timestamptz)', [begin]);
  const names = Object.keys(model);
  const own: Readonly<Record<string, string>> = {
    id: `'gen-' || floor(extract(epoch from at))::bigint || '-' || lpad(n::text, 20, 'A')`,
    held_at: 'at',
    settled_at: 'at',
  };
  for (const part of PARTS)
    await store.query(
      `insert into generations (${names.join()})
     select ${names.map((name) => own[name] ?? `m.${name}`).join()}
     from json_populate_record(null::generations, $1) m, generate_series(${PART} * $2::int + 1, ${PART} * $2::int + ${PART}) n,
       lateral (select date_trunc('milliseconds', $3::timestamptz + n * interval '35 milliseconds') as at) t`,
      [JSON.stringify(model), part, begin],
    );
  for (const part of PARTS)
    await store.query(
      `insert into api_keys select made.* from api_keys k, generate_series(${PART} * $2::int + 1, ${PART} * $2::int + ${PART}) n,
       lateral jsonb_populate_record(k, jsonb_build_object('hash', encode(sha256(n::text::bytea), 'hex'),
         'name', 'key ' || n, 'created_at', k.created_at - n * interval '1 second')) made
     where k.hash = $1`,
      [hashKey(API_KEY), part],
    );
  await fillAdministration(store, owner!);
  await store.query('analyze');
}

/** Workspaces and members of one, budgets of users, entries of credits and of the audit log. */
async function fillAdministration(
  store: DataSource,
  { account_id: account, workspace_id: workspace }: { readonly account_id: string; readonly workspace_id: string },
): Promise<void> {
  for (const part of PARTS)
    await store.query(
      `insert into workspaces select made.* from workspaces w, generate_series(${PART} * $2::int + 1, ${PART} * $2::int + ${PART}) n,
       lateral jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(), 'name', 'workspace ' || n,
         'slug', 'workspace-' || n, 'is_default', false, 'created_at', w.created_at - n * interval '1 second')) made
     where w.id = $1`,
      [workspace, part],
    );
  for (const part of PARTS)
    await store.query(
      `insert into workspace_members (workspace_id, user_id, account_id, created_at)
     select $1, 'user-' || n, $2, now() - n * interval '1 second' from generate_series(${PART} * $3::int + 1, ${PART} * $3::int + ${PART}) n`,
      [workspace, account, part],
    );
  for (const part of PARTS)
    await store.query(
      `insert into budgets (account_id, scope, scope_id, interval, limit_usd, subject, updated_at)
     select $1, 'users', encode(sha256(n::text::bytea), 'hex'), 'daily', 5, 'user-' || n, now() - n * interval '1 second'
     from generate_series(${PART} * $2::int + 1, ${PART} * $2::int + ${PART}) n`,
      [account, part],
    );
  await store.query(
    `insert into ledger_entries (generation_id, held_at, kind, account_id, workspace_id, key_hash, amount, byok_amount, entered_at)
     select id, held_at, 'charge', account_id, workspace_id, key_hash, cost, 0, settled_at from generations`,
  );
  for (const part of PARTS)
    await store.query(
      `insert into audit_entries (account_id, seq, at, actor, action, target, after, previous_hash, hash)
     select $1, 1000 + n, now() - (${ROWS} - n) * interval '1 second', 'operator', 'api_key.update',
       encode(sha256(n::text::bytea), 'hex'), '{"limit":5}', repeat('0', 64), repeat('0', 64)
     from generate_series(${PART} * $2::int + 1, ${PART} * $2::int + ${PART}) n`,
      [account, part],
    );
}
