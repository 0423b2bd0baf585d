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

/** What is taken where neither the file nor the shipped catalog says how long prompts may be. Chosen. */
const CONTEXT_ASSUMED = 32_768;

/** An endpoint of a catalog file, but for its provider and what tells it from others there. */
export interface DescribedEndpoint {
  /** The shipped model that it serves, where the shipped catalog has it at this provider. */
  readonly shipped: Model | undefined;
  readonly contextLength: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
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
  const place = titleOf(deployment);
  const base = splitModel(textOf(info['base_model']) ?? '', undefined).model;
  const found = findShipped(upstream, base, shipped);
  const price = priceOf({ ...params, ...info }, upstream, found, place, note);
  if (!price) return undefined;
  const maxCompletionTokens =
    tokens(info['max_output_tokens']) ?? found?.endpoint.maxCompletionTokens ?? found?.model.maxCompletionTokens;
  // A version of Azure's API is one of its chat completions, and what a deployment talks there.
  const dialect = upstream.dialect ?? (upstream.apiVersion === undefined ? found?.endpoint.dialect : undefined);
  const quantization = found?.endpoint.quantization ?? 'unknown';
  const supported = found?.endpoint.supportedParameters ?? [];
  return {
    shipped: found?.model,
    contextLength: contextOf(info, found, place, note),
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

/** A server of one's own is none of the vendor's whose format it has; a resource at a platform is. */
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
  said: JsonObject,
  { baseUrl, isServer }: Upstream,
  found: ShippedEndpoint | undefined,
  place: string,
  note: Note,
): Price | undefined {
  const reading = readPrices(said);
  if ('pricing' in reading) return reading;
  if ('isFree' in reading) {
    note('assumed', place, 'is free, as its prices are 0 (`free: true`)');
    return { free: true };
  }
  if (reading.fault !== undefined) {
    note(
      'left-out',
      place,
      `its ${reading.fault} is no price that the catalog can say: at most 6 decimals for a million tokens`,
    );
    return undefined;
  }
  if (found) {
    const { model, endpoint } = found;
    note('assumed', place, `costs what the shipped catalog says of ${model.id} at ${endpoint.provider.slug}`);
    return endpoint.pricing ? { pricing: viewPricing(endpoint.pricing) } : { free: true };
  }
  if (isServer && baseUrl !== undefined && isLocal(baseUrl)) {
    note('assumed', place, 'is free, as it is a server of your own without a price (`free: true`)');
    return { free: true };
  }
  note(
    'left-out',
    place,
    'has no price: give input_cost_per_token and output_cost_per_token in its model_info, and import again',
  );
  return undefined;
}

function contextOf(info: JsonObject, found: ShippedEndpoint | undefined, place: string, note: Note): number {
  const known = tokens(info['max_input_tokens']) ?? found?.endpoint.contextLength;
  if (known !== undefined) return known;
  note('assumed', place, `has a context of ${CONTEXT_ASSUMED} tokens: max_input_tokens of its model_info would say`);
  return CONTEXT_ASSUMED;
}

/** What LiteLLM says a model can be shown, as the catalog has it. */
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
