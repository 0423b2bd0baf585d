/**
 * Signing in to the console by an issuer in a real Chromium: from the button over the pages of a real issuer and back
 * to where the reader was; by keyboard; refusals in words; two windows; an issuer that is down. And ten thousand
 * answers that are guessed, which reach the issuer a few times.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
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
import { CONSOLE_HEADERS, signInByKey } from '../support/console-session.js';
import { heading, KeyboardReader } from '../support/console-suite.js';
import { describeOnEmbedded } from '../support/database.js';
import { signInAtIssuer, startOidcIssuer, type OidcIssuer } from '../support/oidc-issuer.js';
import { SignOnBrowser } from '../support/sign-on-browser.js';

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
const SCRIPT = '<script>alert(1)</script>';
const PEOPLE = {
  ann: { name: SCRIPT, groups: ['admins'] },
  bob: { name: 'Bob', groups: ['team-a'] },
  eve: { name: 'Eve', groups: ['guests'] },
};
const GROUPS = { FAIRLEAD_OIDC_ADMIN_GROUPS: 'admins', FAIRLEAD_OIDC_WORKSPACE_GROUPS: 'team-a=default' };
const CALLBACKS = 10_000;

describeInChromium('signing in by an issuer in Chromium', () => {
  describeOnEmbedded('over the gateway', (database) => {
    let issuer: OidcIssuer;
    let gateway: TestGateway;
    let browser: Browser;

    beforeAll(async () => {
      issuer = await startOidcIssuer({ people: PEOPLE });
      const variables = { FAIRLEAD_FLOOD: 'auth=1000/60s', ...issuer.variables, ...GROUPS };
      gateway = await startGateway(database, { variables });
      issuer.trust(gateway.origin);
      browser = await launchChromium();
    }, STEP_MS_MAX * 2);
    afterAll(async () => {
      await browser?.close();
      await gateway?.close();
      await issuer?.close();
    }, STEP_MS_MAX);

    const button = ({ page }: WatchedPage) => page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1:\d+$/ });
    /** At the issuer, whose pages are its own: a login, and any password. */
    const enter = async (watched: WatchedPage, login: string): Promise<void> => {
      const { page, faults, requested } = watched;
      await page.waitForURL(`${issuer.issuer}/**`);
      await page.locator('input[name=login]').fill(login);
      await page.locator('input[name=password]').fill('any');
      await page.waitForLoadState('networkidle');
      faults.length = requested.length = 0;
      await page.locator('button[type=submit]').click();
    };
    const soundly = ({ faults, requested }: WatchedPage): void => {
      expect(faults).toEqual([]);
      const others = requested.filter((address) => !address.startsWith(`${gateway.origin}/`));
      expect(others.filter((address) => !address.startsWith(`${issuer.issuer}/`))).toEqual([]);
    };

    it(
      'leads over the pages of the issuer back to where the reader was, and leaves nothing in the address',
      async () => {
        const watched = await openConsole(browser, gateway, '/console/generations?user=x');
        const { page } = watched;
        await button(watched).click();
        await enter(watched, 'ann');
        await heading(watched, 'Generations');
        expect(page.url()).toBe(`${gateway.origin}/console/generations?user=x`);
        await settled(watched);
        expect(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).toBe('[{},{},""]'); // oxfmt-ignore
        await page.getByRole('link', { name: 'Sessions' }).click();
        await page.getByText(SCRIPT, { exact: true }).waitFor();
        expectStatus(watched, 401);
        soundly(watched);
        await page.context().close();
      },
      STEP_MS_MAX,
    );

    it(
      'is done by keyboard alone',
      async () => {
        const watched = await openConsole(browser, gateway);
        const reader = new KeyboardReader(watched);
        await reader.activate(/^Sign in with/);
        await watched.page.waitForURL(`${issuer.issuer}/**`);
        await watched.page.locator('input[name=login]').waitFor();
        await watched.page.keyboard.type('ann');
        await watched.page.keyboard.press('Tab');
        await watched.page.keyboard.type('any');
        await watched.page.keyboard.press('Enter');
        await heading(watched, 'Overview');
        await watched.page.context().close();
      },
      STEP_MS_MAX,
    );

    it(
      'shows a member its own workspace, and no more',
      async () => {
        const watched = await openConsole(browser, gateway, '/console/preferences');
        await button(watched).click();
        await enter(watched, 'bob');
        await heading(watched, 'Preferences');
        await watched.page.getByRole('alert').getByText('bound to a workspace').waitFor();
        await watched.page.getByRole('link', { name: 'Default workspace' }).click();
        await watched.page.getByLabel('Allowed providers').waitFor();
        expectStatus(watched, 403);
        soundly(watched);
        await watched.page.context().close();
      },
      STEP_MS_MAX,
    );

    it.each(SIZES)(
      'states at $width pixels why a person is refused, and a key leads in all the same',
      async (viewport) => {
        const watched = await openConsole(browser, gateway, '/console', { viewport });
        const { page } = watched;
        await button(watched).click();
        await enter(watched, 'eve');
        const alert = page.getByRole('alert');
        await alert.getByText(/knows you as Eve, in none of the groups that may open this console/).waitFor();
        expect(page.url()).toBe(`${gateway.origin}/console`);
        await expectShown(() => alert.innerText()).toMatch(/Request \S+, status 403/);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([await sideways(watched), await accessibilityFaults(watched, AXE)]).toEqual([0, []]);
        }
        await signIn(watched);
        await heading(watched, 'Overview');
        for (const status of [401, 403]) expectStatus(watched, status);
        soundly(watched);
        await page.context().close();
      },
      STEP_MS_MAX,
    );

    it(
      'serves two windows at once, and neither opens what an attacker has begun',
      async () => {
        const first = await openConsole(browser, gateway, '/console/signed-in');
        const second = await openBeside(first, `${gateway.origin}/console/generations`);
        await button(first).click();
        await first.page.waitForURL(`${issuer.issuer}/**`);
        await button(second).click();
        await enter(second, 'ann');
        await heading(second, 'Generations');
        await enter(first, 'ann');
        await heading(first, 'Sessions');
        const attacker = new SignOnBrowser(gateway.origin);
        const answer = await signInAtIssuer((await attacker.begin()).json.data.url, 'ann');
        const victim = await openConsole(browser, gateway, answer.pathname + answer.search);
        await victim.page.getByRole('alert').getByText('This sign-in was not begun in this browser').waitFor();
        await heading(victim, 'Sign in to Fairlead');
        for (const one of [first, victim]) await one.page.context().close();
      },
      STEP_MS_MAX,
    );
  });

  describeOnEmbedded('over a gateway whose issuer does not answer', (database) => {
    it(
      'states it, and a key leads in',
      async () => {
        const variables = { ...GROUPS, FAIRLEAD_OIDC_ISSUER: 'http://127.0.0.1:1', FAIRLEAD_OIDC_CLIENT_ID: 'c' };
        const gateway = await startGateway(database, { variables });
        const browser = await launchChromium();
        try {
          const watched = await openConsole(browser, gateway);
          await watched.page.getByRole('button', { name: 'Sign in with 127.0.0.1:1' }).click();
          await watched.page.getByRole('alert').getByText('127.0.0.1:1 does not answer as an issuer.').waitFor();
          await signIn(watched);
          await heading(watched, 'Overview');
          for (const status of [401, 503]) expectStatus(watched, status);
          expect(watched.faults).toEqual([]);
        } finally {
          await browser.close();
          await gateway.close();
        }
      },
      STEP_MS_MAX,
    );
  });
});

describeOnEmbedded('floods of answers', (database) => {
  it('reach the issuer as often as an address may fail, and leave the way in open to others', async () => {
    const issuer = await startOidcIssuer({ people: PEOPLE });
    const variables = { FAIRLEAD_FLOOD: 'auth=30/600s', FAIRLEAD_TRUST_PROXY: '127.0.0.1/32', ...issuer.variables, ...GROUPS };
    const gateway = await startGateway(database, { variables });
    issuer.trust(gateway.origin);
    try {
      const browser = new SignOnBrowser(gateway.origin);
      const state = new URL((await browser.begin()).json.data.url).searchParams.get('state')!;
      const body = JSON.stringify({ address: browser.address, answer: `code=guess&state=${state}` });
      const headers = { ...CONSOLE_HEADERS, origin: gateway.origin, cookie: browser.cookie!, 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' };
      const statuses = new Map<number, number>();
      let left = CALLBACKS;
      const sendSome = async (): Promise<void> => {
        while (left-- > 0) {
          const reply = await fetch(`${gateway.origin}/console/session`, { method: 'POST', headers, body });
          await reply.arrayBuffer();
          statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 32 }, sendSome));
      expect([...statuses.keys()].every((status) => [401, 429, 503].includes(status))).toBe(true);
      expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(CALLBACKS);
      expect(issuer.requested.filter((path) => path === '/token').length).toBeLessThanOrEqual(30);
      // Another address signs in meanwhile.
      const answer = await signInAtIssuer((await browser.begin()).json.data.url, 'ann');
      expect((await browser.finish(answer)).status).toBe(201);
      expect(await signInByKey(gateway, MANAGEMENT_KEY)).toMatch(/^__Host-fairlead=/);
    } finally {
      await gateway.close();
      await issuer.close();
    }
  }, 240_000); // oxfmt-ignore
});
