/**
 * Checks the page of the audit log in a real Chromium over the real application: a change is found with what differs
 * and who made it, the chain is verified, whole and broken.
 */
import { DataSource } from 'typeorm';
import { HOUR_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { expectShown, expectStatus, settled, signIn, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';

const LONG = 'n'.repeat(255);
const clock = new AheadClock();
let boundKey: string;

describeConsole(
  'the page of the audit log',
  {
    clock,
    fill: async (gateway) => {
      await gateway.manage('POST', '/workspaces', { name: 'Team', slug: 'team' });
      for (const name of [SCRIPT, RIGHT_TO_LEFT, LONG]) {
        const { hash } = await gateway.newKey({ name, workspace_id: name === RIGHT_TO_LEFT ? 'team' : 'default' });
        await gateway.manage('PATCH', `/keys/${hash}`, { limit: 2.5, metadata: { tags: { team: name.slice(0, 60) } } });
      }
      const bound = { name: 'head', kind: 'management', workspace_id: 'team' };
      boundKey = (await gateway.manage('POST', '/keys', bound)).key;
    },
  },
  (suite) => {
    const openAll = async ({ page }: Parameters<typeof settled>[0]): Promise<void> => {
      for (const summary of await page.locator('td summary').all()) await summary.click();
      await page.getByRole('button', { name: 'Verify the chain' }).click();
      await page.getByText('It is whole:').waitFor();
    };
    itFits(suite, 'the log', () => '/console/audit', 'Audit');
    itFits(suite, 'the log with all that differs', () => '/console/audit?action=api_key.update', 'Audit', openAll);

    it.each(SIZES)(
      'shows what a change in the console differs in and who made it, at $width pixels',
      async (viewport) => {
        const { hash } = await suite.gateway.newKey({ name: 'Before' });
        const watched = await suite.signedIn(`/console/keys/${hash}`, { viewport });
        const { page } = watched;
        await page.getByLabel('Name', { exact: true }).fill('After');
        await page.getByRole('button', { name: 'Review the change' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        await page.goto(`${suite.gateway.origin}/console/audit?target=${hash}`);
        await settled(watched);
        const row = page.locator('tbody tr').first();
        await expectShown(() => row.innerText()).toMatch(/key changed.*After.*, in the console/s);
        await row.locator('summary').click();
        await expectShown(() => row.locator('dd').first().innerText()).toMatch(/Before.*After/s);
        const [entry] = (await suite.gateway.manage('GET', `/audit?target=${hash}`)).data;
        await expectShown(() => row.innerText()).toContain(entry.hash);
        await page.getByRole('link', { name: 'After' }).click();
        await heading(watched, 'Key After');
        await page.goto(`${suite.gateway.origin}/console/audit`);
        await page.getByText('Filters', { exact: true }).click();
        await page.getByLabel('What was done').selectOption({ label: 'alarm deleted' });
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByText('No change fits these filters.').waitFor();
        await page.goto(`${suite.gateway.origin}/console/audit?actor=nobody`);
        await page.getByRole('alert').getByText('actor: must be operator').waitFor();
        expectStatus(watched, 400);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'names credits and sessions by what they are',
      async () => {
        await suite.gateway.manage('POST', '/credits', { amount: 12.5, kind: 'purchase', note: 'for the audit' });
        const watched = await suite.signedIn('/console/audit');
        const rowOf = (action: string) => watched.page.locator('tbody tr').filter({ hasText: action }).first();
        await expectShown(() => rowOf('credits entered').innerText()).toContain('purchase of 12.5 USD');
        await expectShown(() => rowOf('signed in to the console').innerText()).toContain('Chromium on ');
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'verifies the chain: whole with the seal to keep, and broken where an entry was changed',
      async () => {
        const watched = await suite.signedIn('/console/audit');
        const { page } = watched;
        const [newest] = (await suite.gateway.manage('GET', '/audit?limit=1')).data;
        await page.getByRole('button', { name: 'Verify the chain' }).click();
        await page.getByText(`It is whole: ${Number(newest.id).toLocaleString('en')} valid entries.`).waitFor();
        await page.getByText(newest.seal).waitFor();
        const store = suite.gateway.gateway.app.get(DataSource);
        const set = async (target: string): Promise<void> => {
          await store.query('alter table audit_entries disable trigger audit_entries_append_only');
          await store.query('update audit_entries set target = $1 where seq = 2', [target]);
          await store.query('alter table audit_entries enable trigger audit_entries_append_only');
        };
        const [{ target }] = await store.query<[{ target: string }]>('select target from audit_entries where seq = 2');
        await set('another');
        await page.getByRole('button', { name: 'Verify the chain' }).click();
        await page.getByText('It is broken at entry 2.').waitFor();
        await page.getByText('The entry was changed after it was recorded: its hash differs.').waitFor();
        await set(target);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows names as texts, pages by one request, and to a bound key its workspace alone',
      async () => {
        for (let count = 0; count < 60; count++) await suite.gateway.newKey({ name: `Pager ${count}` });
        const watched = await suite.signedIn('/console/audit?action=api_key.create');
        await settled(watched);
        const { page, requested } = watched;
        await expectShown(() => page.locator('tbody tr').count()).toBe(50);
        const first = await page.locator('tbody th').first().innerText();
        requested.length = 0;
        await page.getByRole('button', { name: 'Older' }).click();
        await page.getByRole('rowheader', { name: first, exact: true }).waitFor({ state: 'detached' });
        await settled(watched);
        expect(requested.filter((address) => !address.includes('/icon-'))).toHaveLength(1);
        for (const name of [SCRIPT, LONG])
          await expectShown(() => page.getByText(name, { exact: true }).count()).toBeGreaterThan(0);
        await expectShown(() => page.locator('script:not([src]), img').count()).toBe(0);
        suite.soundly(watched);
        const bound = await suite.open('/console/audit');
        await signIn(bound, boundKey);
        await settled(bound);
        const shown = await bound.page.locator('tbody').innerText();
        expect(shown).toContain('مفتاح الفريق');
        for (const other of ['Pager', '<script>', LONG]) expect(shown).not.toContain(other);
        await bound.page.getByRole('button', { name: 'Verify the chain' }).click();
        await bound.page.getByRole('alert').getByText('bound to a workspace').waitFor();
        for (const status of [401, 403]) expectStatus(bound, status);
        suite.soundly(bound);
      },
      STEP_MS_MAX,
    );

    it(
      'is used by the keyboard alone, and leads back where the session is over',
      async () => {
        const watched = await suite.open('/console/audit');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        await reader.activate(/^Verify the chain$/);
        await page.getByText('It is whole:').waitFor();
        await reader.activate(/fields of entry \d+$/);
        await page.locator('td details[open]').waitFor();
        clock.aheadMs += HOUR_MS;
        await reader.activate(/^Older$|^Verify the chain$/);
        await heading(watched, 'Sign in to Fairlead');
        await reader.signIn();
        await heading(watched, 'Audit');
        expectStatus(watched, 401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);
