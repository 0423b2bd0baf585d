// `node scripts/console-screenshots.mjs FOLDER`: pictures of every page of the console, small and wide, light and dark.
// Starts the built gateway on a store of its own, sends it some requests, and opens its pages in Chromium
// (`CHROMIUM_PATH`, or Debian's).
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { endWithParent } from './end-with-parent.mjs';

const SIZES = [
  { width: 420, height: 800 },
  { width: 1300, height: 900 },
];
const MODELS = [
  'sandbox/echo',
  'sandbox/echo',
  'sandbox/echo',
  'sandbox/thinking',
  'sandbox/tools',
  'sandbox/refusal',
  'sandbox/overloaded',
  'sandbox/rate-limited',
  'sandbox/slow',
];
const START_MS_MAX = 60_000;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('console-screenshots: names no folder');
  process.exit(2);
}
endWithParent();
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), 'fairlead-screenshots-'));
const managementKey = randomBytes(24).toString('hex');
const port = 20_000 + (process.pid % 10_000);
const origin = `http://127.0.0.1:${port}`;
const gateway = spawn(process.execPath, ['dist/main.js'], {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'ignore',
  env: { PATH: process.env.PATH, DATA_DIR: data, PORT: String(port), FAIRLEAD_MANAGEMENT_KEY: managementKey },
});
try {
  await started();
  await sendRequests();
  await takePictures();
} finally {
  gateway.kill('SIGINT');
  await new Promise((resolve) => gateway.once('exit', resolve));
  rmSync(data, { recursive: true, force: true });
}

async function started() {
  for (const until = Date.now() + START_MS_MAX; Date.now() < until; await setTimeout(200)) {
    const answer = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error('The gateway did not start.');
}

async function call(path, key, body) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json().catch(() => undefined);
}

/** Keys of a few teams, and their requests. */
async function sendRequests() {
  const teams = [
    { name: 'Support assistant', limit: 0.005, limit_reset: 'monthly' },
    { name: 'Nightly summaries', limit: 2, limit_reset: 'daily' },
    { name: 'Research notebooks' },
  ];
  const keys = [];
  for (const team of teams) keys.push((await call('/keys', managementKey, team)).key);
  const content = 'Summarise the open questions of this week, and name who answers them by Friday. '.repeat(8);
  for (let count = 0; count < 70; count++)
    await call('/messages', keys[count % 3], {
      model: MODELS[count % MODELS.length],
      max_tokens: 300,
      metadata: { user_id: `user-${count % 7}` },
      ...(count % 4 === 0 && { session_id: `session-${count % 8}` }),
      messages: [{ role: 'user', content: content.slice(0, 40 + ((count * 83) % 560)) }],
    });
}

async function takePictures() {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    for (const viewport of SIZES)
      for (const colorScheme of ['light', 'dark']) {
        const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
        const take = async (name) => {
          // The policy of the page allows no evaluation that waits.
          await page.waitForLoadState('networkidle');
          while ((await page.locator('.loading').count()) > 0) await setTimeout(50);
          await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true });
        };
        await page.goto(`${origin}/console`);
        await take('sign-in');
        await page.getByLabel('Management key').fill(managementKey);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        await take('overview');
        await page.goto(`${origin}/console/generations`);
        await page.locator('tbody tr').first().waitFor();
        await take('generations');
        await page
          .getByRole('link', { name: /\d\d:\d\d:\d\d/ })
          .nth(3)
          .click();
        await page.getByRole('heading', { name: 'Cost' }).waitFor();
        await take('generation');
        await page.goto(`${origin}/console/signed-in`);
        await page.locator('tbody tr').first().waitFor();
        await take('sessions');
        await page.context().close();
      }
  } finally {
    await browser.close();
  }
}
