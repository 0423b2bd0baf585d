import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { JsonObject } from '../core/json/json.js';
import type { FilterRules } from './filter-rules.js';

/** The kinds of receivers. */
export const DESTINATION_TYPES = ['webhook', 'slack', 'otel-collector'] as const;
export type DestinationType = (typeof DESTINATION_TYPES)[number];

/** Whether it works, by the last event or test that was sent to it. */
export const DESTINATION_STATUSES = ['untested', 'ok', 'failing', 'switched_off'] as const;
export type DestinationStatus = (typeof DESTINATION_STATUSES)[number];

/** The state of a destination before its first event. */
export const UNTESTED = {
  status: 'untested',
  statusReason: null,
  statusAt: null,
  failures: 0,
  failingSince: null,
} as const;

/** A receiver of events. Its address and its secrets are stored only sealed. */
@Entity('destinations')
@ForeignKey(() => WorkspaceEntity, ['accountId', 'workspaceId'], ['accountId', 'id'], {
  name: 'destinations_workspace',
})
@Index('destinations_newest', ['accountId', 'createdAt', 'id'])
@Index('destinations_broadcast', ['accountId', 'workspaceId'], { where: 'broadcast and enabled' })
export class DestinationEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  type!: DestinationType;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  /** Whether it gets the generations of its workspace. */
  @Column({ type: 'boolean' })
  broadcast!: boolean;

  @Column({ name: 'privacy_mode', type: 'boolean' })
  privacyMode!: boolean;

  /** Share of the generations, above 0 and at most 1. */
  @Column({ name: 'sampling_rate', type: 'double precision' })
  samplingRate!: number;

  /** Hashes of the keys whose generations it gets; `null` is all. */
  @Column({ name: 'api_key_hashes', type: 'jsonb', nullable: true })
  apiKeyHashes!: readonly string[] | null;

  @Column({ name: 'filter_rules', type: 'jsonb', nullable: true })
  filterRules!: FilterRules | null;

  @Column({ name: 'broadcast_generation_cost', type: 'boolean' })
  broadcastGenerationCost!: boolean;

  @Column({ name: 'broadcast_generation_identity', type: 'boolean' })
  broadcastGenerationIdentity!: boolean;

  @Column({ name: 'broadcast_generation_request_context', type: 'boolean' })
  broadcastGenerationRequestContext!: boolean;

  /** The part of its configuration that may be displayed. */
  @Column({ type: 'jsonb' })
  shown!: JsonObject;

  /** Id of the key that its configuration is sealed with. */
  @Column({ name: 'data_key', type: 'uuid' })
  dataKey!: string;

  @Column({ type: 'bytea' })
  sealed!: Buffer;

  @Column({ type: 'text' })
  status!: DestinationStatus;

  @Column({ name: 'status_reason', type: 'text', nullable: true })
  statusReason!: string | null;

  @Column({ name: 'status_at', type: 'timestamptz', precision: 3, nullable: true })
  statusAt!: Date | null;

  /** Failed attempts since the last that succeeded. */
  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** Time of the first failure. */
  @Column({ name: 'failing_since', type: 'timestamptz', precision: 3, nullable: true })
  failingSince!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** The fields that a caller may set. */
export type DestinationTerms = Pick<
  DestinationEntity,
  | 'name'
  | 'enabled'
  | 'broadcast'
  | 'privacyMode'
  | 'samplingRate'
  | 'apiKeyHashes'
  | 'filterRules'
  | 'broadcastGenerationCost'
  | 'broadcastGenerationIdentity'
  | 'broadcastGenerationRequestContext'
>;
