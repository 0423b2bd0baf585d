import { applyDecorators } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { formatUsd, parseUsd } from '../../core/money/credits.js';
import { Fits } from './fits.decorator.js';
import { MayOmit } from './may-omit.decorator.js';
import { compile, oneOf, text, type Compiled } from './schema.js';
import { readUtcTime } from './utc-time.js';

/*
 * Parameters of queries. Each comes as a text, is judged as a text, to the letter, and only then becomes a value
 * (`dto.pipe.ts`): so no spelling passes that a conversion would forgive, such as `1e3` or an empty text for 0.
 */

const offset = compile(text({ pattern: '^[0-9]{1,9}$', reason: 'must be an integer from 0 to 999999999' }));
const limit = compile(text({ pattern: '^([1-9][0-9]?|100)$', reason: 'must be an integer from 1 to 100' }));
const day = compile(text({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', reason: 'must be a day such as 2030-01-31' }));
const trueOrFalse = compile(oneOf(['true', 'false']));

/** A number, of which the schema says how it may be spelt. */
export const QueryNumber = (spelling: Compiled<string>): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Type(() => Number),
  );

/** How many entries are passed over. Bounded, so that it stays an exact integer for the store too. */
export const PageOffset = (): PropertyDecorator => QueryNumber(offset);

/** How many are shown at the most. */
export const PageLimit = (): PropertyDecorator => QueryNumber(limit);

/** A UTC day, at its start. One that no month has is an invalid `Date`: which days there are, the reader says. */
export const QueryDay = (): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(day),
    Transform(({ value }) => readUtcTime(`${String(value)}T00:00:00Z`) ?? new Date(Number.NaN), {
      toClassOnly: true,
    }),
  );

/** `true` or `false`, or only those of them that the schema takes. */
export const QueryFlag = (spelling: Compiled<string> = trueOrFalse): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Transform(({ value }) => value === 'true', { toClassOnly: true }),
    Transform(({ value }: { value: unknown }) => asText(value), { toPlainOnly: true }),
  );

/** Texts separated by commas, without blanks around them and without empty ones. */
export const QueryList = (spelling: Compiled<string>): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Transform(({ value }: { value: unknown }) => readList(value), { toClassOnly: true }),
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value), {
      toPlainOnly: true,
    }),
  );

/** An amount of USD, exact. */
export const QueryUsd = (spelling: Compiled<string>): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? parseUsd(value) : value), {
      toClassOnly: true,
    }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'bigint' ? formatUsd(value) : value), {
      toPlainOnly: true,
    }),
  );

const asText = (value: unknown): unknown => (typeof value === 'boolean' ? String(value) : value);

const readList = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : value;
