/** The prefix of the routes. */
export const BASE_PATH = '/api/v1';
/** The same routes answer here as well: Anthropic clients append `/v1/…` to an address without a path. */
export const ALIAS = '/v1';
/**
 * Routes outside the base path: for orchestrators, and for readers of the documentation
 * (docs/use/conventions.md#addresses).
 */
export const OUTSIDE_BASE_PATH = [
  'health/live',
  'health/ready',
  'metrics',
  'openapi.json',
  'favicon.ico',
  '/',
  'docs',
  'docs/*path',
  'console',
  'console/*path',
  'api/v1/openapi.json',
  'api/v1/docs',
  'api/v1/docs/*path',
];
