import type { ModelRequest } from '../../core/conversation/request.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Plugin } from '../../core/plugin.js';
import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { cheapestUsd, type ChoosableModel, type CountedTokens } from '../../core/routing/choosable-models.js';
import { readModelName } from '../../core/routing/model-name.js';
import { matchesModel } from '../../core/routing/model-pattern.js';
import { modelId } from '../../core/routing/resolve-model.js';
import type { Choice, ChoiceInputs } from '../../core/routing/route-inputs.js';
import { unmatchedModels } from '../../core/routing/unmatched-models.js';
import { modelNames } from '../../shared/http/maxima.js';
import { flag, integer, optional } from '../../shared/http/schema.js';
import { findCandidates, makeChoice, scoredModels, type Pool, type RankedEntry } from '../routers/candidates.js';
import { classifyPrompt } from './classify-prompt.js';
import { drawFree } from './draw-free.js';
import type { PromptClass, PromptKind } from './prompt-class.js';
import { expectedQuality, roundedQuality, roundedUsd, TRADEOFF_MAX, worthOf, type RankFigures } from './rank-models.js';

const FREE = 'openrouter/free';
const TRADEOFF_DEFAULT = 7;

/**
 * Chooses the model by the prompt, its expected quality and its price. Under the name `openrouter/free` it draws a free
 * model (docs/use/plugins/auto-router.md).
 */
export const autoRouter: Plugin = {
  id: 'auto-router',
  options: {
    enabled: optional(flag()),
    allowed_models: optional(modelNames()),
    cost_quality_tradeoff: optional(integer({ min: 0, max: TRADEOFF_MAX })),
  },
  models: ['openrouter/auto', 'fairlead/auto', FREE],
  choose: (request, options, inputs) => {
    const isFree = readModelName(request.model).id === FREE;
    const choice = isFree
      ? drawFree(request, inputs, (pool) => listedOf(pool, listOf(options), inputs.catalog))
      : chooseBest(request, options, inputs);
    return withWarnings(choice, options, inputs);
  },
};

/**
 * Expected tokens of an answer where the request sets no lower limit. Chosen. Reasoning tokens are not counted: no
 * source gives them for every model.
 */
const ANSWER_TOKENS: Readonly<Record<PromptKind, number>> = {
  code: 1_000, math: 800, reasoning: 1_000, writing: 800, extraction: 300, translation: 400, chat: 200, agentic: 500,
}; // oxfmt-ignore

function chooseBest(request: ModelRequest, options: JsonObject, inputs: ChoiceInputs): Choice {
  const { catalog } = inputs;
  const sorted = classifyPrompt(request);
  const { kind, difficulty } = sorted;
  const requested = options['cost_quality_tradeoff'];
  const tradeoff = typeof requested === 'number' ? requested : TRADEOFF_DEFAULT;
  const list = listOf(options) ?? operatorsList(catalog);
  const candidates = findCandidates(request, inputs, listedOf(scoredModels(catalog, scoreOf(kind)), list, catalog));
  const { promptTokensMin, maxOutputTokens = Infinity } = candidates.needs;
  const tokens = { prompt: promptTokensMin, completion: Math.min(ANSWER_TOKENS[kind], maxOutputTokens) };
  const ranked = candidates.models.map((choosable) => rank(choosable, sorted, tokens, tradeoff)).sort(compare);
  return makeChoice(request, inputs, candidates, {
    strategy: 'auto',
    ranked,
    basis: { kind, difficulty, tradeoff },
    keptOf: ({ quality, usd }) => [quality, usd],
    figuresOf: ({ score, quality, usd, worth }) => ({ score, quality, usd, worth }),
  });
}

const scoreOf = (kind: PromptKind): 'coding' | 'quality' => (kind === 'code' ? 'coding' : 'quality');

/** Warns about the caller's own list only: the operator's list is checked with the catalog file. */
function withWarnings(choice: Choice, options: JsonObject, { catalog }: ChoiceInputs): Choice {
  const list = listOf(options);
  const warnings = list ? unmatchedModels(list.field, list.names, catalog) : [];
  return warnings.length > 0 ? { ...choice, warnings } : choice;
}

/** Names of models and patterns, and the field that has them. */
interface ModelList {
  readonly field: string;
  readonly names: readonly string[];
}

/** The caller's list; an empty one counts as absent. */
function listOf({ allowed_models: names }: JsonObject): ModelList | undefined {
  if (!Array.isArray(names) || names.length === 0) return undefined;
  return {
    field: 'plugins.auto-router.allowed_models',
    names: names.filter((name) => typeof name === 'string'),
  };
}

function operatorsList({ plugins: { autoRouter } }: CatalogSnapshot): ModelList | undefined {
  return autoRouter?.models && { field: 'plugins.auto-router.models of the catalog', names: autoRouter.models };
}

/** Models of a pool that a list has; an undefined list has all. */
function listedOf(pool: Pool, list: ModelList | undefined, catalog: CatalogSnapshot): Pool {
  if (!list) return pool;
  const { field, names } = list;
  const ids = new Set<string>();
  const patterns: string[] = [];
  for (const name of names) {
    if (name.includes('*')) patterns.push(name);
    else ids.add(modelId(catalog, readModelName(name).id) ?? name);
  }
  const isListed = ({ id }: Model): boolean => ids.has(id) || patterns.some((pattern) => matchesModel(pattern, id));
  const models = pool.models.filter(isListed);
  const others = pool.others.filter(isListed);
  return {
    ...pool,
    models,
    others,
    leftOut: { 'not in the list': catalog.models.size - models.length - others.length },
    unmatched: () => unmatchedModels(field, names, catalog),
  };
}

interface RankedModel extends RankedEntry, RankFigures {
  readonly score: number;
  readonly worth: number;
}

function rank(
  choosable: ChoosableModel,
  { kind, difficulty }: PromptClass,
  tokens: CountedTokens,
  tradeoff: number,
): RankedModel {
  const { model, legs } = choosable;
  const score = model.scores[scoreOf(kind)]!.value;
  let faults = 1;
  for (const { health } of legs) faults = Math.min(faults, health?.faultShare ?? 0);
  const quality = roundedQuality(expectedQuality(score, difficulty) * (1 - faults));
  const usd = roundedUsd(cheapestUsd(legs, tokens));
  return { choosable, score, quality, usd, worth: worthOf(quality, usd, tradeoff) };
}

/** Models with an outage or a pause come last. Ties are broken by price, then by score. */
function compare(one: RankedModel, other: RankedModel): number {
  return (
    Number(other.choosable.isWell) - Number(one.choosable.isWell) ||
    other.worth - one.worth ||
    one.usd - other.usd ||
    other.score - one.score ||
    (one.choosable.model.id < other.choosable.model.id ? -1 : 1)
  );
}
