import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { PicoUsd } from '../core/money/credits.js';
import { RESET_INTERVALS } from '../core/time.js';
import type { LimitReset } from '../keys/api-key.entity.js';
import { usdColumn } from '../ledger/usd-column.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import type { BuiltinSlug } from './builtin-filters.js';
import type { FilterAction } from './inspector.js';

/** A pattern of an administrator. */
export interface CustomFilter {
  readonly pattern: string;
  readonly action: FilterAction;
  readonly label?: string | null;
}

/** One of the filters that ship with the gateway. */
export interface BuiltinEntry {
  readonly slug: BuiltinSlug;
  readonly action: FilterAction;
  readonly scan_scope?: 'user_only' | 'all_messages';
}

/** A policy for keys, members and workspaces. Without an assignment it is not in force. Null sets no restriction. */
@Entity('guardrails')
@Check('guardrails_reset_interval_check', isOneOf('reset_interval', RESET_INTERVALS))
@Unique('guardrails_within_account', ['accountId', 'id'])
@ForeignKey(() => WorkspaceEntity, ['accountId', 'workspaceId'], ['accountId', 'id'], { name: 'guardrails_workspace' })
@Index('guardrails_newest', ['accountId', 'createdAt', 'id'])
export class GuardrailEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  /** The workspace that stores it; assignments decide where it is in force. */
  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  /** The most that each assigned key, member and workspace may spend in one interval. */
  @Column({ name: 'limit_usd', type: 'numeric', precision: 38, scale: 12, nullable: true, transformer: usdColumn })
  limitUsd!: PicoUsd | null;

  /** `null`: the limit is for all time. */
  @Column({ name: 'reset_interval', type: 'text', nullable: true })
  resetInterval!: LimitReset | null;

  @Column({ name: 'include_byok_in_budgets', type: 'boolean' })
  includeByokInBudgets!: boolean;

  @Column({ name: 'allowed_models', type: 'jsonb', nullable: true })
  allowedModels!: readonly string[] | null;

  @Column({ name: 'ignored_models', type: 'jsonb', nullable: true })
  ignoredModels!: readonly string[] | null;

  @Column({ name: 'allowed_providers', type: 'jsonb', nullable: true })
  allowedProviders!: readonly string[] | null;

  @Column({ name: 'ignored_providers', type: 'jsonb', nullable: true })
  ignoredProviders!: readonly string[] | null;

  /** For the authors without a separate field. */
  @Column({ name: 'enforce_zdr', type: 'boolean', nullable: true })
  enforceZdr!: boolean | null;

  @Column({ name: 'enforce_zdr_anthropic', type: 'boolean', nullable: true })
  enforceZdrAnthropic!: boolean | null;

  @Column({ name: 'enforce_zdr_openai', type: 'boolean', nullable: true })
  enforceZdrOpenai!: boolean | null;

  @Column({ name: 'enforce_zdr_google', type: 'boolean', nullable: true })
  enforceZdrGoogle!: boolean | null;

  @Column({ name: 'enforce_zdr_xai', type: 'boolean', nullable: true })
  enforceZdrXai!: boolean | null;

  @Column({ name: 'enforce_zdr_other', type: 'boolean', nullable: true })
  enforceZdrOther!: boolean | null;

  @Column({ name: 'content_filters', type: 'jsonb', nullable: true })
  contentFilters!: readonly CustomFilter[] | null;

  @Column({ name: 'content_filter_builtins', type: 'jsonb', nullable: true })
  contentFilterBuiltins!: readonly BuiltinEntry[] | null;

  @Column({ name: 'enable_free_model_publication', type: 'boolean', nullable: true })
  enableFreeModelPublication!: boolean | null;

  @Column({ name: 'enable_free_model_training', type: 'boolean', nullable: true })
  enableFreeModelTraining!: boolean | null;

  @Column({ name: 'enable_paid_model_training', type: 'boolean', nullable: true })
  enablePaidModelTraining!: boolean | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;
}

/** The fields that may change. */
export type GuardrailTerms = Omit<GuardrailEntity, 'id' | 'accountId' | 'workspaceId' | 'createdAt' | 'updatedAt'>;

/** No restriction: every field of a guardrail but its name. */
export const NO_TERMS: Omit<GuardrailTerms, 'name'> = {
  description: null,
  limitUsd: null,
  resetInterval: null,
  includeByokInBudgets: false,
  allowedModels: null,
  ignoredModels: null,
  allowedProviders: null,
  ignoredProviders: null,
  enforceZdr: null,
  enforceZdrAnthropic: null,
  enforceZdrOpenai: null,
  enforceZdrGoogle: null,
  enforceZdrXai: null,
  enforceZdrOther: null,
  contentFilters: null,
  contentFilterBuiltins: null,
  enableFreeModelPublication: null,
  enableFreeModelTraining: null,
  enablePaidModelTraining: null,
};
