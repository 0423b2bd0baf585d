import type { Compiled, TSchema } from './schema.js';

/** A class as its property decorators see it. */
type DtoClass = abstract new (...parameters: never[]) => object;

/** One decorator of a field. */
export type FieldRule =
  | { readonly kind: 'may-be-absent' }
  | { readonly kind: 'may-be-null' }
  | { readonly kind: 'fits'; readonly schema: Compiled<unknown> }
  | {
      readonly kind: 'readable';
      readonly validate: (value: unknown) => boolean;
      /** The part of the rule that a schema can express. */
      readonly schema: TSchema;
    };

interface NamedRule {
  readonly field: string;
  readonly rule: FieldRule;
}

const RULES = Symbol('field rules');

/** A constructor has the rules of the fields that its class declares; those of a base class stay there. */
type WithRules = object & { [RULES]?: NamedRule[] };

/** Adds a rule to a field. Judging is class-validator's, by the decorator that is applied with it. */
export const addRule =
  (rule: FieldRule, judged: PropertyDecorator): PropertyDecorator =>
  (prototype, field) => {
    const dtoClass = prototype.constructor as WithRules;
    const own = Object.hasOwn(dtoClass, RULES) ? dtoClass[RULES]! : (dtoClass[RULES] = []);
    own.push({ field: String(field), rule });
    judged(prototype, field);
  };

/**
 * The decorated fields of a class with their rules: its own fields, followed by those that it inherits. A rule that the
 * class states itself replaces inherited ones of its kind. Empty for a class that is no DTO.
 */
export function rulesOf(dtoClass: unknown): ReadonlyMap<string, readonly FieldRule[]> {
  const fields = new Map<string, FieldRule[]>();
  for (let ancestor = dtoClass; typeof ancestor === 'function'; ancestor = Object.getPrototypeOf(ancestor) as unknown) {
    const own = Object.hasOwn(ancestor, RULES) ? (ancestor as DtoClass & WithRules)[RULES]! : [];
    const stated = new Map([...fields].map(([field, rules]) => [field, rules.map(groupOf)]));
    for (const { field, rule } of own) {
      if (stated.get(field)?.includes(groupOf(rule))) continue;
      const rules = fields.get(field);
      if (rules) rules.push(rule);
      else fields.set(field, [rule]);
    }
  }
  return fields;
}

/** Conditions replace conditions, and constraints constraints, as in class-validator. */
const groupOf = ({ kind }: FieldRule): boolean => kind === 'may-be-absent' || kind === 'may-be-null';
