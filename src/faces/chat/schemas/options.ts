import {
  anything,
  either,
  flag,
  integer,
  map,
  nullable,
  number,
  object,
  oneOf,
  optional,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { modelText, optionList, stopText, stopTexts, word } from '../../../shared/http/maxima.js';
import { jsonSchemaFields } from '../../common/schemas/options.js';

/* Fields that only chat requests have (docs/use/chat.md#request-fields). */

export const seed = integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

const STOPS_MAX = 4;
export const stop = either(stopText(), stopTexts(STOPS_MAX));

/** Maximum entries, a tenth of a small vocabulary; and characters of a token's number. */
const BIASES_MAX = 10_000;
const TOKEN_MAX = 32;
const BIAS_MAX = 100;
export const logitBias = map(number({ min: -BIAS_MAX, max: BIAS_MAX }), { max: BIASES_MAX, keyMax: TOKEN_MAX });

/** Only one answer is supported. */
export const choices = integer({ min: 1, max: 1 });

export const responseFormat = variant('type', {
  text: {},
  json_object: {},
  json_schema: {
    json_schema: object(jsonSchemaFields),
  },
  grammar: { grammar: modelText() },
  python: {},
});

export const streamOptions = object({ include_usage: optional(nullable(flag())) });

/** An option of the Messages format, for callers of its models here. */
export const speed = oneOf(['standard', 'fast']);
export const transforms = optionList(word());
export const usage = object({ include: optional(anything()) });

export type WireResponseFormat = Static<typeof responseFormat>;
