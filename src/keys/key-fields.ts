import { readUsdNumber } from '../ledger/usd-amount.js';
import { STORABLE, UUID } from '../shared/http/field-patterns.js';
import { ReadableBy } from '../shared/http/fits.decorator.js';
import { compile, flag, moment, number, object, oneOf, optional, text } from '../shared/http/schema.js';
import { LIMIT_RESETS } from './api-key.entity.js';
import { readUtcTime } from './utc-time.js';

/** Characters of a name or a user's id. Not in scope; chosen: the bound of other names (Scope 8). */
const TEXT_MAX = 255;

const chosenText = text({ min: 1, max: TEXT_MAX, ...STORABLE });
/** A name or a user's id. */
export const shortText = compile(chosenText);

/** What the key is for. */
export const kindOfKey = compile(oneOf(['inference', 'management']));
/** How often its limit begins anew. */
export const limitReset = compile(oneOf(LIMIT_RESETS));
/** A switch. */
export const yesOrNo = compile(flag());

/** Any version of UUID, in either case. */
export const workspaceId = compile(text(UUID));

/**
 * Who uses the key in the caller's own system. Not in scope; chosen: `api_key` is judged and not kept, for keys are never chosen
 * by callers.
 */
export const external = compile(object({ user: chosenText, api_key: optional(text({ max: TEXT_MAX })) }));

/** An amount of USD as a JSON number: exact to 12 decimals, not negative. */
export const IsUsd = (): PropertyDecorator =>
  ReadableBy(
    'isUsd',
    (value) => (readUsdNumber(value) ?? -1n) >= 0n,
    'must be a number of USD from 0 to below 10^15, with at most 12 decimals',
    number({ min: 0 }),
  );

/** A moment that is told without doubt: ISO 8601, UTC, with seconds. */
export const IsUtcTime = (): PropertyDecorator =>
  ReadableBy(
    'isUtcTime',
    (value) => readUtcTime(value) !== undefined,
    'must be an ISO 8601 time in UTC with seconds, such as 2030-01-31T00:00:00Z',
    moment(),
  );
