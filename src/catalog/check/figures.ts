import { formatUsd } from '../../core/money/credits.js';
import type {
  CatalogProvider,
  Endpoint,
  Model,
  Pricing,
  TariffPrices,
  TokenPrices,
  ToolEngines,
  ToolsConfiguration,
} from '../../core/routing/catalog.js';
import { TOKEN_CLASS_NAMES, TOKEN_CLASSES, UNIT_NAMES, UNITS } from '../../core/routing/price-classes.js';
import { TARIFFS } from '../read-pricing.js';

/** The values of a catalog entry, by their names in the file (`pricing.prompt`); without absent ones. */
export type Figures = ReadonlyMap<string, string>;

type Value = string | number | boolean | readonly string[] | undefined;

const TOKENS_PER_MILLION = 1_000_000n;
const BYTES_PER_MEBIBYTE = 1024 * 1024;
/** Factors of a geography have few decimals; these are computed back from prices. */
const FACTOR_DECIMALS = 6;

/** Without credentials. */
export function providerFigures({ policy, aborts, quirks, ...provider }: CatalogProvider): Figures {
  return presentFigures({
    name: provider.name,
    dialect: provider.dialect,
    platform: provider.platform,
    base_url: provider.baseUrl,
    api_version: provider.apiVersion,
    passes_unknown_fields: provider.passesUnknownFields,
    'policy.collects_data': policy.collectsData,
    'policy.trains': policy.trains,
    'policy.retention_days': policy.retentionDays,
    'policy.zero_data_retention': policy.zeroDataRetention,
    'policy.region': policy.region,
    'aborts.stream': aborts?.stream,
    'aborts.whole': aborts?.whole,
    quirks: quirks && JSON.stringify(quirks),
  });
}

/** Without credentials, and without engines whose credential is not set. */
export function toolFigures({ webSearch, webFetch, imageGeneration, bash }: ToolsConfiguration): Figures {
  return presentFigures({
    'web_search.default': webSearch?.default,
    ...engineValues('web_search', webSearch?.engines),
    'web_fetch.price': webFetch && formatUsd(webFetch.price),
    ...engineValues('web_fetch', webFetch?.engines),
    'image_generation.model': imageGeneration?.model,
    'bash.price': bash && formatUsd(bash.price),
    'bash.memory': bash && `${bash.memoryBytes / BYTES_PER_MEBIBYTE}MiB`,
    'bash.time': bash && `${bash.timeMs / 1_000}s`,
  });
}

function engineValues(tool: string, engines: ToolEngines | undefined): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [name, { baseUrl, price = 0n }] of engines ?? []) {
    values[`${tool}.engines.${name}.base_url`] = baseUrl;
    values[`${tool}.engines.${name}.price`] = formatUsd(price);
  }
  return values;
}

/** Without its endpoints. */
export function modelFigures({ scores, limits, ...model }: Model): Figures {
  return presentFigures({
    name: model.name,
    aliases: model.aliases,
    created: model.created === undefined ? undefined : new Date(model.created * 1_000).toISOString().slice(0, 10),
    context_length: model.contextLength,
    max_completion_tokens: model.maxCompletionTokens,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    distillable: model.distillable,
    image_tokens_max: model.imageTokensMax,
    page_tokens_max: model.pageTokensMax,
    image_tokens: model.imageTokens,
    'scores.quality': scores.quality && `${scores.quality.value} (${scores.quality.source})`,
    'scores.coding': scores.coding && `${scores.coding.value} (${scores.coding.source})`,
    'limits.requests_per_minute': limits?.requestsPerMinute,
    'limits.tokens_per_minute': limits?.tokensPerMinute,
    'limits.concurrency': limits?.concurrency,
  });
}

/** @param model whose context length applies where the endpoint has none of its own */
export function endpointFigures(endpoint: Endpoint, model: Model): Figures {
  return new Map([
    ...presentFigures({
      model: endpoint.upstreamModel,
      dialect: endpoint.dialect,
      quantization: endpoint.quantization === 'unknown' ? undefined : endpoint.quantization,
      context_length: endpoint.contextLength === model.contextLength ? undefined : endpoint.contextLength,
      max_completion_tokens: endpoint.maxCompletionTokens,
      supported_parameters: endpoint.supportedParameters,
      'timeouts.first': endpoint.firstTimeoutMs === undefined ? undefined : `${endpoint.firstTimeoutMs}ms`,
      free: endpoint.pricing === null || undefined,
    }),
    ...(endpoint.pricing ? priceFigures(endpoint.pricing, endpoint.geographies) : []),
  ]);
}

function priceFigures(pricing: Pricing, geographies: Endpoint['geographies']): Figures {
  const figures = new Map<string, string>();
  addLengths('pricing.', pricing, figures);
  for (const unit of UNIT_NAMES) {
    const price = pricing[UNITS[unit]];
    if (price !== undefined) figures.set(`pricing.${unit}`, formatUsd(price));
  }
  for (const tariff of TARIFFS) {
    const prices = pricing[tariff];
    if (prices) addLengths(`pricing.${tariff}.`, prices, figures);
  }
  for (const [word, { pricing: there }] of geographies ?? []) {
    const side = pricing.prompt > 0n ? 'prompt' : 'completion';
    const factor = Number(there?.[side]) / Number(pricing[side]);
    figures.set(`pricing.geo.${word}`, String(Number(factor.toFixed(FACTOR_DECIMALS))));
  }
  return figures;
}

/** The plain list, and for each class the prompt lengths from which it has another price. */
function addLengths(prefix: string, prices: TariffPrices, figures: Map<string, string>): void {
  addClasses(prefix, '', prices, figures);
  for (const { minPromptTokens, ...ofLength } of prices.tiers ?? [])
    addClasses(prefix, ` from ${minPromptTokens} tokens`, ofLength, figures);
}

function addClasses(prefix: string, length: string, prices: Partial<TokenPrices>, figures: Map<string, string>): void {
  for (const kind of TOKEN_CLASS_NAMES) {
    const price = prices[TOKEN_CLASSES[kind]];
    if (price !== undefined) figures.set(`${prefix}${kind}${length}`, formatUsd(price * TOKENS_PER_MILLION));
  }
}

function presentFigures(values: Readonly<Record<string, Value>>): Figures {
  const figures = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === 'object' ? value.join(', ') : String(value ?? '');
    if (text !== '') figures.set(name, text);
  }
  return figures;
}
