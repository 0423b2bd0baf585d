import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../core/json/json.js';
import type { AlarmKind, RuleOf } from './alarm-fields.js';
import type { AlarmEntity } from './alarm.entity.js';
import { databaseNow } from './database-now.js';

/** A report of an alarm. */
export interface Finding {
  /** The hash of a key, the id of a budget, or the slug of a provider. */
  readonly subject: string;
  /** Facts for receivers, with `message`, one sentence. */
  readonly data: JsonObject & { readonly message: string };
}

/** Everything that judging one alarm needs. */
export interface Judging {
  /** Manager of the transaction that holds the alarm: no other process checks it meanwhile. */
  readonly manager: EntityManager;
  readonly alarm: AlarmEntity;
  /** Milliseconds that are added to the database's clock. */
  readonly aheadMs: number;
}

/** Input of the judge of one kind of alarm: `Judging` and the rule of the alarm. */
export interface JudgedAlarm<Kind extends AlarmKind> extends Judging {
  readonly rule: RuleOf<Kind>;
}

/** Compares an alarm with the store. @returns what is new, which is noted as reported in the same transaction */
export type Judge<Kind extends AlarmKind> = (judged: JudgedAlarm<Kind>) => Promise<readonly Finding[]>;

/** An amount for people: at most six decimals. */
export const usdText = (amount: string | number): string => `${Number(Number(amount).toFixed(6))} USD`;

/** Mark of an ongoing condition (as opposed to a crossed percentage). */
const EPISODE = 'episode';

/**
 * Reports an ongoing condition once; after it has ended it may be reported again.
 * @param found the conditions that are true at present
 * @param kept subjects of which it is unclear whether it is over
 */
export async function reportEpisodes(
  { manager, alarm, aheadMs }: Judging,
  found: readonly Finding[],
  kept: readonly string[] = [],
): Promise<readonly Finding[]> {
  const subjects = found.map(({ subject }) => subject);
  await manager.query(
    `DELETE FROM alarm_firings WHERE alarm_id = $1 AND mark = '${EPISODE}' AND subject <> ALL($2::text[])`,
    [alarm.id, [...subjects, ...kept]],
  );
  return reportOnce({ manager, alarm, aheadMs }, found, EPISODE);
}

/** Reports what has not been reported with this mark. */
export async function reportOnce(
  { manager, alarm, aheadMs }: Judging,
  found: readonly Finding[],
  mark: string,
): Promise<readonly Finding[]> {
  if (found.length === 0) return [];
  const rows = await manager.query<{ subject: string }[]>(
    `INSERT INTO alarm_firings (alarm_id, subject, mark, fired_at) SELECT $1, unnest($2::text[]), $3, ${databaseNow('$4')}
     ON CONFLICT DO NOTHING RETURNING subject`,
    [alarm.id, found.map(({ subject }) => subject), mark, aheadMs],
  );
  const fresh = new Set(rows.map(({ subject }) => subject));
  return found.filter(({ subject }) => fresh.has(subject));
}
