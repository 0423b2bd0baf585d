import { applyDecorators } from '@nestjs/common';
import { Expose, instanceToPlain, Transform } from 'class-transformer';
import { usdNumber } from '../../core/money/credits.js';

/*
 * Decorators of columns, which state their form in the API: unchanged (`@Expose({ name })`), or one of these. Columns
 * without a decorator are never shown.
 */

/** A time, as ISO 8601 in UTC with milliseconds; null where there is none. */
export const ExposeTime = (name: string): PropertyDecorator =>
  ExposeAs(name, (value) => (value instanceof Date ? value.toISOString() : value));

/** An exact amount, converted to a JSON number here and nowhere earlier; null where there is none. */
export const ExposeUsd = (name: string): PropertyDecorator =>
  ExposeAs(name, (value) => (typeof value === 'bigint' ? usdNumber(value) : value));

/** A value under another name and in another form. */
export const ExposeAs = (name: string, view: (value: unknown) => unknown): PropertyDecorator =>
  applyDecorators(
    Expose({ name }),
    Transform(({ value }: { value: unknown }) => view(value), { toPlainOnly: true }),
  );

/**
 * The exposed columns of a row, by their names on the wire. A row built by hand is treated as an instance of the class.
 * Not for free-form JSON of callers, in which class-transformer drops keys.
 */
export const viewExposed = <View>(entity: new () => object, row: object): View =>
  instanceToPlain(Object.assign(new entity(), row), { excludeExtraneousValues: true }) as View;
