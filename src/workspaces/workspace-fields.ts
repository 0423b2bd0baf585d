import { SORTS } from '../core/routing/preferences.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { shortText, yesOrNo } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, integer, list, number, oneOf, text, type Of } from '../shared/http/schema.js';
import { noList } from '../shared/http/unsupported-fields.js';
import { PolicyDto } from './policy-fields.js';

export const name = compile(text({ min: 1, max: 100, ...STORABLE }));

const description = compile(text({ max: 500, ...STORABLE }));
const sort = compile(oneOf(SORTS));
const samplingRate = compile(number({ min: 0.0001, max: 1 }));
// Numbers as clients have them, although keys here are named by their hashes. Chosen: the bounds.
const apiKeyIds = compile(list(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { max: 1_000 }));

/** What creating and changing a workspace have in common (docs/workspaces.md#fields). */
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

  /** Of all its budgets: a change of it is a change of each. */
  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_budgets?: boolean;

  @MayOmit()
  @Fits(noList)
  disabled_server_tools?: unknown;
}
