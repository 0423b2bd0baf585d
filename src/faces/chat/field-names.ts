import type { FieldNames } from '../../core/conversation/field-names.js';

/** The names of fields on this face, for a request that uses the older name of its limit. */
export const OLDER_FIELD_NAMES: FieldNames = {
  system: 'messages',
  stop_sequences: 'stop',
  thinking: 'reasoning',
};

/** The names of fields on this face. */
export const FIELD_NAMES: FieldNames = { ...OLDER_FIELD_NAMES, max_tokens: 'max_completion_tokens' };
