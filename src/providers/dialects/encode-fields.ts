import type { ModelRequest } from '../../core/conversation/request.js';
import type { Json } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import {
  treatmentOf,
  REQUEST_FIELD_NAMES,
  type FieldLocation,
  type RequestField,
  type TranslationTable,
} from '../../core/translation.js';

type Fields = Pick<TranslationTable<Target>, 'fields'>;

/** The member of a request that has the value of a field, where it is not `sampling`. */
const MEMBERS: Readonly<Partial<Record<RequestField, keyof ModelRequest>>> = {
  max_tokens: 'maxOutputTokens',
  stop: 'stopSequences',
  verbosity: 'verbosity',
};

interface SentField extends FieldLocation {
  readonly parameter: RequestField;
  readonly member: keyof ModelRequest;
}

type FieldEncoder = (request: ModelRequest, target: Target) => Record<string, Json>;

/**
 * Encodes the fields of a table that are one value each in one object of the body, in the order of
 * `REQUEST_FIELDS`. Made once for each dialect.
 * @param within the object's name, as in `FieldLocation`
 */
export function fieldEncoder(table: Fields, within = ''): FieldEncoder {
  const sent = fieldsWithin(table, within);
  /** @throws Untranslatable for a value that the format cannot hold */
  return (request, target) => {
    const encoded: Record<string, Json> = {};
    const { sampling } = request;
    let isSampled = false;
    for (const name in sampling) isSampled ||= sampling[name as keyof typeof sampling] !== undefined;
    for (const { parameter, member, name, read, assertFits } of sent) {
      // Most requests have no sampling parameters, and most fields are sampling parameters.
      if (member === 'sampling' ? !isSampled : request[member] === undefined) continue;
      const value = read(request);
      if (value === undefined || !carries(table, parameter, target)) continue;
      assertFits?.(request);
      encoded[name] = value;
    }
    return encoded;
  };
}

/** The names of the fields at the top of the body, whether or not a request sets them. */
export const fieldNames = (table: Fields): readonly string[] => fieldsWithin(table, '').map(({ name }) => name);

function fieldsWithin({ fields }: Fields, within: string): readonly SentField[] {
  return REQUEST_FIELD_NAMES.flatMap((parameter) => {
    const { location } = fields[parameter];
    return location?.within === within ? [{ parameter, member: MEMBERS[parameter] ?? 'sampling', ...location }] : [];
  });
}

/** Whether a field that a request sets reaches such a target, by the table that its dialect uses. */
export function carries({ fields }: Fields, parameter: RequestField, target: Target): boolean {
  const { omit } = target.definition.quirks;
  if (omit?.includes(parameter)) return false;
  const { rule } = fields[parameter];
  return (rule.type === 'depends' ? treatmentOf(rule, target) : rule).type === 'mapped';
}
