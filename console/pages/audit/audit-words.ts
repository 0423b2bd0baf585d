import type { AuditEntry, Operations } from '../../api/schema.js';

export type Action = NonNullable<NonNullable<Operations['auditList']['query']>['action']>;

/** The actions, as a reader knows them. */
export const ACTIONS: Readonly<Record<Action, string>> = {
  'account.preferences.update': 'preferences changed',
  'alarm.create': 'alarm made',
  'alarm.update': 'alarm changed',
  'alarm.delete': 'alarm deleted',
  'api_key.create': 'key made',
  'api_key.update': 'key changed',
  'api_key.delete': 'key deleted',
  'api_key.raise': 'key raised',
  'api_key.rotate': 'key rotated',
  'api_key.secret.end': 'former secret ended',
  'budget.set': 'budget set',
  'budget.raise': 'budget raised',
  'budget.remove': 'budget deleted',
  'byok.create': 'provider credential stored',
  'byok.update': 'provider credential changed',
  'byok.delete': 'provider credential deleted',
  'console_session.create': 'signed in to the console',
  'console_session.end': 'session of the console ended',
  'credits.enter': 'credits entered',
  'destination.create': 'destination made',
  'destination.update': 'destination changed',
  'destination.delete': 'destination deleted',
  'destination.rotate': 'secret of a destination rotated',
  'destination.disable': 'destination switched off',
  'guardrail.create': 'guardrail made',
  'guardrail.update': 'guardrail changed',
  'guardrail.delete': 'guardrail deleted',
  'guardrail.assign': 'guardrail assigned',
  'guardrail.unassign': 'guardrail taken away',
  'preset.create': 'preset made',
  'preset.update': 'preset changed',
  'preset.delete': 'preset deleted',
  'statement.close': 'month closed',
  'workspace.create': 'workspace made',
  'workspace.update': 'workspace changed',
  'workspace.delete': 'workspace deleted',
  'workspace.budget.set': 'budget of a workspace set',
  'workspace.budget.remove': 'budget of a workspace deleted',
  'workspace.members.add': 'members added',
  'workspace.members.remove': 'members removed',
};

/** The pages that things have, by the first word of an action. */
const PAGES: Readonly<Record<string, string>> = {
  api_key: 'keys',
  workspace: 'workspaces',
  guardrail: 'guardrails',
  alarm: 'alarms',
  destination: 'destinations',
  statement: 'credits/months',
};

/** The page of what was changed; undefined where there is none. */
export function pageOf({ action, target, after }: Pick<AuditEntry, 'action' | 'target' | 'after'>): string | undefined {
  const page = PAGES[action.split('.', 1)[0]!];
  return page === undefined || (after === null && action.endsWith('.delete')) ? undefined : `${page}/${target}`;
}

/** The name that the thing has or had, or what else a reader knows it by; undefined: none. */
export function nameOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string | undefined {
  const { name, label, kind, amount } = fieldsOf(after ?? before);
  if (typeof name === 'string') return name;
  if (typeof label === 'string') return label;
  return typeof amount === 'number' ? `${String(kind)} of ${amount} USD` : undefined;
}

/** A field that differs; undefined where there was or is none. */
export interface ChangedField {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Fields that an entry changed, with the value before and after. */
export function changedFields({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly ChangedField[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .map((name) => ({ name, before: printed(one[name]), after: printed(other[name]) }))
    .filter((field) => field.before !== field.after);
}

const fieldsOf = (thing: unknown): Readonly<Record<string, unknown>> =>
  typeof thing === 'object' && thing !== null ? (thing as Readonly<Record<string, unknown>>) : {};

function printed(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
