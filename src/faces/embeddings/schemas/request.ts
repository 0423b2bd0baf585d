import { VECTOR_ENCODINGS } from '../../../core/conversation/task.js';
import { contentList, modelText, word, wholeNumber } from '../../../shared/http/maxima.js';
import {
  either,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  variant,
  type Static,
} from '../../../shared/http/schema.js';

/** Token ids of one input. Chosen: more than the longest context of a model with vectors. */
const TOKENS_MAX = 200_000;
/** Largest id: vocabularies have some hundred thousand entries. */
const TOKEN_MAX = 2 ** 31 - 1;
/** Longest vector that may be requested. Chosen: twenty times that of known models. */
const DIMENSIONS_MAX = 65_536;
/** Characters of a word for the use of vectors. */
const INPUT_TYPE_MAX = 64;

const words = () => text({ min: 1 });
const token = integer({ min: 0, max: TOKEN_MAX });
const tokens = list(token, { min: 1, max: TOKENS_MAX });
const data = () => object({ data: modelText(), format: optional(word()) });

const part = variant('type', {
  text: { text: words() },
  image_url: { image_url: object({ url: modelText() }) },
  input_audio: { input_audio: data() },
  input_video: { input_video: data() },
  input_file: { input_file: data() },
});

const mixed = object({ content: contentList(part, { min: 1 }) });
const entry = either(either(words(), token), either(tokens, mixed));

/** Inputs of vectors; the entries of a list are of one kind (`readInputs`). */
export const input = either(words(), list(entry, { min: 1, max: TOKENS_MAX }));
export type WireInput = Static<typeof input>;
export type WirePart = Static<typeof part>;

export const dimensions = wholeNumber({ min: 1, max: DIMENSIONS_MAX });
export const encodingFormat = oneOf(VECTOR_ENCODINGS);
/** Vendors' words: `search_query`, `classification`. */
export const inputType = text({
  min: 1,
  max: INPUT_TYPE_MAX,
  pattern: '^[A-Za-z0-9_.-]*$',
  reason: 'must be a word of letters, digits, "_", "." and "-"',
});
