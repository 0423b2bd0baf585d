import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { UndeclaredMember } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { DtoRules, type DtoClass } from './dto-rules.js';
import { nearestName } from './nearest-name.js';
import { undeclaredMembers } from './undeclared-members.js';

/** After a longer validation, as of a long list, the event loop is yielded to before the body is used. */
const TURN_MS = 5;

/** The key under which a DTO keeps the caller's undeclared fields. */
const UNKNOWN_FIELDS = Symbol('unknown fields');
/** The key under which a DTO keeps members of nested objects that no schema names; absent: there are none. */
export const UNKNOWN_MEMBERS: unique symbol = Symbol('unknown members');

interface WithUnknownFields {
  [UNKNOWN_FIELDS]?: JsonObject;
}

export interface WithUnknownMembers {
  [UNKNOWN_MEMBERS]?: readonly UndeclaredMember[];
}

/** The undeclared top-level fields of the body, unchanged; empty when there are none. */
export const unknownFields = (dto: object): JsonObject => (dto as WithUnknownFields)[UNKNOWN_FIELDS] ?? NONE;

const NONE: JsonObject = {};

/**
 * Turns a body, or a query, into its decorated class, or refuses it with a 400 that names the field: `path: reason`.
 * Replaces Nest's own pipe, which copies keys it should not and drops keys it should keep. Parameters whose type is no
 * decorated class are unchanged. Safe to share.
 */
@Injectable()
export class DtoPipe implements PipeTransform<unknown, unknown> {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || type === 'custom') return value;
    const rules = DtoRules.of(metatype);
    if (rules.fields.size === 0) return value;
    if (type === 'query') return readParameters(value, metatype as DtoClass, rules);
    const startedAt = performance.now();
    const dto = readDto(value, metatype as DtoClass, rules);
    return performance.now() - startedAt < TURN_MS ? dto : yieldToEventLoop().then(() => dto);
  }
}

/**
 * The body as an instance of its class.
 * @throws GatewayError `invalid-request`, naming the first fault
 */
export function readBody<T extends object>(body: unknown, dtoClass: new () => T): T {
  return readDto(body, dtoClass, DtoRules.of(dtoClass)) as T;
}

/**
 * The query as an instance of its class, with its texts converted to values.
 * @throws GatewayError `invalid-request`, naming the first fault
 */
export function readQuery<T extends object>(query: unknown, dtoClass: new () => T): T {
  return readParameters(query, dtoClass, DtoRules.of(dtoClass)) as T;
}

function readDto(value: unknown, dtoClass: DtoClass, rules: DtoRules): object {
  if (!isJsonObject(value)) throw new GatewayError('invalid-request', 'body: must be an object');
  const unknownField = rules.isClosed ? rules.findUnknownField(value) : undefined;
  if (unknownField) throw new GatewayError('invalid-request', `${unknownField.path}: ${unknownField.reason}`);
  const dto = new dtoClass();
  const target = dto as Record<string, unknown>;
  let unknown: [string, JsonObject[string]][] | undefined;
  // Declared fields are copied one by one: a copied `__proto__` or `constructor` would make class-validator judge
  // another class.
  for (const key of Object.keys(value)) {
    if (rules.fields.has(key)) target[key] = value[key];
    else (unknown ??= []).push([key, value[key]]);
  }
  undeclaredMembers.isFound = false;
  if (!rules.pass(dto)) refuse(dto);
  if (undeclaredMembers.isFound) (dto as WithUnknownMembers)[UNKNOWN_MEMBERS] = rules.undeclaredIn(dto);
  // `fromEntries` defines properties, so that a key named `__proto__` stays a key.
  if (unknown) (dto as WithUnknownFields)[UNKNOWN_FIELDS] = Object.fromEntries(unknown);
  return dto;
}

/**
 * The texts of a query are judged unconverted; class-transformer converts the valid ones, by the decorators of
 * `query-validators.ts`. An absent parameter has the default of its class. `query.guard.ts` handles unknown parameters.
 */
function readParameters(value: unknown, dtoClass: DtoClass, rules: DtoRules): object {
  if (!isJsonObject(value)) throw new GatewayError('invalid-request', 'query: must be an object');
  // Created without the constructor: a default is already a value, not a text to judge.
  const judged = Object.create(dtoClass.prototype as object) as Record<string, unknown>;
  for (const name of rules.fields) if (Object.hasOwn(value, name)) judged[name] = value[name];
  if (!rules.pass(judged)) refuse(judged, rules);
  return plainToInstance(dtoClass, { ...judged });
}

/**
 * @param parameters rules of a query, whose values are suggested like names; absent for a body
 * @throws GatewayError `invalid-request`, naming the first fault
 */
function refuse(dto: object, parameters?: DtoRules): void {
  const [first] = validateSync(dto, { forbidUnknownValues: true, stopAtFirstError: true });
  if (!first) return;
  const { property, value } = first as { readonly property: string; readonly value?: unknown };
  const values = parameters?.valuesOf(property) ?? [];
  const nearest = typeof value === 'string' ? nearestName(value, values) : undefined;
  throw new GatewayError(
    'invalid-request',
    nearest === undefined ? complaint(first) : `${complaint(first)}; did you mean ${nearest}?`,
  );
}

/** The message of a constraint that this project defines is the whole complaint. */
function complaint({ property, value, constraints }: ValidationError): string {
  if (value === undefined) return `${property}: is required`;
  return Object.values(constraints ?? {})[0] ?? `${property}: is not valid`;
}
