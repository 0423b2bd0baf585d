import type { NestApplicationOptions } from '@nestjs/common';
import { GENERATION_ID_HEADER } from './error.filter.js';
import { REQUEST_ID_HEADER } from './request-log.js';
import { WARNING_HEADER } from './warning-header.js';

type CorsOptions = Exclude<NonNullable<NestApplicationOptions['cors']>, boolean | ((...args: never[]) => void)>;

/** How long a browser caches a preflight, in seconds: the maximum of all browsers. */
const MAX_AGE_SECONDS = 7_200;

/** Response headers readable by pages, besides the default ones. */
const EXPOSED = [
  REQUEST_ID_HEADER,
  GENERATION_ID_HEADER,
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Token-Count',
  WARNING_HEADER,
];

/**
 * Pages of these origins may call the gateway, with any headers, by a key: their browsers send no cookie of the
 * console, because credentials are not allowed. Others are answered as usual, but their browser does not let them read
 * the answer.
 */
export const crossOrigin = (origins: readonly string[]): CorsOptions => ({
  origin: [...origins],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: EXPOSED,
  maxAge: MAX_AGE_SECONDS,
});
