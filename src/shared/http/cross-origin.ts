import type { NestApplicationOptions } from '@nestjs/common';
import { GENERATION_ID_HEADER } from './error.filter.js';
import { REQUEST_ID_HEADER } from './request-log.js';
import { WARNING_HEADER } from './warning-header.js';

type CorsOptions = Exclude<NonNullable<NestApplicationOptions['cors']>, boolean | ((...args: never[]) => void)>;

/** How long a browser need not ask again, in seconds: as long as any does. */
const MAX_AGE_SECONDS = 7_200;

/** What a page may read of a reply beside what every page may. */
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
 * Pages of these origins may call the gateway, with whatever headers they send: a key is what lets them, and no cookie.
 * Others are answered as ever, which their browser does not let them read.
 */
export const crossOrigin = (origins: readonly string[]): CorsOptions => ({
  origin: [...origins],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: EXPOSED,
  maxAge: MAX_AGE_SECONDS,
});
