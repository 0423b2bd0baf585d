/**
 * Checks that the console opens and turns pages as fast with many requests as with few: 100,000 rows in the store, in a
 * real Chromium, the median of five rounds each; and one request a turn.
 */
import type { Browser } from 'playwright-core';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeInChromium, launchChromium } from '../support/browser.js';
import { openConsole, settled, signIn, STEP_MS_MAX, type WatchedPage } from '../support/console-browser.js';
import { describeOnPostgres } from '../support/database.js';
import { generationRow } from '../http/generation-rows.js';

const ROWS = 100_000;
const ROUNDS = 5;
/** Of a page: from the request of the document to the first text, and to the rows of a turn. */
const FIRST_PAINT_MS_MAX = 1_000;
const TURN_MS_MAX = 300;

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

    it.each(['/console', '/console/generations'])(
      'paints %s within a second',
      async (path) => {
        const paints: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          await watched.page.goto(gateway.origin + path);
          await settled(watched);
          expect(await watched.page.locator('td').count()).toBeGreaterThan(0);
          paints.push(await firstPaint());
        }
        expect(medianOf(paints)).toBeLessThan(FIRST_PAINT_MS_MAX);
      },
      STEP_MS_MAX,
    );

    it(
      'turns a page of the list within 300 ms, by one request',
      async () => {
        const { page, requested } = watched;
        await page.goto(`${gateway.origin}/console/generations`);
        await page.locator('tbody tr').nth(49).waitFor();
        await page.waitForLoadState('networkidle');
        const turns: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          requested.length = 0;
          turns.push(
            await page.evaluate<number>(`new Promise((resolve) => {
            const first = () => document.querySelector('tbody a')?.href;
            const [before, begin] = [first(), performance.now()];
            const observer = new MutationObserver(() => {
              if (first() === undefined || first() === before) return;
              observer.disconnect();
              resolve(performance.now() - begin);
            });
            observer.observe(document.body, { childList: true, subtree: true, attributes: true });
            [...document.querySelectorAll('button')].find((one) => one.textContent === 'Older').click();
          })`),
          );
          expect(requested.filter((address) => !address.includes('/icon-'))).toHaveLength(1);
        }
        expect(medianOf(turns)).toBeLessThan(TURN_MS_MAX);
      },
      STEP_MS_MAX,
    );
  });
});

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!;

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
  await store.query(
    `insert into generations (${names.join()})
     select ${names.map((name) => own[name] ?? `m.${name}`).join()}
     from json_populate_record(null::generations, $1) m, generate_series(1, $2::int) n,
       lateral (select date_trunc('milliseconds', $3::timestamptz + n * interval '35 milliseconds') as at) t`,
    [JSON.stringify(model), ROWS, begin],
  );
  await store.query('analyze generations');
}
