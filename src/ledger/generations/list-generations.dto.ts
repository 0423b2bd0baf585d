import type { PicoUsd } from '../../core/money/credits.js';
import { TAGS_MAX } from '../../core/tags.js';
import { STORABLE } from '../../shared/http/field-patterns.js';
import { keyHash, shortText } from '../../shared/http/shared-fields.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { MayOmit } from '../../shared/http/may-omit.decorator.js';
import { QueryNumber, QueryRepeated, QueryUsd } from '../../shared/http/query-validators.js';
import { compile, oneOf, text } from '../../shared/http/schema.js';
import { namedTag } from '../../shared/http/tag-validators.js';
import { API_TYPES } from './generation-columns.js';
import { ERROR_TYPES, OUTCOMES, type Outcome } from './generation-outcomes.js';
import { ListQueryDto } from '../list-query.dto.js';

/** Characters of ids that callers make: of a request's session and end user. */
const CALLERS_ID_MAX = 16_384;

const callersId = compile(text({ min: 1, max: CALLERS_ID_MAX, ...STORABLE }));
const model = compile(text({ min: 1, max: 256, ...STORABLE }));
const status = compile(
  text({ pattern: '^[1-5][0-9]{2}$', reason: 'must be an HTTP status: an integer from 100 to 599' }),
);
const outcome = compile(oneOf(OUTCOMES));
const errorType = compile(oneOf(ERROR_TYPES));
const minCost = compile(
  text({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,12})?$', reason: 'must be an amount of USD, 0 or more, such as 0.25' }),
);
const api = compile(oneOf(API_TYPES));

/** Values by which generations are filtered, in lists and in figures. */
export const FILTERS = { callersId, model, status, outcome, errorType, api } as const;

/** Query of `GET /generations` (docs/use/charges.md#get-generations). */
export class ListGenerationsDto extends ListQueryDto {
  @MayOmit()
  @Fits(model)
  model?: string;

  /** A slug. Providers that the catalog no longer has are found too. */
  @MayOmit()
  @Fits(shortText)
  provider?: string;

  /** The hash of a key. */
  @MayOmit()
  @Fits(keyHash)
  key?: string;

  /** The end user. */
  @MayOmit()
  @Fits(callersId)
  user?: string;

  /** The user that the key was made for. */
  @MayOmit()
  @Fits(shortText)
  member?: string;

  @MayOmit()
  @Fits(callersId)
  session_id?: string;

  @QueryNumber(status)
  status?: number;

  @MayOmit()
  @Fits(outcome)
  outcome?: Outcome;

  @MayOmit()
  @Fits(errorType)
  error_type?: string;

  @QueryUsd(minCost)
  min_cost?: PicoUsd;

  @MayOmit()
  @Fits(api)
  api?: (typeof API_TYPES)[number];

  /** `name=value`; all of them hold. */
  @QueryRepeated(namedTag, TAGS_MAX)
  tag?: readonly string[];
}
