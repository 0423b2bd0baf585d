import { printJson, type JsonObject } from '../../core/json/json.js';
import { formatUsd } from '../../core/money/credits.js';
import type { Endpoint, Model } from '../../core/routing/catalog.js';
import { integer, object, optional } from '../../shared/http/schema.js';
import { isPlainFailure, plainFailure } from '../plain-failure.js';
import type { ToolDefinition } from '../tool-definition.js';

const RESULTS_DEFAULT = 5;
const RESULTS_MAX = 20;
const QUERY_LENGTH_MAX = 1_000;

/** Searches the catalogue (docs/use/tools-and-plugins.md#service-tools). */
export const searchModels: ToolDefinition = {
  types: ['openrouter:experimental__search_models'],
  parameters: {
    // The contract gives only the maximum (docs/use/tools-and-plugins.md#service-tools); the minimum of one is chosen.
    'openrouter:experimental__search_models': object({ max_results: optional(integer({ min: 1, max: RESULTS_MAX })) }),
  },
  resultType: 'openrouter_search_models_tool_result',
  offer: ({ parameters: { max_results: most = RESULTS_DEFAULT } }) => ({
    runsAt: 'gateway',
    asFunction: SHOWN,
    price: 0n,
    usesMax: Infinity,
    run: ({ query }, { context }) => {
      const words = wordsOf(query as string);
      const models = find(context.callable(), words, Math.min(most as number, RESULTS_MAX));
      const content = { models: models.map(view) };
      return Promise.resolve({ text: printJson(content), content, sources: [], isError: false });
    },
    fail: plainFailure,
  }),
  recall: (content) => printJson(content),
  isFailure: isPlainFailure,
};

const SHOWN = {
  name: 'search_models',
  description:
    'Searches the catalogue of models that can be called here. Give words of names, authors, or kinds of input and ' +
    'output, such as "claude image"; an empty query lists any. Their pricing is in USD per token.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', maxLength: QUERY_LENGTH_MAX } },
    required: ['query'],
  },
};

const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}.]+/u)
    .filter((word) => word !== '');

/** The models that match most of the words, the best match first; ties keep the catalogue's order. */
function find(models: readonly Model[], words: readonly string[], most: number): Model[] {
  const found: [number, Model][] = [];
  for (const model of models) {
    const text = [model.id, model.name, ...model.inputModalities, ...model.outputModalities].join(' ').toLowerCase();
    const count = words.filter((word) => text.includes(word)).length;
    if (count > 0 || words.length === 0) found.push([count, model]);
  }
  return found
    .sort(([one], [other]) => other - one)
    .slice(0, most)
    .map(([, model]) => model);
}

const view = ({ id, name, contextLength, inputModalities, outputModalities, endpoints }: Model): JsonObject => ({
  id,
  name,
  context_length: contextLength,
  input_modalities: inputModalities,
  output_modalities: outputModalities,
  pricing: cheapest(endpoints),
});

/** Prices in USD per token, as the catalogue's own `pricing`; null where no endpoint has a price. */
function cheapest(endpoints: readonly Endpoint[]): JsonObject | null {
  let least: Endpoint['pricing'] = null;
  for (const { pricing } of endpoints) if (pricing && (!least || pricing.prompt < least.prompt)) least = pricing;
  if (!least) return null;
  return { prompt: formatUsd(least.prompt), completion: formatUsd(least.completion) };
}
