import { SORTS } from '../core/routing/preferences.js';
import type { Tags } from '../core/tags.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { shortText, yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, integer, list, number, oneOf, text, type Of } from '../shared/http/schema.js';
import { IS_TAGS, tagNames } from '../shared/http/tag-validators.js';
import { noList } from './unsupported-fields.js';
import { PolicyDto } from './policy-fields.js';

export const name = compile(text({ min: 1, max: 100, ...STORABLE }));

const description = compile(text({ max: 500, ...STORABLE }));
const sort = compile(oneOf(SORTS));
const samplingRate = compile(number({ min: 0.0001, max: 1 }));
// Numbers as clients send them, although keys here have hashes as ids. Chosen: the bounds.
const apiKeyIds = compile(list(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { max: 1_000 }));

/** The common fields of creating and changing a workspace (docs/operate/workspaces.md#fields). */
export abstract class WorkspaceSettingsDto extends PolicyDto {
  @MayOmit()
  @MayBeNull()
  @Fits(description)
  description?: string | null;

  @MayOmit()
  @MayBeNull()
  @Fits(shortText)
  default_text_model?: string | null;

  @MayOmit()
  @MayBeNull()
  @Fits(shortText)
  default_image_model?: string | null;

  @MayOmit()
  @MayBeNull()
  @Fits(sort)
  default_provider_sort?: Of<typeof sort> | null;

  @MayOmit()
  @Fits(yesOrNo)
  is_data_discount_logging_enabled?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  is_observability_broadcast_enabled?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  is_observability_io_logging_enabled?: boolean;

  @MayOmit()
  @Fits(samplingRate)
  io_logging_sampling_rate?: number;

  @MayOmit()
  @MayBeNull()
  @Fits(apiKeyIds)
  io_logging_api_key_ids?: number[] | null;

  /** For all its budgets: a change of it changes each. */
  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_budgets?: boolean;

  @MayOmit()
  @MayBeNull()
  @Fits(IS_TAGS)
  tags?: Tags | null;

  @MayOmit()
  @MayBeNull()
  @Fits(tagNames)
  required_tags?: string[] | null;

  @MayOmit()
  @Fits(noList)
  disabled_server_tools?: unknown;
}
