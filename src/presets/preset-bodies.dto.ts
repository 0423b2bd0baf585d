import { Closed } from '../shared/http/closed.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { shortText, workspaceReference } from '../shared/http/shared-fields.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';
import { compile, integer, oneOf, text } from '../shared/http/schema.js';
import { PRESET_STATUSES, type PresetStatus } from './preset.entity.js';
import type { PresetChanges } from './presets.service.js';

const DESCRIPTION_CHARACTERS_MAX = 1_000;
const description = compile(text({ max: DESCRIPTION_CHARACTERS_MAX, ...STORABLE }));
const status = compile(oneOf(PRESET_STATUSES));
const versionNumber = compile(integer({ min: 1, max: 999_999_999 }));

/** Query of the routes of one preset. */
export class PresetQueryDto {
  /** That of the key where it is absent. */
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** Query of `GET /presets`. */
export class ListPresetsDto extends ExportedPageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** Query of the versions of a preset. */
export class ListVersionsDto extends PageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** Body of `PATCH /presets/{slug}`: absent fields stay as they are. */
@Closed()
export class UpdatePresetDto {
  @MayOmit()
  @Fits(shortText)
  name?: string;

  @MayOmit()
  @MayBeNull()
  @Fits(description)
  description?: string | null;

  @MayOmit()
  @Fits(status)
  status?: PresetStatus;

  /** Number of the version that requests use. */
  @MayOmit()
  @Fits(versionNumber)
  designated_version?: number;
}

export const readChanges = (body: UpdatePresetDto): PresetChanges => ({
  ...(body.name !== undefined && { name: body.name }),
  ...(body.description !== undefined && { description: body.description }),
  ...(body.status !== undefined && { status: body.status }),
  ...(body.designated_version !== undefined && { designatedVersion: body.designated_version }),
});
