import { Type, type TObject } from '@sinclair/typebox';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { isClosed } from './closed.decorator.js';
import { IS_NOT_NULL, IS_GIVEN } from './may-omit.decorator.js';
import { flag, integer, number, text, type Described, type TSchema } from './schema.js';

/** A field of a DTO, as its decorators have it. */
export interface DtoField {
  readonly name: string;
  readonly schema: TSchema;
  readonly required: boolean;
  /** Null is taken besides what the schema says. */
  readonly mayBeNull: boolean;
}

/** class-validator's own constraints that are in use. */
const OWN: Readonly<Record<string, () => TSchema>> = {
  isString: text,
  isInt: integer,
  isNumber: number,
  isBoolean: flag,
};

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/**
 * The fields of a DTO by the very decorators that judge them; none for a class that is no DTO.
 * @throws Error for a constraint that says nothing of the values it takes
 */
export function fieldsOf(dtoClass: new () => object): readonly DtoField[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dtoClass, '', false, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  return names.map((name) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const has = (condition: unknown): boolean =>
      own.some(
        ({ type, constraints }) => type === ValidationTypes.CONDITIONAL_VALIDATION && constraints[0] === condition,
      );
    const [schema, ...others] = own.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION).map(schemaOf);
    if (!schema || others.length > 0) throw new Error(`${dtoClass.name}.${name} has to have one constraint.`);
    return { name, schema, required: !has(IS_GIVEN), mayBeNull: has(IS_NOT_NULL) };
  });
}

function schemaOf({ name, constraints, propertyName }: Rule): TSchema {
  const own = OWN[name ?? ''];
  if (own) return own();
  const described = (constraints as readonly (Partial<Described> | undefined)[] | undefined)?.[0]?.schema;
  if (!described) throw new Error(`The constraint ${name} of ${propertyName} has no schema: use @Fits or @ReadableBy.`);
  return described;
}

/**
 * A DTO as the schema of a body. Fields it does not declare are refused by a closed one, else taken, and kept or
 * ignored.
 */
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

/** As `nullable` prints it, but of any schema: what a DTO refuses by a schema it may still take null for. */
const orNull = (schema: TSchema): TSchema => Type.Unsafe({ if: { type: 'null' }, else: schema });
