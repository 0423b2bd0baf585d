/** The prefix of the routes. */
export const BASE_PATH = '/api/v1';
/** A second base path of the same routes: Anthropic clients append `/v1/…` to a URL without a path. */
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
