import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { derivedId } from './derived-id.js';
import { viewPolicy, type PolicyView } from './policy-fields.js';

/** A workspace as management sees it: the superset that every client version takes (WIRE 2.8), and its policy. */
export interface WorkspaceView extends PolicyView {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  created_at: string;
  updated_at: string | null;
  created_by: string | null;
  default_text_model: string | null;
  default_image_model: string | null;
  default_provider_sort: string | null;
  /** Never null, as clients want it: where there is none, an id that no guardrail has. */
  default_guardrail_id: string;
  is_data_discount_logging_enabled: boolean;
  is_observability_broadcast_enabled: boolean;
  is_observability_io_logging_enabled: boolean;
  io_logging_sampling_rate: number;
  io_logging_api_key_ids: readonly number[] | null;
  include_byok_in_budgets: boolean;
}

/** What stands for "no default guardrail": derived from the workspace's id, as clients are told (WIRE 2.8). */
export const noGuardrailOf = (workspaceId: string): string => derivedId('default guardrail', workspaceId);

export function viewWorkspace(workspace: WorkspaceEntity): WorkspaceView {
  return {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt && workspace.updatedAt.toISOString(),
    created_by: workspace.createdBy,
    default_text_model: workspace.defaultTextModel,
    default_image_model: workspace.defaultImageModel,
    default_provider_sort: workspace.defaultProviderSort,
    default_guardrail_id: workspace.defaultGuardrailId ?? noGuardrailOf(workspace.id),
    is_data_discount_logging_enabled: workspace.isDataDiscountLoggingEnabled,
    is_observability_broadcast_enabled: workspace.isObservabilityBroadcastEnabled,
    is_observability_io_logging_enabled: workspace.isObservabilityIoLoggingEnabled,
    io_logging_sampling_rate: workspace.ioLoggingSamplingRate,
    io_logging_api_key_ids: workspace.ioLoggingApiKeyIds,
    include_byok_in_budgets: workspace.includeByokInBudgets,
    ...viewPolicy(workspace),
  };
}
