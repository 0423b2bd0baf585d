import { RESET_INTERVALS } from '../../core/time.js';
import { KEY_HASH, SLUG, STORABLE, UUID } from './field-patterns.js';
import { compile, flag, list, oneOf, text, described } from './schema.js';

/* Fields shared by bodies and queries of several modules, each defined once. */

/** Characters of a name, a slug or a user's id. Chosen: the bound of names. */
const NAME_MAX = 255;
/** Characters of a workspace's slug. */
const WORKSPACE_SLUG_MAX = 50;

/** A name, an id of a user, a slug, an id of a model: text that is stored and compared unchanged. */
export const nameText = text({ min: 1, max: NAME_MAX, ...STORABLE });
export const shortText = compile(nameText);

/** A boolean. */
export const yesOrNo = compile(flag());

/** The interval of a limit; null means "never". */
export const resetInterval = compile(oneOf(RESET_INTERVALS));

/** The id of a stored object; any version of UUID, in either case. */
export const uuid = compile(text(UUID));

/** A workspace's slug. */
export const workspaceSlug = compile(text({ min: 1, max: WORKSPACE_SLUG_MAX, ...SLUG }));

/** A reference to a workspace. `accounts/workspace-directory.ts` checks that it exists. */
export const workspaceReference = compile(
  described(
    'Id of a workspace, or its slug.',
    text({
      min: 1,
      max: WORKSPACE_SLUG_MAX,
      pattern: `${UUID.pattern}|${SLUG.pattern}`,
      reason: 'must be the id of a workspace or its slug: lowercase letters and digits with single hyphens',
    }),
  ),
);

/** The hash of a key. */
export const keyHash = compile(text(KEY_HASH));

/** Hashes of keys. */
export const keyHashes = (max: number) => compile(list(text(KEY_HASH), { min: 1, max }));

/** Names, ids of users or slugs. */
export const names = (limits: { min?: number; max: number }) => compile(list(nameText, limits));
