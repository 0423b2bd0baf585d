import { STORABLE } from '../shared/http/field-patterns.js';
import { keyHashes as hashesOfKeys, names } from '../shared/http/fields.js';
import { compile, integer, refused, text, writeOnly } from '../shared/http/schema.js';

/** Characters of a credential's text. Chosen: thirty Azure deployments fit, and a load of a workspace stays small. */
const KEY_MAX = 65_536;
/** docs/byok.md#fields. */
const NAME_MAX = 255;
const ENTRIES_MAX = 100;
/** The store's integers. */
const INTEGER_MAX = 2 ** 31 - 1;

/** The credential itself: the only field that is never shown again. */
export const keyText = compile(writeOnly(text({ min: 1, max: KEY_MAX, ...STORABLE })));
/** A name, shown and never read. */
export const credentialName = compile(text({ max: NAME_MAX, ...STORABLE }));
/** Slugs of models, or ids of users. */
export const entries = names({ max: ENTRIES_MAX });
/** docs/byok.md#fields. */
export const keyHashes = hashesOfKeys(ENTRIES_MAX);
/** A place in the order; those with the same are used in the order in which they were made. */
export const sortOrder = compile(integer({ min: -INTEGER_MAX - 1, max: INTEGER_MAX }));
/** What a credential is sealed to, and so cannot change. */
export const fixed = compile(refused('cannot be changed; create another credential instead'));
