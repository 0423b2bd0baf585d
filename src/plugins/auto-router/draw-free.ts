import type { ModelRequest } from '../../core/conversation/request.js';
import { dialectOf } from '../../core/routing/catalog.js';
import type { ChoosableModel } from '../../core/routing/choosable-models.js';
import { hash01 } from '../../core/routing/draw.js';
import type { Choice, ChoiceInputs } from '../../core/routing/route-inputs.js';
import { findCandidates, freeModels, makeChoice, type Pool } from '../routers/candidates.js';

/** Separates this draw from the draw of endpoints with the same seed. */
const DRAW = 'free';

/**
 * Draws one of the eligible free models, each with the same chance, by the seed, or by the session key where there is
 * one. The sandbox is drawn only where no other model can answer.
 * @throws GatewayError `not-found` where no model is left
 */
export function drawFree(request: ModelRequest, inputs: ChoiceInputs, narrow: (pool: Pool) => Pool): Choice {
  const candidates = findCandidates(request, inputs, narrow(freeModels(inputs.catalog)), {
    isOne: ({ isFree }) => isFree,
    otherwise: 'not free',
  });
  const seed = inputs.session?.key ?? inputs.seed;
  const drawn = candidates.models
    .map((choosable) => ({ choosable, chance: hash01(seed, choosable.model.id, DRAW) }))
    .sort(
      (one, other) =>
        Number(isSandbox(one.choosable)) - Number(isSandbox(other.choosable)) ||
        Number(other.choosable.isWell) - Number(one.choosable.isWell) ||
        one.chance - other.chance,
    );
  return makeChoice(request, inputs, candidates, {
    strategy: 'free',
    ranked: drawn,
    basis: {},
    figuresOf: ({ chance }) => ({ drawn: chance }),
  });
}

const isSandbox = ({ legs }: ChoosableModel): boolean =>
  legs.every(({ candidate: { endpoint } }) => dialectOf(endpoint) === 'simulated');
