/**
 * Checks the pages of workspaces and budgets in a real Chromium over the real application: a workspace is made, gets a
 * budget and members, is changed and deleted; what its budget has spent is what the ledger charged. Budgets of users
 * and tags are set, raised and deleted. A key that is bound to a workspace sees it alone.
 */
import { HOUR_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { expectShown, expectStatus, settled, signIn, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';

/** As long as names and ids may be. */
const LONG = 'n'.repeat(100);
const LONG_ID = 'u'.repeat(255);
const ODD_ID = `a/b?c=d#e%f ${SCRIPT}`;
const clock = new AheadClock();
/** The ids of workspaces with odd names. */
const named: string[] = [];
let boundKey: string;

const echo = { model: 'sandbox/echo', max_tokens: 40, messages: [{ role: 'user', content: 'Say hello.' }] };

describeConsole(
  'the pages of workspaces',
  {
    clock,
    fill: async (gateway) => {
      for (const [at, name] of [SCRIPT, RIGHT_TO_LEFT, LONG].entries()) {
        const { data } = await gateway.manage('POST', '/workspaces', { name, slug: `odd-${at}`, description: name });
        named.push(data.id);
        await gateway.manage('PUT', `/workspaces/${data.id}/budgets/daily`, { limit_usd: 0.5 });
        const user_ids = [name, 'u'.repeat(255)];
        await gateway.manage('POST', `/workspaces/${data.id}/members/add`, { user_ids });
        await gateway.manage('POST', '/guardrails', { name, workspace_id: data.id });
      }
      for (const id of ['default', ODD_ID, RIGHT_TO_LEFT, LONG_ID])
        await gateway.manage('PUT', `/budgets/members/${encodeURIComponent(id)}/daily`, { limit_usd: 1 });
      const bound = { name: 'head', kind: 'management', workspace_id: named[1] };
      boundKey = (await gateway.manage('POST', '/keys', bound)).key;
    },
  },
  (suite) => {
    itFits(suite, 'the list', () => '/console/workspaces', 'Workspaces');
    itFits(suite, 'the form of a new one', () => '/console/workspaces/new', 'New workspace');
    itFits(suite, 'a workspace of an odd name', () => `/console/workspaces/${named[0]}`, /^Workspace <script>/);
    itFits(
      suite,
      'a change that is to be saved',
      () => `/console/workspaces/${named[2]}`,
      /^Workspace nnn/,
      async ({ page }) => {
        await page.getByLabel('Name', { exact: true }).fill(RIGHT_TO_LEFT.repeat(5));
        await page.getByRole('button', { name: 'Review the change' }).click();
        await page.getByRole('dialog').waitFor();
      },
    );
    itFits(suite, 'the list of budgets', () => '/console/budgets', 'Budgets');
    itFits(
      suite,
      'a budget of an odd id',
      () => `/console/budgets/members/daily?id=${encodeURIComponent(ODD_ID)}`,
      /^Budget of a\/b\?c=d#e%f <script>/,
    );

    it.each(SIZES)(
      'makes a workspace whose budget counts what the ledger charges, at $width pixels',
      async (viewport) => {
        const slug = `made-${viewport.width}`;
        const watched = await suite.signedIn('/console/workspaces', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'New workspace' }).click();
        await heading(watched, 'New workspace');
        await page.getByLabel('Name', { exact: true }).fill('Made in a browser');
        await page.getByLabel('Slug').fill('Not a slug');
        await page.getByRole('button', { name: 'Make the workspace' }).click();
        await page.getByText(/^slug: must be/).waitFor();
        await page.getByLabel('Slug').fill(slug);
        await page.getByLabel('Tags', { exact: true }).fill('team=browser');
        await page.getByRole('button', { name: 'Make the workspace' }).click();
        await heading(watched, 'Workspace Made in a browser');
        await page.getByText('Set a budget').click();
        await page.getByLabel('Interval').selectOption({ label: 'each month' });
        await page.getByLabel('Budget (USD)').fill('2.5');
        await page.getByRole('button', { name: 'Set the budget' }).click();
        await page.getByRole('row', { name: /each month/ }).waitFor();
        await page.getByText('Add members').click();
        await page.getByLabel('Users').fill('ada\ngrace');
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('row', { name: /grace/ }).waitFor();

        const { key, hash } = await suite.gateway.newKey({ name: 'in it', workspace_id: slug });
        const { id: generation } = (await (await suite.gateway.messages(echo, { key })).json()) as { id: string };
        const { data } = await suite.gateway.manage('GET', `/generation?id=${generation}`);
        await page.reload();
        await settled(watched);
        const spent = page
          .getByRole('row', { name: /each month/ })
          .locator('data')
          .first();
        await expectShown(async () => Number(await spent.getAttribute('value'))).toBe(data.usage);
        expect(data.usage).toBeGreaterThan(0);

        await page.getByRole('button', { name: 'Remove ada' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove the member' }).click();
        await page.getByRole('row', { name: /ada/ }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Delete the budget each month' }).click();
        await expectShown(() => page.getByRole('dialog').innerText()).toContain('a new one begins at nothing');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the budget' }).click();
        await page.getByText('It has none: only the credits').waitFor();
        // A workspace with keys in use stays, and the API states why.
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the workspace' }).click();
        await page.getByRole('dialog').getByRole('alert').getByText('active').waitFor();
        await suite.gateway.manage('PATCH', `/keys/${hash}`, { disabled: true });
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the workspace' }).click();
        await heading(watched, 'Workspaces');
        expectStatus(watched, 400);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'changes its guardrail and rules after the difference, and shows that of another person',
      async () => {
        const watched = await suite.signedIn(`/console/workspaces/${named[1]}`);
        const { page } = watched;
        await page.getByLabel('Guardrail of all its keys').selectOption({ label: LONG });
        await page.getByLabel('Allowed providers').fill('sandbox');
        await suite.gateway.manage('PATCH', `/workspaces/${named[1]}`, { description: 'changed meanwhile' });
        await page.getByRole('button', { name: 'Review the change' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Another person has changed this since you opened it:').waitFor();
        const rows = dialog.getByRole('table', { name: 'Your change' }).locator('tbody tr');
        await expectShown(async () => (await rows.allInnerTexts()).map((row) => row.split('\t'))).toEqual([
          ['Guardrail of all its keys', 'none', LONG],
          ['Allowed providers', 'none', 'sandbox'],
        ]);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        const { data: guardrails } = await suite.gateway.manage('GET', '/guardrails');
        expect((await suite.gateway.manage('GET', `/workspaces/${named[1]}`)).data).toMatchObject({
          description: 'changed meanwhile',
          default_guardrail_id: guardrails.find(({ name }: { name: string }) => name === LONG).id,
          allowed_providers: ['sandbox'],
        });
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'sets a budget of a user, raises and deletes it',
      async () => {
        const watched = await suite.signedIn('/console/budgets');
        const { page } = watched;
        await page.getByText('Set a budget').click();
        await page.getByLabel('For', { exact: true }).selectOption({ label: 'end user' });
        await page.getByLabel('Id', { exact: true }).last().fill('anna');
        await page.getByLabel('Budget (USD)').fill('5');
        await page.getByRole('button', { name: 'Set the budget' }).click();
        await page.getByRole('link', { name: 'anna' }).click();
        await heading(watched, 'Budget of anna, each day (UTC)');
        await page.getByLabel('Budget (USD)').fill('6.5');
        await page.getByRole('button', { name: 'Review the change' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        await page.getByLabel('Raise by').fill('10');
        await page.getByLabel('Until (UTC)').fill('2035-01-31T12:00:00');
        await page.getByRole('button', { name: 'Raise', exact: true }).click();
        await page.getByText(/by \$10.00 until/).waitFor();
        const path = '/budgets/users/anna/daily';
        expect((await suite.gateway.manage('GET', path)).data).toMatchObject({
          limit_usd: 6.5,
          raise: { amount_usd: 10, until: '2035-01-31T12:00:00.000Z' },
        });
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the budget' }).click();
        await heading(watched, 'Budgets');
        await settled(watched);
        await expectShown(() => page.getByRole('link', { name: 'anna' }).count()).toBe(0);
        await page.getByText('Filters').click();
        await page.getByLabel('Of', { exact: true }).selectOption({ label: 'tags' });
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByText('No budget fits these filters.').waitFor();
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'reaches the budgets and generations of users whose ids a browser would resolve or end an address at',
      async () => {
        const watched = await suite.signedIn('/console/budgets');
        const { page } = watched;
        for (const id of ['.', '..', 'a/../b', '%2e', '#1?', '🙂'.repeat(64)]) {
          await page.goto(`${suite.gateway.origin}/console/budgets`);
          await settled(watched);
          await page.getByText('Set a budget').click();
          await page.getByLabel('For', { exact: true }).selectOption({ label: 'end user' });
          await page.getByLabel('Id', { exact: true }).last().fill(id);
          await page.getByLabel('Budget (USD)').fill('5');
          await page.getByRole('button', { name: 'Set the budget' }).click();
          await page.getByRole('link', { name: id, exact: true }).click();
          await heading(watched, `Budget of ${id}, each day (UTC)`);
          // The address of its page shows it in a new window as well.
          await page.goto(page.url());
          await heading(watched, `Budget of ${id}, each day (UTC)`);
          await settled(watched);
          await page.getByRole('link', { name: 'Its generations' }).click();
          await heading(watched, 'Generations');
          await settled(watched);
          await expectShown(() => page.getByLabel('User', { exact: true }).inputValue()).toBe(id);
          await page.goBack();
          await heading(watched, `Budget of ${id}, each day (UTC)`);
          await page.getByRole('button', { name: 'Delete' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete the budget' }).click();
          await heading(watched, 'Budgets');
        }
        expect((await suite.gateway.manage('GET', '/budgets?scope=users')).total_count).toBe(0);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows names as texts, and to a bound key its own workspace alone',
      async () => {
        const all = await suite.signedIn('/console/budgets');
        await settled(all);
        for (const id of [ODD_ID, LONG_ID])
          await expectShown(() => all.page.getByText(id, { exact: true }).count()).toBe(1);
        await expectShown(() => all.page.locator('script:not([src]), img').count()).toBe(0);
        suite.soundly(all);
        const bound = await suite.open('/console/workspaces');
        await signIn(bound, boundKey);
        await settled(bound);
        await expectShown(() => bound.page.locator('tbody tr').count()).toBe(1);
        await bound.page.getByRole('link', { name: 'مفتاح الفريق' }).click();
        await heading(bound, /^Workspace/);
        await settled(bound);
        await expectShown(() => bound.page.getByRole('row', { name: /each day/ }).count()).toBe(1);
        await bound.page.goto(`${suite.gateway.origin}/console/workspaces/${named[0]}`);
        await bound.page.getByRole('alert').waitFor();
        expect(await bound.page.content()).not.toContain('odd-0');
        await bound.page.goto(`${suite.gateway.origin}/console/budgets`);
        await bound.page.getByRole('alert').getByText('bound to a workspace').waitFor();
        for (const status of [401, 403, 404]) expectStatus(bound, status);
        suite.soundly(bound);
      },
      STEP_MS_MAX,
    );

    it(
      'is used by the keyboard alone, and leads back where the session is over',
      async () => {
        const watched = await suite.open('/console/workspaces');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        await reader.activate(/^New workspace$/);
        await heading(watched, 'New workspace');
        await reader.reach(/^Name$/);
        await reader.type('By keyboard');
        await reader.reach(/^Slug$/);
        await reader.type('by-keyboard');
        await reader.activate(/^Make the workspace$/);
        await heading(watched, 'Workspace By keyboard');
        await settled(watched);
        await reader.activate(/^Set a budget$/);
        await reader.reach(/^Budget \(USD\)$/);
        await reader.type('3');
        await reader.activate(/^Set the budget$/);
        await reader.activate(/^Delete the budget each month$/);
        await page.getByRole('dialog').waitFor();
        await reader.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        clock.aheadMs += HOUR_MS;
        await reader.activate(/^Delete$/);
        await reader.activate(/^Delete the workspace$/);
        await heading(watched, 'Sign in to Fairlead');
        await reader.signIn();
        await heading(watched, 'Workspace By keyboard');
        await reader.activate(/^Delete$/);
        await reader.activate(/^Delete the workspace$/);
        await heading(watched, 'Workspaces');
        expectStatus(watched, 401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);
