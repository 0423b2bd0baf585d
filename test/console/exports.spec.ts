/**
 * Checks in a real Chromium over the real application that each paged table of the console exports all that its filters
 * have, not the shown page alone: the file is downloaded and its lines are counted.
 */
import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import type { TestGateway } from '../support/app.js';
import { expectShown, settled, STEP_MS_MAX, type WatchedPage } from '../support/console-browser.js';
import { describeConsole, SCRIPT } from '../support/console-suite.js';

/** More than a page has. */
const MANY = 60;
const PAGE = 50;
let guardrail: string;

/** A page, and the lines of its file: those below the head. */
interface Exporting {
  readonly path: string;
  readonly lines: number;
  /** A name in the file. */
  readonly name: string;
}

const EXPORTING: readonly Exporting[] = [
  { path: 'workspaces', lines: MANY + 1, name: SCRIPT },
  { path: 'workspaces/default', lines: MANY, name: `"'=user 0"` },
  { path: 'guardrails?workspace_id=w-0', lines: MANY, name: `"'@guardrail 0"` },
  { path: 'alarms', lines: MANY, name: `"'+alarm 0"` },
  { path: 'destinations?type=webhook', lines: MANY, name: `"'-destination 0"` },
  { path: 'budgets?scope=tags', lines: MANY, name: 'team=0' },
  { path: 'presets?workspace_id=w-0', lines: MANY, name: 'preset-0' },
  { path: 'audit?action=workspace.create', lines: MANY, name: 'workspace.create' },
];

describeConsole(
  'tables that are exported',
  {
    variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32' },
    fill: async (gateway) => void (guardrail = await fill(gateway)),
  },
  (suite) => {
    it.each(EXPORTING)(
      '/console/$path has a file of all entries beyond the page',
      async ({ path, lines, name }) => {
        const watched = await suite.signedIn(`/console/${path}`);
        await settled(watched);
        const { page } = watched;
        await expectShown(() => page.locator('tbody').last().locator('tr').count()).toBe(PAGE);
        const file = await downloaded(watched, 'Export as CSV');
        expect(file).toHaveLength(lines + 1);
        expect(file.join('\n')).toContain(name);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'has a file of the keys of a guardrail, of its members, and of what alarms have reported',
      async () => {
        const watched = await suite.signedIn(`/console/guardrails/${guardrail}`);
        await settled(watched);
        expect(await downloaded(watched, 'Export the keys as CSV')).toHaveLength(MANY + 1);
        expect(await downloaded(watched, 'Export the members as CSV')).toHaveLength(MANY + 1);
        await watched.page.goto(`${suite.gateway.origin}/console/alarms/history`);
        await settled(watched);
        expect(await downloaded(watched, 'Export as CSV')).toHaveLength(MANY + 1);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);

/** The lines of the file behind a link. */
async function downloaded({ page }: WatchedPage, link: string): Promise<readonly string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: link }).click()]);
  return readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
}

/** @returns the id of a guardrail that keys and members are assigned to */
async function fill(gateway: TestGateway): Promise<string> {
  const manage: TestGateway['manage'] = (...given) => gateway.manage(...given);
  const each = Array.from({ length: MANY }, (_, index) => index);
  const users = each.map((index) => `=user ${index}`);
  const keys: string[] = [];
  const body = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi.' }] };
  await manage('POST', '/workspaces/default/members/add', { user_ids: users });
  for (const index of each) {
    keys.push((await gateway.newKey()).hash);
    await manage('POST', '/workspaces', { name: index === 0 ? SCRIPT : 'Team', slug: `w-${index}` });
    await manage('POST', '/guardrails', { name: `@guardrail ${index}`, workspace_id: 'w-0' });
    await manage('POST', '/alarms', { name: `+alarm ${index}`, on: { kind: 'outage' }, destination_ids: [] });
    const destination = { type: 'webhook', config: { url: 'http://127.0.0.1:9/' }, workspace_id: `w-${index}` };
    await manage('POST', '/observability/destinations', { name: `-destination ${index}`, ...destination });
    await manage('PUT', `/budgets/tags/${encodeURIComponent(`team=${index}`)}/daily`, { limit_usd: 1 });
    await manage('POST', `/presets/preset-${index}/messages?workspace_id=w-0`, body);
  }
  const [{ id }] = (await manage('GET', '/guardrails?limit=1')).data;
  await manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: keys });
  await manage('POST', `/guardrails/${id}/assignments/members`, { member_user_ids: users });
  await gateway.gateway.app.get(DataSource).query(
    `INSERT INTO outbox_events (id, account_id, type, subject, data, occurred_at)
     SELECT gen_random_uuid(), (SELECT id FROM accounts), 'alarm.test', gen_random_uuid(), '{}', now() FROM generate_series(1, $1::int)`,
    [MANY],
  );
  return id;
}
