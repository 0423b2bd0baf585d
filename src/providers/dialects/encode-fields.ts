import type { ModelRequest } from '../../core/conversation/request.js';
import type { Json } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { fateOf, type FieldPlace, type RequestField, type TranslationTable } from '../../core/translation.js';

type Fields = Pick<TranslationTable<Target>, 'fields'>;

/** Which member of a request has the value of a field, where that is not `sampling`. */
const MEMBERS: Readonly<Partial<Record<RequestField, keyof ModelRequest>>> = {
  max_tokens: 'maxOutputTokens',
  stop: 'stopSequences',
  verbosity: 'verbosity',
};

interface SentField extends FieldPlace {
  readonly parameter: RequestField;
  readonly member: keyof ModelRequest;
}

type FieldEncoder = (request: ModelRequest, target: Target) => Record<string, Json>;

/**
 * Encodes the fields of a table that stand in one object of the body and are one value each, in the table's order. Made
 * once for a dialect.
 * @param within as `FieldPlace` has it
 */
export function fieldEncoder(table: Fields, within = ''): FieldEncoder {
  const sent = fieldsWithin(table, within);
  /** @throws Untranslatable for a value that the format does not hold */
  return (request, target) => {
    const encoded: Record<string, Json> = {};
    const { sampling } = request;
    let isSampled = false;
    for (const name in sampling) isSampled ||= sampling[name as keyof typeof sampling] !== undefined;
    for (const { parameter, member, name, read, assertFits } of sent) {
      // Most requests say nothing of sampling, and most fields are of it.
      if (member === 'sampling' ? !isSampled : request[member] === undefined) continue;
      const value = read(request);
      if (value === undefined || !carries(table, parameter, target)) continue;
      assertFits?.(request);
      encoded[name] = value;
    }
    return encoded;
  };
}

/** The names of the fields that stand in the body itself, whether or not a request says them. */
export const fieldNames = (table: Fields): readonly string[] => fieldsWithin(table, '').map(({ name }) => name);

function fieldsWithin({ fields }: Fields, within: string): readonly SentField[] {
  return (Object.keys(fields) as RequestField[]).flatMap((parameter) => {
    const { place } = fields[parameter];
    return place?.within === within ? [{ parameter, member: MEMBERS[parameter] ?? 'sampling', ...place }] : [];
  });
}

/** Whether a field that a request sets reaches such a target: by the table that its dialect encodes by. */
export function carries({ fields }: Fields, parameter: RequestField, target: Target): boolean {
  const { omit } = target.definition.quirks;
  if (omit?.includes(parameter)) return false;
  const { rule } = fields[parameter];
  return (rule.type === 'depends' ? fateOf(rule, target) : rule).type === 'mapped';
}
