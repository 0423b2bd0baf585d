import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const BROWSER_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const given = process.env['CHROMIUM_PATH'];
if (given && !existsSync(given)) throw new Error(`CHROMIUM_PATH is set, but there is no ${given}`);
const path = given || BROWSER_PATHS.find((path) => existsSync(path));

/** For suites that need a real Chromium: listed as skipped, with the reason, where none is installed. */
export const describeInChromium = (name: string, define: () => void): void =>
  path === undefined
    ? describe.skip(`${name} (no Chromium is installed: apt-get install chromium, or CHROMIUM_PATH)`, define)
    : describe(name, define);

/**
 * The caller closes it. It has no sandbox, which containers and root do not allow, so it must only load pages of this
 * project.
 */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: path!, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
