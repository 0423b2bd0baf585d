import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { JsonObject } from '../core/json/json.js';
import { DestinationEntity } from '../destinations/destination.entity.js';
import type { AlarmRule } from './alarm-fields.js';

/** A rule that events follow from. */
@Entity('alarms')
@Index('alarms_newest', ['accountId', 'createdAt', 'id'])
// This index orders nulls first, which TypeORM does not know.
@Index('alarms_judged', { synchronize: false })
export class AlarmEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'alarms_account_id_fkey' })
  accountId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ type: 'jsonb' })
  rule!: AlarmRule;

  /** Shares of a limit; empty for other kinds. */
  @Column({ type: 'jsonb' })
  percents!: readonly number[];

  /** Whether it also reports a limit of a month that will be reached. */
  @Column({ type: 'boolean' })
  forecast!: boolean;

  @Column({ name: 'judged_at', type: 'timestamptz', precision: 3, nullable: true })
  judgedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** A destination of an alarm. */
@Entity('alarm_destinations')
@Index('alarm_destinations_of', ['destinationId'])
export class AlarmDestinationEntity {
  @PrimaryColumn({ name: 'alarm_id', type: 'uuid' })
  @ForeignKey(() => AlarmEntity, { name: 'alarm_destinations_alarm_id_fkey', onDelete: 'CASCADE' })
  alarmId!: string;

  @PrimaryColumn({ name: 'destination_id', type: 'uuid' })
  @ForeignKey(() => DestinationEntity, { name: 'alarm_destinations_destination_id_fkey', onDelete: 'CASCADE' })
  destinationId!: string;
}

/** A report of an alarm: one for each mark of a subject. */
@Entity('alarm_firings')
@Index('alarm_firings_oldest', ['firedAt'])
export class AlarmFiringEntity {
  @PrimaryColumn({ name: 'alarm_id', type: 'uuid' })
  @ForeignKey(() => AlarmEntity, { name: 'alarm_firings_alarm_id_fkey', onDelete: 'CASCADE' })
  alarmId!: string;

  @PrimaryColumn({ type: 'text' })
  subject!: string;

  /** A window with its limit and percent; or an episode, until it is over. */
  @PrimaryColumn({ type: 'text' })
  mark!: string;

  @Column({ name: 'fired_at', type: 'timestamptz', precision: 3 })
  firedAt!: Date;
}

/** A state of a provider that a replica sees in its memory. */
@Entity('alarm_sightings')
export class AlarmObservationEntity {
  @PrimaryColumn({ type: 'text' })
  kind!: string;

  @PrimaryColumn({ type: 'text' })
  subject!: string;

  @Column({ type: 'jsonb' })
  detail!: JsonObject;

  @Column({ name: 'seen_at', type: 'timestamptz', precision: 3 })
  seenAt!: Date;
}

/** An alarm with the ids of its destinations. */
export interface Alarm extends AlarmEntity {
  readonly destinationIds: readonly string[];
}

/** The fields that a caller may set. */
export type AlarmTerms = Pick<AlarmEntity, 'name' | 'enabled' | 'rule' | 'percents' | 'forecast'> &
  Pick<Alarm, 'destinationIds'>;
