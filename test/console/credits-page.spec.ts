/**
 * Checks the page of credits in a real Chromium over the real application: credits are entered and spent, the entries
 * and the balance are those of the ledger, a month is closed, and the result of the last verification is shown.
 */
import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { keepVerification } from '../../src/ledger/verify/kept-verification.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { HOUR_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { expectShown, expectStatus, settled, signIn, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';

const LONG = 'n'.repeat(1_000);
const clock = new AheadClock();
const echo = { model: 'sandbox/echo', max_tokens: 40, messages: [{ role: 'user', content: 'Say hello.' }] };
let boundKey: string;
/** The first month, which has ended. */
const month = lastMonth();

describeConsole(
  'the page of credits',
  {
    clock,
    variables: { FAIRLEAD_INITIAL_CREDITS: '10' },
    fill: async (gateway) => {
      for (const note of [SCRIPT, RIGHT_TO_LEFT, LONG]) await gateway.manage('POST', '/credits', { amount: 1, note });
      // As if the account were opened a month ago.
      const store = gateway.gateway.app.get(DataSource);
      await store.query(
        `update credit_grants set created_at = date_trunc('month', now(), 'UTC') - interval '3 days' where kind = 'grant'`,
      );
      await gateway.manage('POST', '/workspaces', { name: RIGHT_TO_LEFT, slug: 'team' });
      const { key } = await gateway.newKey({ name: SCRIPT, workspace_id: 'team' });
      await (await gateway.messages(echo, { key })).text();
      await (await gateway.messages(echo)).text();
      const bound = { name: 'head', kind: 'management', workspace_id: 'team' };
      boundKey = (await gateway.manage('POST', '/keys', bound)).key;
    },
  },
  (suite) => {
    itFits(suite, 'the entries', () => '/console/credits', 'Credits and ledger');
    itFits(suite, 'entries that are filtered', () => '/console/credits?kind=purchase', 'Credits and ledger');
    itFits(suite, 'the form that enters credits', () => '/console/credits/new', 'Enter credits');
    itFits(suite, 'the months', () => '/console/credits/months', 'Months');
    itFits(suite, 'a statement', () => `/console/credits/months/${thisMonth()}`, /^Statement of /);

    it.each(SIZES)(
      'enters credits, and shows entries and balance as the ledger has them, at $width pixels',
      async (viewport) => {
        const watched = await suite.signedIn('/console/credits', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'Enter credits' }).click();
        await heading(watched, 'Enter credits');
        await page.getByLabel('Amount (USD)').fill('-25');
        await page.getByLabel('Note').fill('Invoice 17');
        await page.getByRole('button', { name: 'Enter' }).click();
        await page.getByText('amount: must be above 0').waitFor();
        await page.getByLabel('Amount (USD)').fill('25.000000000001');
        await page.getByRole('button', { name: 'Enter' }).click();
        await heading(watched, 'Credits and ledger');
        await settled(watched);
        const row = page.getByRole('row', { name: /Invoice 17/ }).first();
        await expectShown(() => row.locator('data').getAttribute('value')).toBe('25.000000000001');
        const { data: balance } = await suite.gateway.manage('GET', '/credits');
        await page.getByLabel('All digits').check();
        const shown = page.locator('section[aria-labelledby="balance"] data');
        await expectShown(async () => (await shown.allInnerTexts()).map((text) => Number(text.slice(1)))).toEqual([
          Number((balance.total_credits - balance.total_usage).toFixed(12)),
          balance.total_credits,
          balance.total_usage,
        ]);
        // Each charge leads to its generation.
        const charge = page.getByRole('row', { name: /generation/ }).filter({ hasText: SCRIPT });
        const amount = Number(await charge.locator('data').getAttribute('value'));
        await charge.getByRole('link').click();
        await heading(watched, /^Generation gen-/);
        const { data } = await suite.gateway.manage('GET', `/generation?id=${page.url().split('/').pop()}`);
        expect([amount, data.usage > 0]).toEqual([-data.usage, true]);
        expectStatus(watched, 400);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows whether the ledger adds up, as it was verified last',
      async () => {
        const watched = await suite.signedIn('/console/credits');
        const { page } = watched;
        const panel = page.locator('section[aria-labelledby="verification"]');
        await panel.getByText('has not been verified yet').waitFor();
        const store = suite.gateway.gateway.app.get(DataSource);
        await keepVerification(store, await verifyLedger(store));
        await page.reload();
        await panel.locator('dd.large.good').waitFor();
        await keepVerification(store, { ...(await verifyLedger(store)), unlisted: 1_234 });
        await page.reload();
        await expectShown(() => panel.locator('dd.large.bad').innerText()).toBe('1,234');
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'filters by the address, exports, and pages by one request',
      async () => {
        for (let count = 0; count < 60; count++)
          await suite.gateway.manage('POST', '/credits', { amount: 0.5, kind: 'adjustment', note: `entry ${count}` });
        const watched = await suite.signedIn('/console/credits?kind=adjustment');
        await settled(watched);
        const { page, requested } = watched;
        const rows = page.locator('section[aria-labelledby="entries"] tbody tr');
        await expectShown(() => rows.count()).toBe(50);
        requested.length = 0;
        await page.getByRole('button', { name: 'Older' }).click();
        await rows.nth(49).waitFor({ state: 'detached' });
        await expectShown(() => rows.count()).toBe(10);
        expect(requested.filter((address) => !address.includes('/icon-'))).toHaveLength(1);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Export as CSV' }).click(),
        ]);
        expect(readFileSync(await download.path(), 'utf8').split('\n').filter(Boolean)).toHaveLength(61);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    ); // oxfmt-ignore

    it(
      'closes a month after it was named what is final, and shows its statement',
      async () => {
        const watched = await suite.signedIn('/console/credits');
        const { page } = watched;
        await page.getByRole('link', { name: 'Months' }).click();
        await heading(watched, 'Months');
        await page.getByRole('button', { name: `Close ${month}` }).click();
        const dialog = page.getByRole('dialog', { name: `Close ${month}?` });
        await expectShown(() => dialog.innerText()).toContain('no one can open it again');
        await dialog.getByRole('button', { name: 'Close the month' }).click();
        await page.getByRole('row', { name: new RegExp(`^${month} closed`) }).waitFor();
        await page.getByRole('link', { name: month }).click();
        await heading(watched, `Statement of ${month}`);
        await settled(watched);
        const { data } = await suite.gateway.manage('GET', `/statements/${month}`);
        expect(data.hash).toMatch(/^[0-9a-f]{64}$/);
        await page.getByText(data.hash).waitFor();
        await expectShown(() => page.getByRole('table', { name: 'Lines' }).locator('tbody tr').allInnerTexts()).toEqual(
          [expect.stringContaining('$10.00')],
        );
        await page.goto(`${suite.gateway.origin}/console/credits/months/2001-01`);
        await page.getByRole('alert').waitFor();
        expectStatus(watched, 404);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows notes as texts, and to a bound key the charges of its workspace alone',
      async () => {
        const all = await suite.signedIn('/console/credits?kind=purchase');
        await settled(all);
        for (const note of [SCRIPT, LONG])
          await expectShown(() => all.page.getByText(note, { exact: true }).count()).toBe(1);
        await expectShown(() => all.page.locator('script:not([src]), img').count()).toBe(0);
        suite.soundly(all);
        const bound = await suite.open('/console/credits');
        await signIn(bound, boundKey);
        await settled(bound);
        await expectShown(() => bound.page.locator('tbody tr').count()).toBe(1);
        await expectShown(() => bound.page.getByRole('alert').first().innerText()).toContain('bound to a workspace');
        await bound.page.goto(`${suite.gateway.origin}/console/credits/months`);
        await bound.page.getByRole('alert').waitFor();
        for (const status of [401, 403]) expectStatus(bound, status);
        suite.soundly(bound);
      },
      STEP_MS_MAX,
    );

    it(
      'is used by the keyboard alone, and leads back where the session is over',
      async () => {
        const watched = await suite.open('/console/credits');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        await reader.activate(/^Enter credits$/);
        await heading(watched, 'Enter credits');
        await reader.reach(/^Amount \(USD\)$/);
        await reader.type('3');
        clock.aheadMs += HOUR_MS;
        await reader.activate(/^Enter$/);
        await heading(watched, 'Sign in to Fairlead');
        await reader.signIn();
        await heading(watched, 'Enter credits');
        await reader.reach(/^Amount \(USD\)$/);
        await reader.type('3');
        await reader.activate(/^Enter$/);
        await heading(watched, 'Credits and ledger');
        await settled(watched);
        await expectShown(() => page.locator('tbody tr').first().innerText()).toContain('$3.00');
        expectStatus(watched, 401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);

const thisMonth = (): string => new Date().toISOString().slice(0, 7);

function lastMonth(): string {
  const first = new Date(`${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`);
  return new Date(first.getTime() - HOUR_MS).toISOString().slice(0, 7);
}
