import type { CatalogProvider, CatalogSnapshot } from '../core/routing/catalog.js';
import type { EndpointCheck, CheckCall, CheckCandidate } from './endpoint-check.js';

/** Endpoints tried at the same time: few, so that a trial does not cause the provider to refuse calls. */
export const CHECKS_AT_ONCE = 4;

/** The endpoints of a provider that a trial calls, in the order of the catalog, and the number of those it does not. */
export interface CheckPlan {
  readonly provider: CatalogProvider;
  readonly candidates: readonly CheckCandidate[];
  /** Number of endpoints beyond the limit. */
  readonly beyondLimit: number;
  /** Number of endpoints whose models read or answer no text: the request of the check cannot test them. */
  readonly withoutText: number;
}

export interface TriedCandidate {
  readonly candidate: CheckCandidate;
  readonly calls: readonly CheckCall[];
}

/**
 * @param limit largest number of endpoints to call
 * @param modelId of the only model to try; absent: all
 */
export function planCheck(
  { models }: CatalogSnapshot,
  provider: CatalogProvider,
  limit: number,
  modelId?: string,
): CheckPlan {
  const candidates: CheckCandidate[] = [];
  let withoutText = 0;
  for (const model of models.values()) {
    if (modelId !== undefined && model.id !== modelId) continue;
    const isText = model.inputModalities.includes('text') && model.outputModalities.includes('text');
    for (const endpoint of model.endpoints) {
      if (endpoint.provider.slug !== provider.slug) continue;
      if (isText) candidates.push({ model, endpoint });
      else withoutText++;
    }
  }
  const selected = candidates.slice(0, limit);
  return { provider, candidates: selected, beyondLimit: candidates.length - selected.length, withoutText };
}

/** Tries them, several at a time, and yields the outcomes in their order. */
export async function* tryEach(
  { candidates }: CheckPlan,
  check: EndpointCheck,
  isStreamedToo: boolean,
): AsyncGenerator<TriedCandidate, undefined, undefined> {
  const underWay: Promise<TriedCandidate>[] = [];
  for (const candidate of candidates) {
    if (underWay.length === CHECKS_AT_ONCE) yield await underWay.shift()!;
    const tried = check.run(candidate, isStreamedToo).then((calls) => ({ candidate, calls }));
    // Awaited when its turn comes; until then a rejection must not be unhandled.
    tried.catch(() => undefined);
    underWay.push(tried);
  }
  for (const tried of underWay) yield await tried;
}
