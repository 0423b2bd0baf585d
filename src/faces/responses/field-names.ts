import type { FieldNames } from '../../core/conversation/field-names.js';

/** The names of fields on this face. */
export const FIELD_NAMES: FieldNames = {
  max_tokens: 'max_output_tokens',
  messages: 'input',
  system: 'instructions',
  thinking: 'reasoning',
};
