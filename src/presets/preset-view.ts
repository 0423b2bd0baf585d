import { parseJson, type JsonObject } from '../core/json/json.js';
import {
  described,
  freeForm,
  integer,
  moment,
  nullable,
  object,
  oneOf,
  text,
  titled,
  type Static,
} from '../shared/http/schema.js';
import {
  PRESET_APIS,
  PRESET_STATUSES,
  type DesignatedPreset,
  type PresetEntity,
  type PresetVersionEntity,
} from './preset.entity.js';

const PRESET = {
  id: text(),
  slug: text(),
  name: text(),
  description: nullable(text()),
  status: oneOf(PRESET_STATUSES),
  status_updated_at: nullable(moment()),
  designated_version_id: described('Id of the version that requests use.', text()),
  creator_user_id: nullable(text()),
  workspace_id: text(),
  created_at: moment(),
  updated_at: moment(),
};

/** A preset (docs/use/presets.md). */
export const presetView = titled('preset', object(PRESET));
export type PresetView = Static<typeof presetView>;

/** One saved state of a preset. */
export const versionView = titled(
  'preset-version',
  object({
    id: text(),
    preset_id: text(),
    version: described('From 1.', integer()),
    api: described('The API format that it was saved in.', oneOf(PRESET_APIS)),
    creator_id: described('User of the key that saved it, else the account; empty: not recorded.', text()),
    config: described('The settings, as they were sent.', freeForm()),
    system_prompt: nullable(text()),
    created_at: moment(),
    updated_at: moment(),
  }),
);
export type VersionView = Static<typeof versionView>;

/** A preset with the version that requests use. */
export const designatedPresetView = titled('designated-preset', object({ ...PRESET, designated_version: versionView }));
export type DesignatedPresetView = Static<typeof designatedPresetView>;

export const viewPreset = (preset: PresetEntity): PresetView => ({
  id: preset.id,
  slug: preset.slug,
  name: preset.name,
  description: preset.description,
  status: preset.status,
  status_updated_at: preset.statusUpdatedAt?.toISOString() ?? null,
  designated_version_id: preset.designatedVersionId,
  creator_user_id: preset.creatorUserId,
  workspace_id: preset.workspaceId,
  created_at: preset.createdAt.toISOString(),
  updated_at: preset.updatedAt.toISOString(),
});

export const viewVersion = (version: PresetVersionEntity): VersionView => ({
  id: version.id,
  preset_id: version.presetId,
  version: version.version,
  api: version.api,
  creator_id: version.creatorId ?? '',
  config: parseJson(version.config) as JsonObject,
  system_prompt: version.systemPrompt,
  created_at: version.createdAt.toISOString(),
  // A version never changes.
  updated_at: version.createdAt.toISOString(),
});

export const viewDesignated = ({ preset, version }: DesignatedPreset): DesignatedPresetView => ({
  ...viewPreset(preset),
  designated_version: viewVersion(version),
});
