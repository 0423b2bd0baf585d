import type { ModelRequest } from '../../core/conversation/request.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Plugin } from '../../core/plugin.js';
import { cheapestUsd, type ChoosableModel } from '../../core/routing/choosable-models.js';
import { readModelName } from '../../core/routing/model-name.js';
import type { Choice, ChoiceInputs } from '../../core/routing/route-inputs.js';
import { flag, number, oneOf, optional } from '../../shared/http/schema.js';
import { findCandidates, makeChoice, scoredModels, type RankedEntry } from '../routers/candidates.js';

/** Tiers of coding scores, the highest first. Each begins at its score and ends at the one before. */
const TIERS = [
  { tier: 'high', from: 0.66 },
  { tier: 'medium', from: 0.33 },
  { tier: 'low', from: 0 },
] as const;

/**
 * Token mix by which prices are compared, a million tokens: the prompt alone, or three prompt tokens to one of an
 * answer.
 */
const PRICED_TOKENS = {
  prompt: { prompt: 1_000_000, completion: 0 },
  weighted_avg: { prompt: 750_000, completion: 250_000 },
} as const;

/** Chooses the cheapest model of a tier of coding scores (docs/use/plugins/pareto-router.md). */
export const paretoRouter: Plugin = {
  id: 'pareto-router',
  options: {
    enabled: optional(flag()),
    min_coding_score: optional(number({ min: 0, max: 1 })),
    price_source: optional(oneOf(['prompt', 'weighted_avg'])),
  },
  models: ['openrouter/pareto-code', 'openrouter/pareto'],
  choose,
};

const codingOf = ({ model }: ChoosableModel): number => model.scores.coding!.value;

function choose(request: ModelRequest, options: JsonObject, inputs: ChoiceInputs): Choice {
  const { min_coding_score: least = 1 } = options;
  const source = options['price_source'] === 'weighted_avg' ? 'weighted_avg' : 'prompt';
  const requested = TIERS.findIndex(({ from }) => Number(least) >= from);
  const isAbove = (choosable: ChoosableModel): boolean => codingOf(choosable) >= TIERS[requested]!.from;
  const candidates = findCandidates(request, inputs, scoredModels(inputs.catalog, 'coding'), {
    isOne: isAbove,
    otherwise: `below the tier ${TIERS[requested]!.tier}`,
  });
  // If the tier is empty, the next higher one still meets the requested minimum.
  let index = requested;
  const inTier = ({ choosable }: RankedEntry): boolean =>
    codingOf(choosable) >= TIERS[index]!.from && (index === 0 || codingOf(choosable) < TIERS[index - 1]!.from);
  const all = candidates.models.map((choosable) => rank(choosable, source, candidates.needs.promptTokensMin));
  while (!all.some(inTier)) index--;
  const isFast = readModelName(request.model).sort === 'throughput';
  const ranked = all.filter(inTier).sort((one, other) => compare(one, other, isFast));
  const isMeasured = ranked.some(({ throughput }) => throughput !== undefined);
  return makeChoice(request, inputs, candidates, {
    strategy: 'pareto',
    ranked,
    basis: {
      tier: TIERS[index]!.tier,
      ...(index !== requested && { requested: TIERS[requested]!.tier }),
      by: !isFast
        ? `price of ${source}`
        : isMeasured
          ? 'throughput'
          : `price of ${source}, because no throughput is known`,
    },
    keptOf: figuresOf,
    figuresOf,
  });
}

interface RankedModel extends RankedEntry {
  readonly usd: number;
  /** Median tokens per second of the fastest leg; undefined where none is known. */
  readonly throughput: number | undefined;
}

function rank(choosable: ChoosableModel, source: keyof typeof PRICED_TOKENS, length: number): RankedModel {
  const usd = cheapestUsd(choosable.legs, { ...PRICED_TOKENS[source], length });
  let throughput: number | undefined;
  for (const { health } of choosable.legs) {
    const known = health?.throughput?.p50;
    if (known !== undefined) throughput = Math.max(throughput ?? 0, known);
  }
  return { choosable, usd, throughput };
}

const figuresOf = ({ choosable, usd, throughput }: RankedModel): JsonObject => ({
  score: codingOf(choosable),
  usd,
  ...(throughput !== undefined && { throughput }),
});

/** Models with an outage or a pause come last. Ties are broken by score, then by id. */
function compare(one: RankedModel, other: RankedModel, isFast: boolean): number {
  return (
    Number(other.choosable.isWell) - Number(one.choosable.isWell) ||
    (isFast ? (other.throughput ?? 0) - (one.throughput ?? 0) : 0) ||
    one.usd - other.usd ||
    codingOf(other.choosable) - codingOf(one.choosable) ||
    (one.choosable.model.id < other.choosable.model.id ? -1 : 1)
  );
}
