/**
 * Checks in a real Chromium over the real application what every page of the console owes to readers who use a keyboard
 * or have the screen read to them: Tab reaches all of a page in its order, whatever has the focus is seen and has a
 * name, and the focus is never lost where a row or an object is gone.
 */
import type { TestGateway } from '../support/app.js';
import {
  accessibilityFaults,
  expectShown,
  expectStatus,
  settled,
  sideways,
  SIZES,
  STEP_MS_MAX,
  type WatchedPage,
} from '../support/console-browser.js';
import { AXE, describeConsole, KeyboardReader } from '../support/console-suite.js';

/** More than any page has. */
const STOPS_MAX = 300;
const ids = { generation: '', key: '', byok: '', guardrail: '', alarm: '', destination: '' };

/** All of the navigation, and pages below them. */
const PAGES: readonly (readonly [name: string, path: () => string])[] = [
  ['the overview', () => ''],
  ['the generations', () => 'generations'],
  ['a generation', () => `generations/${ids.generation}`],
  ['the keys', () => 'keys'],
  ['the form of a new key', () => 'keys/new'],
  ['a key', () => `keys/${ids.key}`],
  ['the credentials', () => 'byok'],
  ['the form of a new credential', () => 'byok/new'],
  ['a credential', () => `byok/${ids.byok}`],
  ['the providers', () => 'providers'],
  ['a provider', () => 'providers/openai'],
  ['the models', () => 'models'],
  ['a model', () => 'models/sandbox/echo'],
  ['the explanation', () => 'explain'],
  ['the workspaces', () => 'workspaces'],
  ['the form of a new workspace', () => 'workspaces/new'],
  ['the members of a workspace', () => 'workspaces/default'],
  ['the budgets', () => 'budgets'],
  ['a budget', () => 'budgets/tags/daily?id=team%3Da'],
  ['the guardrails', () => 'guardrails'],
  ['the form of a new guardrail', () => 'guardrails/new'],
  ['a guardrail', () => `guardrails/${ids.guardrail}`],
  ['the credits', () => 'credits'],
  ['the form that enters credits', () => 'credits/new'],
  ['the months', () => 'credits/months'],
  ['a statement', () => `credits/months/${new Date().toISOString().slice(0, 7)}`],
  ['the alarms', () => 'alarms'],
  ['what alarms have reported', () => 'alarms/history'],
  ['an alarm', () => `alarms/${ids.alarm}`],
  ['the form of a new alarm', () => 'alarms/new/budget'],
  ['the destinations', () => 'destinations'],
  ['the form of a new destination', () => 'destinations/new/webhook'],
  ['a destination', () => `destinations/${ids.destination}`],
  ['the audit log', () => 'audit'],
  ['the preferences', () => 'preferences'],
  ['the presets', () => 'presets?workspace_id=default'],
  ['the form of a new preset', () => 'presets/new'],
  ['a preset', () => 'presets/support?workspace_id=default'],
  ['the client setup', () => 'clients'],
  ['the playground', () => 'playground'],
  ['the sessions', () => 'signed-in'],
];

/** What asks before something is lost: the page, the button, and the title. */
const DIALOGS: readonly (readonly [title: string, path: () => string, button: RegExp])[] = [
  ['Disable this key?', () => `keys/${ids.key}`, /^Disable$/],
  ['Delete this key?', () => `keys/${ids.key}`, /^Delete$/],
  ['Disable this credential?', () => `byok/${ids.byok}`, /^Disable$/],
  ['Delete this credential?', () => `byok/${ids.byok}`, /^Delete$/],
  ['Delete this workspace?', () => 'workspaces/default', /^Delete$/],
  ['Remove this member?', () => 'workspaces/default', /^Remove user-0$/],
  ['Delete this budget?', () => 'budgets/tags/daily?id=team%3Da', /^Delete$/],
  ['Delete this guardrail?', () => `guardrails/${ids.guardrail}`, /^Delete$/],
  ['Delete this alarm?', () => `alarms/${ids.alarm}`, /^Delete$/],
  ['Delete this destination?', () => `destinations/${ids.destination}`, /^Delete$/],
  ['Delete this preset?', () => 'presets/support?workspace_id=default', /^Delete$/],
  ['End this session?', () => 'signed-in', /^End the session of/],
];

/** Pages of objects. */
const OBJECTS = [
  'keys',
  'byok',
  'guardrails',
  'alarms',
  'destinations',
  'workspaces',
  'presets',
  'providers',
  'budgets/users/daily',
];

describeConsole(
  'the keyboard in the console',
  { variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32' }, fill },
  (suite) => {
    it.each(PAGES)(
      'reaches all of %s in order, and each stop is seen and named',
      async (_, page) => {
        const watched = await suite.signedIn(`/console/${page()}`);
        await settled(watched);
        expect(await walk(watched)).toEqual([]);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'has walked each page of the navigation',
      async () => {
        const watched = await suite.signedIn();
        const addresses = await watched.page
          .getByRole('navigation', { name: 'Pages', exact: true })
          .getByRole('link')
          .evaluateAll((links) => links.map((link) => (link as unknown as { pathname: string }).pathname));
        const walked = PAGES.map(([, page]) => `/console/${page().replace(/\?.*$/, '')}`.replace(/\/$/, ''));
        expect(addresses.length).toBeGreaterThan(15);
        expect(addresses.filter((address) => !walked.includes(address))).toEqual([]);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it.each(DIALOGS)(
      'asks “%s” with the focus inside, axe finds nothing, and Escape leads back to the button',
      async (title, path, button) => {
        const watched = await suite.signedIn(`/console/${path()}`, { viewport: SIZES[0], colorScheme: 'dark' });
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await settled(watched);
        await reader.activate(button);
        await page.getByRole('dialog', { name: title }).waitFor();
        expect(await page.evaluate(`document.activeElement.closest('dialog') !== null`)).toBe(true);
        expect([await sideways(watched), await accessibilityFaults(watched, AXE)]).toEqual([0, []]);
        await reader.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await expectShown(() => reader.focused()).toMatch(button);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'keeps the focus at the table where its row is removed, and on the page where it was the last one',
      async () => {
        const watched = await suite.signedIn('/console/workspaces/default');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await settled(watched);
        for (const [user, left] of [
          ['user-1', 'Members'],
          ['user-0', ''],
        ] as const) {
          await reader.activate(new RegExp(`^Remove ${user}$`));
          await page.getByRole('dialog').waitFor();
          await reader.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await expectShown(() => reader.focused()).toBe(`Remove ${user}`);
          await reader.press('Enter');
          await page.getByRole('dialog').waitFor();
          await reader.activate(/^Remove the member$/);
          await page.getByRole('row', { name: user }).waitFor({ state: 'detached' });
          const id = `(({ activeElement: one }) => one.getAttribute('aria-label') ?? (one.id === 'page' ? '' : one.outerHTML))(document)`;
          await expectShown(() => page.evaluate<string>(id)).toBe(left);
        }
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'begins at a heading on the page of an object that does not exist',
      async () => {
        const watched = await suite.signedIn('/console/signed-in');
        const { page } = watched;
        for (const path of OBJECTS) {
          await settled(watched);
          await page.goto(`${suite.gateway.origin}/console/${path}/00000000-0000-7000-8000-000000000000`);
          await expectShown(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
        }
        await settled(watched);
        for (const status of [400, 404]) expectStatus(watched, status);
        suite.soundly(watched);
      },
      STEP_MS_MAX * 2,
    );
  },
);

/** Tabs through the page from its top. @returns what is wrong with its stops */
async function walk({ page }: WatchedPage): Promise<readonly string[]> {
  const faults: string[] = [];
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
  let before = -1;
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab');
    const [at, fault] = await page.evaluate<readonly [number, string]>(STOP);
    // Behind the last stop the focus leaves the page, or is at its top again.
    if (at < 0 || (stop > 0 && at === 0)) return faults;
    if (at < before) return [...faults, `stop ${stop} is before the last one`];
    // The further stops of a field of times are parts of it, which the browser marks by itself.
    if (fault !== '' && at > before) faults.push(fault);
    before = at;
  }
  return [...faults, 'Tab does not reach the end'];
}

/** Script that returns the index of the focused element among all elements (0: the first stop), and its fault. */
const STOP = `(() => {
  const one = document.activeElement;
  if (one === document.body) return [-1, ''];
  const named = (id) => document.getElementById(id)?.textContent ?? '';
  const name = [one.getAttribute('aria-label'), ...(one.getAttribute('aria-labelledby') ?? '').split(' ').map(named),
    ...[...(one.labels ?? [])].map((label) => label.textContent), /^(?:INPUT|SELECT|TEXTAREA)$/.test(one.tagName) ? '' : one.textContent,
  ].join('').trim();
  const { width, height } = one.getBoundingClientRect();
  const { outlineStyle, boxShadow } = getComputedStyle(one);
  const fault = name === '' ? 'has no name' : width * height === 0 ? 'is not seen' : outlineStyle === 'none' && boxShadow === 'none' ? 'does not show the focus' : '';
  const at = one.className === 'skip' ? 0 : [...document.querySelectorAll('*')].indexOf(one);
  return [at, fault && one.outerHTML.slice(0, 200) + ' ' + fault];
})()`;

async function fill(gateway: TestGateway): Promise<void> {
  const made = async (path: string, body: object): Promise<string> =>
    (await gateway.manage('POST', path, body)).data.id;
  ids.byok = await made('/byok', { provider: 'openai', key: 'sk-example-of-a-credential-0123456789' });
  ids.guardrail = await made('/guardrails', { name: 'A guardrail' });
  const config = { url: 'http://127.0.0.1:9/' };
  ids.destination = await made('/observability/destinations', { name: 'A destination', type: 'webhook', config });
  ids.alarm = await made('/alarms', { name: 'An alarm', on: { kind: 'outage' }, destination_ids: [] });
  for (const user of ['user-0', 'user-1'])
    await gateway.manage('POST', '/workspaces/default/members/add', { user_ids: [user] });
  await gateway.manage('PUT', '/budgets/tags/team%3Da/daily', { limit_usd: 1 });
  const messages = [{ role: 'user', content: 'Hi.' }];
  const body = { model: 'sandbox/echo', max_tokens: 9, messages };
  await gateway.manage('POST', '/presets/support/messages?workspace_id=default', body);
  const key = await gateway.newKey({ name: 'A key', limit: 5, limit_reset: 'daily' });
  ids.key = key.hash;
  ids.generation = ((await (await gateway.messages(body, { key: key.key })).json()) as { id: string }).id;
}
