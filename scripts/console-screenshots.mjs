// `node scripts/console-screenshots.mjs FOLDER [NAME]`: pictures of every page of the console and of some of the
// documentation, small and wide, light and dark.
// Starts the built gateway on a separate store, sends it some requests, and opens its pages in Chromium
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
/** Pages by their addresses, and what is done there before the picture. */
const PAGES = [
  ['keys', 'keys'],
  ['new-key', 'keys/new'],
  ['key', 'keys', (page) => page.getByRole('link', { name: 'Support assistant' }).click()],
  ['key-change', 'keys', changeKey],
  ['byok', 'byok'],
  ['credential', 'byok', (page) => page.getByRole('link', { name: 'Our account' }).click()],
  ['providers', 'providers?state=routable'],
  ['models', 'models'],
  ['model', 'models/anthropic/claude-sonnet-4.5'],
  ['explain', 'explain?model=openai/gpt-oss-120b', explain],
  ['workspaces', 'workspaces'],
  ['workspace', 'workspaces', (page) => page.getByRole('link', { name: 'Research', exact: true }).click()],
  ['budgets', 'budgets'],
  ['budget', 'budgets', (page) => page.getByRole('link', { name: 'user-3' }).click()],
  ['credits', 'credits'],
  ['months', 'credits/months'],
  ['statement', 'credits/months', (page) => page.locator('tbody a').first().click()],
  ['guardrails', 'guardrails'],
  ['guardrail', 'guardrails', tryText],
  ['audit', 'audit', verifyChain],
  ['alarms', 'alarms'],
  ['alarm-events', 'alarms/history'],
  ['alarm', 'alarms', (page) => page.getByRole('link', { name: 'Keys near their limits' }).click()],
  ['destinations', 'destinations'],
  ['destination', 'destinations', (page) => page.getByRole('link', { name: 'On call' }).click()],
  ['preferences', 'preferences', (page) => page.getByLabel('Allowed providers').waitFor()],
  ['presets', 'presets'],
  ['preset', 'presets', (page) => page.getByRole('link', { name: 'support' }).click()],
  ['client-setup', 'clients'],
  ['playground', 'playground', playOnce],
  ['docs', '../docs'],
  ['docs-operation', '../docs/api/messagesCreate'],
  ['docs-try', '../docs/api/messagesCreate', tryOnce],
  ['docs-list', '../docs/api/generationsList'],
  ['docs-guide', '../docs/use/limits'],
  ['docs-errors', '../docs/errors'],
  ['docs-search', '../docs', (page) => search(page, 'rate limit')],
  ['sessions', 'signed-in', (page) => page.locator('tbody tr').first().waitFor()],
];
/** Providers that a plan may name; none is called. */
const CREDENTIALS = ['GROQ_API_KEY', 'CEREBRAS_API_KEY', 'DEEPINFRA_API_KEY', 'TOGETHER_API_KEY', 'NOVITA_API_KEY'];
/** Settings of the sign-on, whose button is shown; the issuer is not called. */
const SIGN_ON = {
  FAIRLEAD_OIDC_ISSUER: 'https://id.example.com',
  FAIRLEAD_OIDC_CLIENT_ID: 'fairlead',
  FAIRLEAD_OIDC_ADMIN_GROUPS: 'platform',
};
const keys = [];
const START_MS_MAX = 300_000;

const [folder, only = ''] = process.argv.slice(2);
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
  env: {
    PATH: process.env.PATH,
    DATA_DIR: data,
    PORT: String(port),
    FAIRLEAD_MANAGEMENT_KEY: managementKey,
    ...Object.fromEntries(CREDENTIALS.map((name) => [name, 'an-example-that-opens-nothing'])),
    ...SIGN_ON,
  },
});
try {
  await started();
  await administer();
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

async function call(path, key, body, method = 'POST') {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json().catch(() => undefined);
}

/** Keys of a few teams, and their requests. */
async function sendRequests() {
  const teams = [
    { name: 'Support assistant', limit: 0.005, limit_reset: 'monthly', creator_user_id: 'maria' },
    { name: 'Nightly summaries', limit: 2, limit_reset: 'daily', metadata: { tags: { team: 'data', stage: 'live' } } },
    { name: 'Research notebooks' },
  ];
  for (const [provider, name] of [
    ['anthropic', 'Our account'],
    ['openai', 'Research'],
    ['google-ai-studio', undefined],
  ])
    await call('/byok', managementKey, { provider, name, key: 'an-example-that-opens-nothing', is_fallback: !name });
  await call('/presets/support/messages', managementKey, {
    model: 'sandbox/echo',
    max_tokens: 256,
    system: 'You help customers of {{shop}}. Name the order that you speak of.',
  });
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

/** A team with its budget and members, budgets of users, a guardrail, alarms and their destination. */
async function administer() {
  const manage = async (path, body, method) => (await call(path, managementKey, body, method)).data;
  const tags = { tags: { team: 'research' }, required_tags: ['project'] };
  const research = await manage('/workspaces', { name: 'Research', slug: 'research', description: 'Open questions', ...tags });
  await manage('/workspaces', { name: 'Customer service', slug: 'customer-service' });
  for (const [interval, limit] of [['daily', 20], ['monthly', 250]])
    await manage(`/workspaces/${research.id}/budgets/${interval}`, { limit_usd: limit }, 'PUT');
  await manage(`/workspaces/${research.id}/members/add`, { user_ids: ['ada@example.com', 'grace@example.com', 'maria@example.com'] });
  for (const [id, limit] of [['default', 0.05], ['user-3', 0.002], ['user-5', 0.5]])
    await manage(`/budgets/users/${id}/daily`, { limit_usd: limit }, 'PUT');
  await manage('/budgets/users/user-3/daily/raise', { amount_usd: 0.01, until: '2099-12-31T23:59:59Z' });
  await manage('/budgets/tags/team%3Dresearch/monthly', { limit_usd: 100 }, 'PUT');
  await manage('/credits', { amount: 500, note: 'Invoice 2030-17' });
  await manage('/credits', { amount: -2.5, kind: 'adjustment', note: 'Duplicate of invoice 2030-16' });
  const guardrail = await manage('/guardrails', {
    name: 'Nothing private',
    description: 'For all that customers write',
    content_filter_builtins: [{ slug: 'email', action: 'redact' }, { slug: 'credit-card', action: 'block' }],
    content_filters: [{ pattern: 'project-[0-9]{4}', action: 'redact', label: 'project' }],
  });
  await manage('/guardrails', { name: 'Ten dollars a day', limit_usd: 10, reset_interval: 'daily', allowed_models: ['anthropic/*', 'sandbox/*'] });
  await manage(`/guardrails/${guardrail.id}/assignments/members`, { member_user_ids: ['ada@example.com', 'grace@example.com'] });
  const config = { url: 'https://alarms.example.com/fairlead' };
  const onCall = await manage('/observability/destinations', { name: 'On call', type: 'webhook', config });
  const slack = { url: 'https://hooks.slack.com/services/T000/B000/none' };
  await manage('/observability/destinations', { name: 'Channel of finance', type: 'slack', config: slack });
  const terms = { on: { kind: 'limit', key: '*' }, percents: [50, 80, 100], destination_ids: [onCall.id] };
  const alarm = await manage('/alarms', { name: 'Keys near their limits', ...terms });
  await manage('/alarms', { name: 'Balance', on: { kind: 'balance', below_usd: 100 }, destination_ids: [onCall.id] });
  await manage(`/alarms/${alarm.id}/test`, {});
} // oxfmt-ignore

async function tryText(page) {
  await page.getByRole('link', { name: 'Nothing private' }).click();
  await page.getByLabel('Text of a user').fill('Write to ada@example.com about project-1234.');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('What a model reads:').waitFor();
}

async function verifyChain(page) {
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText('It is whole:').waitFor();
  await page.locator('td summary').nth(3).click();
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
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
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
        for (const [name, path, act] of PAGES.filter(([name]) => name.startsWith(only))) {
          await page.goto(`${origin}/console/${path}`);
          await page.locator('h1').waitFor();
          await act?.(page);
          await take(name);
        }
        await page.context().close();
      }
  } finally {
    await browser.close();
  }
}

async function explain(page) {
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('heading', { name: /^Plan for/ }).waitFor();
}

async function changeKey(page) {
  await page.getByRole('link', { name: 'Nightly summaries' }).click();
  await page.getByLabel('Limit (USD)').fill('12.50');
  await page.getByLabel('Allowed models').fill('sandbox/*\nanthropic/*');
  await page.getByRole('button', { name: 'Review the change' }).click();
  await page.getByRole('dialog').waitFor();
}

/** @param {import('playwright-core').Page} page */
async function playOnce(page) {
  await page.getByLabel('Inference key').fill(keys[1]);
  await page.getByLabel('Model').fill('sandbox/tools');
  await page.getByLabel('Message', { exact: true }).fill('call datetime');
  await page.getByLabel('Further fields').fill('{ "tools": [{ "type": "openrouter:datetime" }] }');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The reply is complete.').waitFor();
}

/** @param {import('playwright-core').Page} page */
async function tryOnce(page) {
  await page.getByLabel('Your key').fill(keys[1]);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The reply is complete.').waitFor();
}

async function search(page, words) {
  await page.getByRole('searchbox', { name: 'Search' }).fill(words);
  await page.getByRole('region', { name: 'Found' }).waitFor();
}
