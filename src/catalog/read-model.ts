import { TASK_KINDS, type TaskKind } from '../core/conversation/task.js';
import { IMAGE_RULES } from '../core/money/image-tokens.js';
import {
  DIALECT_IDS,
  MODALITIES,
  OUTPUT_MODALITIES,
  type Endpoint,
  type Model,
  type ModelLimits,
  type Score,
} from '../core/routing/catalog.js';
import { isRoutingSuffix } from '../core/routing/model-name.js';
import { QUANTIZATIONS } from '../core/routing/preferences.js';
import type { Field } from './field.js';
import type { GeographyPrices } from './read-geographies.js';
import { readPricing } from './read-pricing.js';

/** `author/slug`, or `author/slug:variant`. */
export const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*(?::[a-z0-9][a-z0-9-]*)?$/;

/** May be a name without an author. Routing suffixes and variants can follow it. */
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)?$/;

const FREE = { pricing: null, geographies: new Map() } as const;
const PARAMETER = /^[a-z][a-z0-9_]*$/;

/** An endpoint whose provider is still a name: it may be defined in another file. */
export interface EndpointDraft {
  readonly providerSlug: string;
  /** The field with the name, for the fault when there is no such provider. */
  readonly providerField: Field;
  readonly endpoint: Omit<Endpoint, 'provider'>;
  readonly geographies: GeographyPrices;
}

/** A further name, with its position for the fault where another model has it. */
export interface AliasDraft {
  readonly alias: string;
  readonly field: Field;
}

/** A model as described in its file. */
export interface ModelDraft {
  readonly model: Omit<Model, 'endpoints'>;
  readonly aliases: readonly AliasDraft[];
  readonly endpoints: readonly EndpointDraft[];
}

/** Reads one entry of `models`. Undefined: at least one fault was recorded. */
export function readModel(field: Field): ModelDraft | undefined {
  const members = field.members(
    ['id', 'name', 'context_length', 'endpoints'],
    [
      'aliases',
      'created',
      'max_completion_tokens',
      'input_modalities',
      'output_modalities',
      'dimensions',
      'distillable',
      'image_tokens_max',
      'page_tokens_max',
      'image_tokens',
      'scores',
      'limits',
    ],
  );
  if (!members) return undefined;
  const id = readModelId(members.get('id'));
  const aliases = readAliases(members.get('aliases'));
  const name = members.get('name')?.text();
  const created = members.get('created')?.day();
  const contextLength = members.get('context_length')?.positiveInteger();
  const distillable = members.get('distillable')?.flag();
  const imageTokensMax = members.get('image_tokens_max')?.positiveInteger();
  const pageTokensMax = members.get('page_tokens_max')?.positiveInteger();
  const imageTokens = members.get('image_tokens')?.oneOf(IMAGE_RULES);
  const limits = readLimits(members.get('limits'));
  const inputModalities = readModalities(members.get('input_modalities'), MODALITIES);
  const outputModalities = readModalities(members.get('output_modalities'), OUTPUT_MODALITIES);
  const task = readTask(members.get('output_modalities'), outputModalities);
  const dimensions = readDimensions(members.get('dimensions'), task);
  const maxCompletionTokens = readOutputMax(members.get('max_completion_tokens'), task);
  const scores = readScores(members.get('scores'));
  const endpoints = readEndpoints(members.get('endpoints'), contextLength, task);
  if (id === undefined || name === undefined || contextLength === undefined) return undefined;
  const model = {
    id,
    ...(aliases.length > 0 && { aliases: aliases.map(({ alias }) => alias) }),
    name,
    ...(created !== undefined && { created }),
    contextLength,
    ...(maxCompletionTokens !== undefined && { maxCompletionTokens }),
    inputModalities,
    outputModalities,
    ...(task && { task }),
    ...(dimensions && { dimensions }),
    ...(distillable !== undefined && { distillable }),
    ...(imageTokensMax !== undefined && { imageTokensMax }),
    ...(pageTokensMax !== undefined && { pageTokensMax }),
    ...(imageTokens !== undefined && { imageTokens }),
    scores,
    ...(limits && { limits }),
  };
  return { model, aliases, endpoints };
}

function readModelId(field: Field | undefined): string | undefined {
  const id = field?.matching(MODEL_ID, 'author/slug or author/slug:variant');
  const variant = id?.split(':')[1];
  // A catalogue entry with this name could never be requested (docs/use/choosing-providers.md#suffixes-of-models).
  return field && variant !== undefined && isRoutingSuffix(variant)
    ? field.refuse(`must not end in ":${variant}", which is a routing suffix`)
    : id;
}

function readAliases(field: Field | undefined): readonly AliasDraft[] {
  const drafts = new Map<string, AliasDraft>();
  for (const item of field?.items() ?? []) {
    const alias = item.matching(ALIAS, 'a name such as "claude-sonnet-4-5" or "author/slug", without ":"');
    if (alias !== undefined) drafts.set(alias, { alias, field: item });
  }
  return [...drafts.values()];
}

/** A model that does a task does nothing else. */
function readTask(field: Field | undefined, outputs: Model['outputModalities']): TaskKind | undefined {
  const task = TASK_KINDS.find((kind) => outputs.includes(kind));
  if (task && outputs.length > 1) field?.refuse(`must name ${task} alone`);
  return task;
}

function readDimensions(field: Field | undefined, task: TaskKind | undefined): readonly number[] | undefined {
  if (!field) return undefined;
  if (task !== 'embeddings') return field.refuse('belongs to models whose output_modalities are [embeddings]');
  const items = field.items();
  if (items.length === 0) field.refuse('must name at least one length');
  return [...new Set(items.flatMap((item) => item.positiveInteger() ?? []))];
}

function readOutputMax(field: Field | undefined, task: TaskKind | undefined): number | undefined {
  return task ? field?.refuse(`must be absent of a model of ${task}, which generates nothing`) : field?.positiveInteger();
}

function readEndpoints(
  field: Field | undefined,
  contextLength: number | undefined,
  task: TaskKind | undefined,
): readonly EndpointDraft[] {
  const items = field?.items() ?? [];
  if (field && items.length === 0) field.refuse('must have at least one endpoint');
  const tags = new Map<string, number>();
  const drafts: EndpointDraft[] = [];
  items.forEach((item, index) => {
    const draft = readEndpoint(item, contextLength, task);
    if (!draft) return;
    const { tag } = draft.endpoint;
    const first = tags.get(tag);
    if (first !== undefined) item.refuse(`has the tag "${tag}" of endpoint ${first}; give it a variant of its own`);
    else tags.set(tag, index);
    drafts.push(draft);
  });
  return drafts;
}

function readEndpoint(
  field: Field,
  modelContextLength: number | undefined,
  task: TaskKind | undefined,
): EndpointDraft | undefined {
  const members = field.members(
    ['provider', 'model'],
    [
      'variant',
      'dialect',
      'pricing',
      'free',
      'quantization',
      'context_length',
      'max_completion_tokens',
      'supported_parameters',
      'timeouts',
    ],
  );
  if (!members) return undefined;
  const providerField = members.get('provider');
  const providerSlug = providerField?.slug();
  const upstreamModel = members.get('model')?.text();
  const variant = members.get('variant')?.slug();
  const dialect = members.get('dialect')?.oneOf(DIALECT_IDS);
  const quantization = members.get('quantization')?.oneOf(QUANTIZATIONS) ?? 'unknown';
  const contextLength = members.get('context_length')?.positiveInteger() ?? modelContextLength;
  const maxCompletionTokens = readOutputMax(members.get('max_completion_tokens'), task);
  const supportedParameters = readParameters(members.get('supported_parameters'));
  const firstTimeoutMs = members.get('timeouts')?.members([], ['first'])?.get('first')?.durationMs();
  const pricingField = members.get('pricing');
  const prices = pricingField ? readPricing(pricingField, task) : FREE;
  const freeField = members.get('free');
  const free = freeField ? freeField.flag() : false;
  // docs/operate/catalog.md#endpoints: a forgotten price must not make a model free.
  if (free === false && !pricingField) return field.refuse('needs pricing; set `free: true` to serve it at no cost');
  if (free && pricingField) return pricingField.refuse('must be absent when free is true');
  if (!providerField || providerSlug === undefined || upstreamModel === undefined) return undefined;
  if (contextLength === undefined || prices === undefined) return undefined;
  const endpoint = {
    tag: variant === undefined ? providerSlug : `${providerSlug}/${variant}`,
    ...(variant !== undefined && { variant }),
    upstreamModel,
    ...(dialect && { dialect }),
    pricing: prices.pricing,
    quantization,
    contextLength,
    ...(maxCompletionTokens !== undefined && { maxCompletionTokens }),
    supportedParameters,
    ...(firstTimeoutMs !== undefined && { firstTimeoutMs }),
  };
  return { providerSlug, providerField, endpoint, geographies: prices.geographies };
}

function readParameters(field: Field | undefined): readonly string[] {
  const names = (field?.items() ?? []).map((item) => item.matching(PARAMETER, 'the name of a request field'));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Only text, unless more is given. */
function readModalities<const Name extends string>(
  field: Field | undefined,
  names: readonly Name[],
): readonly (Name | 'text')[] {
  if (!field) return ['text'];
  const items = field.items();
  if (items.length === 0) field.refuse('must name at least one modality');
  const modalities = items.map((item) => item.oneOf(names)).filter((modality) => modality !== undefined);
  return [...new Set(modalities)];
}

function readScores(field: Field | undefined): Model['scores'] {
  const members = field?.members([], ['quality', 'coding']);
  const quality = readScore(members?.get('quality'));
  const coding = readScore(members?.get('coding'));
  return { ...(quality && { quality }), ...(coding && { coding }) };
}

function readScore(field: Field | undefined): Score | undefined {
  const members = field?.members(['value', 'source']);
  const value = members?.get('value')?.share();
  const source = members?.get('source')?.text();
  return value === undefined || source === undefined ? undefined : { value, source };
}

function readLimits(field: Field | undefined): ModelLimits | undefined {
  const members = field?.members([], ['requests_per_minute', 'tokens_per_minute', 'concurrency']);
  if (!members) return undefined;
  const requestsPerMinute = members.get('requests_per_minute')?.positiveInteger();
  const tokensPerMinute = members.get('tokens_per_minute')?.positiveInteger();
  const concurrency = members.get('concurrency')?.positiveInteger();
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    ...(concurrency !== undefined && { concurrency }),
  };
}
