import { STORABLE, UUID } from '../shared/http/field-patterns.js';
import { compile, flag, list, nullable, object, oneOf, optional, refused, text } from '../shared/http/schema.js';
import { BUILTIN_SLUGS } from './builtin-filters.js';
import { FILTER_ACTIONS } from './inspector.js';

// WIRE 2.9.
const NAME_MAX = 200;
const DESCRIPTION_MAX = 1_000;
const LABEL_MAX = 100;
const PATTERN_MAX = 100_000;
// Not in scope; chosen.
const ENTRIES_MAX = 500;
const ENTRY_MAX = 255;
const FILTERS_MAX = 50;
const BUILTINS_MAX = 16;
const SUBJECTS_MAX = 500;

export const name = compile(text({ min: 1, max: NAME_MAX, ...STORABLE }));
export const description = compile(text({ max: DESCRIPTION_MAX, ...STORABLE }));
/** Slugs of providers, or ids of models with `*`. */
export const entries = compile(list(text({ min: 1, max: ENTRY_MAX, ...STORABLE }), { min: 1, max: ENTRIES_MAX }));
export const resetInterval = compile(oneOf(['daily', 'weekly', 'monthly']));
/** A switch. */
export const yesOrNo = compile(flag());
/** Any version of UUID, in either case. */
export const workspaceId = compile(text(UUID));
/** Where it is kept is settled when it is made. */
export const fixed = compile(refused('cannot be changed; create another guardrail instead'));
/** A restriction that could not be kept is not taken. */
export const noRegions = compile(refused('is not supported: this gateway has one region; send null, or leave it out'));

const action = oneOf(FILTER_ACTIONS);

export const contentFilters = compile(
  list(
    object({
      pattern: text({ min: 1, max: PATTERN_MAX, ...STORABLE }),
      action,
      label: optional(nullable(text({ min: 1, max: LABEL_MAX, ...STORABLE }))),
    }),
    { min: 1, max: FILTERS_MAX },
  ),
);

/** `label` is taken and not kept: the system sets it. */
export const contentFilterBuiltins = compile(
  list(object({ slug: oneOf(BUILTIN_SLUGS), action, scan_scope: optional(oneOf(['user_only', 'all_messages'])) }), {
    min: 1,
    max: BUILTINS_MAX,
  }),
);

const HASH = {
  pattern: '^[0-9a-f]{64}$',
  reason: 'must be the hash of an API key: 64 lowercase hexadecimal characters',
};

export const keyHashes = compile(list(text(HASH), { min: 1, max: SUBJECTS_MAX }));
export const userIds = compile(list(text({ min: 1, max: ENTRY_MAX, ...STORABLE }), { min: 1, max: SUBJECTS_MAX }));
