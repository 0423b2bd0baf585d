/** Any version of UUID, in either case. */
export const UUID = {
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  reason: 'must be a UUID',
} as const;

/** The hash of an API key, which is its id. */
export const KEY_HASH = {
  pattern: '^[0-9a-f]{64}$',
  reason: 'must be the hash of an API key: 64 lowercase hexadecimal characters',
} as const;

/** Lower-case words with hyphens, as workspaces are named in addresses. */
export const SLUG = {
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  reason: 'must be lowercase letters and digits with single hyphens',
} as const;

/** Texts that PostgreSQL can store. */
export const STORABLE = {
  pattern: '^[^\\u0000\\p{Cs}]*$',
  reason: 'must not contain NUL characters or lone surrogates',
} as const;

const UUID_TEXT = new RegExp(UUID.pattern);
const KEY_HASH_TEXT = new RegExp(KEY_HASH.pattern);

/** Whether a path parameter can be an id: anything else cannot exist. */
export const isUuid = (text: string): boolean => UUID_TEXT.test(text);

/**
 * Whether a text can be the hash of a key. The column pads with blanks, so only a text of exactly this form may be
 * compared.
 */
export const isKeyHash = (text: string): boolean => KEY_HASH_TEXT.test(text);
