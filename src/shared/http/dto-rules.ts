import {
  getMetadataStorage,
  ValidationTypes,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { JsonObject } from '../../core/json/json.js';
import { isClosed } from './closed.decorator.js';
import { FITS } from './fits.decorator.js';
import { IS_NOT_NULL, IS_GIVEN } from './may-omit.decorator.js';
import { suggestOrListFields } from './nearest-name.js';
import { canAsk, pathText, findUnknownField, type Compiled, type Described, type Fault } from './schema.js';

export type DtoClass = new () => object;

interface FieldRules {
  readonly name: string;
  readonly mayBeAbsent: boolean;
  readonly mayBeNull: boolean;
  /** Of `@Fits`. */
  readonly schemas: readonly Compiled<unknown>[];
  /** Every other constraint. */
  readonly others: readonly { readonly constraints: unknown[]; readonly judge: ValidatorConstraintInterface }[];
}

/**
 * The decorators of one DTO class, gathered once. class-validator's own pass builds an error object for every declared
 * field of every body, most of which are absent: on a Messages body that was a third of all allocations. `pass` asks
 * the very same constraints without it; only what does not pass is judged again by the library, for its message.
 */
export class DtoRules {
  private static readonly known = new Map<unknown, DtoRules>();

  /** Names of the decorated fields; none for a class that is no DTO. */
  readonly fields: ReadonlySet<string>;
  /** Those of them that can ask for something: others are known only to be refused with a reason. */
  readonly usable: readonly string[];
  /** Other fields are refused. */
  readonly isClosed: boolean;
  private readonly rules: readonly FieldRules[];
  /** A decorator is in use that is judged by the library alone (nested objects, `each`). */
  private readonly needsLibrary: boolean;

  private constructor(dtoClass: unknown) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dtoClass as DtoClass, '', false, false);
    this.fields = new Set(metadata.map((rule) => rule.propertyName));
    this.usable = [...this.fields].filter((name) =>
      metadata.filter((rule) => rule.propertyName === name).every(canAskBy),
    );
    this.isClosed = isClosed(dtoClass as DtoClass);
    this.needsLibrary = metadata.some((rule) => rule.each || rule.validateIf !== undefined || !isKnown(rule));
    this.rules = [...this.fields].map((name) => rulesOf(name, metadata));
  }

  static of(dtoClass: unknown): DtoRules {
    let rules = this.known.get(dtoClass);
    if (!rules) this.known.set(dtoClass, (rules = new DtoRules(dtoClass)));
    return rules;
  }

  /** The values that a field takes, where its schema lists them; else none. */
  valuesOf(name: string): readonly string[] {
    const schemas = this.rules.find((rule) => rule.name === name)?.schemas ?? [];
    return schemas.flatMap(({ schema }) => (schema['enum'] as readonly string[] | undefined) ?? []);
  }

  /** The first field of a closed body that nobody knows, its own before those of what is in it. */
  findUnknownField(body: JsonObject): Fault | undefined {
    const stranger = Object.keys(body).find((key) => !this.fields.has(key));
    if (stranger !== undefined)
      return { path: pathText([stranger]), reason: suggestOrListFields(stranger, this.usable) };
    for (const { name, schemas } of this.rules) {
      for (const { schema } of schemas) {
        const fault = findUnknownField(schema, body[name], [name]);
        if (fault) return fault;
      }
    }
    return undefined;
  }

  /** True when class-validator would find no fault; false when it should be asked. */
  pass(dto: object): boolean {
    if (this.needsLibrary) return false;
    for (const rule of this.rules) {
      const { name } = rule;
      const value = (dto as Record<string, unknown>)[name];
      if (value === undefined ? rule.mayBeAbsent : value === null && rule.mayBeNull) continue;
      const { schemas, others } = rule;
      for (const schema of schemas) if (!schema.check(value)) return false;
      for (const { constraints, judge } of others) {
        const details: ValidationArguments = { targetName: '', property: name, object: dto, value, constraints };
        if (judge.validate(value, details) !== true) return false;
      }
    }
    return true;
  }
}

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** True of a rule that says nothing of values. */
function canAskBy({ constraints }: Rule): boolean {
  const described = (constraints as readonly (Partial<Described> | undefined)[] | undefined)?.[0]?.schema;
  return described === undefined || canAsk(described);
}

function isKnown({ type, constraints }: Rule): boolean {
  const condition: unknown = constraints?.[0];
  if (type === ValidationTypes.CONDITIONAL_VALIDATION) return condition === IS_GIVEN || condition === IS_NOT_NULL;
  return type === ValidationTypes.CUSTOM_VALIDATION || type === ValidationTypes.WHITELIST;
}

function rulesOf(name: string, all: readonly Rule[]): FieldRules {
  const own = all.filter((rule) => rule.propertyName === name);
  const conditions = own
    .filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION)
    .map(({ constraints }) => constraints[0] as unknown);
  const constrained = own.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION);
  return {
    name,
    mayBeAbsent: conditions.includes(IS_GIVEN),
    mayBeNull: conditions.includes(IS_NOT_NULL),
    schemas: constrained
      .filter((rule) => rule.name === FITS)
      .map(({ constraints }) => constraints[0] as Compiled<unknown>),
    others: constrained.filter((rule) => rule.name !== FITS).flatMap(judgesOf),
  };
}

const judgesOf = ({ constraintCls, constraints }: Rule): FieldRules['others'] =>
  getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => ({ constraints: constraints as unknown[], judge: instance }));
