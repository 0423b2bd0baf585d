import type { Plan } from './plan.js';

/**
 * Whether the leg at `index` may be called after so many calls: each later model that was not reached yet keeps one of
 * the plan's attempts (DESIGN 9).
 */
export function mayCall(plan: Plan, index: number, callsMade: number): boolean {
  const { legs, attemptsMax } = plan;
  let reached = 0;
  let reserved = 0;
  for (let place = 0; place < legs.length; place++) {
    // Bits: a plan has at most MODELS_MAX models.
    const model = 1 << legs[place]!.modelIndex;
    if ((reached & model) !== 0) continue;
    reached |= model;
    if (place > index) reserved++;
  }
  return callsMade + reserved < attemptsMax;
}

/** How many models the legs serve. */
export function countModels(legs: Plan['legs']): number {
  let models = 0;
  let reached = 0;
  for (const { modelIndex } of legs) {
    const model = 1 << modelIndex;
    if ((reached & model) === 0) models++;
    reached |= model;
  }
  return models;
}
