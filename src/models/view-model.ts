import { Type, type TObject } from '@sinclair/typebox';
import type { Endpoint, Model } from '../core/routing/catalog.js';
import { flag, integer, nullable, object, rows, text, titled, described, type Static } from '../shared/http/schema.js';
import { pricingView, viewPricing } from './view-pricing.js';

/** The wire demands a time. The catalog says none, and nothing else stands for "nobody said" (docs/models.md). */
export const CREATED_UNKNOWN = 0;

const architecture = {
  modality: text(),
  input_modalities: rows(text()),
  output_modalities: rows(text()),
  instruct_type: Type.Null(),
};
type ArchitectureView = Static<TObject<typeof architecture>>;

/** A model as `/models` shows it (docs/models.md#a-model). */
export const modelView = titled(
  'model',
  object({
    id: text(),
    canonical_slug: text(),
    name: text(),
    created: described('Always 0: the catalog does not say.', integer()),
    context_length: integer(),
    architecture: object(architecture),
    pricing: described('Of the cheapest endpoint.', pricingView),
    top_provider: object({
      context_length: integer(),
      max_completion_tokens: nullable(integer()),
      is_moderated: flag(),
    }),
    per_request_limits: Type.Null(),
    supported_parameters: rows(text()),
    default_parameters: Type.Null(),
    supported_voices: Type.Null(),
    links: object({ details: text() }),
  }),
);
export type ModelView = Static<typeof modelView>;

/** What stands before the endpoints of one model. */
export const modelHead = {
  id: text(),
  name: text(),
  created: integer(),
  description: text(),
  architecture: object({ ...architecture, tokenizer: Type.Null() }),
};

/**
 * What the catalog does not say is null where the wire demands the key, and left out elsewhere.
 * @param top the endpoint whose prices and limits stand for the model
 * @param endpoints those that are shown: all, or those the caller may use
 */
export function viewModel(model: Model, top: Endpoint, endpoints: readonly Endpoint[]): ModelView {
  return {
    id: model.id,
    canonical_slug: model.id,
    name: model.name,
    created: CREATED_UNKNOWN,
    context_length: model.contextLength,
    architecture: viewArchitecture(model),
    pricing: viewPricing(top.pricing, 'standard'),
    top_provider: {
      context_length: top.contextLength,
      max_completion_tokens: outputTokensMax(top, model),
      // The gateway has no moderation of its own in front of a provider, and the catalog says
      // nothing of the providers'.
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: supportedParameters(endpoints),
    default_parameters: null,
    supported_voices: null,
    links: { details: `/api/v1/models/${model.id}/endpoints` },
  };
}

export function viewArchitecture({ inputModalities, outputModalities }: Model): ArchitectureView {
  return {
    modality: `${inputModalities.join('+')}->${outputModalities.join('+')}`,
    input_modalities: inputModalities,
    output_modalities: outputModalities,
    instruct_type: null,
  };
}

export const outputTokensMax = (endpoint: Endpoint, model: Model): number | null =>
  endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? null;

/** What at least one of them names, each once. */
export const supportedParameters = (endpoints: readonly Endpoint[]): readonly string[] => [
  ...new Set(endpoints.flatMap((endpoint) => endpoint.supportedParameters)),
];
