import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { wholeAccount, type Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { shortened } from '../core/shortened.js';
import type { DestinationType } from '../destinations/destination.entity.js';
import { Outbox } from '../destinations/outbox.js';
import { TYPE_FACTS } from '../destinations/print-event.js';
import { KeysService } from '../keys/keys.service.js';
import { ManagedChanges } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import { isUuid } from '../shared/http/field-patterns.js';
import { nearestName } from '../shared/http/nearest-name.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { PERCENTS, type AlarmRule } from './alarm-fields.js';
import { alarmEvent } from './alarm-event.js';
import { viewAlarm, type ReadAlarmEvent } from './alarm-view.js';
import type { Alarm, AlarmTerms } from './alarm.entity.js';
import { AlarmsRepository } from './alarms.repository.js';
import { DEFAULT_SUBJECT } from '../accounts/budget-subjects.js';
import { ALL, BUDGET_SCOPES, type BudgetScope } from './budget-scopes.js';

/** Alarms of one account. Chosen: each is checked several times a minute. */
const ALARMS_MAX = 100;

/** Alarms as the audit log shows them. */
const ALARM = new ManagedKind<Alarm>('alarm', (alarm) => {
  const { judged_at: _judged, status: _status, status_reason: _reason, ...view } = viewAlarm(alarm);
  return { target: alarm.id, view };
});

/** The alarms of an account, every change of them, and what they have reported. */
@Injectable()
export class AlarmsService {
  constructor(
    private readonly alarms: AlarmsRepository,
    private readonly keys: KeysService,
    private readonly workspaces: WorkspaceDirectory,
    private readonly changes: ManagedChanges,
    private readonly outbox: Outbox,
    private readonly catalog: CatalogStore,
  ) {}

  /** Newest first, with the total number. */
  list(accountId: string, page: Page): Promise<ListPart<Alarm>> {
    return this.alarms.list(accountId, page);
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, id: string): Promise<Alarm> {
    const alarm = isUuid(id) ? await this.alarms.find(accountId, id) : undefined;
    if (!alarm) throw noSuchAlarm();
    return alarm;
  }

  /** Events of alarms, newest first, with the total number. @param alarmId of all alarms where undefined */
  history(accountId: string, alarmId: string | undefined, page: Page): Promise<ListPart<ReadAlarmEvent>> {
    return this.alarms.listHistory(accountId, alarmId, page);
  }

  /** @throws GatewayError `invalid-request`, `conflict` at the maximum number */
  async create(
    caller: Caller,
    terms: Partial<AlarmTerms> & Pick<AlarmTerms, 'name' | 'rule' | 'destinationIds'>,
  ): Promise<Alarm> {
    const { accountId } = caller;
    const rule = await this.resolved(accountId, terms.rule);
    const shares = sharesOf(rule, terms, undefined);
    return this.changes.run(caller, async (manager, createdAt) => {
      if ((await this.alarms.lockAndCount(manager, accountId)) >= ALARMS_MAX)
        throw new GatewayError('conflict', `An account has at most ${ALARMS_MAX} alarms; delete one first.`);
      await this.assertTerms(manager, accountId, { rule, destinationIds: terms.destinationIds });
      const alarm = await this.alarms.insert(manager, {
        enabled: true,
        ...terms,
        ...shares,
        rule,
        id: newUuid(createdAt.getTime()),
        accountId,
        judgedAt: null,
        createdAt,
        updatedAt: createdAt,
      });
      return { result: alarm, entries: [ALARM.created(alarm)] };
    });
  }

  /**
   * A changed rule deletes the notes of reports.
   * @throws GatewayError `not-found`, `invalid-request`
   */
  async update(caller: Caller, id: string, changes: Partial<AlarmTerms>): Promise<Alarm> {
    const { accountId } = caller;
    const known = await this.get(accountId, id);
    const rule = changes.rule && (await this.resolved(accountId, changes.rule));
    return this.changes.run(caller, async (manager, updatedAt) => {
      const alarm = await this.lock(manager, accountId, known.id);
      const shares = sharesOf(rule ?? alarm.rule, changes, alarm);
      const terms = { ...changes, ...(rule && { rule }), ...shares };
      await this.assertTerms(manager, accountId, { rule, destinationIds: changes.destinationIds });
      return ALARM.update(alarm, terms, async () => {
        if (rule) await this.alarms.forgetFirings(manager, alarm.id);
        return this.alarms.update(manager, alarm, { ...terms, updatedAt });
      });
    });
  }

  /** @throws GatewayError `not-found` */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.changes.run(caller, async (manager) => {
      const alarm = await this.lock(manager, caller.accountId, id);
      await this.alarms.delete(manager, alarm);
      return { result: undefined, entries: [ALARM.deleted(alarm)] };
    });
  }

  /**
   * Sends an event to the destinations of an alarm, as one that it reports.
   * @returns the id of the event
   * @throws GatewayError `not-found`
   */
  async test(
    caller: Caller,
    id: string,
  ): Promise<{ readonly eventId: string; readonly destinationIds: readonly string[] }> {
    const known = await this.get(caller.accountId, id);
    const eventId = await this.changes.run(caller, async (manager, at) => {
      const message = `This is a test of the alarm ${known.name}.`;
      const event = alarmEvent(known, { subject: 'test', data: { message, test: true } }, at);
      await this.outbox.add(manager, event, known.destinationIds);
      return { result: event.id, entries: [] };
    });
    this.outbox.hurry();
    return { eventId, destinationIds: known.destinationIds };
  }

  private async lock(manager: EntityManager, accountId: string, id: string): Promise<Alarm> {
    const alarm = isUuid(id) ? await this.alarms.lock(manager, accountId, id) : undefined;
    if (!alarm) throw noSuchAlarm();
    return alarm;
  }

  /**
   * A rule with the id of a workspace instead of its slug.
   * @throws GatewayError `invalid-request` for a workspace or a provider that does not exist
   */
  private async resolved(accountId: string, rule: AlarmRule): Promise<AlarmRule> {
    if (rule.kind === 'outage' && rule.provider !== undefined) this.assertKnown(rule.provider);
    if (rule.kind !== 'budget' || rule.scope !== 'workspaces' || rule.id === ALL) return rule;
    try {
      return { ...rule, id: (await this.workspaces.get(wholeAccount(accountId), rule.id)).id };
    } catch (error) {
      throw error instanceof GatewayError && error.kind === 'not-found' ? unknownOwner() : error;
    }
  }

  private assertKnown(provider: string): void {
    const { providers } = this.catalog.current;
    if (providers.has(provider)) return;
    const nearest = nearestName(provider, providers.keys());
    throw new GatewayError(
      'invalid-request',
      `on.provider: the catalog does not have this provider${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    );
  }

  private async assertTerms(
    manager: EntityManager,
    accountId: string,
    {
      rule,
      destinationIds = [],
    }: { readonly rule: AlarmRule | undefined; readonly destinationIds: readonly string[] | undefined },
  ): Promise<void> {
    if (
      rule?.kind === 'limit' &&
      rule.key !== ALL &&
      !(await this.keys.ownsAll(wholeAccount(accountId), [rule.key], manager))
    )
      throw new GatewayError('invalid-request', 'on.key: there is no key with this hash');
    if (rule?.kind === 'budget' && rule.id !== ALL) {
      const { exists, form }: BudgetScope = BUDGET_SCOPES[rule.scope];
      const fault = rule.id === DEFAULT_SUBJECT ? undefined : form?.fault(rule.id);
      if (fault) throw new GatewayError('invalid-request', `on.id: ${fault.reason}`);
      if (exists && !(await this.alarms.exists(manager, exists, accountId, rule.id))) throw unknownOwner();
    }
    if (destinationIds.length === 0) return;
    const types = destinationIds.every(isUuid)
      ? await this.alarms.lockDestinations(manager, accountId, destinationIds)
      : new Map<string, DestinationType>();
    const unknown = destinationIds.find((id) => !types.has(id.toLowerCase()));
    if (unknown !== undefined)
      throw new GatewayError('invalid-request', `destination_ids: there is no destination ${shortened(unknown)}`);
    for (const type of types.values())
      if (!TYPE_FACTS[type].takesAlarms)
        throw new GatewayError('invalid-request', `destination_ids: a destination of the type ${type} takes no alarms`);
  }
}

/**
 * The percents and the forecast of a rule.
 * @param before the alarm as it was; its percents stay while it has a limit
 * @throws GatewayError `invalid-request` for a kind without a limit
 */
function sharesOf(
  rule: AlarmRule,
  { percents, forecast }: Partial<AlarmTerms>,
  before: Alarm | undefined,
): Pick<AlarmTerms, 'percents' | 'forecast'> {
  if (rule.kind !== 'limit' && rule.kind !== 'budget') {
    if (percents) throw new GatewayError('invalid-request', `percents: an alarm on ${rule.kind} has no limit to share`);
    if (forecast === true)
      throw new GatewayError('invalid-request', `forecast: an alarm on ${rule.kind} has no limit to forecast`);
    return { percents: [], forecast: false };
  }
  const forecasts = forecast ?? before?.forecast ?? false;
  if (forecasts && rule.kind === 'budget' && rule.interval !== 'monthly')
    throw new GatewayError(
      'invalid-request',
      'forecast: only the end of a month is forecast; choose the interval monthly',
    );
  const known = before && before.percents.length > 0 ? before.percents : PERCENTS;
  return { percents: percents ?? known, forecast: forecasts };
}

const unknownOwner = (): GatewayError =>
  new GatewayError('invalid-request', 'on.id: there is nothing with this id in the scope');

const noSuchAlarm = (): GatewayError => new GatewayError('not-found', 'There is no such alarm.');
