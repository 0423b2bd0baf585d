import { assertKnownProviders } from '../../src/catalog/assert-known-providers.js';
import { GatewayError } from '../../src/core/errors.js';
import { assertNoContradiction } from '../../src/core/routing/assert-preferences.js';
import type { CatalogSnapshot } from '../../src/core/routing/catalog.js';
import { readModelName } from '../../src/core/routing/model-name.js';
import { isKnownProvider } from '../../src/core/routing/slug.js';
import { ALL_PLUGINS } from '../../src/plugins/plugin-list.js';
import { ScenarioRefused } from './read-scenario.js';
import type { Scenario, Scope } from './scenario.js';
import { coversEndpoint } from './scope.js';

/** Model names that stand for routers. */
const ROUTERS = new Set(ALL_PLUGINS.flatMap(({ models = [] }) => models));

const LISTS = ['order', 'only', 'ignore'] as const;

/**
 * A misspelt name would otherwise silently have no effect.
 * @throws ScenarioRefused that names the part of the scenario
 */
export function checkScenario({ traffic, world, prices, policy }: Scenario, catalog: CatalogSnapshot): void {
  for (const { name, model, preferences } of traffic) {
    const { id } = readModelName(model);
    if (!catalog.models.has(id) && !ROUTERS.has(id)) refuse(`traffic ${name}`, `${model} is not in the catalog`);
    try {
      for (const list of LISTS) assertKnownProviders(`provider.${list}`, preferences[list], catalog);
      assertNoContradiction(preferences);
    } catch (error) {
      if (error instanceof GatewayError) refuse(`traffic ${name}`, error.message);
      throw error;
    }
  }
  for (const [part, rules] of Object.entries({ world, prices })) {
    const stray = rules.findIndex((rule) => !speaksOfSome(rule, catalog));
    if (stray !== -1) refuse(`${part}.${stray}`, 'speaks of no endpoint of the catalog');
  }
  const stranger = policy.credentials?.find((pattern) => !isKnownProvider(pattern, catalog.providers.values()));
  if (stranger) refuse('policy.credentials', `${stranger.provider} is no known provider`);
}

function speaksOfSome(scope: Scope, catalog: CatalogSnapshot): boolean {
  for (const model of catalog.models.values()) {
    if (model.endpoints.some((endpoint) => coversEndpoint(scope, model.id, endpoint))) return true;
  }
  return false;
}

function refuse(where: string, reason: string): never {
  throw new ScenarioRefused(`${where}: ${reason}`);
}
