import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { DtoRules, type DtoClass } from './dto-rules.js';
import { FITS } from './fits.decorator.js';
import { nearestName } from './nearest-name.js';

/** Judging that took longer was that of a long list: others have their turn before it is worked with, too. */
const TURN_MS = 5;

/** Where a DTO keeps what the caller sent beyond its declared fields. */
const UNKNOWN_FIELDS = Symbol('unknown fields');

interface WithUnknownFields {
  [UNKNOWN_FIELDS]?: JsonObject;
}

/** The top-level fields of the body that its DTO does not declare, as they came; empty when there were none. */
export const unknownFields = (dto: object): JsonObject => (dto as WithUnknownFields)[UNKNOWN_FIELDS] ?? NONE;

const NONE: JsonObject = {};

/**
 * Turns a body, or a query, into its decorated class, or refuses it with a 400 that names the field: `path: reason`.
 * Replaces Nest's own pipe, which copies keys it should not and drops keys it should keep. Parameters whose type is no
 * decorated class pass untouched. Safe to share.
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
 * The query as an instance of its class, with values in place of texts.
 * @throws GatewayError `invalid-request`, naming the first fault
 */
export function readQuery<T extends object>(query: unknown, dtoClass: new () => T): T {
  return readParameters(query, dtoClass, DtoRules.of(dtoClass)) as T;
}

function readDto(value: unknown, dtoClass: DtoClass, rules: DtoRules): object {
  if (!isJsonObject(value)) throw new GatewayError('invalid-request', 'body: must be an object');
  const stranger = rules.isClosed ? rules.findUnknownField(value) : undefined;
  if (stranger) throw new GatewayError('invalid-request', `${stranger.path}: ${stranger.reason}`);
  const dto = new dtoClass();
  const target = dto as Record<string, unknown>;
  let unknown: [string, JsonObject[string]][] | undefined;
  // Declared fields are copied one by one: a copied `__proto__` or `constructor` would make
  // class-validator judge another class.
  for (const key of Object.keys(value)) {
    if (rules.fields.has(key)) target[key] = value[key];
    else (unknown ??= []).push([key, value[key]]);
  }
  if (!rules.pass(dto)) refuse(dto);
  // `fromEntries` defines properties, so that a key named `__proto__` stays a key.
  if (unknown) (dto as WithUnknownFields)[UNKNOWN_FIELDS] = Object.fromEntries(unknown);
  return dto;
}

/**
 * The texts of a query are judged as they came; class-transformer converts the valid ones, by the decorators of
 * `query-fields.ts`. An absent parameter has the default of its class. Unknown parameters are for `query.guard.ts`.
 */
function readParameters(value: unknown, dtoClass: DtoClass, rules: DtoRules): object {
  if (!isJsonObject(value)) throw new GatewayError('invalid-request', 'query: must be an object');
  // Without its constructor: a default is a value already, and no text to be judged.
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

/** class-validator's own constraints whose words differ from those of the schemas. */
const REASONS: Readonly<Record<string, string>> = {
  isInt: 'must be an integer',
  isNumber: 'must be a number',
  isBoolean: 'must be a boolean',
};

function complaint(error: ValidationError): string {
  if (error.value === undefined) return `${error.property}: is required`;
  const [name, message] = Object.entries(error.constraints ?? {})[0] ?? ['', `${error.property} is not valid`];
  if (name === FITS) return message;
  return `${error.property}: ${REASONS[name] ?? message.slice(error.property.length + 1)}`;
}
