import { EFFORTS } from '../../../core/conversation/effort.js';
import { VERBOSITIES } from '../../../core/conversation/request.js';
import {
  anything,
  either,
  flag,
  freeForm,
  integer,
  map,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { modelText, optionList, stopText, stopTexts, wholeNumber, word } from '../../../shared/http/bounds.js';

/* Fields that only chat requests have (docs/use/chat.md#request-fields). */

export const temperature = number({ min: 0, max: 2 });
export const topP = number({ min: 0, max: 1 });
export const seed = integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
export const penalty = number({ min: -2, max: 2 });

const STOPS_MAX = 4;
export const stop = either(stopText(), stopTexts(STOPS_MAX));

/** Maximum entries, a tenth of a small vocabulary; and characters of a token's number. */
const BIASES_MAX = 10_000;
const TOKEN_MAX = 32;
const BIAS_MAX = 100;
export const logitBias = map(number({ min: -BIAS_MAX, max: BIAS_MAX }), { max: BIASES_MAX, keyMax: TOKEN_MAX });
export const topLogprobs = integer({ min: 0, max: 20 });

/** Only one answer is supported. */
export const choices = integer({ min: 1, max: 1 });

const METADATA_PAIRS_MAX = 16;
const METADATA_KEY_MAX = 64;
const METADATA_VALUE_MAX = 512;
export const metadata = map(text({ max: METADATA_VALUE_MAX }), { max: METADATA_PAIRS_MAX, keyMax: METADATA_KEY_MAX });

const FORMAT_NAME_MAX = 64;

export const responseFormat = variant('type', {
  text: {},
  json_object: {},
  json_schema: {
    json_schema: object({
      name: text({ max: FORMAT_NAME_MAX }),
      description: optional(nullable(modelText())),
      schema: optional(nullable(freeForm())),
      strict: optional(nullable(flag())),
    }),
  },
  grammar: { grammar: modelText() },
  python: {},
});

export const effort = oneOf(EFFORTS);
export const verbosity = oneOf(VERBOSITIES);

export const reasoning = object({
  effort: optional(nullable(effort)),
  summary: optional(nullable(oneOf(['auto', 'concise', 'detailed']))),
  enabled: optional(nullable(flag())),
  max_tokens: optional(nullable(wholeNumber({ min: 1 }))),
  exclude: optional(nullable(flag())),
});

export const streamOptions = object({ include_usage: optional(nullable(flag())) });
export const serviceTier = oneOf(['auto', 'default', 'flex', 'priority', 'scale', 'fast']);

/** An option of the Messages format, for callers of its models here. */
export const speed = oneOf(['standard', 'fast']);
export const transforms = optionList(word());
export const modalities = optionList(oneOf(['text', 'image', 'audio']));
export const debug = object({ echo_upstream_body: optional(nullable(flag())) });
export const usage = object({ include: optional(anything()) });
export const anyObject = freeForm();

export type WireResponseFormat = Static<typeof responseFormat>;
