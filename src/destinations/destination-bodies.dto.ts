import type { JsonObject } from '../core/json/json.js';
import { Closed } from '../shared/http/closed.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { keyHashes, shortText, workspaceReference, yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, freeForm, integer, list, number, oneOf, refused } from '../shared/http/schema.js';
import { DESTINATION_TYPES, type DestinationTerms, type DestinationType } from './destination.entity.js';
import { filterRules, type FilterRules } from './filter-rules.js';

const KEYS_MAX = 500;
/** Seconds: a week. */
const GRACE_MAX_SECONDS = 604_800;

const destinationType = compile(oneOf(DESTINATION_TYPES));
/** Each type judges its own (`destination-config.ts`). */
const config = compile(freeForm());
const samplingRate = compile(number({ min: 0.0001, max: 1 }));
const hashes = keyHashes(KEYS_MAX);
/** There is one region. */
const regions = compile(list(oneOf(['global']), { min: 1, max: 1 }));
const fixed = compile(refused('cannot be changed; create another destination instead'));
const graceSeconds = compile(integer({ min: 0, max: GRACE_MAX_SECONDS }));

/** The common fields of bodies (docs/operate/alarms.md#destinations): absent ones stay as they are, null clears. */
@Closed()
abstract class DestinationTermsDto {
  @MayOmit()
  @Fits(yesOrNo)
  enabled?: boolean;

  /** Whether it gets the generations of its workspace. */
  @MayOmit()
  @Fits(yesOrNo)
  broadcast?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  privacy_mode?: boolean;

  @MayOmit()
  @Fits(samplingRate)
  sampling_rate?: number;

  @MayOmit()
  @MayBeNull()
  @Fits(hashes)
  api_key_hashes?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(filterRules)
  filter_rules?: FilterRules | null;

  @MayOmit()
  @Fits(yesOrNo)
  broadcast_generation_cost?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  broadcast_generation_identity?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  broadcast_generation_request_context?: boolean;

  @MayOmit()
  @Fits(regions)
  regions?: 'global'[];
}

/** Body of `POST /observability/destinations`. */
export class CreateDestinationDto extends DestinationTermsDto {
  @Fits(shortText)
  name!: string;

  @Fits(destinationType)
  type!: DestinationType;

  @Fits(config)
  config!: JsonObject;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** Body of `PATCH /observability/destinations/{id}`. */
export class UpdateDestinationDto extends DestinationTermsDto {
  @MayOmit()
  @Fits(shortText)
  name?: string;

  @MayOmit()
  @Fits(config)
  config?: JsonObject;

  @MayOmit()
  @Fits(fixed)
  type?: never;

  @MayOmit()
  @Fits(fixed)
  workspace_id?: never;
}

/** Body of `POST /observability/destinations/{id}/rotate`. */
@Closed()
export class RotateSecretDto {
  @Fits(graceSeconds)
  grace_seconds!: number;
}

/** Query of `GET /observability/destinations`. */
export class ListDestinationsDto extends ExportedPageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  @MayOmit()
  @Fits(destinationType)
  type?: DestinationType;
}

/** The terms that a valid body sets. */
export function readTerms(body: CreateDestinationDto | UpdateDestinationDto): Partial<DestinationTerms> {
  const terms: { [Key in keyof DestinationTerms]: DestinationTerms[Key] | undefined } = {
    name: body.name,
    enabled: body.enabled,
    broadcast: body.broadcast,
    privacyMode: body.privacy_mode,
    samplingRate: body.sampling_rate,
    apiKeyHashes: body.api_key_hashes,
    filterRules: body.filter_rules,
    broadcastGenerationCost: body.broadcast_generation_cost,
    broadcastGenerationIdentity: body.broadcast_generation_identity,
    broadcastGenerationRequestContext: body.broadcast_generation_request_context,
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
