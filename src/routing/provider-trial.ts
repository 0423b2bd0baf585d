import type { CatalogProvider, CatalogSnapshot } from '../core/routing/catalog.js';
import type { EndpointTrial, TrialCall, TrialPlace } from './endpoint-trial.js';

/** Endpoints tried at the same time: few, so that a trial does not cause the provider to refuse calls. */
export const TRIALS_AT_ONCE = 4;

/** The endpoints of a provider that a trial calls, in the order of the catalog, and the number of those it does not. */
export interface TrialPlan {
  readonly provider: CatalogProvider;
  readonly places: readonly TrialPlace[];
  /** Number of endpoints beyond the limit. */
  readonly beyondLimit: number;
  /** Number of endpoints whose models read or answer no text: the trial's request cannot test them. */
  readonly withoutText: number;
}

export interface TriedPlace {
  readonly place: TrialPlace;
  readonly calls: readonly TrialCall[];
}

/**
 * @param limit largest number of endpoints to call
 * @param modelId of the only model to try; absent: all
 */
export function planTrial(
  { models }: CatalogSnapshot,
  provider: CatalogProvider,
  limit: number,
  modelId?: string,
): TrialPlan {
  const places: TrialPlace[] = [];
  let withoutText = 0;
  for (const model of models.values()) {
    if (modelId !== undefined && model.id !== modelId) continue;
    const isText = model.inputModalities.includes('text') && model.outputModalities.includes('text');
    for (const endpoint of model.endpoints) {
      if (endpoint.provider.slug !== provider.slug) continue;
      if (isText) places.push({ model, endpoint });
      else withoutText++;
    }
  }
  const selected = places.slice(0, limit);
  return { provider, places: selected, beyondLimit: places.length - selected.length, withoutText };
}

/** Tries them, several at a time, and yields the outcomes in their order. */
export async function* tryEach(
  { places }: TrialPlan,
  trial: EndpointTrial,
  isStreamedToo: boolean,
): AsyncGenerator<TriedPlace, undefined, undefined> {
  const underWay: Promise<TriedPlace>[] = [];
  for (const place of places) {
    if (underWay.length === TRIALS_AT_ONCE) yield await underWay.shift()!;
    const tried = trial.run(place, isStreamedToo).then((calls) => ({ place, calls }));
    // Awaited when its turn comes; until then a rejection must not be unhandled.
    tried.catch(() => undefined);
    underWay.push(tried);
  }
  for (const tried of underWay) yield await tried;
}
