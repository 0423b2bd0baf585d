/**
 * Checks the page of keys in a real Chromium over the real application: a key is made, used, changed, rotated, disabled
 * and deleted; its charges are those of the ledger; changes show their difference, and those of others.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import type { NewKey } from '../support/app.js';
import {
  expectShown,
  expectStatus,
  settled,
  sideways,
  signIn,
  SIZES,
  STEP_MS_MAX,
} from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';

const LONG = 'n'.repeat(255);
const named: NewKey[] = [];
const clock = new AheadClock();

describeConsole(
  'the page of keys',
  {
    clock,
    fill: async (gateway) => {
      for (const name of [SCRIPT, RIGHT_TO_LEFT, LONG])
        named.push(
          await gateway.newKey({
            name,
            limit: 5,
            creator_user_id: name,
            metadata: { tags: { team: name.slice(0, 60) } },
          }),
        );
    },
  },
  (suite) => {
    itFits(suite, 'the list', () => '/console/keys', 'Keys');
    itFits(suite, 'the form of a new key', () => '/console/keys/new', 'New key');
    itFits(suite, 'a key of an odd name', () => `/console/keys/${named[0]!.hash}`, /^Key <script>/);
    itFits(
      suite,
      'a change that is to be saved',
      () => `/console/keys/${named[2]!.hash}`,
      /^Key nnn/,
      async ({ page }) => {
        await page.getByLabel('Name', { exact: true }).fill(RIGHT_TO_LEFT.repeat(10));
        await page.getByRole('button', { name: 'Review the change' }).click();
        await page.getByRole('dialog').waitFor();
      },
    );

    it.each(SIZES)(
      'makes a key, whose request is charged as the ledger states it, at $width pixels',
      async (viewport) => {
        const watched = await suite.signedIn('/console/keys', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'New key' }).click();
        await heading(watched, 'New key');
        await page.getByLabel('Name', { exact: true }).fill('Made in a browser');
        await page.getByLabel('Limit (USD)').fill('2.5');
        await page.getByLabel('Tags').fill('team=browser');
        await page.getByRole('button', { name: 'Make the key' }).click();
        const secret = await page.getByLabel('The secret').innerText();
        await page.getByText('Lines for clients').click();
        const curl = await page.getByLabel('Lines for curl').innerText();
        expect(curl).toContain(`${suite.gateway.origin}/api/v1/messages`);
        await expectShown(() => page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
        await page.getByLabel('I have kept it').check();
        await page.getByRole('button', { name: 'Done' }).click();
        await heading(watched, 'Key Made in a browser');
        expect(await page.content()).not.toContain(secret);
        const hash = page.url().split('/').pop()!;
        const { id } = (await (await suite.gateway.messages(echo, { key: secret })).json()) as { id: string };
        const { data } = await suite.gateway.manage('GET', `/generation?id=${id}`);
        expect(data.usage).toBeGreaterThan(0);
        await page.reload();
        await settled(watched);
        const spent = page.locator('section[aria-labelledby="spend"] data').first();
        await expectShown(async () => Number(await spent.getAttribute('value'))).toBe(data.usage);
        await page.getByText('Numbers').click();
        const today = new Date().toISOString().slice(0, 10);
        await expectShown(() => page.getByRole('row', { name: today }).innerText()).toContain(
          String(data.usage.toFixed(12)).replace(/0+$/, ''),
        );
        await page.getByRole('link', { name: 'Its generations' }).click();
        await heading(watched, 'Generations');
        await settled(watched);
        expect(new URL(page.url()).searchParams.get('key')).toBe(hash);
        await expectShown(() => page.locator('tbody tr').count()).toBe(1);
        await expectShown(() => sideways(watched)).toBe(0);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows the refusal of a field at the field, and saves what differs after it was shown',
      async () => {
        const { hash } = await suite.gateway.newKey({ name: 'To be changed', limit: 3 });
        const watched = await suite.signedIn(`/console/keys/${hash}`);
        const { page } = watched;
        await heading(watched, 'Key To be changed');
        await page.getByLabel('Limit (USD)').fill('three');
        await review(page);
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        const field = page.getByLabel('Limit (USD)');
        await page.getByText(/^limit: /).waitFor();
        await expectShown(() => field.getAttribute('aria-invalid')).toBe('true');
        await expectShown(() => page.evaluate('document.activeElement.name')).toBe('limit');
        await field.fill('7.25');
        await page.getByLabel('Requests a minute').fill('20');
        await page.getByLabel('Allowed models').fill('sandbox/*');
        await page.getByLabel('Allowed addresses').fill('nowhere');
        await review(page);
        const dialog = page.getByRole('dialog');
        await expectShown(async () =>
          (await dialog.locator('tbody tr').allInnerTexts()).map((row) => row.split('\t')),
        ).toEqual([
          ['Limit', '$3', '$7.25'],
          ['Requests a minute', 'none', '20'],
          ['Allowed models', 'none', 'sandbox/*'],
          ['Allowed addresses', 'none', 'nowhere'],
        ]);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        expect((await suite.gateway.manage('GET', `/keys/${hash}`)).data).toMatchObject({
          name: 'To be changed',
          limit: 7.25,
          rate_limits: { requests_per_minute: 20, tokens_per_minute: null },
          allowed_models: ['sandbox/*'],
          egress: { allowed_domains: [], blocked_domains: null },
        });
        await page.getByLabel('Allowed models').fill('sandbox/*\nno-such/model');
        await review(page);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('"no-such/model" fits no model of the catalog').waitFor();
        await page.getByRole('button', { name: 'Close this warning' }).click();
        const [entry] = (await suite.gateway.manage('GET', `/audit?limit=1`)).data;
        expect(entry.actor.session).toBeTruthy();
        expectStatus(watched, 400);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows a change that another person has made meanwhile, and keeps it',
      async () => {
        const { hash } = await suite.gateway.newKey({ name: 'Of two people', limit: 1 });
        const watched = await suite.signedIn(`/console/keys/${hash}`);
        const { page } = watched;
        await page.getByLabel('Name', { exact: true }).fill('Renamed here');
        await suite.gateway.manage('PATCH', `/keys/${hash}`, { limit: 9 });
        await review(page);
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Another person has changed this since you opened it:').waitFor();
        await expectShown(() =>
          dialog.getByRole('table', { name: 'Changed meanwhile' }).locator('tbody tr').innerText(),
        ).toBe('Limit\t$1\t$9');
        await expectShown(() => dialog.getByRole('table', { name: 'Your change' }).locator('tbody tr').count()).toBe(1);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        expect((await suite.gateway.manage('GET', `/keys/${hash}`)).data).toMatchObject({
          name: 'Renamed here',
          limit: 9,
        });
        await expectShown(() => page.getByLabel('Limit (USD)').inputValue()).toBe('9');
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'warns of leaving what is not saved',
      async () => {
        const watched = await suite.signedIn(`/console/keys/${named[1]!.hash}`);
        const { page } = watched;
        await page.getByLabel('Limit (USD)').fill('8');
        const questions: string[] = [];
        page.once('dialog', (dialog) => {
          questions.push(dialog.message());
          void dialog.dismiss();
        });
        await page.getByRole('link', { name: 'Overview' }).click();
        expect(questions).toEqual(['What you have entered is not saved. Leave it all the same?']);
        await expectShown(() => page.getByLabel('Limit (USD)').inputValue()).toBe('8');
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('link', { name: 'Overview' }).click();
        await heading(watched, 'Overview');
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'rotates with a grace, ends a former secret, raises, disables, enables and deletes',
      async () => {
        const { hash, key } = await suite.gateway.newKey({ name: 'To be rotated', limit: 1 });
        const watched = await suite.signedIn(`/console/keys/${hash}`);
        const { page } = watched;
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'Rotate' }).click();
        await dialog.getByLabel('The present secret ends').selectOption({ label: 'in a week' });
        await dialog.getByRole('button', { name: 'Rotate' }).click();
        const next = await page.getByLabel('The secret').innerText();
        await page.getByLabel('I have kept it').check();
        await page.getByRole('button', { name: 'Done' }).click();
        for (const secret of [key, next])
          expect((await suite.gateway.messages(echo, { key: secret })).status).toBe(200);
        await page.getByRole('button', { name: 'End now' }).click();
        await dialog.getByRole('button', { name: 'End it' }).click();
        await page.getByRole('table', { name: 'Former secrets' }).waitFor({ state: 'detached' });
        expect((await suite.gateway.messages(echo, { key })).status).toBe(401);

        await page.getByLabel('Raise by').fill('4');
        await page.getByLabel('Until (UTC)').fill('2030-01-31T12:00:00');
        await page.getByRole('button', { name: 'Raise', exact: true }).click();
        await page.getByText(/by \$4.00 until/).waitFor();

        await page.getByRole('button', { name: 'Disable' }).click();
        await expectShown(() => dialog.innerText()).toContain('get 401 within seconds');
        await dialog.getByRole('button', { name: 'Disable' }).click();
        await page.getByRole('button', { name: 'Enable' }).click();
        await page.getByRole('button', { name: 'Disable' }).waitFor();
        await page.getByRole('button', { name: 'Delete' }).click();
        await expectShown(() => dialog.innerText()).toContain('no one can bring them back');
        await dialog.getByRole('button', { name: 'Delete the key' }).click();
        await heading(watched, 'Keys');
        expect((await suite.gateway.messages(echo, { key: next })).status).toBe(401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'is used by the keyboard alone',
      async () => {
        const watched = await suite.open('/console/keys');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await heading(watched, 'Keys');
        await settled(watched);
        await reader.activate(/^New key$/);
        await heading(watched, 'New key');
        await reader.reach(/^Name$/);
        await reader.type('By keyboard');
        await reader.activate(/^Make the key$/);
        await page.getByRole('dialog').waitFor();
        await reader.reach(/^I have kept it$/);
        await reader.press('Space');
        await reader.activate(/^Done$/);
        await heading(watched, 'Key By keyboard');
        await reader.reach(/^Limit \(USD\)$/);
        await reader.type('12');
        await reader.activate(/^Review the change$/);
        await reader.activate(/^Save$/);
        await page.getByText('Saved.').waitFor();
        await reader.activate(/^Delete$/);
        await page.getByRole('dialog').waitFor();
        await reader.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        // The focus is where it was.
        await expectShown(() => reader.focused()).toBe('Delete');
        await reader.activate(/^Delete$/);
        await reader.activate(/^Delete the key$/);
        await heading(watched, 'Keys');
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'filters by the address, turns pages by one request, and exports all pages',
      async () => {
        for (let count = 0; count < 60; count++) await suite.gateway.newKey({ name: `Pager ${count}` });
        const watched = await suite.signedIn('/console/keys?name=Pager');
        await settled(watched);
        const { page, requested } = watched;
        const rows = page.locator('tbody tr');
        await expectShown(() => rows.count()).toBe(50);
        requested.length = 0;
        await page.getByRole('button', { name: 'Next' }).click();
        await rows.nth(49).waitFor({ state: 'detached' });
        await expectShown(() => rows.count()).toBe(10);
        expect(requested.filter((address) => !address.includes('/icon-'))).toHaveLength(1);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Export as CSV' }).click(),
        ]);
        expect(download.suggestedFilename()).toBe('keys.csv');
        const lines = readFileSync(await download.path(), 'utf8')
          .trimEnd()
          .split('\n');
        expect(lines).toHaveLength(61);
        await page.getByText('Filters (1)').click();
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'leads to the sign-in where the session is over, and back to the key',
      async () => {
        const watched = await suite.signedIn(`/console/keys/${named[1]!.hash}`);
        await watched.page.getByLabel('Limit (USD)').waitFor();
        // A request that is still under way would end the session of the page first.
        await settled(watched);
        clock.aheadMs += HOUR_MS;
        await watched.page.getByLabel('Limit (USD)').fill('6');
        await watched.page.getByRole('button', { name: 'Review the change' }).click();
        await heading(watched, 'Sign in to Fairlead');
        await signIn(watched);
        await heading(watched, /^Key /);
        expectStatus(watched, 401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);

const echo = { model: 'sandbox/echo', max_tokens: 40, messages: [{ role: 'user', content: 'Say hello.' }] };

async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review the change' }).click();
  await page.getByRole('dialog').waitFor();
}
