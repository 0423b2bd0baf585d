import type { JsonObject } from '../../core/json/json.js';
import type { Modality, Model } from '../../core/routing/catalog.js';
import type { Note } from '../remark.js';
import { isLocal } from './addresses.js';
import type { Upstream } from './find-upstream.js';
import { titleOf, type Deployment } from './read-config.js';
import { readPrices } from './read-prices.js';
import { viewPricing, type ShippedEndpoint, type ShippedEndpoints } from './shipped-endpoints.js';
import { splitModel } from './prefixes.js';
import { textOf } from '../text-of.js';

/** Context length where neither the file nor the shipped catalog gives one. Chosen. */
const CONTEXT_ASSUMED = 32_768;

/** An endpoint of a catalog file, without its provider and its variant. */
export interface DescribedEndpoint {
  /** The shipped model that it serves, where the shipped catalog has it at this provider. */
  readonly shipped: Model | undefined;
  readonly contextLength: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: Model['outputModalities'];
  /** `model`, `dialect`, `pricing` or `free`, `max_completion_tokens`, `quantization`, `supported_parameters`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @returns undefined where it has no price: noted, and left out */
export function describeEndpoint(
  deployment: Deployment,
  upstream: Upstream,
  shipped: ShippedEndpoints,
  note: Note,
): DescribedEndpoint | undefined {
  const { params, info } = deployment;
  const location = titleOf(deployment);
  const base = splitModel(textOf(info['base_model']) ?? '', undefined).model;
  const found = findShipped(upstream, base, shipped);
  const price = priceOf({ ...params, ...info }, upstream, found, location, note);
  if (!price) return undefined;
  const maxCompletionTokens =
    tokens(info['max_output_tokens']) ?? found?.endpoint.maxCompletionTokens ?? found?.model.maxCompletionTokens;
  // An API version of Azure's belongs to its chat completions, so the deployment speaks that format.
  const dialect = upstream.dialect ?? (upstream.apiVersion === undefined ? found?.endpoint.dialect : undefined);
  const quantization = found?.endpoint.quantization ?? 'unknown';
  const supported = found?.endpoint.supportedParameters ?? [];
  return {
    shipped: found?.model,
    contextLength: contextOf(info, found, location, note),
    inputModalities: found?.model.inputModalities ?? inputsOf(info),
    outputModalities: found?.model.outputModalities ?? ['text'],
    fields: {
      model: upstream.model,
      ...(dialect && { dialect }),
      ...price,
      ...(maxCompletionTokens !== undefined && { max_completion_tokens: maxCompletionTokens }),
      ...(quantization !== 'unknown' && { quantization }),
      ...(supported.length > 0 && { supported_parameters: supported }),
    },
  };
}

/** A private server does not belong to the vendor whose format it speaks; a resource at a platform does. */
function findShipped(
  { like, baseUrl, model }: Upstream,
  base: string,
  shipped: ShippedEndpoints,
): ShippedEndpoint | undefined {
  if (!like || (baseUrl !== undefined && like.platform === undefined)) return undefined;
  return (base === '' ? undefined : shipped.find(like.slug, base)) ?? shipped.find(like.slug, model);
}

type Price = { readonly pricing: object } | { readonly free: true };

function priceOf(
  values: JsonObject,
  { baseUrl, isServer }: Upstream,
  found: ShippedEndpoint | undefined,
  location: string,
  note: Note,
): Price | undefined {
  const reading = readPrices(values);
  if ('pricing' in reading) return reading;
  if ('isFree' in reading) {
    note('assumed', location, 'is free, as its prices are 0 (`free: true`)');
    return { free: true };
  }
  if (reading.fault !== undefined) {
    note(
      'left-out',
      location,
      `its ${reading.fault} is no price that the catalog can hold: at most 6 decimals for a million tokens`,
    );
    return undefined;
  }
  if (found) {
    const { model, endpoint } = found;
    note('assumed', location, `has the price of the shipped catalog for ${model.id} at ${endpoint.provider.slug}`);
    return endpoint.pricing ? { pricing: viewPricing(endpoint.pricing) } : { free: true };
  }
  if (isServer && baseUrl !== undefined && isLocal(baseUrl)) {
    note('assumed', location, 'is free, because it is your own server and has no price (`free: true`)');
    return { free: true };
  }
  note(
    'left-out',
    location,
    'has no price: give input_cost_per_token and output_cost_per_token in its model_info, and import again',
  );
  return undefined;
}

function contextOf(info: JsonObject, found: ShippedEndpoint | undefined, location: string, note: Note): number {
  const known = tokens(info['max_input_tokens']) ?? found?.endpoint.contextLength;
  if (known !== undefined) return known;
  note(
    'assumed',
    location,
    `has a context of ${CONTEXT_ASSUMED} tokens: max_input_tokens in its model_info overrides this`,
  );
  return CONTEXT_ASSUMED;
}

/** LiteLLM's flags of input modalities, by the catalog's modality. */
const INPUT_KEYS: Readonly<Record<string, Modality>> = {
  supports_vision: 'image',
  supports_pdf_input: 'file',
  supports_audio_input: 'audio',
  supports_video_input: 'video',
};

const inputsOf = (info: JsonObject): readonly Modality[] => [
  'text',
  ...Object.entries(INPUT_KEYS).flatMap(([key, modality]) => (info[key] === true ? [modality] : [])),
];

/** Keys of `model_info` that are read here, beside the prices. */
export const DESCRIBING_KEYS: ReadonlySet<string> = new Set([
  'base_model', 'max_input_tokens', 'max_output_tokens', ...Object.keys(INPUT_KEYS),
]); // oxfmt-ignore

function tokens(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}
