import { STORABLE } from '../shared/http/field-patterns.js';
import { keyHashes as hashesOfKeys, names } from '../shared/http/shared-fields.js';
import { compile, integer, refused, text, writeOnly } from '../shared/http/schema.js';

/** Characters of a credential's text. Chosen: thirty Azure deployments fit, and loading a workspace stays cheap. */
const KEY_MAX = 65_536;
/** docs/operate/byok.md#fields. */
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
/** docs/operate/byok.md#fields. */
export const keyHashes = hashesOfKeys(ENTRIES_MAX);
/** A position in the order; credentials with the same one are used in the order of their creation. */
export const sortOrder = compile(integer({ min: -INTEGER_MAX - 1, max: INTEGER_MAX }));
/** A field that the credential is sealed to, and that therefore cannot change. */
export const fixed = compile(refused('cannot be changed; create another credential instead'));
