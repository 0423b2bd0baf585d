import { applyDecorators } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { formatUsd, parseUsd } from '../../core/money/credits.js';
import { Fits, ReadableBy } from './fits.decorator.js';
import { MayOmit } from './may-omit.decorator.js';
import { EXPORT_FORMATS } from './row-export.js';
import { compile, either, list, oneOf, text, type Compiled, type TSchema } from './schema.js';
import { readUtcTime } from './utc-time.js';

/*
 * Parameters of queries. Each is judged literally as a text before it is converted (`dto.pipe.ts`), so that no spelling
 * passes that a conversion would accept, such as `1e3` or an empty text for 0.
 */

const offset = compile(text({ pattern: '^[0-9]{1,9}$', reason: 'must be an integer from 0 to 999999999' }));
const limit = compile(text({ pattern: '^([1-9][0-9]?|100)$', reason: 'must be an integer from 1 to 100' }));
const day = compile(text({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', reason: 'must be a day such as 2030-01-31' }));
const exportFormat = compile(oneOf(EXPORT_FORMATS));
const trueOrFalse = compile(oneOf(['true', 'false']));

/** A number; the schema defines its spelling. */
export const QueryNumber = (spelling: Compiled<string>): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Type(() => Number),
  );

/** Number of skipped entries. Bounded, so that it is an exact integer for the store too. */
export const PageOffset = (): PropertyDecorator => QueryNumber(offset);

/** Limit of returned entries. */
export const PageLimit = (): PropertyDecorator => QueryNumber(limit);

/** The format of an export of the whole list, other than JSON. */
export const QueryExport = (): PropertyDecorator => applyDecorators(MayOmit(), Fits(exportFormat));

/**
 * A UTC day, at its start. A day that does not exist is an invalid `Date`; the reader decides which days are allowed.
 */
export const QueryDay = (): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(day),
    Transform(({ value }) => readUtcTime(`${String(value)}T00:00:00Z`) ?? new Date(Number.NaN), {
      toClassOnly: true,
    }),
  );

const MOMENT = /^\d{4}-\d\d-\d\d(?:T.*)?$/;
const EPOCH = new Date(0);
/** Characters of the longest spelling. */
const MOMENT_CHARACTERS_MAX = 35;

/** @returns undefined for any other value, days that do not exist included */
function readMoment(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !MOMENT.test(value)) return undefined;
  const time = readUtcTime(value.includes('T') ? value : `${value}T00:00:00Z`);
  // The store has no year 0, and no entries from before there was Unix time.
  return time && time < EPOCH ? EPOCH : time;
}

/** A UTC day, at its start, or a time in UTC with seconds. */
export const QueryMoment = (): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    ReadableBy(
      'isMoment',
      (value) => readMoment(value) !== undefined,
      'must be a UTC day such as 2030-01-31, or a time such as 2030-01-31T00:00:00Z',
      text({ max: MOMENT_CHARACTERS_MAX }),
    ),
    Transform(({ value }) => readMoment(value), { toClassOnly: true }),
    Transform(({ value }: { value: unknown }) => (value instanceof Date ? value.toISOString() : value), {
      toPlainOnly: true,
    }),
  );

/** `true` or `false`, or only those accepted by the schema. */
export const QueryFlag = (spelling: Compiled<string> = trueOrFalse): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Transform(({ value }) => value === 'true', { toClassOnly: true }),
    Transform(({ value }: { value: unknown }) => asText(value), { toPlainOnly: true }),
  );

/** Texts separated by commas; blanks around them are removed, empty ones are dropped. */
export const QueryList = (spelling: Compiled<string>): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(spelling),
    Transform(({ value }: { value: unknown }) => readList(value), { toClassOnly: true }),
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value), {
      toPlainOnly: true,
    }),
  );

/** A parameter that may be repeated, as a list of its values. @param max of them */
export const QueryRepeated = (value: TSchema, max: number): PropertyDecorator =>
  applyDecorators(
    MayOmit(),
    Fits(compile(either(value, list(value, { max })))),
    Transform(({ value: sent }: { value: unknown }) => (sent === undefined ? sent : [sent].flat()), {
      toClassOnly: true,
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
