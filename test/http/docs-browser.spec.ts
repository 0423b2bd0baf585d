/**
 * Checks that the documentation works on a telephone and on a desktop: its search finds and shows where, an example
 * has the reader's address, fields open where a link leads, and a try is sent with the reader's own key, which is
 * stored nowhere, and shown as it comes; pages fit in both schemes, axe-core finds nothing, no rule of their policy is
 * broken and no other host called. The real app is opened in a real Chromium at both widths.
 */
import type { Locator } from 'playwright-core';
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import {
  accessibilityFaults,
  expectShown,
  expectStatus,
  settled,
  sideways,
  signIn,
  SIZES,
  STEP_MS_MAX,
  type WatchedPage,
} from '../support/console-browser.js';
import { fastest } from '../support/cpu-time.js';
import { AXE, describeConsole, heading, KeyboardReader } from '../support/console-suite.js';

/** One of each kind: the first page, a guide, errors, a large body, parameters in the path and the query, text. */
const PAGES = [
  ['/docs', 'API and guide'],
  ['/docs/use/limits', 'Limits'],
  ['/docs/errors', 'Statuses and kinds of errors'],
  ['/docs/api/messagesCreate', 'Ask a model, in the Messages format'],
  ['/docs/api/activityList', /./],
  ['/docs/api/metricsShow', /./],
] as const;

/** Until the document is read, and its first text painted. */
const OPENED_MS_MAX = 1_000;

describeConsole('the documentation in Chromium', {}, (suite) => {
  const find = async ({ page }: WatchedPage, words: string): Promise<Locator> => {
    await page.getByRole('searchbox', { name: 'Search' }).fill(words);
    return page.getByRole('region', { name: 'Found' });
  };

  it.each(PAGES)(
    '%s fits both sizes in both schemes, and axe finds nothing',
    async (path, title) => {
      const watched = await suite.open(path, { viewport: SIZES[0] });
      const { page } = watched;
      await heading(watched, title);
      await settled(watched);
      for (const viewport of SIZES)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          const at = `${viewport.width} ${colorScheme}`;
          expect([at, await sideways(watched)]).toEqual([at, 0]);
          expect([at, await accessibilityFaults(watched, AXE)]).toEqual([at, []]);
        }
      // With all of it open, too.
      await page.evaluate(`for (const one of document.querySelectorAll('main details:not([name])')) one.open = true`);
      await page.setViewportSize(SIZES[0]);
      expect(await sideways(watched)).toBe(0);
      suite.soundly(watched);
    },
    STEP_MS_MAX * 2,
  );

  it.each(PAGES)(
    '%s is read and painted within a second',
    async (path, title) => {
      const watched = await suite.open(path);
      const { page } = watched;
      const opened = async (): Promise<number> => {
        await page.reload();
        await heading(watched, title);
        await expectShown(() => page.evaluate(`performance.getEntriesByName('first-contentful-paint').length`)).toBe(1);
        return page.evaluate<number>(`Math.max(
          performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,
          performance.getEntriesByName('first-contentful-paint')[0].startTime)`);
      };
      expect(await fastest(opened, OPENED_MS_MAX)).toBeLessThan(OPENED_MS_MAX);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it.each([
    ['a path', 'count_tokens', 'Operations', /^POST \/messages\/count_tokens/],
    ['words of a field', 'max_completion_tokens', 'Fields', /^max_completion_tokens POST \/messages/],
    ['a status', '402', 'Statuses', /^402/],
    ['a kind of error', 'payment_required', 'Kinds of errors', /^payment-required/],
    ['words of the guide', 'wasted calls', 'Guide', /^Wasted calls Limits/],
  ])(
    'finds by %s, and shows where',
    async (_, words, kind, first) => {
      const watched = await suite.open('/docs', { viewport: SIZES[0] });
      const found = await find(watched, words);
      const hits = found.getByRole('region', { name: kind }).getByRole('listitem');
      await expectShown(async () => (await hits.first().innerText()).replaceAll(/\s+/g, ' ')).toMatch(first);
      await expectShown(() => hits.first().locator('mark').count()).not.toBe(0);
      expect(await sideways(watched)).toBe(0);
      await hits.first().getByRole('link').click();
      await watched.page.waitForURL(/\/docs\/.+/);
      await settled(watched);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it(
    'says that nothing is found',
    async () => {
      const watched = await suite.open('/docs');
      await find(watched, 'no such words anywhere');
      await watched.page.getByText('Nothing has all words of “no such words anywhere”.').waitFor();
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it(
    'opens the field that a link names, however deep it is',
    async () => {
      const watched = await suite.open('/docs/api/messagesCreate#BlockText.text');
      const { page } = watched;
      const field = page.locator('[id="BlockText.text"]');
      await field.waitFor({ state: 'visible' });
      await expectShown(async () => (await field.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/^text string required/);
      await expectShown(async () =>
        (await page.locator('[id="body.max_tokens"]').innerText()).replaceAll(/\s+/g, ' '),
      ).toMatch(/^max_tokens whole number Most tokens of the answer\. 1 or more/);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it(
    'has the address of the reader in each language',
    async () => {
      const watched = await suite.open('/docs/api/messagesCreate');
      const { page } = watched;
      const { origin } = suite.gateway;
      const code = (language: string): Locator => page.getByLabel(language, { exact: true });
      await expectShown(() => code('curl').innerText()).toContain(`curl -X POST '${origin}/api/v1/messages'`);
      for (const language of ['Python', 'TypeScript']) {
        await page.locator('summary', { hasText: language }).click();
        await expectShown(() => code(language).innerText()).toContain(`${origin}/api/v1/messages`);
      }
      // One language is open at a time.
      await expectShown(() => code('curl').isVisible()).toBe(false);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it.each(SIZES)(
    'sends a try with the key of the reader, whose reply comes piece by piece: %p',
    async (viewport) => {
      const watched = await suite.open('/docs/api/messagesCreate', { viewport });
      const { page, requested } = watched;
      await page.getByLabel('Your key').fill(` ${API_KEY} `);
      await page
        .getByRole('textbox', { name: 'Body' })
        .fill(JSON.stringify({ model: 'sandbox/slow', max_tokens: 500, stream: true, messages: [{ role: 'user', content: 'A long story. '.repeat(40) }] }));
      const [sent] = await Promise.all([
        page.waitForRequest(`${suite.gateway.origin}/api/v1/messages`),
        page.getByRole('button', { name: 'Send' }).click(),
      ]);
      expect((await sent.allHeaders())['authorization']).toBe(`Bearer ${API_KEY}`);
      const reply = page.getByLabel('Received reply', { exact: true });
      await reply.waitFor();
      await page.getByText('The reply is coming …').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('The reply was stopped.').waitFor();
      await expectShown(() => reply.innerText()).toContain('event: message_start');
      expect(await sideways(watched)).toBe(0);
      const positions = await page.evaluate<string>(
        'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, document.body.innerText])',
      );
      expect(positions.includes(API_KEY)).toBe(false);
      expect(requested.filter((address) => address.includes(API_KEY))).toEqual([]);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  ); // oxfmt-ignore

  it(
    'sends by the session of the console where no key is given, and states what is refused',
    async () => {
      const watched = await suite.open('/console');
      const { page } = watched;
      await signIn(watched, MANAGEMENT_KEY);
      await page.goto(`${suite.gateway.origin}/docs/api/keysList`);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('The reply is complete.').waitFor();
      await expectShown(() => page.getByLabel('Received reply', { exact: true }).innerText()).toContain(
        '"total_count"',
      );
      await page.getByLabel('Your key').fill('sk-none');
      await page.getByRole('button', { name: 'Send' }).click();
      await expectShown(() => page.getByLabel('Received reply', { exact: true }).innerText()).toContain(
        'Invalid API key',
      );
      expectStatus(watched, 401);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it(
    'confirms before it deletes, and sends nothing where the answer is no',
    async () => {
      const watched = await suite.open('/docs/api/keysRemove');
      const { page, requested } = watched;
      await page.getByLabel('Your key').fill(MANAGEMENT_KEY);
      await page.getByLabel('hash', { exact: true }).fill('0'.repeat(64));
      const questions: string[] = [];
      requested.length = 0;
      page.once('dialog', (dialog) => (questions.push(dialog.message()), void dialog.dismiss()));
      await page.getByRole('button', { name: 'Send' }).click();
      expect(questions).toEqual([expect.stringMatching(/^Send DELETE \S+\/keys\/\{hash\}\? .* cannot be restored\.$/)]);
      expect(requested.filter((address) => address.includes('/keys/'))).toEqual([]);
      page.once('dialog', (dialog) => void dialog.accept());
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.method() === 'DELETE'),
        page.getByRole('button', { name: 'Send' }).click(),
      ]);
      expect(new URL(sent.url()).pathname).toBe(`/api/v1/keys/${'0'.repeat(64)}`);
      await page.getByText('The reply is complete.').waitFor();
      expectStatus(watched, 404);
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );

  it(
    'is used by keyboard alone: searched, read, tried',
    async () => {
      const watched = await suite.open('/docs', { viewport: SIZES[1] });
      const { page } = watched;
      const reader = new KeyboardReader(watched);
      await reader.reach(/^Search$/);
      await reader.type('count_tokens');
      await page.getByRole('region', { name: 'Found' }).waitFor();
      await reader.activate(/^POST \/messages\/count_tokens$/);
      await heading(watched, /token/i);
      await settled(watched);
      await reader.reach(/^Your key/);
      await reader.type(API_KEY);
      await reader.activate(/^Send$/);
      await page.getByText('The reply is complete.').waitFor();
      await expectShown(() => page.getByLabel('Received reply', { exact: true }).innerText()).toContain(
        '"input_tokens"',
      );
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );
});
