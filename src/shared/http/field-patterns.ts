/** Any version of UUID, in either case. */
export const UUID = {
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  reason: 'must be a UUID',
} as const;

/** Texts that PostgreSQL can store. */
export const STORABLE = {
  pattern: '^[^\\u0000\\p{Cs}]*$',
  reason: 'must not hold NUL characters or lone surrogates',
} as const;

const UUID_TEXT = new RegExp(UUID.pattern);

/** Whether a path's id can be one at all: anything else is the id of nothing. */
export const isUuid = (text: string): boolean => UUID_TEXT.test(text);
