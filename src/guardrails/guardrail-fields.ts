import { STORABLE } from '../shared/http/field-patterns.js';
import { keyHashes as hashesOfKeys, names } from '../shared/http/shared-fields.js';
import { closed, compile, list, nullable, oneOf, optional, refused, text } from '../shared/http/schema.js';
import { BUILTIN_SLUGS } from './builtin-filters.js';
import { FILTER_ACTIONS } from './inspector.js';

// docs/operate/guardrails.md#fields.
const NAME_MAX = 200;
const DESCRIPTION_MAX = 1_000;
const LABEL_MAX = 100;
const PATTERN_MAX = 100_000;
// Limits of one guardrail, and of a text to test. Chosen.
const ENTRIES_MAX = 500;
const FILTERS_MAX = 50;
const BUILTINS_MAX = 16;
const SUBJECTS_MAX = 500;
const TRIED_MAX = 100_000;

export const name = compile(text({ min: 1, max: NAME_MAX, ...STORABLE }));
export const description = compile(text({ max: DESCRIPTION_MAX, ...STORABLE }));
/** Slugs of providers, or ids of models with `*`. */
export const entries = names({ min: 1, max: ENTRIES_MAX });
/** A text to try filters on. */
export const triedText = compile(text({ min: 1, max: TRIED_MAX }));
/** A field that cannot change after the guardrail is made: its workspace. */
export const fixed = compile(refused('cannot be changed; create another guardrail instead'));
/** A restriction that could not be enforced is refused. */
export const noRegions = compile(refused('is not supported: this gateway has one region; send null, or leave it out'));

const action = oneOf(FILTER_ACTIONS);

export const contentFilters = compile(
  list(
    closed({
      pattern: text({ min: 1, max: PATTERN_MAX, ...STORABLE }),
      action,
      label: optional(nullable(text({ min: 1, max: LABEL_MAX, ...STORABLE }))),
    }),
    { min: 1, max: FILTERS_MAX },
  ),
);

/** `label` is accepted and not stored: the system sets it. */
export const contentFilterBuiltins = compile(
  list(
    closed({
      slug: oneOf(BUILTIN_SLUGS),
      action,
      scan_scope: optional(oneOf(['user_only', 'all_messages'])),
      label: optional(nullable(text({ max: LABEL_MAX }))),
    }),
    { min: 1, max: BUILTINS_MAX },
  ),
);

export const keyHashes = hashesOfKeys(SUBJECTS_MAX);
export const userIds = names({ min: 1, max: SUBJECTS_MAX });
