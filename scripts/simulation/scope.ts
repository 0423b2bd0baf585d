import type { Endpoint } from '../../src/core/routing/catalog.js';
import { matchesSlug } from '../../src/core/routing/slug.js';
import type { Scope } from './scenario.js';

/** Whether a rule covers an endpoint, in any tier. */
export const coversEndpoint = (scope: Scope, model: string, { provider, tag }: Endpoint): boolean =>
  (scope.model === undefined || scope.model === model) &&
  (scope.provider === undefined || matchesSlug(scope.provider, { provider, tier: 'standard', tag }, true));
