import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Sort } from '../core/routing/preferences.js';
import { PolicyColumns } from './policy-columns.js';

/** A division of an account. Keys and credentials belong to one; each account has exactly one default. */
@Entity('workspaces')
export class WorkspaceEntity extends PolicyColumns {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ type: 'text' })
  name!: string;

  /** Lower case, unique among those of the account that are not deleted. */
  @Column({ type: 'text' })
  slug!: string;

  @Column({ name: 'is_default', type: 'boolean' })
  isDefault!: boolean;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  /** User of the key that made it. */
  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Null until the first change of it, its members or its budgets. */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;

  @Column({ name: 'default_text_model', type: 'text', nullable: true })
  defaultTextModel!: string | null;

  @Column({ name: 'default_image_model', type: 'text', nullable: true })
  defaultImageModel!: string | null;

  @Column({ name: 'default_provider_sort', type: 'text', nullable: true })
  defaultProviderSort!: Sort | null;

  @Column({ name: 'is_data_discount_logging_enabled', type: 'boolean', default: false })
  isDataDiscountLoggingEnabled!: boolean;

  @Column({ name: 'is_observability_broadcast_enabled', type: 'boolean', default: false })
  isObservabilityBroadcastEnabled!: boolean;

  @Column({ name: 'is_observability_io_logging_enabled', type: 'boolean', default: false })
  isObservabilityIoLoggingEnabled!: boolean;

  /** Above 0, to 1. */
  @Column({ name: 'io_logging_sampling_rate', type: 'double precision', default: 1 })
  ioLoggingSamplingRate!: number;

  /** Null is all keys. */
  @Column({ name: 'io_logging_api_key_ids', type: 'jsonb', nullable: true })
  ioLoggingApiKeyIds!: readonly number[] | null;

  /** For all budgets of the workspace. */
  @Column({ name: 'include_byok_in_budgets', type: 'boolean', default: false })
  includeByokInBudgets!: boolean;

  /** In force for the workspace without assignment; null is none. */
  @Column({ name: 'default_guardrail_id', type: 'uuid', nullable: true })
  defaultGuardrailId!: string | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
