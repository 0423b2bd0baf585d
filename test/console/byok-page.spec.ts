/**
 * Checks the page of provider credentials in a real Chromium over the real application and an upstream: a credential
 * is pasted, tested, used, refused, moved, replaced, disabled and deleted, and its secret is never shown.
 */
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf } from '../support/app.js';
import { expectShown, settled, sideways, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const SECRET = 'an-own-credential-of-a-browser';
let upstream: Upstream;
const REFUSAL = JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'no' } });
const ids: string[] = [];

describeConsole(
  'the page of provider credentials',
  {
    prepare: async () => {
      upstream = await startUpstream('anthropic');
      upstream.script(anthropicText('Hi.'));
      return { catalog: catalogOf({ id: 'test/one', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] }) };
    },
    fill: async (gateway) => {
      for (const name of [SCRIPT, RIGHT_TO_LEFT, 'n'.repeat(255)]) {
        const { data } = await gateway.manage('POST', '/byok', {
          key: `${SECRET}-${ids.length}`,
          provider: 'p0',
          name,
        });
        ids.push(data.id);
      }
    },
  },
  (suite) => {
    afterAll(() => upstream?.close());
    itFits(suite, 'the list', () => '/console/byok', 'Provider credentials');
    itFits(suite, 'the form of a new credential', () => '/console/byok/new', 'New credential');
    itFits(suite, 'a credential of an odd name', () => `/console/byok/${ids[0]}`, /^Credential <script>/);

    it.each(SIZES)(
      'stores a credential, tests it, and shows its refusal, without its secret, at $width pixels',
      async (viewport) => {
        const watched = await suite.signedIn('/console/byok', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'New credential' }).click();
        await heading(watched, 'New credential');
        await page.getByLabel('Provider').fill('p0');
        await page.getByLabel('Secret').fill(SECRET);
        await expectShown(() => page.getByLabel('Secret').getAttribute('type')).toBe('password');
        await page.getByLabel('Name').fill('Pasted');
        await page.getByLabel('Only as a fallback').check();
        await page.getByRole('button', { name: 'Store it' }).click();
        await heading(watched, 'Credential Pasted');
        upstream.script(anthropicText('Hi.'));
        await page.getByRole('button', { name: 'Test it' }).click();
        await page.getByText('It works.').waitFor();
        expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe(SECRET);
        upstream.script({ status: 401, body: REFUSAL });
        await page.getByRole('button', { name: 'Test it' }).click();
        await page.getByText('It does not work.').waitFor();
        await page.getByText('The provider refuses the credential (status 401).').first().waitFor();
        upstream.script(anthropicText('Hi.'));
        expect(await page.content()).not.toContain(SECRET);
        await expectShown(() => page.getByLabel('Another secret').inputValue()).toBe('');

        await page.getByLabel('Another secret').fill(`${SECRET}-next`);
        await page.getByLabel('Models').fill('test/*');
        await page.getByRole('button', { name: 'Review the change' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        await expectShown(() => dialog.innerText()).toMatch(/Another secret\s+none\s+another one/);
        await expectShown(() => dialog.innerText()).not.toContain(SECRET);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        await expectShown(() => page.getByLabel('Another secret').inputValue()).toBe('');
        await page.getByRole('button', { name: 'Test it' }).click();
        await page.getByText('It works.').waitFor();
        expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe(`${SECRET}-next`);

        await page.getByRole('button', { name: 'Disable' }).click();
        await dialog.getByRole('button', { name: 'Disable' }).click();
        await page.getByRole('button', { name: 'Enable' }).waitFor();
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete the credential' }).click();
        await heading(watched, 'Provider credentials');
        await settled(watched);
        await expectShown(() => page.getByRole('link', { name: 'Pasted' }).count()).toBe(0);
        await expectShown(() => sideways(watched)).toBe(0);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'moves a credential by the keyboard alone, and requests use the first one',
      async () => {
        const watched = await suite.open('/console/byok');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        const order = async (): Promise<readonly string[]> =>
          (await page.locator('tbody a').evaluateAll((links) => links.map((link) => String(link)))).map((address) =>
            address.split('/').pop()!,
          );
        await expectShown(() => order()).toEqual(ids);
        await reader.activate(/Move n+ before the one above$/);
        await page.locator(`tbody tr:nth-child(2) a[href$="${ids[2]}"]`).waitFor();
        await settled(watched);
        await reader.activate(/Move n+ before the one above$/);
        await page.locator(`tbody tr:nth-child(1) a[href$="${ids[2]}"]`).waitFor();
        await expectShown(() => order()).toEqual([ids[2], ids[0], ids[1]]);
        await suite.gateway.manage('PATCH', `/byok/${ids[2]}`, { allowed_models: ['test/*'] });
        await suite.gateway.messages({ model: 'test/one', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] });
        expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe(`${SECRET}-2`);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows the words of the API at the field, and what to do where there is none',
      async () => {
        const watched = await suite.signedIn('/console/byok/new');
        const { page } = watched;
        await page.getByLabel('Provider').fill('p0');
        await page.getByLabel('Secret').fill('with blanks in it');
        await page.getByRole('button', { name: 'Store it' }).click();
        await page.getByText(/^key: must be printable/).waitFor();
        await expectShown(() => page.evaluate('document.activeElement.name')).toBe('key');
        page.once('dialog', (dialog) => void dialog.accept());
        await page.getByRole('button', { name: 'Cancel' }).click();
        await heading(watched, 'Provider credentials');
        await page.goto(`${suite.gateway.origin}/console/byok?provider=openai`);
        await page.getByText('No credential fits these filters.').waitFor();
        watched.faults.length = 0;
      },
      STEP_MS_MAX,
    );
  },
);
