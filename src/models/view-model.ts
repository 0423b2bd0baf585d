import { Type, type TObject } from '@sinclair/typebox';
import type { Endpoint, Model } from '../core/routing/catalog.js';
import {
  flag,
  integer,
  literal,
  nullable,
  object,
  optional,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { pricingView, viewPricing } from './view-pricing.js';

/** Both formats require a time; the Messages format specifies the epoch for an unknown one. */
const CREATED_UNKNOWN = 0;
const MS_PER_SECOND = 1_000;

/** Time of creation in Unix seconds. */
export const createdOf = ({ created = CREATED_UNKNOWN }: Model): number => created;

const architecture = {
  modality: text(),
  input_modalities: rows(text()),
  output_modalities: rows(text()),
  instruct_type: Type.Null(),
};
type ArchitectureView = Static<TObject<typeof architecture>>;

const fields = {
  id: text(),
  type: described('For clients of the Messages format.', literal('model')),
  canonical_slug: text(),
  name: text(),
  display_name: described('The same as `name`.', text()),
  created: described('Unix seconds; 0 if the catalog does not state it.', integer()),
  created_at: described('The same time; the epoch if the catalog does not state it.', text()),
  context_length: integer(),
  architecture: object(architecture),
  pricing: described('Of the cheapest endpoint.', pricingView),
  top_provider: object({
    context_length: integer(),
    max_completion_tokens: nullable(integer()),
    is_moderated: flag(),
  }),
  per_request_limits: Type.Null(),
  dimensions: optional(described('Lengths of its vectors, the default first.', rows(integer()))),
  supported_parameters: rows(text()),
  default_parameters: Type.Null(),
  supported_voices: Type.Null(),
  links: object({ details: text() }),
};
/** Without what depends on the caller. */
export type ModelView = Static<TObject<typeof fields>>;

const callable = described('The operator or the caller has a credential for one of its endpoints.', flag());

/** A model as `/models` shows it (docs/use/models.md#a-model). */
export const modelView = titled('model', object({ ...fields, callable }));
/** The model as clients' `models.retrieve` reads it, and in `data` as `/model/{author}/{slug}` answers. */
export const retrievedModel = object({ ...fields, callable, data: modelView });

/** The members before the endpoints of one model. */
export const modelHead = {
  id: text(),
  name: text(),
  created: integer(),
  description: text(),
  architecture: object({ ...architecture, tokenizer: Type.Null() }),
};

/**
 * The model in the form of the API. Values that the catalog does not contain are null where the wire format requires
 * the key, and are left out elsewhere.
 * @param top the endpoint whose prices and limits represent the model
 * @param endpoints the shown ones: all, or those the caller may use
 */
export function viewModel(model: Model, top: Endpoint, endpoints: readonly Endpoint[]): ModelView {
  return {
    id: model.id,
    type: 'model',
    canonical_slug: model.id,
    name: model.name,
    display_name: model.name,
    created: createdOf(model),
    created_at: new Date(createdOf(model) * MS_PER_SECOND).toISOString().replace('.000Z', 'Z'),
    context_length: model.contextLength,
    architecture: viewArchitecture(model),
    pricing: viewPricing(top.pricing, 'standard'),
    top_provider: {
      context_length: top.contextLength,
      max_completion_tokens: outputTokensMax(top, model),
      // The gateway does not moderate requests itself, and the catalog does not contain whether providers do.
      is_moderated: false,
    },
    per_request_limits: null,
    ...(model.dimensions && { dimensions: model.dimensions }),
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

/** The parameters that at least one of them supports, each once. */
export const supportedParameters = (endpoints: readonly Endpoint[]): readonly string[] => [
  ...new Set(endpoints.flatMap((endpoint) => endpoint.supportedParameters)),
];
