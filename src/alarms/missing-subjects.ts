import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { AlarmKind, RuleOf } from './alarm-fields.js';
import type { Alarm } from './alarm.entity.js';
import { ALL, BUDGET_SCOPES, type BudgetScope } from './budget-scopes.js';

/** Why alarms can report nothing, by their ids; the others are left out. */
export type Reasons = ReadonlyMap<string, string>;

type RuledBy<Kind extends AlarmKind> = Alarm & { readonly rule: RuleOf<Kind> };

/** Finds alarms on what is gone: a key, an owner or a budget that was deleted, a provider that left the catalog. */
@Injectable()
export class MissingSubjects {
  constructor(
    private readonly database: DataSource,
    private readonly catalog: CatalogStore,
  ) {}

  async of(accountId: string, alarms: readonly Alarm[]): Promise<Reasons> {
    const ruledBy = <Kind extends AlarmKind>(kind: Kind): readonly RuledBy<Kind>[] =>
      alarms.filter((alarm): alarm is RuledBy<Kind> => alarm.rule.kind === kind);
    return new Map([
      ...this.ofOutages(ruledBy('outage')),
      ...(await this.ofKeys(accountId, ruledBy('limit'))),
      ...(await this.ofBudgets(accountId, ruledBy('budget'))),
    ]);
  }

  private ofOutages(alarms: readonly RuledBy<'outage'>[]): Reasons {
    const { providers } = this.catalog.current;
    const missing = alarms.filter(({ rule: { provider } }) => provider !== undefined && !providers.has(provider));
    return new Map(missing.map(({ id }) => [id, 'The catalog does not have this provider.']));
  }

  private async ofKeys(accountId: string, alarms: readonly RuledBy<'limit'>[]): Promise<Reasons> {
    const named = alarms.filter(({ rule }) => rule.key !== ALL);
    if (named.length === 0) return NONE;
    const rows = await this.database.query<{ hash: string; has_limit: boolean }[]>(
      `SELECT hash, coalesce(limit_usd > 0, false) AS has_limit FROM api_keys
       WHERE account_id = $1 AND hash = ANY($2) AND deleted_at IS NULL`,
      [accountId, named.map(({ rule }) => rule.key)],
    );
    const limited = new Map(rows.map(({ hash, has_limit }) => [hash, has_limit]));
    return reasons(named, ({ rule }) => {
      if (!limited.has(rule.key)) return 'The key is deleted.';
      return limited.get(rule.key) === true ? undefined : 'The key has no limit.';
    });
  }

  private async ofBudgets(accountId: string, alarms: readonly RuledBy<'budget'>[]): Promise<Reasons> {
    const named = alarms.filter(({ rule }) => rule.id !== ALL);
    if (named.length === 0) return NONE;
    const scopes = named.map(({ rule }): BudgetScope => BUDGET_SCOPES[rule.scope]);
    const rows = await this.database.query<{ has_owner: boolean; has_budget: boolean }[]>(
      `SELECT CASE w.scope
           WHEN 'workspace' THEN EXISTS (SELECT FROM workspaces o WHERE o.account_id = $1 AND o.id::text = w.id AND o.deleted_at IS NULL)
           WHEN 'guardrail' THEN EXISTS (SELECT FROM guardrails o WHERE o.account_id = $1 AND o.id::text = w.id)
           ELSE true END AS has_owner,
         EXISTS (
           SELECT FROM budgets b WHERE b.account_id = $1 AND b.scope = w.scope AND b.interval = w.interval AND b.limit_usd > 0
             AND (b.scope_id IN (w.id, $1::text) OR b.scope = 'guardrail' AND split_part(b.scope_id, ':', 1) = w.id)
         ) AS has_budget
       FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (scope, id, interval, place) ORDER BY place`,
      [
        accountId,
        scopes.map(({ stored }) => stored),
        named.map(({ rule }, index) => scopes[index]!.ownerOf(accountId, rule.id)),
        named.map(({ rule }) => rule.interval),
      ],
    );
    return reasons(named, ({ rule }, index) => {
      const { has_owner: hasOwner, has_budget: hasBudget } = rows[index]!;
      if (!hasOwner) return `The ${rule.scope.slice(0, -1)} is deleted.`;
      return hasBudget ? undefined : 'There is no such budget.';
    });
  }
}

const NONE: Reasons = new Map();

function reasons<Of extends Alarm>(
  alarms: readonly Of[],
  reasonOf: (alarm: Of, index: number) => string | undefined,
): Reasons {
  return new Map(
    alarms.flatMap((alarm, index) => {
      const reason = reasonOf(alarm, index);
      return reason === undefined ? [] : [[alarm.id, reason] as const];
    }),
  );
}
