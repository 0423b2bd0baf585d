import type { UndeclaredMember } from '../../core/conversation/request.js';
import type { JsonObject } from '../../core/json/json.js';
import { isClosed } from './closed.decorator.js';
import { rulesOf, type FieldRule } from './field-rules.js';
import { suggestOrListFields } from './nearest-name.js';
import { canRequest, pathText, findUnknownField, type Compiled, type Fault } from './schema.js';
import { undeclaredMembers } from './undeclared-members.js';

export type DtoClass = new () => object;

interface FieldRules {
  readonly name: string;
  readonly mayBeAbsent: boolean;
  readonly mayBeNull: boolean;
  /** The schemas of `@Fits`. */
  readonly schemas: readonly Compiled<unknown>[];
  /** The checks of `@ReadableBy`. */
  readonly readers: readonly ((value: unknown) => boolean)[];
}

/**
 * The decorators of one DTO class, collected once. class-validator's own pass creates an error object for every
 * declared field of every body, most of which are absent: for a Messages body that was a third of all allocations.
 * `pass` runs the same constraints without it; only a failing body is judged again by the library, for its message.
 */
export class DtoRules {
  private static readonly known = new Map<unknown, DtoRules>();

  /** Names of the decorated fields; empty for a class that is no DTO. */
  readonly fields: ReadonlySet<string>;
  /** Fields with an effect: the others are known only to be refused with a reason. */
  readonly usable: readonly string[];
  /** Whether other fields are refused. */
  readonly isClosed: boolean;
  private readonly rules: readonly FieldRules[];

  private constructor(dtoClass: unknown) {
    const rules = rulesOf(dtoClass);
    this.fields = new Set(rules.keys());
    this.usable = [...rules].filter(([, own]) => own.every(canRequestBy)).map(([name]) => name);
    this.isClosed = isClosed(dtoClass as DtoClass);
    this.rules = [...rules].map(([name, own]) => judgesOf(name, own));
  }

  static of(dtoClass: unknown): DtoRules {
    let rules = this.known.get(dtoClass);
    if (!rules) this.known.set(dtoClass, (rules = new DtoRules(dtoClass)));
    return rules;
  }

  /** The allowed values of a field, where its schema lists them; else none. */
  valuesOf(name: string): readonly string[] {
    const schemas = this.rules.find((rule) => rule.name === name)?.schemas ?? [];
    return schemas.flatMap(({ schema }) => (schema['enum'] as readonly string[] | undefined) ?? []);
  }

  /** The first unknown field of a closed body, its own before those of nested objects. */
  findUnknownField(body: JsonObject): Fault | undefined {
    const unknownField = Object.keys(body).find((key) => !this.fields.has(key));
    if (unknownField !== undefined)
      return { path: pathText([unknownField]), reason: suggestOrListFields(unknownField, this.usable) };
    for (const { name, schemas } of this.rules) {
      for (const { schema } of schemas) {
        const fault = findUnknownField(schema, body[name], [name]);
        if (fault) return fault;
      }
    }
    return undefined;
  }

  /** True when class-validator would find no fault; false when it has to decide. */
  pass(dto: object): boolean {
    for (const rule of this.rules) {
      const { name } = rule;
      const value = (dto as Record<string, unknown>)[name];
      if (value === undefined ? rule.mayBeAbsent : value === null && rule.mayBeNull) continue;
      for (const schema of rule.schemas) if (!schema.check(value)) return false;
      for (const isReadable of rule.readers) if (!isReadable(value)) return false;
    }
    return true;
  }

  /** The members of nested objects that no schema names, of a body that passes. */
  undeclaredIn(dto: object): readonly UndeclaredMember[] {
    return this.rules.flatMap(({ name, schemas }) => {
      const value = (dto as Record<string, unknown>)[name];
      if (value === undefined || value === null) return [];
      const found = undeclaredMembers.collect(() => schemas.forEach((schema) => schema.check(value)));
      return found.map((member) => ({ ...member, path: [name, ...member.path] }));
    });
  }
}

/** False for a rule that refuses every value and exists only to give the reason (`canRequest`). */
function canRequestBy(rule: FieldRule): boolean {
  if (rule.kind === 'fits') return canRequest(rule.schema.schema);
  return rule.kind !== 'readable' || canRequest(rule.schema);
}

function judgesOf(name: string, rules: readonly FieldRule[]): FieldRules {
  return {
    name,
    mayBeAbsent: rules.some(({ kind }) => kind === 'may-be-absent'),
    mayBeNull: rules.some(({ kind }) => kind === 'may-be-null'),
    schemas: rules.flatMap((rule) => (rule.kind === 'fits' ? [rule.schema] : [])),
    readers: rules.flatMap((rule) => (rule.kind === 'readable' ? [rule.validate] : [])),
  };
}
