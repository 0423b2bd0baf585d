/**
 * Checks that the reference works on a telephone and on a desktop: its search finds, fields are described, curl
 * commands are printed, and a try is sent with the reader's own key, which is stored nowhere; the page fits, breaks
 * no rule of its policy and calls no other host. The real app is opened in a real Chromium at both widths; one page
 * each, whose steps build on each other.
 */
import type { Browser, Locator, Page } from 'playwright-core';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeInChromium, launchChromium } from '../support/browser.js';
import { describeOnEmbedded } from '../support/database.js';

/** In the words of users: they do not search for "own credentials" or "the catalogue". */
const CHAPTERS = [
  'Messages',
  'Chat completions',
  'Responses',
  'Routing',
  'Models',
  'Keys',
  'BYOK',
  'Credits',
  'Workspaces',
  'Budgets',
  'Guardrails',
  'Alarms',
  'Audit log',
  'Health and metrics',
];
/** One of each form: a large body, a body, parameters in the path and the query, more than one server, text. */
const OPENED = ['chatCreate', 'byokCreate', 'modelListEndpoints', 'activityList', 'descriptionDocument', 'metricsShow'];
const STEP_MS_MAX = 60_000;

describeInChromium('the reference in Chromium', () => {
  describeOnEmbedded('over the gateway', (database) => {
    let gateway: TestGateway;
    let browser: Browser;

    beforeAll(async () => {
      gateway = await startGateway(database);
      browser = await launchChromium();
    }, STEP_MS_MAX);
    afterAll(async () => {
      await browser?.close();
      await gateway?.close();
    }, STEP_MS_MAX);

    describe.each([420, 1_300])('%i pixels wide', (width) => {
      let page: Page;
      /** What Chromium complains of, and the requested addresses. */
      const faults: string[] = [];
      const requested: string[] = [];

      beforeAll(async () => {
        page = await browser.newPage({ viewport: { width, height: 900 } });
        page.setDefaultTimeout(STEP_MS_MAX / 2);
        page.on('pageerror', ({ message }) => void faults.push(message));
        page.on('console', (line) => void (line.type() === 'error' && faults.push(line.text())));
        page.on('request', (request) => void requested.push(request.url()));
        await page.addInitScript(
          `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))`,
        );
        await page.goto(`${gateway.origin}/docs`);
        await page.waitForSelector('.opblock');
      }, STEP_MS_MAX);
      afterAll(() => page?.close());

      const operation = (id: string): Locator => page.locator(`[id^="operations-"][id$="-${id}"]`);
      const open = async (id: string): Promise<Locator> => {
        const found = operation(id);
        await found.locator('.opblock-summary-control').click();
        await found.locator('.fields.replies').waitFor();
        return found;
      };
      const search = (words: string): Promise<void> => page.getByLabel('Search').fill(words);
      const paths = (): Promise<string[]> => page.locator('.opblock-summary-path').allInnerTexts();
      /** How far the page can be moved sideways, in pixels. */
      const sideways = (): Promise<number> =>
        page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

      it(
        'has every operation under the names of users',
        async () => {
          expect(await page.locator('.opblock-tag > a').allInnerTexts()).toEqual(CHAPTERS);
          const { paths: described } = (await (await fetch(`${gateway.origin}/openapi.json`)).json()) as {
            paths: Record<string, Record<string, { operationId?: string }>>;
          };
          const operations = Object.values(described).flatMap((item) =>
            Object.values(item).filter((one) => one.operationId),
          );
          expect(await page.locator('.opblock').count()).toBe(operations.length);
          expect(await sideways()).toBe(0);
        },
        STEP_MS_MAX,
      );

      it.each([
        ['a path', 'count_tokens', ['/messages/count_tokens']],
        ['words of the summary', 'KEY rotate', ['/keys/{hash}/rotate', '/observability/destinations/{id}/rotate']],
        ['a chapter', 'byok test', ['/byok/{id}/test']],
        ['a field of the body', 'max_completion_tokens', ['/chat/completions', '/routing/explain']],
        ['nothing', 'no such words', []],
      ])(
        'finds by %s',
        async (_, words, expected) => {
          await search(words);
          await page.locator('.opblock').nth(expected.length).waitFor({ state: 'detached' });
          expect((await paths()).map((path) => path.replaceAll('\u200b', ''))).toEqual(expected);
          expect(await page.getByRole('status').innerText()).toBe(
            expected.length === 0
              ? `Nothing was found: no operation has all words of “${words}”.`
              : `${expected.length} operation${expected.length === 1 ? '' : 's'} found.`,
          );
          await search('');
          await page.locator('.opblock').nth(50).waitFor();
        },
        STEP_MS_MAX,
      );

      it(
        'finds sections of the guide, which open beside it',
        async () => {
          const guide = page.getByRole('navigation', { name: 'Guide' });
          await guide.getByText('Guide', { exact: true }).click();
          await guide.getByRole('link', { name: 'Quickstart' }).waitFor();
          expect(await sideways()).toBe(0);
          await search('wasted too many calls');
          const link = guide.getByRole('link', { name: 'Limits: Wasted calls' });
          await link.waitFor();
          const address = (await link.getAttribute('href'))!;
          await search('');
          await page.locator('.opblock').nth(50).waitFor();
          const opened = await browser.newPage({ viewport: { width, height: 900 } });
          try {
            opened.on('console', (line) => void (line.type() === 'error' && faults.push(line.text())));
            await opened.goto(address);
            const { pathname, hash } = new URL(opened.url());
            expect(pathname + hash).toBe('/docs/use/limits#wasted-calls');
            await opened.getByRole('heading', { name: 'Wasted calls' }).waitFor();
            const { scrollWidth, clientWidth } = await opened.evaluate<{ scrollWidth: number; clientWidth: number }>(
              '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
            );
            expect(scrollWidth).toBe(clientWidth);
            await opened.getByRole('link', { name: 'Reference and search' }).click();
            await opened.waitForSelector('.opblock');
          } finally {
            await opened.close();
          }
        },
        STEP_MS_MAX,
      );

      it(
        'describes fields in tables, and nested ones',
        async () => {
          const messages = await open('messagesCreate');
          const body = messages.locator('.opblock-section-request-body');
          const row = (name: string): Locator =>
            body
              .locator('.fields tr:not(.inside)')
              .filter({ has: page.locator(`td:first-child > code:text-is("${name}")`) });
          expect(await row('model').innerText()).toMatch(
            /^model required\s+string\s+Id, alias or router of the model that is called\.\s+at most 256 characters$/,
          );
          expect(await row('max_tokens').innerText()).toMatch(
            /^max_tokens\s+whole number\s+Most tokens of the answer\.\s+1 or more$/,
          );
          expect(await row('role').count()).toBe(0);
          await body.getByText('Fields of messages').click();
          await body.getByText('role "user"', { exact: true }).click();
          expect(await row('role').innerText()).toMatch(/^role required\s+"user"/);
          await body.getByText('Fields of content').click();
          await body.getByText('BlockText', { exact: true }).click();
          expect(await row('text').first().innerText()).toMatch(/^text required\s+string/);
          const replies = messages.locator('.fields.replies');
          expect(await replies.innerText()).toContain('The key is missing, unknown, disabled, deleted or expired.');
          expect(await sideways()).toBe(0);
        },
        STEP_MS_MAX,
      );

      it('prints a curl line before anything is sent', async () => {
        const line = await operation('messagesCreate').locator('.curl').innerText();
        expect(line).toContain(`curl -X POST '${gateway.origin}/api/v1/messages'`);
        expect(line).toContain('-H "authorization: Bearer $FAIRLEAD_API_KEY"');
        expect(line).toContain('"model":"sandbox/echo"');
      });

      it(
        'names the variable of the kind of key that an operation takes',
        async () => {
          for (const [id, variable] of [
            ['keysCreate', 'FAIRLEAD_MANAGEMENT_KEY'],
            ['showKeyShow', 'FAIRLEAD_API_KEY'],
          ] as const) {
            const opened = await open(id);
            expect(await opened.locator('.curl').innerText()).toContain(`-H "authorization: Bearer $${variable}"`);
            await opened.locator('.opblock-summary-control').click();
          }
        },
        STEP_MS_MAX,
      );

      it(
        'confirms before it deletes, and sends nothing where the answer is no',
        async () => {
          await page.getByLabel('Your key').fill(MANAGEMENT_KEY);
          const removal = await open('keysRemove');
          await removal.locator('.parameters input').fill('0'.repeat(64));
          const questions: string[] = [];
          const execute = removal.getByRole('button', { name: 'Execute' });
          const requestsBefore = requested.length;
          page.once('dialog', (dialog) => (questions.push(dialog.message()), void dialog.dismiss()));
          await execute.click();
          expect(questions).toEqual([
            expect.stringMatching(/^Send DELETE \/keys\/\{hash\}\? .* cannot be restored\.$/),
          ]);
          expect(requested.slice(requestsBefore)).toEqual([]);
          page.once('dialog', (dialog) => void dialog.accept());
          const [sent] = await Promise.all([
            page.waitForRequest((request) => request.method() === 'DELETE'),
            execute.click(),
          ]);
          expect(new URL(sent.url()).pathname).toBe(`/api/v1/keys/${'0'.repeat(64)}`);
          await removal.locator('.live-responses-table').waitFor();
          expect(await removal.locator('.curl').innerText()).toContain('Bearer $FAIRLEAD_MANAGEMENT_KEY');
          expect(await removal.locator('.curl').innerText()).not.toContain(MANAGEMENT_KEY);
          // Chromium reports a reply of 404 as a fault of the page.
          faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('404')));
          await page.getByLabel('Your key').fill('');
          await removal.locator('.opblock-summary-control').click();
        },
        STEP_MS_MAX,
      );

      it(
        'sends a try with the key of the reader, and shows what was answered',
        async () => {
          await page.getByLabel('Your key').fill(` ${API_KEY} `);
          const messages = operation('messagesCreate');
          const [sent] = await Promise.all([
            page.waitForRequest(`${gateway.origin}/api/v1/messages`),
            messages.getByRole('button', { name: 'Execute' }).click(),
          ]);
          expect((await sent.allHeaders())['authorization']).toBe(`Bearer ${API_KEY}`);
          const answer = messages.locator('.live-responses-table');
          await answer.waitFor();
          expect(await answer.innerText()).toMatch(/200[^]*"type": "message"[^]*"text": "Say hello\."/);
          expect(await messages.locator('.curl').innerText()).toContain('"model": "sandbox/echo"');
          expect(await sideways()).toBe(0);
        },
        STEP_MS_MAX,
      );

      it(
        'has a name for every button and every field',
        async () => {
          const opened = await open('keysList');
          // By the rules of accessible names: a label, words inside, a title.
          const nameless = await page.evaluate<string[]>(
            `[...document.querySelectorAll('button, input, select, textarea')].filter((one) => ![
              one.getAttribute('aria-label'), one.title, one.labels?.length > 0 && 'label',
              one.tagName === 'BUTTON' && one.textContent].some((name) => name && name.trim() !== '')).map((one) => one.outerHTML)`,
          );
          expect(nameless).toEqual([]);
          expect(await opened.getByLabel('include_disabled').count()).toBe(1);
          const chapter = page.getByRole('button', { name: 'Collapse Models' });
          await chapter.click();
          await page.getByRole('button', { name: 'Expand Models' }).click();
          await chapter.waitFor();
          await opened.locator('.opblock-summary-control').click();
        },
        STEP_MS_MAX,
      );

      it(
        'keeps the key to itself: no address, storage, cookie or text of the page has it',
        async () => {
          const places = await page.evaluate<string>(
            'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, document.body.innerText])',
          );
          expect(places.includes(API_KEY)).toBe(false);
          expect(requested.filter((address) => address.includes(API_KEY))).toEqual([]);
          expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(0);
          await page.reload();
          await page.waitForSelector('.opblock');
          expect(await page.getByLabel('Your key').inputValue()).toBe('');
        },
        STEP_MS_MAX,
      );

      it(
        'fits whatever is opened',
        async () => {
          for (const id of OPENED) {
            const opened = await open(id);
            expect([id, await sideways()]).toEqual([id, 0]);
            await opened.locator('.opblock-summary-control').click();
          }
        },
        STEP_MS_MAX,
      );

      it('has broken no rule of its policy, raised no error and called no other host', () => {
        expect(faults).toEqual([]);
        expect(
          requested.filter((address) => !address.startsWith(`${gateway.origin}/`) && !address.startsWith('data:')),
        ).toEqual([]);
        expect(requested.length).toBeGreaterThan(5);
      });
    });
  });
});
