import { TAG_VALUE_MAX, TAGS_MAX } from '../../core/tags.js';
import { STORABLE } from './field-patterns.js';
import { compile, list, map, text } from './schema.js';

const NAME = '[a-z0-9_.-]{1,64}';
const NAME_REASON = 'must be 1 to 64 characters of a-z, 0-9, "_", "." and "-"';

const tagName = { pattern: `^${NAME}$`, reason: NAME_REASON } as const;
const tagValue = text({ min: 1, max: TAG_VALUE_MAX, ...STORABLE });

/** Tags by name. */
export const tagPairs = map(tagValue, { max: TAGS_MAX, keys: tagName });
export const IS_TAGS = compile(tagPairs);

/** A name of a tag. */
export const IS_TAG_NAME = compile(text(tagName));

/** Names of tags. */
export const tagNames = compile(list(text(tagName), { max: TAGS_MAX }));

/** A tag with its value, in a query. */
export const namedTag = text({
  pattern: `^${NAME}=[^\\u0000\\p{Cs}]{1,${TAG_VALUE_MAX}}$`,
  reason: 'must be the name of a tag and its value, such as team=search',
});
