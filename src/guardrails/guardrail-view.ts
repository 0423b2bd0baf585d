import { usdNumber } from '../core/money/credits.js';
import { BUILTIN_FILTERS } from './builtin-filters.js';
import type { BuiltinEntry, CustomFilter, GuardrailEntity } from './guardrail.entity.js';
import type { KeyAssignment, MemberAssignment } from './guardrails.repository.js';

/** A guardrail as management sees it (WIRE 2.9): every key is always there. */
export interface GuardrailView {
  id: string;
  workspace_id: string;
  name: string;
  description: string | null;
  limit_usd: number | null;
  reset_interval: string | null;
  include_byok_in_budgets: boolean;
  allowed_models: readonly string[] | null;
  ignored_models: readonly string[] | null;
  allowed_providers: readonly string[] | null;
  ignored_providers: readonly string[] | null;
  /** There is one region. */
  allowed_data_regions: null;
  enforce_zdr: boolean | null;
  enforce_zdr_anthropic: boolean | null;
  enforce_zdr_openai: boolean | null;
  enforce_zdr_google: boolean | null;
  enforce_zdr_xai: boolean | null;
  enforce_zdr_other: boolean | null;
  content_filters: readonly CustomFilter[] | null;
  content_filter_builtins: readonly (BuiltinEntry & { label: string })[] | null;
  enable_free_model_publication: boolean | null;
  enable_free_model_training: boolean | null;
  enable_paid_model_training: boolean | null;
  created_at: string;
  updated_at: string | null;
}

export const viewGuardrail = (guardrail: GuardrailEntity): GuardrailView => ({
  id: guardrail.id,
  workspace_id: guardrail.workspaceId,
  name: guardrail.name,
  description: guardrail.description,
  limit_usd: guardrail.limitUsd === null ? null : usdNumber(guardrail.limitUsd),
  reset_interval: guardrail.resetInterval,
  include_byok_in_budgets: guardrail.includeByokInBudgets,
  allowed_models: guardrail.allowedModels,
  ignored_models: guardrail.ignoredModels,
  allowed_providers: guardrail.allowedProviders,
  ignored_providers: guardrail.ignoredProviders,
  allowed_data_regions: null,
  enforce_zdr: guardrail.enforceZdr,
  enforce_zdr_anthropic: guardrail.enforceZdrAnthropic,
  enforce_zdr_openai: guardrail.enforceZdrOpenai,
  enforce_zdr_google: guardrail.enforceZdrGoogle,
  enforce_zdr_xai: guardrail.enforceZdrXai,
  enforce_zdr_other: guardrail.enforceZdrOther,
  content_filters:
    guardrail.contentFilters &&
    guardrail.contentFilters.map(({ pattern, action, label }) => ({ pattern, action, label: label ?? null })),
  content_filter_builtins:
    guardrail.contentFilterBuiltins &&
    guardrail.contentFilterBuiltins.map(({ slug, action, scan_scope }) => ({
      slug,
      action,
      label: BUILTIN_FILTERS[slug].label,
      ...(scan_scope && { scan_scope }),
    })),
  enable_free_model_publication: guardrail.enableFreeModelPublication,
  enable_free_model_training: guardrail.enableFreeModelTraining,
  enable_paid_model_training: guardrail.enablePaidModelTraining,
  created_at: guardrail.createdAt.toISOString(),
  updated_at: guardrail.updatedAt && guardrail.updatedAt.toISOString(),
});

export interface KeyAssignmentView {
  id: string;
  guardrail_id: string;
  key_hash: string;
  key_name: string;
  key_label: string;
  assigned_by: string | null;
  created_at: string;
}

export const viewKeyAssignment = (assignment: KeyAssignment): KeyAssignmentView => ({
  id: assignment.id,
  guardrail_id: assignment.guardrailId,
  key_hash: assignment.subject,
  key_name: assignment.keyName,
  key_label: assignment.keyLabel,
  assigned_by: assignment.assignedBy,
  created_at: assignment.createdAt.toISOString(),
});

export interface MemberAssignmentView {
  id: string;
  guardrail_id: string;
  user_id: string;
  /** The account: clients call it so. */
  organization_id: string;
  assigned_by: string | null;
  created_at: string;
}

export const viewMemberAssignment = (assignment: MemberAssignment, accountId: string): MemberAssignmentView => ({
  id: assignment.id,
  guardrail_id: assignment.guardrailId,
  user_id: assignment.subject,
  organization_id: accountId,
  assigned_by: assignment.assignedBy,
  created_at: assignment.createdAt.toISOString(),
});
