import { Type, type TObject } from '@sinclair/typebox';
import { isClosed } from './closed.decorator.js';
import { rulesOf } from './field-rules.js';
import type { TSchema } from './schema.js';

/** A field of a DTO, as declared by its decorators. */
export interface DtoField {
  readonly name: string;
  readonly schema: TSchema;
  readonly required: boolean;
  /** Whether null is accepted in addition to the schema. */
  readonly mayBeNull: boolean;
}

/**
 * The fields of a DTO, from the same decorators that judge them; empty for a class that is no DTO.
 * @throws Error for a field without exactly one constraint
 */
export function fieldsOf(dtoClass: new () => object): readonly DtoField[] {
  return [...rulesOf(dtoClass)].map(([name, rules]) => {
    const [schema, ...others] = rules.flatMap((rule) => {
      if (rule.kind === 'fits') return [rule.schema.schema];
      return rule.kind === 'readable' ? [rule.schema] : [];
    });
    if (!schema || others.length > 0) throw new Error(`${dtoClass.name}.${name} has to have one constraint.`);
    const has = (wanted: 'may-be-absent' | 'may-be-null'): boolean => rules.some(({ kind }) => kind === wanted);
    return { name, schema, required: !has('may-be-absent'), mayBeNull: has('may-be-null') };
  });
}

/** The schema of a DTO as a body. Undeclared fields are refused by a closed DTO, else accepted, and kept or ignored. */
export function schemaOfDto(dtoClass: new () => object): TObject {
  return Type.Object(
    Object.fromEntries(
      fieldsOf(dtoClass).map(({ name, schema, required, mayBeNull }) => {
        const whole = mayBeNull ? orNull(schema) : schema;
        return [name, required ? whole : Type.Optional(whole)];
      }),
    ),
    isClosed(dtoClass) ? { additionalProperties: false } : {},
  );
}

/** Like `nullable`, but for any schema: a DTO may accept null for a field whose schema refuses everything. */
const orNull = (schema: TSchema): TSchema => Type.Unsafe({ if: { type: 'null' }, else: schema });
