import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { uuid, workspaceSlug } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { readPolicy } from './policy-fields.js';
import { name, WorkspaceSettingsDto } from './workspace-fields.js';

/** Columns of a workspace that may change after its creation. */
export type WorkspaceChanges = Partial<
  Omit<WorkspaceEntity, 'id' | 'accountId' | 'isDefault' | 'createdBy' | 'createdAt' | 'updatedAt' | 'deletedAt'>
>;

/** Body of `POST /workspaces`. */
export class CreateWorkspaceDto extends WorkspaceSettingsDto {
  @Fits(name)
  name!: string;

  @Fits(workspaceSlug)
  slug!: string;
}

/** Body of `PATCH /workspaces/{id or slug}`: absent fields stay as they are, null clears. */
export class UpdateWorkspaceDto extends WorkspaceSettingsDto {
  @MayOmit()
  @Fits(name)
  name?: string;

  @MayOmit()
  @Fits(workspaceSlug)
  slug?: string;

  @MayOmit()
  @MayBeNull()
  @Fits(uuid)
  default_guardrail_id?: string | null;
}

/**
 * The columns that a valid body sets.
 * @throws GatewayError `invalid-request` for an unknown provider
 */
export function readWorkspace(
  body: CreateWorkspaceDto | UpdateWorkspaceDto,
  catalog: CatalogSnapshot,
): WorkspaceChanges {
  const guardrail = body instanceof UpdateWorkspaceDto ? body.default_guardrail_id : undefined;
  return {
    ...readPolicy(body, catalog),
    ...(body.name !== undefined && { name: body.name }),
    ...(body.slug !== undefined && { slug: body.slug }),
    ...(guardrail !== undefined && { defaultGuardrailId: guardrail }),
    ...(body.description !== undefined && { description: body.description }),
    ...(body.default_text_model !== undefined && { defaultTextModel: body.default_text_model }),
    ...(body.default_image_model !== undefined && { defaultImageModel: body.default_image_model }),
    ...(body.default_provider_sort !== undefined && { defaultProviderSort: body.default_provider_sort }),
    ...(body.is_data_discount_logging_enabled !== undefined && {
      isDataDiscountLoggingEnabled: body.is_data_discount_logging_enabled,
    }),
    ...(body.is_observability_broadcast_enabled !== undefined && {
      isObservabilityBroadcastEnabled: body.is_observability_broadcast_enabled,
    }),
    ...(body.is_observability_io_logging_enabled !== undefined && {
      isObservabilityIoLoggingEnabled: body.is_observability_io_logging_enabled,
    }),
    ...(body.io_logging_sampling_rate !== undefined && { ioLoggingSamplingRate: body.io_logging_sampling_rate }),
    ...(body.io_logging_api_key_ids !== undefined && { ioLoggingApiKeyIds: body.io_logging_api_key_ids }),
    ...(body.tags !== undefined && { tags: body.tags ?? {} }),
    ...(body.required_tags !== undefined && { requiredTags: [...new Set(body.required_tags)] }),
    ...(body.include_byok_in_budgets !== undefined && { includeByokInBudgets: body.include_byok_in_budgets }),
  };
}
