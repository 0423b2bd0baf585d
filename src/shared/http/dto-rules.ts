import { getMetadataStorage, ValidationTypes, type ValidationArguments } from 'class-validator';

export type DtoClass = new () => object;

interface Check {
  readonly constraints: unknown[];
  readonly validate: (value: unknown, details: ValidationArguments) => unknown;
}

interface FieldRules {
  readonly name: string;
  /** All must hold, or the field is not judged. */
  readonly conditions: readonly ((dto: object, value: unknown) => unknown)[];
  readonly checks: readonly Check[];
}

/**
 * The decorators of one DTO class, gathered once. class-validator's own pass builds an error object for every declared field of
 * every body, most of which are absent: on a Messages body that was a third of all allocations. `pass` asks the very same
 * constraints without it; only what does not pass is judged again by the library, for its message.
 */
export class DtoRules {
  private static readonly known = new Map<unknown, DtoRules>();

  /** Names of the decorated fields; none for a class that is no DTO. */
  readonly fields: ReadonlySet<string>;
  private readonly rules: readonly FieldRules[];
  /** A decorator is in use that is judged by the library alone (nested objects, `each`). */
  private readonly needsLibrary: boolean;

  private constructor(dtoClass: unknown) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dtoClass as DtoClass, '', false, false);
    this.fields = new Set(metadata.map((rule) => rule.propertyName));
    this.needsLibrary = metadata.some(
      (rule) => rule.each || rule.validateIf !== undefined || !KNOWN_TYPES.has(rule.type),
    );
    this.rules = [...this.fields].map((name) => {
      const own = metadata.filter((rule) => rule.propertyName === name);
      return {
        name,
        conditions: own
          .filter((rule) => rule.type === ValidationTypes.CONDITIONAL_VALIDATION)
          .map((rule) => rule.constraints[0] as FieldRules['conditions'][number]),
        checks: own.filter((rule) => rule.type === ValidationTypes.CUSTOM_VALIDATION).flatMap(checksOf),
      };
    });
  }

  static of(dtoClass: unknown): DtoRules {
    let rules = this.known.get(dtoClass);
    if (!rules) this.known.set(dtoClass, (rules = new DtoRules(dtoClass)));
    return rules;
  }

  /** True when class-validator would find no fault; false when it should be asked. */
  pass(dto: object): boolean {
    if (this.needsLibrary) return false;
    for (const { name, conditions, checks } of this.rules) {
      const value = (dto as Record<string, unknown>)[name];
      if (!allHold(conditions, dto, value)) continue;
      for (const { constraints, validate } of checks) {
        if (validate(value, { targetName: '', property: name, object: dto, value, constraints }) !== true) return false;
      }
    }
    return true;
  }
}

// A loop, for it runs for every declared field of every body.
function allHold(conditions: FieldRules['conditions'], dto: object, value: unknown): boolean {
  for (const holds of conditions) if (!holds(dto, value)) return false;
  return true;
}

const KNOWN_TYPES: ReadonlySet<string> = new Set([
  ValidationTypes.CUSTOM_VALIDATION,
  ValidationTypes.CONDITIONAL_VALIDATION,
  ValidationTypes.WHITELIST,
]);

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

function checksOf(rule: Rule): Check[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .map(({ instance }) => ({
      constraints: rule.constraints as unknown[],
      validate: (value, details) => instance.validate(value, details),
    }));
}
