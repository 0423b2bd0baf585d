import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import type { Plan } from '../../core/routing/plan.js';
import { planNeutrally, type KnownProviders } from './neutral-plan.js';
import { REPRESENTATIVE_REQUESTS, requestTo, type RepresentativeRequest } from './representative-requests.js';

/** Representative requests to one model that are routed differently, all of them from the same legs to the same. */
export interface RouteDifference {
  readonly model: string;
  /** Names of the representative requests that are routed differently. */
  readonly requests: readonly string[];
  /** Tags of the legs in order, of one draw that is the same for both catalogs. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The percentage of requests under the default order that go to an endpoint first. */
export interface ShareDifference {
  readonly model: string;
  readonly tag: string;
  /** Whole per cent; 0 where it is no leg. */
  readonly before: number;
  readonly after: number;
}

export interface RouteDifferences {
  readonly routes: readonly RouteDifference[];
  readonly shares: readonly ShareDifference[];
}

/** Plans every representative request to every model of both catalogs in both. */
export function compareRoutes(
  before: CatalogSnapshot,
  after: CatalogSnapshot,
  known: Pick<KnownProviders, 'carries' | 'unmetBy'>,
): RouteDifferences {
  const routes: RouteDifference[] = [];
  const shares: ShareDifference[] = [];
  for (const [id, old] of before.models) {
    const now = after.models.get(id);
    if (!now) continue;
    const grouped = new Map<string, RouteDifference & { readonly requests: string[] }>();
    const tokensMin = pastSmallestContext(old, now);
    for (const representative of REPRESENTATIVE_REQUESTS) {
      if (representative.isLong && tokensMin === undefined) continue;
      const promptTokensMin = representative.isLong && tokensMin;
      const [planBefore, planAfter] = [before, after].map((catalog) =>
        planOf(representative, id, catalog, known, promptTokensMin),
      );
      if (representative === REPRESENTATIVE_REQUESTS[0]) shares.push(...differentShares(id, planBefore!, planAfter!));
      addDifference(grouped, id, representative.name, tagsOf(planBefore!), tagsOf(planAfter!));
    }
    routes.push(...grouped.values());
  }
  return { routes, shares };
}

const planOf = (
  { parts }: RepresentativeRequest,
  model: string,
  catalog: CatalogSnapshot,
  known: Pick<KnownProviders, 'carries' | 'unmetBy'>,
  promptTokensMin: number | undefined,
): Plan => planNeutrally(requestTo(model, parts), catalog, known, promptTokensMin);

/** One token more than the smallest context; undefined where all are the same. */
function pastSmallestContext(...models: readonly Model[]): number | undefined {
  const contexts = models.flatMap(({ endpoints }) => endpoints.map(({ contextLength }) => contextLength));
  const smallest = Math.min(...contexts);
  return smallest === Math.max(...contexts) ? undefined : smallest + 1;
}

const tagsOf = ({ legs }: Plan): readonly string[] => legs.map(({ tag }) => tag);

function addDifference(
  grouped: Map<string, RouteDifference & { readonly requests: string[] }>,
  model: string,
  request: string,
  before: readonly string[],
  after: readonly string[],
): void {
  const key = JSON.stringify([before, after]);
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const found = grouped.get(key);
  if (found) found.requests.push(request);
  else grouped.set(key, { model, requests: [request], before, after });
}

function differentShares(model: string, before: Plan, after: Plan): readonly ShareDifference[] {
  const [old, now] = [firstShares(before), firstShares(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((tag) => ({ model, tag, before: old.get(tag) ?? 0, after: now.get(tag) ?? 0 }))
    .filter((share) => share.before !== share.after);
}

/**
 * The weights of the draw determine how often each leg is first; free legs come before all others, with equal shares.
 */
function firstShares({ legs }: Plan): ReadonlyMap<string, number> {
  const isAnyFree = legs.some(({ weight }) => weight === undefined);
  const weights = legs.map(({ tag, weight }) => [tag, isAnyFree ? Number(weight === undefined) : weight!] as const);
  const sum = weights.reduce((all, [, weight]) => all + weight, 0);
  return new Map(weights.map(([tag, weight]) => [tag, Math.round((100 * weight) / sum)]));
}
