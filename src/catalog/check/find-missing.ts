import { imageTokens } from '../../core/money/image-tokens.js';
import type { CatalogProvider, DataPolicy, Model, ToolsConfiguration } from '../../core/routing/catalog.js';
import { nameEndpoint } from './compare-catalogs.js';
import { findingOf, type Finding } from './finding.js';
import type { KnownProviders } from './neutral-plan.js';

/** The judged catalog, or the judged part of one. */
export interface JudgedCatalog {
  readonly providers: readonly CatalogProvider[];
  readonly models: readonly Model[];
  readonly tools: ToolsConfiguration;
  /** Slugs of all providers that an endpoint of the whole catalog names. */
  readonly serving: ReadonlySet<string>;
  /** The variable of a provider's credential where it is not set; undefined: it is set, or there is none. */
  readonly unsetVariable: (provider: CatalogProvider) => string | undefined;
}

/** Data that routing or the ledger needs and the catalog lacks. */
export function findMissing(catalog: JudgedCatalog, known: KnownProviders): readonly Finding[] {
  return [
    ...missingOfEndpoints(catalog.models),
    ...missingOfModels(catalog.models),
    ...missingOfProviders(catalog, known),
    ...missingOfTools(catalog.tools),
  ];
}

/** A credential implies a service that charges. */
function missingOfTools({ webSearch, webFetch }: ToolsConfiguration): readonly Finding[] {
  const engines = [
    ...[...(webSearch?.engines ?? [])].map(([name, engine]) => ({ subject: `web_search ${name}`, engine })),
    ...[...(webFetch?.engines ?? [])].map(([name, engine]) => ({ subject: `web_fetch ${name}`, engine })),
  ];
  return findingOf(
    'missing',
    'engine',
    'a credential and no price: no caller is charged for its uses',
    engines.flatMap(({ subject, engine: { credential, price = 0n } }) => (credential && price === 0n ? [subject] : [])),
  );
}

type ModelEndpoint = { readonly model: Model; readonly endpoint: Model['endpoints'][number] };

function missingOfEndpoints(models: readonly Model[]): readonly Finding[] {
  const endpoints = models.flatMap((model) => model.endpoints.map((endpoint): ModelEndpoint => ({ model, endpoint })));
  const where = (words: string, isMissing: (entry: ModelEndpoint) => boolean): readonly Finding[] =>
    findingOf(
      'missing',
      'endpoint',
      words,
      endpoints.filter(isMissing).map(({ model, endpoint }) => nameEndpoint(model.id, endpoint.tag)),
    );
  return [
    ...where(
      'no max_completion_tokens: what a call may cost is bounded by the whole context',
      ({ model, endpoint }) => !model.task && (endpoint.maxCompletionTokens ?? model.maxCompletionTokens) === undefined,
    ),
    ...where(
      'no quantization: left out wherever one is requested',
      ({ endpoint }) => endpoint.quantization === 'unknown',
    ),
    ...where(
      'no supported_parameters: left out under require_parameters',
      ({ endpoint }) => endpoint.supportedParameters.length === 0,
    ),
  ];
}

function missingOfModels(models: readonly Model[]): readonly Finding[] {
  const where = (words: string, isMissing: (model: Model) => boolean): readonly Finding[] =>
    findingOf(
      'missing',
      'model',
      words,
      models.filter(isMissing).map(({ id }) => id),
    );
  return [
    ...where(
      'takes images, no image_tokens_max: an image whose size cannot be read counts the whole context',
      ({ inputModalities, imageTokens: rule, imageTokensMax }) =>
        inputModalities.includes('image') && imageTokens(rule, undefined, imageTokensMax) === undefined,
    ),
    ...where(
      'takes files, no page_tokens_max: a page of a PDF counts the whole context',
      ({ inputModalities, pageTokensMax }) => inputModalities.includes('file') && pageTokensMax === undefined,
    ),
    ...where(
      'distillable is not stated: left out under enforce_distillable_text',
      ({ distillable }) => distillable === undefined,
    ),
    ...where('only one endpoint: no other answers when it fails', (model) => model.endpoints.length === 1),
  ];
}

function missingOfProviders(catalog: JudgedCatalog, known: KnownProviders): readonly Finding[] {
  const { providers, serving, unsetVariable } = catalog;
  const where = (words: string, isMissing: (provider: CatalogProvider) => boolean): readonly Finding[] =>
    findingOf(
      'missing',
      'provider',
      words,
      providers.filter(isMissing).map(({ slug }) => slug),
    );
  return [
    ...where(
      'training and retention are not stated: left out under zdr and data_collection: deny',
      ({ policy }) => !speaksOfData(policy),
    ),
    ...where(
      'no credential: only callers with a credential of their own reach it',
      (provider) => provider.credential === undefined && known.wantsCredential(provider),
    ),
    ...findingOf(
      'missing',
      'provider',
      'the variable of the credential is not set here',
      providers.flatMap((provider) => {
        const variable = unsetVariable(provider);
        return variable === undefined ? [] : [`${provider.slug} (${variable})`];
      }),
    ),
    ...where('no endpoint: it is never called', ({ slug }) => !serving.has(slug)),
  ];
}

/** Whether any data policy besides the location is given: absent fields count as the worst case. */
const speaksOfData = ({ collectsData, trains, retentionDays, zeroDataRetention }: DataPolicy): boolean =>
  !collectsData || zeroDataRetention || trains !== undefined || retentionDays !== undefined;
