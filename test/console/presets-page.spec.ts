/**
 * Checks the page of presets in a real Chromium over the real application: a preset is saved from a body, used by a
 * request, changed, given another version, and deleted; by mouse and by keyboard.
 */
import { expectShown, sideways, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';
import type { JsonBody } from '../support/recorded-request.js';

const BODY = { model: 'sandbox/echo', max_tokens: 64, system: 'You help {{who}}.' };

describeConsole(
  'the page of presets',
  {
    fill: async (gateway) => {
      await gateway.manage('POST', '/presets/odd/messages', { ...BODY, system: `${SCRIPT} ${'s'.repeat(10_000)}` });
      await gateway.manage('PATCH', '/presets/odd', { name: SCRIPT, description: RIGHT_TO_LEFT });
      for (let count = 0; count < 12; count++) await gateway.manage('POST', '/presets/many/messages', BODY);
      await gateway.manage('PATCH', '/presets/many', { name: 'n'.repeat(255) });
    },
  },
  (suite) => {
    itFits(suite, 'the list', () => '/console/presets', 'Presets');
    itFits(suite, 'the form of a new preset', () => '/console/presets/new', 'New preset');
    itFits(suite, 'a preset of an odd name', () => '/console/presets/odd', /^Preset <script>/);
    itFits(suite, 'a preset of many versions', () => '/console/presets/many', /^Preset n+$/);

    it.each(SIZES)(
      'saves a preset, which requests use, and changes and deletes it, at $width pixels',
      async (viewport) => {
        const slug = `made-${viewport.width}`;
        const watched = await suite.signedIn('/console/presets', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'New preset' }).click();
        await page.getByLabel('Slug').fill(slug);
        await page.getByLabel('Body', { exact: true }).fill('{ "max_tokens": "many" }');
        await page.getByRole('button', { name: 'Save the preset' }).click();
        await page.getByText('max_tokens: must be an integer').waitFor();
        watched.faults.length = 0;
        await page.getByLabel('Body', { exact: true }).fill(JSON.stringify(BODY));
        await page.getByRole('button', { name: 'Save the preset' }).click();
        await heading(watched, `Preset ${slug}`);
        const request = { messages: [{ role: 'user', content: 'x' }], preset: slug, preset_variables: { who: 'all' } };
        const answer = await suite.gateway.messages(request);
        expect([answer.status, ((await answer.json()) as JsonBody).model]).toEqual([200, 'sandbox/echo']);

        await page.getByLabel('Body', { exact: true }).fill(JSON.stringify({ ...BODY, max_tokens: 9 }));
        await page.getByRole('button', { name: 'Save the version' }).click();
        await page.getByText('Version 2, in use').waitFor();
        await page.getByLabel('Version in use').fill('1');
        await page.getByLabel('Status').selectOption('archived');
        await page.getByRole('button', { name: 'Review the change' }).click();
        const dialog = page.getByRole('dialog');
        await expectShown(() => dialog.innerText()).toMatch(/Version in use\s+2\s+1/);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Version 1, in use').waitFor();
        const { data } = await suite.gateway.manage('GET', `/presets/${slug}`);
        expect(data).toMatchObject({ status: 'archived', designated_version: { version: 1 } });

        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete the preset' }).click();
        await heading(watched, 'Presets');
        await expectShown(() => page.getByRole('link', { name: slug }).count()).toBe(0);
        await expectShown(() => sideways(watched)).toBe(0);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'leads to older versions by the keyboard alone',
      async () => {
        const watched = await suite.open('/console/presets/many');
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await watched.page.getByText('Version 12, in use').waitFor();
        await reader.activate(/^Older$/);
        await watched.page.getByText('Version 1, saved').waitFor();
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);
