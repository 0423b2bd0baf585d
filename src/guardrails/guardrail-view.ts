import { Type } from '@sinclair/typebox';
import { usdNumber } from '../core/money/credits.js';
import {
  flag,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { BUILTIN_FILTERS, BUILTIN_SLUGS } from './builtin-filters.js';
import type { GuardrailEntity } from './guardrail.entity.js';
import type { KeyAssignment, MemberAssignment } from './guardrails.repository.js';
import { FILTER_ACTIONS } from './inspector.js';

const texts = nullable(rows(text()));
const maybe = nullable(flag());

/** A guardrail as management sees it (docs/operate/guardrails.md#fields): every key is always present. */
export const guardrailView = titled(
  'guardrail',
  object({
    id: text(),
    workspace_id: text(),
    name: text(),
    description: nullable(text()),
    limit_usd: nullable(number()),
    reset_interval: nullable(text()),
    include_byok_in_budgets: flag(),
    allowed_models: texts,
    ignored_models: texts,
    allowed_providers: texts,
    ignored_providers: texts,
    allowed_data_regions: described('There is one region.', Type.Null()),
    enforce_zdr: maybe,
    enforce_zdr_anthropic: maybe,
    enforce_zdr_openai: maybe,
    enforce_zdr_google: maybe,
    enforce_zdr_xai: maybe,
    enforce_zdr_other: maybe,
    content_filters: nullable(
      rows(object({ pattern: text(), action: oneOf(FILTER_ACTIONS), label: nullable(text()) })),
    ),
    content_filter_builtins: nullable(
      rows(
        object({
          slug: oneOf(BUILTIN_SLUGS),
          action: oneOf(FILTER_ACTIONS),
          label: text(),
          scan_scope: optional(oneOf(['user_only', 'all_messages'])),
        }),
      ),
    ),
    enable_free_model_publication: maybe,
    enable_free_model_training: maybe,
    enable_paid_model_training: maybe,
    created_at: moment(),
    updated_at: nullable(moment()),
  }),
);
export type GuardrailView = Static<typeof guardrailView>;

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

/** A key that a guardrail is assigned to. */
export const keyAssignmentView = titled(
  'key-assignment',
  object({
    id: text(),
    guardrail_id: text(),
    key_hash: text(),
    key_name: text(),
    key_label: text(),
    assigned_by: nullable(text()),
    created_at: moment(),
  }),
);
export type KeyAssignmentView = Static<typeof keyAssignmentView>;

export const viewKeyAssignment = (assignment: KeyAssignment): KeyAssignmentView => ({
  id: assignment.id,
  guardrail_id: assignment.guardrailId,
  key_hash: assignment.subject,
  key_name: assignment.keyName,
  key_label: assignment.keyLabel,
  assigned_by: assignment.assignedBy,
  created_at: assignment.createdAt.toISOString(),
});

/** A user that a guardrail is assigned to. */
export const memberAssignmentView = titled(
  'member-assignment',
  object({
    id: text(),
    guardrail_id: text(),
    user_id: text(),
    organization_id: described('The account: clients call it so.', text()),
    assigned_by: nullable(text()),
    created_at: moment(),
  }),
);
export type MemberAssignmentView = Static<typeof memberAssignmentView>;

export const viewMemberAssignment = (assignment: MemberAssignment, accountId: string): MemberAssignmentView => ({
  id: assignment.id,
  guardrail_id: assignment.guardrailId,
  user_id: assignment.subject,
  organization_id: accountId,
  assigned_by: assignment.assignedBy,
  created_at: assignment.createdAt.toISOString(),
});
