/**
 * Checks that every change of managed objects is in the audit log, or does not happen, and that a process drops its
 * cached values after the commit and never before. Each kind of change runs on the real application, first with a log
 * that fails at its entry, then with one that keeps it; every table is compared.
 */
import { DataSource } from 'typeorm';
import { RoutingPolicies } from '../../src/accounts/routing-policies.js';
import { AuditLog } from '../../src/audit/audit-log.js';
import { CredentialStore } from '../../src/byok/credential-store.js';
import { ActivePresets } from '../../src/presets/active-presets.js';
import { ActiveGuardrails } from '../../src/guardrails/active-guardrails.js';
import { KeyCache } from '../../src/keys/key-cache.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const TABLES = [
  'accounts', 'workspaces', 'workspace_members', 'budgets', 'provider_credentials', 'guardrails', 'guardrail_assignments', 'presets', 'preset_versions', 'api_keys', 'api_key_secrets',
  'alarm_destinations', 'destinations', 'credit_grants', 'spending_windows', 'audit_entries',
  // A closing that the log does not have is unfinished, and the next request finishes it.
  '(select * from statements where hash is not null)',
]; // oxfmt-ignore

type Cache = 'keys' | 'credentials' | 'guardrails' | 'policies' | 'presets';
/** The change's own entry of the log is last, after those of its dependent objects. */
type Step = readonly [
  actions: string | readonly string[],
  method: string,
  path: string,
  body: object | undefined,
  caches: readonly Cache[],
];

describeOnEmbedded('changes of managed resources', (database) => {
  let gateway: TestGateway;
  let store: DataSource;
  let audit: AuditLog;
  /** The dropped values, and how much of the change the store had at that moment: entries of the log. */
  let forgotten: { readonly cache: Cache; readonly entries: Promise<number> }[] = [];
  const ids = new Map<string, string>();

  beforeAll(async () => {
    gateway = await startGateway(database);
    const { app } = gateway.gateway;
    store = app.get(DataSource);
    audit = app.get(AuditLog, { strict: false });
    const [[granted]] = await store.query(
      `update credit_grants set created_at = created_at - interval '40 days' returning created_at`,
    );
    ids.set('month', granted.created_at.toISOString().slice(0, 7));
    const noted = (cache: Cache) => () => void forgotten.push({ cache, entries: countEntries() });
    jest.spyOn(app.get(KeyCache, { strict: false }), 'forget').mockImplementation(noted('keys'));
    jest.spyOn(app.get(KeyCache, { strict: false }), 'forgetAll').mockImplementation(noted('keys'));
    jest.spyOn(app.get(CredentialStore, { strict: false }), 'forget').mockImplementation(noted('credentials'));
    jest.spyOn(app.get(ActiveGuardrails, { strict: false }), 'forget').mockImplementation(noted('guardrails'));
    jest.spyOn(app.get(ActivePresets, { strict: false }), 'forget').mockImplementation(noted('presets'));
    jest.spyOn(app.get(RoutingPolicies, { strict: false }), 'forgetAll').mockImplementation(noted('policies'));
  }, 240_000);
  afterAll(async () => {
    jest.restoreAllMocks();
    await gateway?.close();
  });

  const countEntries = async (): Promise<number> => {
    const [row] = await store.query<{ entries: number }[]>('select count(*)::int as entries from audit_entries');
    return row!.entries;
  };
  const everything = (): Promise<JsonBody[]> =>
    store.query(
      TABLES.map((table) => `select $$${table}$$ as name, coalesce(json_agg(t order by t::text), '[]')::text as rows from ${table} t`).join(' union all '), // oxfmt-ignore
    );

  async function send(method: string, path: string, body?: object): Promise<{ status: number; data: JsonBody }> {
    const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name)!);
    const response = await gateway.request(named, {
      method,
      key: MANAGEMENT_KEY,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, data: ((await response.json()) as JsonBody).data };
  }

  const hashes = (): object => ({ key_hashes: [ids.get('key')!] });
  const GUARDRAIL_DELETE = ['guardrail.unassign', 'guardrail.unassign', 'workspace.update', 'guardrail.delete'];
  const WORKSPACE_DELETE = ['api_key.delete', 'byok.delete', 'workspace.members.remove', 'workspace.budget.remove', 'workspace.budget.remove', 'workspace.delete']; // oxfmt-ignore
  // Callers carry the tags of their workspace.
  const WORKSPACE: readonly Cache[] = ['guardrails', 'keys', 'policies'];
  /** In an order in which each step finds what it needs; a step that creates an object names it. */
  const STEPS: readonly (() => Step)[] = [
    () => ['workspace.create', 'POST', '/workspaces', { name: 'w', slug: 'w' }, []],
    () => ['workspace.update', 'PATCH', '/workspaces/w', { enforce_zdr: true }, WORKSPACE],
    () => ['workspace.members.add', 'POST', '/workspaces/w/members/add', { user_ids: ['u'] }, WORKSPACE],
    () => ['workspace.budget.set', 'PUT', '/workspaces/w/budgets/daily', { limit_usd: 5 }, WORKSPACE],
    () => ['api_key.create', 'POST', '/keys', { name: 'k' }, ['keys']],
    () => ['api_key.update', 'PATCH', '/keys/{key}', { limit: 5 }, ['keys']],
    () => ['api_key.rotate', 'POST', '/keys/{key}/rotate', { grace_seconds: 60 }, ['keys', 'keys']],
    () => ['api_key.update', 'PATCH', '/keys/{key}', { limit: 6 }, ['keys', 'keys']],
    () => ['api_key.rotate', 'POST', '/keys/{key}/rotate', { grace_seconds: 0 }, ['keys', 'keys', 'keys']],
    () => ['byok.create', 'POST', '/byok', { provider: 'openai', key: 'sk-a-key-of-nobody' }, ['credentials']],
    () => ['byok.update', 'PATCH', '/byok/{credential}', { name: 'c' }, ['credentials']],
    () => ['guardrail.create', 'POST', '/guardrails', { name: 'g', limit_usd: 5 }, ['guardrails']],
    () => ['guardrail.update', 'PATCH', '/guardrails/{guardrail}', { limit_usd: 6 }, ['guardrails']],
    () => ['guardrail.assign', 'POST', '/guardrails/{guardrail}/assignments/keys', hashes(), ['guardrails']],
    () => ['guardrail.assign', 'POST', '/guardrails/{guardrail}/assignments/members', { member_user_ids: ['u'] }, ['guardrails']],
    () => ['guardrail.unassign', 'POST', '/guardrails/{guardrail}/assignments/keys/remove', hashes(), ['guardrails']],
    () => [['guardrail.unassign', 'guardrail.delete'], 'DELETE', '/guardrails/{guardrail}', undefined, ['guardrails']],
    () => ['byok.delete', 'DELETE', '/byok/{credential}', undefined, ['credentials']],
    () => ['api_key.delete', 'DELETE', '/keys/{key}', undefined, ['keys', 'keys']],
    () => ['workspace.budget.remove', 'DELETE', '/workspaces/w/budgets/daily', undefined, WORKSPACE],
    () => ['workspace.members.remove', 'POST', '/workspaces/w/members/remove', { user_ids: ['u'] }, WORKSPACE],
    () => ['workspace.delete', 'DELETE', '/workspaces/w', undefined, ['credentials', ...WORKSPACE]],
    () => ['workspace.create', 'POST', '/workspaces', { name: 'v', slug: 'v' }, []],
    () => ['api_key.create', 'POST', '/keys', { name: 'k', workspace_id: 'v' }, ['keys']],
    () => ['api_key.update', 'PATCH', '/keys/{key}', { disabled: true }, ['keys']],
    () => ['byok.create', 'POST', '/byok', { provider: 'openai', key: 'sk-a-key-of-nobody', workspace_id: 'v' }, ['credentials']],
    () => ['workspace.members.add', 'POST', '/workspaces/v/members/add', { user_ids: ['u'] }, WORKSPACE],
    () => ['workspace.budget.set', 'PUT', '/workspaces/v/budgets/daily', { limit_usd: 5 }, WORKSPACE],
    () => [['workspace.budget.set', 'workspace.budget.set'], 'PUT', '/workspaces/v/budgets/weekly', { limit_usd: 6, include_byok_in_budgets: true }, WORKSPACE],
    () => [['workspace.update', 'workspace.budget.set', 'workspace.budget.set'], 'PATCH', '/workspaces/v', { include_byok_in_budgets: false }, WORKSPACE],
    () => ['guardrail.create', 'POST', '/guardrails', { name: 'g' }, ['guardrails']],
    () => ['guardrail.assign', 'POST', '/guardrails/{guardrail}/assignments/keys', hashes(), ['guardrails']],
    () => ['guardrail.assign', 'POST', '/guardrails/{guardrail}/assignments/members', { member_user_ids: ['u'] }, ['guardrails']],
    () => ['workspace.update', 'PATCH', '/workspaces/v', { default_guardrail_id: ids.get('guardrail') }, WORKSPACE],
    () => [GUARDRAIL_DELETE, 'DELETE', '/guardrails/{guardrail}', undefined, ['guardrails']],
    () => [WORKSPACE_DELETE, 'DELETE', '/workspaces/v', undefined, ['keys', 'credentials', ...WORKSPACE]],
    () => ['account.preferences.update', 'PATCH', '/account/preferences', { enforce_zdr: true }, ['policies', 'keys']],
    () => ['destination.create', 'POST', '/observability/destinations', { name: 'd', type: 'webhook', config: { url: 'https://alarms.example.com/' } }, []],
    () => ['destination.update', 'PATCH', '/observability/destinations/{destination}', { name: 'e' }, []],
    () => ['destination.rotate', 'POST', '/observability/destinations/{destination}/rotate', { grace_seconds: 60 }, []],
    () => ['alarm.create', 'POST', '/alarms', { name: 'a', on: { kind: 'outage' }, destination_ids: [ids.get('destination')] }, []],
    () => ['alarm.update', 'PATCH', '/alarms/{alarm}', { name: 'b', destination_ids: [] }, []],
    () => ['alarm.delete', 'DELETE', '/alarms/{alarm}', undefined, []],
    () => ['destination.delete', 'DELETE', '/observability/destinations/{destination}', undefined, []],
    () => ['preset.create', 'POST', '/presets/p/messages', { temperature: 1 }, ['presets']],
    () => ['preset.update', 'POST', '/presets/p/responses', { temperature: 0 }, ['presets']],
    () => ['preset.update', 'PATCH', '/presets/p', { designated_version: 1 }, ['presets']],
    () => ['preset.delete', 'DELETE', '/presets/p', undefined, ['presets']],
    () => ['credits.enter', 'POST', '/credits', { amount: 5 }, []],
    () => ['statement.close', 'POST', '/statements/{month}/close', undefined, []],
  ]; // oxfmt-ignore

  it('are undone, and no cache is dropped, where the log cannot keep them; otherwise both are stored together', async () => {
    for (const step of STEPS) {
      const [named, method, path, body, caches] = step();
      const actions = [named].flat();
      const action = actions.at(-1)!;
      const before = await everything();
      forgotten = [];
      const failing = jest.spyOn(audit, 'record').mockRejectedValue(new Error('The log is full.'));
      expect([action, (await send(method, path, body)).status]).toEqual([action, 500]);
      expect([action, failing.mock.calls.map(([, , changes]) => actionsOf(changes))]).toEqual([action, [actions]]);
      failing.mockRestore();
      expect([action, await everything(), forgotten]).toEqual([action, before, []]);

      const entries = await countEntries();
      const { status, data } = await send(method, path, body);
      expect([action, status < 300]).toEqual([action, true]);
      note(action, data);
      expect([action, await listActions(entries)]).toEqual([action, actions]);
      expect([action, forgotten.map(({ cache }) => cache).sort()]).toEqual([action, [...caches].sort()]);
      // Every later read sees the change.
      for (const one of forgotten) expect([action, await one.entries]).toEqual([action, entries + actions.length]);
    }
  }, 240_000);

  const actionsOf = (changes: readonly { readonly action: string }[]): string[] => changes.map(({ action }) => action);
  const listActions = async (after: number): Promise<string[]> =>
    actionsOf(await store.query('select action from audit_entries order by seq offset $1', [after]));

  function note(action: string, data: JsonBody): void {
    if (action === 'api_key.create') ids.set('key', data.hash);
    if (action === 'byok.create') ids.set('credential', data.id);
    if (action === 'alarm.create') ids.set('alarm', data.id);
    if (action === 'destination.create') ids.set('destination', data.id);
    if (action === 'guardrail.create') ids.set('guardrail', data.id);
  }
});
