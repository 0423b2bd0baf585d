/**
 * Checks the console as its users have it: in a real Chromium, over the real application. Signing in and all that ends
 * a session; each page at two sizes, by keyboard, with odd names; nothing breaks the policy, calls another host, or
 * stands in the way of a reader of the screen.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { ConsoleSessionsService } from '../../src/console/console-sessions.service.js';
import { hashKey } from '../../src/core/ids.js';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type NewKey, type TestGateway } from '../support/app.js';
import { describeInChromium, launchChromium } from '../support/browser.js';
import {
  accessibilityFaults,
  expectShown,
  expectStatus,
  openBeside,
  openConsole,
  settled,
  sideways,
  signIn,
  SIZES,
  STEP_MS_MAX,
  type WatchedPage,
} from '../support/console-browser.js';
import { describeOnEmbedded } from '../support/database.js';

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
const SCRIPT = '<script>alert(1)</script><img src=x onerror=alert(2)>';
const RIGHT_TO_LEFT = '\u202eمفتاح الفريق\u202c';
/** As long as names may be; and a user as long as a filter takes, which only another program can have stored. */
const LONG_NAME = 'n'.repeat(255);
const LONG_USER = 'u'.repeat(10_000);

describeInChromium('the console in Chromium', () => {
  describeOnEmbedded('over the gateway', (database) => {
    const clock = new AheadClock();
    let gateway: TestGateway;
    let browser: Browser;
    const keys: NewKey[] = [];
    const opened: Page[] = [];

    beforeAll(async () => {
      gateway = await startGateway(database, { clock, variables: { FAIRLEAD_FLOOD: 'auth=1000/60s,wasted=1000/60s' } });
      for (const name of [SCRIPT, RIGHT_TO_LEFT, LONG_NAME])
        keys.push(await gateway.newKey({ name, limit: 5, limit_reset: 'monthly' }));
      for (const [at, { key }] of keys.entries())
        for (const model of ['sandbox/echo', 'sandbox/overloaded'])
          await gateway
            .messages(
              {
                model,
                max_tokens: 40,
                metadata: { user_id: [SCRIPT, RIGHT_TO_LEFT, 'u'.repeat(250)][at] },
                messages: [{ role: 'user', content: 'Say hello.' }],
              },
              { key },
            )
            .then((response) => response.text());
      await gateway
        .request('/chat/completions', {
          method: 'POST',
          key: keys[2]!.key,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'sandbox/echo',
            session_id: `session of ${SCRIPT}`,
            messages: [{ role: 'user', content: 'hi' }],
          }),
        })
        .then((response) => response.text());
      await gateway.gateway.app
        .get(DataSource)
        .query(`update generations set end_user = $1 where api_type = 'chat'`, [LONG_USER]);
      browser = await launchChromium();
    }, STEP_MS_MAX * 2);
    afterAll(async () => {
      await browser?.close();
      await gateway?.close();
    }, STEP_MS_MAX);
    afterEach(async () => {
      for (const page of opened.splice(0)) await page.context().close();
    });

    const open = async (path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<WatchedPage> => {
      const watched = await openConsole(browser, gateway, path, options ?? { viewport: SIZES[1] });
      opened.push(watched.page);
      return watched;
    };
    const signedIn = async (path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<WatchedPage> => {
      const watched = await open(path, options);
      await signIn(watched);
      expectStatus(watched, 401);
      return watched;
    };
    const heading = ({ page }: WatchedPage, name: string): Promise<void> =>
      page.getByRole('heading', { level: 1, name }).waitFor();
    const soundly = ({ faults, requested }: WatchedPage): void => {
      expect(faults).toEqual([]);
      expect(requested.filter((address) => !address.startsWith(`${gateway.origin}/`))).toEqual([]);
    };

    describe('signing in', () => {
      it(
        'is where the root leads a browser, and shows the overview, by a key that is kept nowhere',
        async () => {
          const watched = await open('/');
          const { page } = watched;
          expect(new URL(page.url()).pathname).toBe('/console');
          await heading(watched, 'Sign in to Fairlead');
          await signIn(watched);
          await heading(watched, 'Overview');
          await settled(watched);
          const positions = await page.evaluate<string>(
            'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, document.body.innerText])',
          );
          expect(positions).not.toContain(MANAGEMENT_KEY);
          expect(watched.requested.filter((address) => address.includes(MANAGEMENT_KEY))).toEqual([]);
          expectStatus(watched, 401);
          soundly(watched);
          // No program of the page can read the cookie, and the browser keeps it for this host alone.
          const [cookie] = await page.context().cookies();
          expect(cookie).toMatchObject({
            name: '__Host-fairlead',
            httpOnly: true,
            secure: true,
            sameSite: 'Strict',
            path: '/',
          });
          expect(await page.evaluate('document.cookie')).toBe('');
        },
        STEP_MS_MAX,
      );

      it.each([
        ['an unknown key', 'sk-fl-v1-none', 'Invalid API key: it is not an active key of this gateway.', 401],
        ['an inference key', API_KEY, 'Only management keys can perform this operation', 403],
      ])(
        'is refused with %s in the words of the API, with the id of the request',
        async (_, key, message, status) => {
          const watched = await open();
          const { page } = watched;
          await page.getByLabel('Management key').fill(key);
          await page.getByRole('button', { name: 'Sign in' }).click();
          const alert = page.getByRole('alert');
          await alert.waitFor();
          await expectShown(() => alert.innerText()).toContain(message);
          const id = /Request (\S+), status/.exec(await alert.innerText())![1];
          expect(gateway.log.filter(({ requestId }) => requestId === id)).toHaveLength(1);
          await expectShown(() => page.getByLabel('Management key').inputValue()).toBe('');
          expectStatus(watched, 401);
          expectStatus(watched, status);
          soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'is done once by the link of the first start, which leaves the address at once',
        async () => {
          const service = gateway.gateway.app.get(ConsoleSessionsService);
          const link = await service.makeLink(hashKey(MANAGEMENT_KEY));
          const watched = await open(`/console#link=${link}`);
          const { page } = watched;
          await page.getByText('This link signs you in once').waitFor();
          expect(page.url()).toBe(`${gateway.origin}/console`);
          await page.getByRole('button', { name: 'Sign in' }).click();
          await heading(watched, 'Overview');
          const again = await open(`/console#link=${link}`);
          await again.page.getByRole('button', { name: 'Sign in' }).click();
          await again.page.getByText('This link has been used, or its time is over.').waitFor();
          // The page also offers the sign-in by a key.
          await signIn(again);
          expectStatus(watched, 401);
          expectStatus(again, 401);
          soundly(watched);
          soundly(again);
        },
        STEP_MS_MAX,
      );
    });

    describe('a session', () => {
      it(
        'is shared by windows, and ends in all of them, each of which stays where it is',
        async () => {
          const first = await signedIn('/console/generations');
          await heading(first, 'Generations');
          const second = await openBeside(first, `${gateway.origin}/console/signed-in`);
          await heading(second, 'Sessions');
          await second.page.getByRole('button', { name: 'Sign out' }).click();
          await heading(second, 'Sign in to Fairlead');
          await first.page.getByText('Filters').click();
          await first.page.getByLabel('User', { exact: true }).fill('x');
          await first.page.getByRole('button', { name: 'Show' }).click();
          await heading(first, 'Sign in to Fairlead');
          await first.page.getByText('The session has ended.').waitFor();
          await signIn(first);
          await heading(first, 'Generations');
          expect(new URL(first.page.url()).search).toBe('?user=x');
          // The cookie of both windows is the new one.
          await second.page.reload();
          await heading(second, 'Sessions');
          for (const one of [first, second]) expectStatus(one, 401);
          soundly(first);
          soundly(second);
        },
        STEP_MS_MAX,
      );

      it(
        'is ended by the list of another, which names what is lost',
        async () => {
          const [mine, other] = [await signedIn('/console/signed-in'), await signedIn('/console/generations')];
          await mine.page.reload();
          await settled(mine);
          const rows = mine.page.locator('tbody tr');
          const newest = rows.filter({ hasNotText: '(this one)' }).first();
          await newest.getByRole('button', { name: 'End' }).click();
          const dialog = mine.page.getByRole('dialog', { name: 'End this session?' });
          await expectShown(() => dialog.innerText()).toContain('is signed out at once.');
          const before = await rows.count();
          await dialog.getByRole('button', { name: 'Cancel' }).click();
          await dialog.waitFor({ state: 'hidden' });
          await expectShown(() => rows.count()).toBe(before);
          await newest.getByRole('button', { name: 'End' }).click();
          await dialog.getByRole('button', { name: 'End the session' }).click();
          await rows.nth(before - 1).waitFor({ state: 'detached' });
          await other.page.reload();
          await heading(other, 'Sign in to Fairlead');
          expectStatus(other, 401);
          soundly(mine);
          soundly(other);
        },
        STEP_MS_MAX,
      );

      it.each([
        ['idle', 31 * MINUTE_MS],
        ['old', 12 * HOUR_MS],
      ])(
        'that is %s leads to the sign-in, and back',
        async (_, ms) => {
          const watched = await signedIn('/console/generations');
          await heading(watched, 'Generations');
          clock.aheadMs += ms;
          const { page } = watched;
          // A request of the page itself may be the first that is refused.
          const overview = page.getByRole('link', { name: 'Overview' });
          await overview.click({ timeout: 5_000 }).catch(async () => page.goto(`${gateway.origin}/console`));
          await heading(watched, 'Sign in to Fairlead');
          await signIn(watched);
          await heading(watched, 'Overview');
          expectStatus(watched, 401);
          soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'leaves nothing in the browser to go back to',
        async () => {
          const { hash } = await gateway.newKey({ name: 'seen before' });
          const watched = await signedIn();
          const { page } = watched;
          await page.goto(`${gateway.origin}/api/v1/keys/${hash}`);
          await expectShown(() => page.content()).toContain('seen before');
          await page.goto(`${gateway.origin}/console/signed-in`);
          await page.getByRole('button', { name: 'Sign out' }).click();
          await heading(watched, 'Sign in to Fairlead');
          await page.goBack();
          await expectShown(() => page.content()).toContain('"code":401');
          expect(await page.content()).not.toContain('seen before');
          expectStatus(watched, 401);
          soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'is led by no address to another operation',
        async () => {
          const { hash } = await gateway.newKey({ name: 'no budget' });
          const watched = await signedIn();
          const { page, requested } = watched;
          await settled(watched);
          for (const path of [`budgets/..%2Fkeys%2F${hash}`, 'models/..%2Fkeys', 'keys/..%2F', 'workspaces/.%2F', 'credits/..%2F']) {
            requested.length = 0;
            await page.goto(`${gateway.origin}/console/${path}`);
            await page.getByRole('alert').getByText(/“\.\.?” cannot be a part of an address\./).first().waitFor();
            await settled(watched);
            const called = requested.map((address) => new URL(address).pathname).filter((one) => one.startsWith('/api/'));
            expect([path, called.filter((one) => /^\/api\/v1\/(?:keys|$)/.test(one))]).toEqual([path, []]);
          }
          soundly(watched);
        },
        STEP_MS_MAX,
      ); // oxfmt-ignore

      it(
        'serves no page of another origin: neither its posts nor its forms',
        async () => {
          const watched = await signedIn();
          const other = await serveAttacks(gateway.origin);
          try {
            const attack = await openBeside(watched, other.origin);
            await attack.page.waitForFunction('window.results?.length === 3');
            const before = (await gateway.manage('GET', '/keys?limit=100')).total_count;
            expect(await attack.page.evaluate('results')).toEqual(['blocked', 'blocked', 'opaque']);
            await attack.page.getByRole('button', { name: 'post' }).click();
            await attack.page.waitForURL(`${gateway.origin}/**`);
            await expectShown(() => attack.page.locator('body').innerText()).toMatch(/"code":\s*(?:401|403|415)/);
            expect((await gateway.manage('GET', '/keys?limit=100')).total_count).toBe(before);
            // And the session of the reader is as it was.
            await watched.page.reload();
            await heading(watched, 'Overview');
          } finally {
            other.server.close();
          }
        },
        STEP_MS_MAX,
      );
    });

    describe.each(SIZES)('$width pixels wide', (viewport) => {
      it.each([
        ['sign-in', '/console', 'Sign in to Fairlead', false],
        ['overview', '/console', 'Overview', true],
        ['generations', '/console/generations', 'Generations', true],
        ['generations that are filtered', '/console/generations?model=sandbox/echo&user=x', 'Generations', true],
        ['sessions', '/console/signed-in', 'Sessions', true],
        ['an address without a page', '/console/none', 'No such page', true],
      ])(
        '%s fits, in both schemes, and axe finds nothing',
        async (_, path, title, needsSession) => {
          for (const colorScheme of ['light', 'dark'] as const) {
            const options = { viewport, colorScheme };
            const watched = await (needsSession ? signedIn(path, options) : open(path, options));
            await heading(watched, title);
            await settled(watched);
            expect([colorScheme, await sideways(watched)]).toEqual([colorScheme, 0]);
            expect([colorScheme, await accessibilityFaults(watched, AXE)]).toEqual([colorScheme, []]);
            expectStatus(watched, 401);
            soundly(watched);
          }
        },
        STEP_MS_MAX,
      );

      it(
        'one generation fits, and axe finds nothing',
        async () => {
          const watched = await signedIn('/console/generations', { viewport });
          await watched.page.locator('tbody a').first().click();
          await heading(watched, 'Generation gen-');
          await settled(watched);
          await watched.page.getByText('JSON', { exact: true }).click();
          await expectShown(() => sideways(watched)).toBe(0);
          expect(await accessibilityFaults(watched, AXE)).toEqual([]);
          soundly(watched);
        },
        STEP_MS_MAX,
      );
    });

    it(
      'shows names as texts, whatever they are',
      async () => {
        const watched = await signedIn('/console');
        await settled(watched);
        const { page } = watched;
        for (const name of [SCRIPT, LONG_NAME])
          await expectShown(() => page.getByText(name, { exact: true }).count()).toBeGreaterThan(0);
        await expectShown(() => page.locator('bdi', { hasText: 'مفتاح الفريق' }).count()).toBeGreaterThan(0);
        await page.getByRole('link', { name: 'Generations' }).click();
        await settled(watched);
        await expectShown(() => page.getByText(SCRIPT, { exact: true }).count()).toBeGreaterThan(1);
        await expectShown(() => page.getByText(LONG_USER, { exact: true }).count()).toBe(1);
        await expectShown(() => page.locator('script:not([src]), img').count()).toBe(0);
        // A name moves nothing out of its cell.
        await expectShown(() => sideways(watched)).toBe(0);
        soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'is used by the keyboard alone: from the sign-in to the cost of a request',
      async () => {
        const watched = await open();
        const { page } = watched;
        const { keyboard } = page;
        /** Moves on until something of this name has the focus. */
        const reach = async (name: RegExp): Promise<void> => {
          for (let steps = 0; steps < 80; steps++) {
            const text = await page.evaluate<string>(
              `(({ activeElement: one }) => one.labels?.[0]?.textContent || one.getAttribute('aria-label') || one.textContent)(document)`,
            );
            if (name.test(text.trim())) return;
            await keyboard.press('Tab');
          }
          throw new Error(`The keyboard does not reach ${name}.`);
        };
        await heading(watched, 'Sign in to Fairlead');
        await reach(/^Management key$/);
        await keyboard.type(MANAGEMENT_KEY);
        await keyboard.press('Enter');
        await heading(watched, 'Overview');
        await reach(/^Skip to the page$/);
        await reach(/^Generations$/);
        await keyboard.press('Enter');
        await heading(watched, 'Generations');
        await settled(watched);
        // The focus is on the heading of the new page.
        await expectShown(() => page.evaluate('document.activeElement.textContent')).toBe('Generations');
        await reach(/^\d\d:\d\d:\d\d$|, \d\d:\d\d:\d\d$/);
        await keyboard.press('Enter');
        await heading(watched, 'Generation gen-');
        await page.getByRole('heading', { name: 'Cost' }).waitFor();
        await page.getByRole('cell', { name: 'Charged' }).waitFor();
        expectStatus(watched, 401);
        soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows what happened to a request and what it cost, to the last digit of the ledger',
      async () => {
        const id = (await (
          await gateway.messages(
            {
              model: 'sandbox/echo',
              max_tokens: 40,
              messages: [{ role: 'user', content: 'Say hello to the console.' }],
            },
            { key: keys[0]!.key },
          )
        ).json()) as { id: string };
        const { data } = await gateway.manage('GET', `/generation?id=${id.id}`);
        expect(data.usage).toBeGreaterThan(0);
        const watched = await signedIn(`/console/generations/${id.id}`);
        await settled(watched);
        const { page } = watched;
        const charged = page.getByRole('row', { name: /^Charged/ }).locator('data');
        await expectShown(async () => Number(await charged.getAttribute('value'))).toBe(data.usage);
        await page.getByLabel('All digits').check();
        expect(Number((await charged.innerText()).slice(1))).toBe(data.usage);
        const parts = await page
          .locator('section[aria-labelledby="cost"] tbody data')
          .evaluateAll((cells) => cells.map((cell) => Number((cell as unknown as { value: string }).value)));
        expect(parts.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBeCloseTo(data.usage, 12);
        await expectShown(() => page.locator('.track > div').count()).toBe(data.attempts.length);
        await page.getByRole('heading', { name: 'Decision' }).waitFor();
        await page.getByRole('table', { name: 'Endpoints in their order' }).waitFor();
        soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'keeps filters in the address, pages by cursor, and makes one request a turn',
      async () => {
        for (let count = 0; count < 60; count++)
          await gateway.messages(
            {
              model: 'sandbox/echo',
              max_tokens: 5,
              metadata: { user_id: 'pager' },
              messages: [{ role: 'user', content: 'hi' }],
            },
            { key: keys[0]!.key },
          );
        const watched = await signedIn('/console/generations?user=pager');
        await settled(watched);
        const { page, requested } = watched;
        const rows = page.locator('tbody tr');
        await expectShown(async () => [
          await rows.count(),
          await page.getByLabel('User', { exact: true }).inputValue(),
        ]).toEqual([50, 'pager']);
        requested.length = 0;
        await page.getByRole('button', { name: 'Older' }).click();
        await rows.nth(49).waitFor({ state: 'detached' });
        await rows.nth(9).waitFor();
        await expectShown(() => rows.count()).toBe(10);
        // Browsers look for the icon again, in their cache.
        expect(requested.filter((address) => !address.includes('/icon-'))).toHaveLength(1);
        await page.goBack();
        await rows.nth(49).waitFor();
        // The address shows the same rows in a new window.
        await page.getByLabel('Model', { exact: true }).fill('sandbox/echo');
        await page.getByRole('button', { name: 'Show' }).click();
        await page.waitForURL(/model=sandbox%2Fecho/);
        const beside = await openBeside(watched, page.url());
        await settled(beside);
        await expectShown(() => beside.page.getByLabel('Model', { exact: true }).inputValue()).toBe('sandbox/echo');
        await expectShown(() => beside.page.locator('tbody tr').count()).toBe(50);
        // What the API refuses is shown in its words.
        await beside.page.goto(`${gateway.origin}/console/generations?key=none`);
        await beside.page.getByRole('alert').getByText('key: must be the hash of an API key').waitFor();
        const csv = (await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href'))!;
        expect(new URL(csv).searchParams.get('user')).toBe('pager');
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Export as CSV' }).click(),
        ]);
        expect(
          readFileSync(await download.path(), 'utf8')
            .split('\n')
            .filter(Boolean),
        ).toHaveLength(61);
        soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'follows new requests while it is seen, and rests while it is hidden',
      async () => {
        const watched = await signedIn('/console/generations?user=live&live=1');
        await settled(watched);
        const { page, requested } = watched;
        await page.getByText('No generation fits these filters here.').waitFor();
        await gateway.messages(
          {
            model: 'sandbox/echo',
            max_tokens: 5,
            metadata: { user_id: 'live' },
            messages: [{ role: 'user', content: 'hi' }],
          },
          { key: keys[0]!.key },
        );
        await page.locator('tbody tr').waitFor();
        const show = (isHidden: boolean): Promise<unknown> =>
          page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'))`);
        await show(true);
        await settled(watched);
        requested.length = 0;
        await page.waitForTimeout(7_000);
        expect(requested).toEqual([]);
        await show(false);
        await page.waitForRequest(/generations/);
        soundly(watched);
      },
      STEP_MS_MAX,
    );
  });
});

/** Pages of another origin that try what the console does. */
async function serveAttacks(target: string): Promise<{ readonly server: Server; readonly origin: string }> {
  const page = `<!doctype html><title>other</title>
<form method="post" enctype="text/plain" action="${target}/api/v1/keys"><button>post</button>
<input type="hidden" name='{"name":"x","y":"' value='"}'></form>
<script>
  const attempt = (init) => fetch('${target}/api/v1/keys', { method: 'POST', credentials: 'include', body: '{"name":"attack"}', ...init })
    .then((one) => one.type, () => 'blocked');
  Promise.all([
    attempt({ headers: { 'content-type': 'application/json', 'x-fairlead-console': '1' } }),
    attempt({ headers: { 'content-type': 'application/json' } }),
    attempt({ mode: 'no-cors' }),
  ]).then((all) => (window.results = all));
</script>`;
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
