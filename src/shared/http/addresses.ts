/** Where the routes are. */
export const BASE_PATH = '/api/v1';
/** The same routes answer here as well: Anthropic clients append `/v1/…` to an address without a path. */
export const ALIAS = '/v1';
/**
 * Routes outside the base path: for orchestrators, and for whoever comes to read what there is
 * (docs/wire/conventions.md#addresses).
 */
export const OUTSIDE_BASE_PATH = [
  'health/live',
  'health/ready',
  'metrics',
  'openapi.json',
  'favicon.ico',
  '/',
  'docs',
  'docs/:file',
  'api/v1/openapi.json',
  'api/v1/docs',
  'api/v1/docs/:file',
];
