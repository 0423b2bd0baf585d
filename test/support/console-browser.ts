import type { Browser, Page } from 'playwright-core';
import { MANAGEMENT_KEY, type TestGateway } from './app.js';

export const SIZES = [
  { width: 420, height: 800 },
  { width: 1_300, height: 900 },
] as const;

/** Longest step of a page on a busy machine. */
export const STEP_MS_MAX = 60_000;

/** Longest time from a step to what it shows, on a busy machine. */
const SHOWN_WITHIN_MS = 20_000;

/** A page of the console, and all that Chromium reports of it. */
export interface WatchedPage {
  readonly page: Page;
  /** Breaches of the policy, errors of programs, error lines of the browser. */
  readonly faults: string[];
  /** Addresses of all requests. */
  readonly requested: string[];
}

/** Opens a page in a separate profile, which has no session. */
export async function openConsole(
  browser: Browser,
  { origin }: Pick<TestGateway, 'origin'>,
  path = '/console',
  options: NonNullable<Parameters<Browser['newContext']>[0]> = { viewport: SIZES[1] },
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(origin + path);
  return watched;
}

/** Another window of the same profile. */
export async function openBeside({ page }: WatchedPage, address: string): Promise<WatchedPage> {
  const watched = watch(await page.context().newPage());
  await watched.page.goto(address);
  return watched;
}

function watch(page: Page): WatchedPage {
  const watched: WatchedPage = { page, faults: [], requested: [] };
  page.setDefaultTimeout(STEP_MS_MAX / 2);
  page.on('pageerror', ({ message }) => void watched.faults.push(message));
  page.on('console', (line) => void (line.type() === 'error' && watched.faults.push(line.text())));
  page.on('request', (request) => void watched.requested.push(request.url()));
  void page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))`,
  );
  return watched;
}

/** Chromium reports each reply of this status as an error of the page: here it is what is tested. */
export function expectStatus({ faults }: WatchedPage, status: number): void {
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes(`status of ${status} `)));
}

export async function signIn({ page }: WatchedPage, key = MANAGEMENT_KEY): Promise<void> {
  await page.getByLabel('Management key').fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
}

/** Waits until all of the page is loaded. The policy of the page allows no evaluation that waits by itself. */
export async function settled({ page }: WatchedPage): Promise<void> {
  await page.waitForLoadState('networkidle');
  while ((await page.locator('.loading').count()) > 0) await page.waitForTimeout(50);
}

type Polled<M> = {
  readonly [K in keyof M]: (...values: Parameters<Extract<M[K], (...values: never) => unknown>>) => Promise<void>;
};
type Shown<T> = Polled<jest.Matchers<void, T>> & { readonly not: Polled<jest.Matchers<void, T>> };

/**
 * `expect` of what a page shows at the latest after some seconds: a page is drawn later than the step that changes it,
 * and reading it waits for the part alone, not for its content.
 */
export function expectShown<T>(read: () => Promise<T>): Shown<T> {
  const polled = (negated: boolean): object =>
    new Proxy(
      {},
      {
        get: (_, name: string) =>
          name === 'not'
            ? polled(true)
            : async (...values: unknown[]): Promise<void> => {
                const end = Date.now() + SHOWN_WITHIN_MS;
                for (;;) {
                  const shown = await read();
                  try {
                    const matchers = negated ? expect(shown).not : expect(shown);
                    (matchers as unknown as Record<string, (...values: unknown[]) => void>)[name]!(...values);
                    return;
                  } catch (error) {
                    if (Date.now() > end) throw error;
                    await new Promise((resolve) => setTimeout(resolve, 50));
                  }
                }
              },
      },
    );
  return polled(false) as Shown<T>;
}

/** How far the page can be moved sideways, in pixels. */
export const sideways = ({ page }: WatchedPage): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** What axe-core finds, in short. */
export async function accessibilityFaults({ page }: WatchedPage, axe: string): Promise<readonly string[]> {
  // The policy of the page allows no other program; the one of the browser's driver is no part of it.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return JSON.parse(String(result.value)) as readonly string[];
}
