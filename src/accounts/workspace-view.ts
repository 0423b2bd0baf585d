import { viewExposed } from '../shared/http/column-exposure.js';
import {
  flag,
  integer,
  map,
  moment,
  nullable,
  number,
  object,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { derivedId } from './derived-id.js';
import { policyFields } from './policy-view.js';
import { WorkspaceEntity } from './workspace.entity.js';

/**
 * A workspace as management sees it: the union of what all client versions read (docs/operate/workspaces.md#fields),
 * and its policy.
 */
export const workspaceView = titled(
  'workspace',
  object({
    id: text(),
    name: text(),
    slug: text(),
    description: nullable(text()),
    created_at: moment(),
    updated_at: nullable(moment()),
    created_by: nullable(text()),
    default_text_model: nullable(text()),
    default_image_model: nullable(text()),
    default_provider_sort: nullable(text()),
    default_guardrail_id: described('Never null: where there is none, an id that no guardrail has.', text()),
    is_data_discount_logging_enabled: flag(),
    is_observability_broadcast_enabled: flag(),
    is_observability_io_logging_enabled: flag(),
    io_logging_sampling_rate: number(),
    io_logging_api_key_ids: nullable(rows(integer())),
    include_byok_in_budgets: flag(),
    tags: described('Of requests that name no others, and whose keys have none.', map(text())),
    required_tags: described('Tags that each request must have.', rows(text())),
    ...policyFields.properties,
  }),
);
export type WorkspaceView = Static<typeof workspaceView>;

/**
 * The id that clients are shown for "no default guardrail": derived from the workspace's id
 * (docs/operate/workspaces.md#fields).
 */
export const noGuardrailOf = (workspaceId: string): string => derivedId('default guardrail', workspaceId);

export const viewWorkspace = (workspace: WorkspaceEntity): WorkspaceView => ({
  ...viewExposed<WorkspaceView>(WorkspaceEntity, workspace),
  default_guardrail_id: workspace.defaultGuardrailId ?? noGuardrailOf(workspace.id),
  plugins: workspace.plugins,
  tags: workspace.tags,
});
