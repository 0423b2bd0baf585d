import { Expose } from 'class-transformer';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Sort } from '../core/routing/preferences.js';
import type { Tags } from '../core/tags.js';
import { AccountEntity } from './account.entity.js';
import { ExposeTime } from '../shared/http/column-exposure.js';
import { PolicyColumns } from './policy-columns.js';

/** A division of an account. Keys and credentials belong to one; each account has exactly one default. */
@Entity('workspaces')
@Unique('workspaces_within_account', ['accountId', 'id'])
@Index('workspaces_slug', ['accountId', 'slug'], { unique: true, where: 'deleted_at is null' })
@Index('workspaces_one_default', ['accountId'], { unique: true, where: 'is_default' })
@Index('workspaces_newest', ['accountId', 'createdAt', 'id'])
export class WorkspaceEntity extends PolicyColumns {
  @PrimaryColumn({ type: 'uuid' })
  @Expose()
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'workspaces_account_id_fkey' })
  accountId!: string;

  @Column({ type: 'text' })
  @Expose()
  name!: string;

  /** Lower case, unique among the account's workspaces that are not deleted. */
  @Column({ type: 'text' })
  @Expose()
  slug!: string;

  @Column({ name: 'is_default', type: 'boolean', default: false })
  isDefault!: boolean;

  @Column({ type: 'text', nullable: true })
  @Expose()
  description!: string | null;

  /** User of the key that made it. */
  @Column({ name: 'created_by', type: 'text', nullable: true })
  @Expose({ name: 'created_by' })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  @ExposeTime('created_at')
  createdAt!: Date;

  /** Null until the first change of it, its members or its budgets. */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  @ExposeTime('updated_at')
  updatedAt!: Date | null;

  @Column({ name: 'default_text_model', type: 'text', nullable: true })
  @Expose({ name: 'default_text_model' })
  defaultTextModel!: string | null;

  @Column({ name: 'default_image_model', type: 'text', nullable: true })
  @Expose({ name: 'default_image_model' })
  defaultImageModel!: string | null;

  @Column({ name: 'default_provider_sort', type: 'text', nullable: true })
  @Expose({ name: 'default_provider_sort' })
  defaultProviderSort!: Sort | null;

  @Column({ name: 'is_data_discount_logging_enabled', type: 'boolean', default: false })
  @Expose({ name: 'is_data_discount_logging_enabled' })
  isDataDiscountLoggingEnabled!: boolean;

  @Column({ name: 'is_observability_broadcast_enabled', type: 'boolean', default: false })
  @Expose({ name: 'is_observability_broadcast_enabled' })
  isObservabilityBroadcastEnabled!: boolean;

  @Column({ name: 'is_observability_io_logging_enabled', type: 'boolean', default: false })
  @Expose({ name: 'is_observability_io_logging_enabled' })
  isObservabilityIoLoggingEnabled!: boolean;

  /** Sampling rate, greater than 0 and at most 1. */
  @Column({ name: 'io_logging_sampling_rate', type: 'double precision', default: 1 })
  @Expose({ name: 'io_logging_sampling_rate' })
  ioLoggingSamplingRate!: number;

  /** Keys whose requests are logged; null: all keys. */
  @Column({ name: 'io_logging_api_key_ids', type: 'jsonb', nullable: true })
  @Expose({ name: 'io_logging_api_key_ids' })
  ioLoggingApiKeyIds!: readonly number[] | null;

  /** Whether all budgets of the workspace count calls with callers' own credentials. */
  @Column({ name: 'include_byok_in_budgets', type: 'boolean', default: false })
  @Expose({ name: 'include_byok_in_budgets' })
  includeByokInBudgets!: boolean;

  /** Guardrail that applies to the workspace without assignment; null is none. */
  @Column({ name: 'default_guardrail_id', type: 'uuid', nullable: true })
  @Expose({ name: 'default_guardrail_id' })
  defaultGuardrailId!: string | null;

  /** Tags of requests whose keys have no others. Not exposed, as `plugins`. */
  @Column({ type: 'jsonb', default: {} })
  tags!: Tags;

  /** Tags that each request must have. */
  @Column({ name: 'required_tags', type: 'jsonb', default: [] })
  @Expose({ name: 'required_tags' })
  requiredTags!: readonly string[];

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
