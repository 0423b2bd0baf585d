import type { CatalogProvider, CatalogSnapshot } from '../core/routing/catalog.js';
import type { EndpointTrial, TrialCall, TrialPlace } from './endpoint-trial.js';

/** Endpoints that are asked at once: few, so that a trial is not what makes a provider refuse calls. */
export const TRIALS_AT_ONCE = 4;

/** Which endpoints of a provider a trial asks, in the order of the catalog, and how many it does not. */
export interface TrialPlan {
  readonly provider: CatalogProvider;
  readonly places: readonly TrialPlace[];
  /** More than were to be asked. */
  readonly beyondLimit: number;
  /** Of models that read or answer no text: the request of the trial says nothing of them. */
  readonly withoutText: number;
}

export interface TriedPlace {
  readonly place: TrialPlace;
  readonly calls: readonly TrialCall[];
}

/**
 * @param limit most endpoints that are asked
 * @param modelId of the one model that is meant; absent: all
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
  const asked = places.slice(0, limit);
  return { provider, places: asked, beyondLimit: places.length - asked.length, withoutText };
}

/** Asks them, some at once; what came of each in their order. */
export async function* tryEach(
  { places }: TrialPlan,
  trial: EndpointTrial,
  isStreamedToo: boolean,
): AsyncGenerator<TriedPlace, undefined, undefined> {
  const underWay: Promise<TriedPlace>[] = [];
  for (const place of places) {
    if (underWay.length === TRIALS_AT_ONCE) yield await underWay.shift()!;
    const tried = trial.run(place, isStreamedToo).then((calls) => ({ place, calls }));
    // Heard when its turn comes; until then nobody waits for it.
    tried.catch(() => undefined);
    underWay.push(tried);
  }
  for (const tried of underWay) yield await tried;
}
