import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from './app.js';
import { describeInChromium, launchChromium } from './browser.js';
import {
  accessibilityFaults,
  expectStatus,
  openConsole,
  settled,
  sideways,
  signIn,
  SIZES,
  STEP_MS_MAX,
  type WatchedPage,
} from './console-browser.js';
import { describeOnEmbedded, type TestDatabase } from './database.js';

/** Names that a page must show as texts: markup, ten thousand characters, right-to-left with an override. */
export const SCRIPT = '<script>alert(1)</script><img src=x onerror=alert(2)>';
export const RIGHT_TO_LEFT = '\u202eمفتاح الفريق\u202c';
export const TEN_THOUSAND = 'u'.repeat(10_000);

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** One gateway and one browser for a file of specs. */
export interface ConsoleSuite {
  readonly gateway: TestGateway;
  /** A page in a separate profile, signed in. */
  signedIn(path?: string, options?: ContextOptions): Promise<WatchedPage>;
  open(path?: string, options?: ContextOptions): Promise<WatchedPage>;
  /** Fails for anything that Chromium reports, and for a request to another origin. */
  soundly(watched: WatchedPage): void;
}

type StartOptions = NonNullable<Parameters<typeof startGateway>[1]>;

interface SuiteOptions extends StartOptions {
  /** What is made before the gateway, such as an upstream that its catalog names. */
  readonly prepare?: (() => Promise<StartOptions>) | undefined;
  /** What is stored before the first page. */
  readonly fill?: ((gateway: TestGateway) => Promise<void>) | undefined;
}

/** Specs of pages of the console over the real application, on the embedded store. */
export function describeConsole(
  name: string,
  { fill, prepare, ...options }: SuiteOptions,
  define: (suite: ConsoleSuite) => void,
): void {
  describeInChromium(name, () => {
    describeOnEmbedded('over the gateway', (database) => define(startSuite(database, { ...options, prepare, fill })));
  });
}

function startSuite(database: TestDatabase, { fill, prepare, ...given }: SuiteOptions): ConsoleSuite {
  let gateway: TestGateway;
  let browser: Browser;
  const opened: Page[] = [];
  beforeAll(async () => {
    const options = { ...given, ...(await prepare?.()) };
    gateway = await startGateway(database, {
      ...options,
      variables: { FAIRLEAD_FLOOD: 'auth=1000/60s,wasted=1000/60s', ...options.variables },
    });
    await fill?.(gateway);
    browser = await launchChromium();
  }, STEP_MS_MAX * 2);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  }, STEP_MS_MAX);
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close();
  });
  const open = async (path?: string, context: ContextOptions = { viewport: SIZES[1] }): Promise<WatchedPage> => {
    const watched = await openConsole(browser, gateway, path, context);
    opened.push(watched.page);
    return watched;
  };
  /** The cookie of the last session, so that not each test signs in by the form. */
  let kept: ContextOptions['storageState'];
  return {
    get gateway() {
      return gateway;
    },
    open,
    signedIn: async (path, context = { viewport: SIZES[1] }) => {
      const watched = await open(path, { ...context, ...(kept && { storageState: kept }) });
      const { page } = watched;
      const form = page.getByLabel('Management key');
      await form
        .or(page.getByRole('navigation', { name: 'Pages', exact: true }))
        .first()
        .waitFor();
      if (await form.isVisible()) {
        await signIn(watched);
        kept = await page.context().storageState();
        expectStatus(watched, 401);
      }
      return watched;
    },
    soundly: ({ faults, requested }) => {
      expect(faults).toEqual([]);
      const strange = requested.filter((address) => !/^(?:blob|data):/.test(address));
      expect(strange.filter((address) => !address.startsWith(`${gateway.origin}/`))).toEqual([]);
    },
  };
}

export const heading = ({ page }: WatchedPage, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** A page at two sizes in both schemes: nothing exceeds the width, and axe-core finds nothing. */
export function itFits(
  suite: ConsoleSuite,
  name: string,
  path: () => string,
  title: string | RegExp,
  prepare?: (watched: WatchedPage) => Promise<void>,
): void {
  it(
    `${name} fits both sizes in both schemes, and axe finds nothing`,
    async () => {
      const watched = await suite.signedIn(path(), { viewport: SIZES[0], colorScheme: 'light' });
      const { page } = watched;
      await heading(watched, title);
      await settled(watched);
      await prepare?.(watched);
      for (const viewport of SIZES)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          const at = `${viewport.width} ${colorScheme}`;
          expect([at, await sideways(watched)]).toEqual([at, 0]);
          expect([at, await accessibilityFaults(watched, AXE)]).toEqual([at, []]);
        }
      suite.soundly(watched);
    },
    STEP_MS_MAX,
  );
}

/** A reader without a pointer, who uses the keyboard only. */
export class KeyboardReader {
  constructor(private readonly watched: WatchedPage) {}

  /** Signs in at the shown page. */
  async signIn(): Promise<void> {
    await this.reach(/^Management key$/);
    await this.type(MANAGEMENT_KEY);
    await this.press('Enter');
    await this.watched.page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
    expectStatus(this.watched, 401);
  }

  /** Moves on until something of this name has the focus. */
  async reach(name: RegExp): Promise<void> {
    const { page } = this.watched;
    for (let steps = 0; steps < 200; steps++) {
      if (name.test(await this.focused())) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`The keyboard does not reach ${name}.`);
  }

  /** The name of what has the focus. */
  async focused(): Promise<string> {
    const name = await this.watched.page.evaluate<string | null>(
      `(({ activeElement: one }) => one.labels?.[0]?.textContent || one.getAttribute('aria-label') || one.textContent)(document)`,
    );
    return (name ?? '').replaceAll(/\s+/g, ' ').trim();
  }

  async press(key: string): Promise<void> {
    await this.watched.page.keyboard.press(key);
  }

  /** Replaces what the field contains. */
  async type(text: string): Promise<void> {
    await this.press('Control+a');
    await this.watched.page.keyboard.insertText(text);
  }

  /** Reaches something and activates it. */
  async activate(name: RegExp): Promise<void> {
    await this.reach(name);
    await this.press('Enter');
  }
}
