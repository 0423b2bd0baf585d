import { STORABLE, UUID } from '../shared/http/field-patterns.js';
import { compile, flag, integer, list, refused, text } from '../shared/http/schema.js';

/** Characters of a credential's text. Not in scope; chosen: thirty Azure deployments fit, and a load of a workspace stays small. */
const KEY_MAX = 65_536;
/** Scope 2.6. */
const NAME_MAX = 255;
const ENTRIES_MAX = 100;
/** Characters of a slug or a user's id. Not in scope; chosen: the bound of names. */
const ENTRY_MAX = 255;
/** The store's integers. */
const INTEGER_MAX = 2 ** 31 - 1;

const entry = text({ min: 1, max: ENTRY_MAX, ...STORABLE });

/** The credential itself: the only field that is never shown again. */
export const keyText = compile(text({ min: 1, max: KEY_MAX, ...STORABLE }));
/** A name, shown and never read. */
export const nameText = compile(text({ max: NAME_MAX, ...STORABLE }));
/** Which slugs there are is for the catalog to say. */
export const slugText = compile(text({ min: 1, max: ENTRY_MAX, ...STORABLE }));
/** Slugs of models, or ids of users. */
export const entries = compile(list(entry, { max: ENTRIES_MAX }));
/** WIRE 1.18. */
export const keyHashes = compile(
  list(
    text({ pattern: '^[0-9a-f]{64}$', reason: 'must be the hash of an API key: 64 lowercase hexadecimal characters' }),
    {
      min: 1,
      max: ENTRIES_MAX,
    },
  ),
);
/** A switch. */
export const yesOrNo = compile(flag());
/** A place in the order; those with the same are used in the order in which they were made. */
export const sortOrder = compile(integer({ min: -INTEGER_MAX - 1, max: INTEGER_MAX }));
/** Any version of UUID, in either case. */
export const workspaceId = compile(text(UUID));
/** What a credential is sealed to, and so cannot change. */
export const fixed = compile(refused('cannot be changed; create another credential instead'));
