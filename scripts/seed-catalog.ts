/**
 * Writes `catalog/default.yaml` from the data of @pydantic/genai-prices and `catalog-selection.ts`. The same input
 * gives the same bytes. Run it after an update of the package, and set `DATA_DATE` to the date of its release:
 *
 *     npx tsc --ignoreConfig --module nodenext --target es2023 --types node --skipLibCheck --rootDir . --outDir
 *       dist/seed \ scripts/seed-catalog.ts node dist/seed/scripts/seed-catalog.js > catalog/default.yaml
 */
import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import { SANDBOX_MODELS, type SandboxModel } from '../src/providers/dialects/simulated/models.js';
import {
  ALIASES,
  IMAGES,
  MEDIA_DATE,
  MODELS,
  PAGE_TEXT_TOKENS,
  PROVIDERS,
  type EndpointChoice,
  type ModelChoice,
  type ProviderChoice,
} from './catalog-selection.js';
import { TIERS, type TierChoice } from './catalog-tiers.js';

const SOURCE = '@pydantic/genai-prices 0.1.8';
const DATA_DATE = '2026-09-23';

/** The catalog's names for the price package's, in the order they are written. */
const PER_TOKEN = {
  input_mtok: 'prompt',
  output_mtok: 'completion',
  cache_read_mtok: 'input_cache_read',
  cache_write_mtok: 'input_cache_write',
  cache_write_1h_mtok: 'input_cache_write_1h',
} as const;
type PriceKey = keyof typeof PER_TOKEN;
const PRICE_KEYS = Object.keys(PER_TOKEN) as readonly PriceKey[];

const SEARCHES = 'web_searches_kcount';
// OpenAI's searches of stored files, which no request through the gateway causes.
const UNUSED = 'storage_searches_kcount';

/** The sandbox takes whatever a client may send, so that asking for `require_parameters` never hides it. */
const SANDBOX_PARAMETERS = [
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_a',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'include_reasoning',
  'structured_outputs',
  'response_format',
  'verbosity',
];

const list = (items: readonly string[]): string => `[${items.join(', ')}]`;
const text = (value: string): string => JSON.stringify(value);

/** The whole file. */
export function seedCatalog(): string {
  return [
    `# The models, endpoints and prices that ship. Written by scripts/seed-catalog.ts: change that, not this.`,
    `#`,
    `# Prices and context lengths: ${SOURCE} (MIT), data of ${DATA_DATE}; USD per million tokens.`,
    `# Service tiers and geographies: the page and date beside each.`,
    `# Output limits, input modalities and request fields: the sources named in scripts/catalog-selection.ts.`,
    `# What a page of a PDF counts at most: an image, and 3,000 tokens of text (PAGE_TEXT_TOKENS there).`,
    `# What no source says is absent. Nothing is said of data policies, so every provider but the sandbox counts as one that`,
    `# collects data and retains them: state your own agreements in a file of yours that says \`extends: default\`.`,
    `version: 1`,
    ``,
    `providers:`,
    ...PROVIDERS.flatMap(providerLines),
    ...sandboxProviderLines(),
    ``,
    `models:`,
    ...MODELS.flatMap(modelLines),
    ...sandboxModelLines(),
    ``,
  ].join('\n');
}

function providerLines(provider: ProviderChoice): string[] {
  return [
    `  - slug: ${provider.slug}`,
    `    name: ${text(provider.name)}`,
    `    dialect: ${provider.dialect}`,
    `    base_url: ${provider.baseUrl}`,
    `    credential: { env: ${provider.credentialVariable} }`,
    ...(provider.billsLeftStreams ? [`    aborts: { stream: billed }`] : []),
  ];
}

function modelLines([id, name, choices, input = []]: ModelChoice): string[] {
  const endpoints = choices.map((choice) => ({ choice, source: findSource(choice) }));
  const contexts = endpoints.map(({ choice, source }) => choice.context ?? source.context_window);
  if (contexts.some((context) => context === undefined)) throw new Error(`${id}: no source gives a context length.`);
  const context = Math.max(...contexts.map(Number));
  const outputs = new Set(choices.map(({ output }) => output));
  const [output] = outputs.size === 1 ? outputs : [];
  const aliases = ALIASES[id] ?? [];
  return [
    ``,
    `  - id: ${id}`,
    ...(aliases.length === 0 ? [] : [`    aliases: ${list(aliases)}`]),
    `    name: ${text(name)}`,
    `    context_length: ${context}`,
    ...(output === undefined ? [] : [`    max_completion_tokens: ${output}`]),
    `    input_modalities: ${list(['text', ...input])}`,
    `    output_modalities: [text]`,
    ...mediaLines(id, input),
    `    endpoints:`,
    ...endpoints.flatMap(({ choice, source }, index) => [
      ...endpointLines(choice, source),
      ...(contexts[index] === context ? [] : [`        context_length: ${contexts[index]}`]),
      ...(choice.output === output ? [] : [`        max_completion_tokens: ${choice.output}`]),
      `        supported_parameters: ${list(parametersOf(choice))}`,
    ]),
  ];
}

/** For the bound of a call. Checked: whatever takes images says what they count. */
function mediaLines(id: string, input: readonly ('image' | 'file')[]): string[] {
  if (input.length === 0) return [];
  const choice = IMAGES.find(({ models }) => models.test(id));
  if (!choice) throw new Error(`${id}: no source says what an image counts.`);
  const { max, rule, source } = choice;
  return [
    `    image_tokens_max: ${max} # ${source}, ${MEDIA_DATE}`,
    ...(rule === undefined ? [] : [`    image_tokens: ${rule}`]),
    ...(input.includes('file') ? [`    page_tokens_max: ${max + PAGE_TEXT_TOKENS}`] : []),
  ];
}

function endpointLines(choice: EndpointChoice, source: ModelInfo): string[] {
  const { prices, byTime } = pricesOf(source);
  const tiers = TIERS[`${choice.provider} ${choice.source}`];
  return [
    ...(byTime ? [`      # The dearest of the day: the provider charges less at other hours.`] : []),
    `      - provider: ${choice.provider}`,
    ...(choice.variant === undefined ? [] : [`        variant: ${choice.variant}`]),
    `        model: ${choice.upstream ?? choice.source}`,
    ...(tiers ? [`        # ${namesOf(tiers)}: ${tiers.source}`] : []),
    `        pricing: ${pricing(source.id, prices, tiers)}`,
    ...(choice.quantization === undefined ? [] : [`        quantization: ${choice.quantization}`]),
  ];
}

function parametersOf(choice: EndpointChoice): string[] {
  const provided = providerOf(choice.provider).parameters.filter((name) => !choice.without?.includes(name));
  return [...provided, ...(choice.more ?? [])];
}

function providerOf(slug: string): ProviderChoice {
  const provider = PROVIDERS.find((one) => one.slug === slug);
  if (!provider) throw new Error(`${slug}: not among the providers chosen.`);
  return provider;
}

/**
 * The price package's entry. Checked: it is not deprecated, and its prices are those of the name that goes upstream.
 */
function findSource(choice: EndpointChoice): ModelInfo {
  const models = findProvider({ providerId: providerOf(choice.provider).source })?.models ?? [];
  const source = models.find((model) => model.id === choice.source);
  const label = `${choice.provider} ${choice.source}`;
  if (!source) throw new Error(`${label}: not in the price package.`);
  if (source.deprecated) throw new Error(`${label}: deprecated.`);
  if (!matches(source.match, choice.upstream ?? choice.source)) throw new Error(`${label}: prices of another name.`);
  return source;
}

function matches(logic: MatchLogic, name: string): boolean {
  if ('equals' in logic) return name === logic.equals;
  if ('starts_with' in logic) return name.startsWith(logic.starts_with);
  if ('ends_with' in logic) return name.endsWith(logic.ends_with);
  if ('contains' in logic) return name.includes(logic.contains);
  if ('regex' in logic) return new RegExp(logic.regex).test(name);
  if ('or' in logic) return logic.or.some((one) => matches(one, name));
  return logic.and.every((one) => matches(one, name));
}

/**
 * The prices on the day of the data. Where they change with the hour, the dearest: a bound and a
 * charge must never fall short.
 */
function pricesOf(source: ModelInfo): { readonly prices: ModelPrice; readonly byTime: boolean } {
  if (!Array.isArray(source.prices)) return { prices: source.prices, byTime: false };
  let prices: ModelPrice = {};
  let byTime = false;
  for (const { constraint, prices: candidate } of source.prices) {
    if (constraint?.type === 'time_of_date') {
      if (Number(candidate.input_mtok) < Number(prices.input_mtok)) continue;
      byTime = true;
      prices = candidate;
    } else if (constraint === undefined || constraint.start_date <= DATA_DATE) prices = candidate;
  }
  return { prices, byTime };
}

function pricing(id: string, prices: ModelPrice, choice?: TierChoice): string {
  const unknown = Object.keys(prices).find((key) => !(key in PER_TOKEN) && key !== SEARCHES && key !== UNUSED);
  if (unknown !== undefined) throw new Error(`${id}: ${unknown} has no place in the catalog.`);
  const parts = tokenPrices(prices, 0);
  const searches = prices[SEARCHES];
  if (typeof searches === 'number') parts.push(`web_search: ${decimal(searches / 1000)}`);
  const tiers = tierStarts(prices).map((start) => {
    // The source charges a tier for more tokens than its start, the catalog from its first token on.
    const first = start + 1;
    return `{ min_prompt_tokens: ${first}, ${tokenPrices(prices, first).join(', ')} }`;
  });
  if (tiers.length > 0) parts.push(`tiers: [${tiers.join(', ')}]`);
  if (choice)
    parts.push(
      ...tierPrices(
        choice,
        tierStarts(prices).map((start) => start + 1),
      ),
    );
  return `{ ${parts.join(', ')} }`;
}

const TARIFFS = ['fast', 'priority', 'flex'] as const;

/** Which price lists of its own an endpoint has, for the comment above them. */
const namesOf = (choice: TierChoice): string =>
  [...TARIFFS, 'geo' as const].filter((name) => choice[name] !== undefined).join(', ');

/** @param starts lengths from which the plain list charges more, as the catalog has them */
function tierPrices(choice: TierChoice, starts: readonly number[]): string[] {
  const lists = TARIFFS.flatMap((name) => {
    const tariff = choice[name];
    if (!tariff) return [];
    const { long, ...short } = tariff;
    const parts = entries(short);
    if (long && starts.length !== 1)
      throw new Error(`${name}: prices of long prompts need one length of the plain list.`);
    if (long) parts.push(`tiers: [{ min_prompt_tokens: ${starts[0]}, ${entries(long).join(', ')} }]`);
    return [`${name}: { ${parts.join(', ')} }`];
  });
  return choice.geo ? [...lists, `geo: { ${entries(choice.geo).join(', ')} }`] : lists;
}

const entries = (values: object): string[] =>
  Object.entries(values).map(([name, value]) => `${name}: ${text(value as string)}`);

/** The prices that a prompt of this length pays. */
function tokenPrices(prices: ModelPrice, promptTokens: number): string[] {
  return PRICE_KEYS.flatMap((key) => {
    const price = prices[key];
    if (price === undefined) return [];
    if (typeof price === 'number') return [`${PER_TOKEN[key]}: ${decimal(price)}`];
    const tier = price.tiers.filter(({ start }) => start < promptTokens).at(-1);
    return [`${PER_TOKEN[key]}: ${decimal(tier?.price ?? price.base)}`];
  });
}

function tierStarts(prices: ModelPrice): number[] {
  const starts = PRICE_KEYS.flatMap((key) => {
    const price = prices[key];
    return typeof price === 'object' ? price.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].sort((a, b) => a - b);
}

function decimal(value: number): string {
  const written = String(value);
  if (!/^\d+(\.\d{1,6})?$/.test(written)) throw new Error(`${written} is not a price.`);
  return text(written);
}

function sandboxProviderLines(): string[] {
  return [
    `  - slug: sandbox # lives in the gateway itself: nothing leaves the process`,
    `    name: Sandbox`,
    `    dialect: simulated`,
    `    policy: { collects_data: false, zero_data_retention: true }`,
    `    aborts: { whole: stops }`,
  ];
}

function sandboxModelLines(): string[] {
  const free = SANDBOX_MODELS.filter(({ name }) => name === 'echo');
  return [
    ...SANDBOX_MODELS.flatMap((model) => sandboxEntry(model, '', 'pricing: { prompt: "1", completion: "2" }')),
    ...free.flatMap((model) => sandboxEntry({ ...model, title: `${model.title} (free)` }, ':free', 'free: true')),
  ];
}

function sandboxEntry(model: SandboxModel, variant: string, price: string): string[] {
  return [
    ``,
    `  - id: sandbox/${model.name}${variant}`,
    `    name: ${text(model.title)}`,
    `    context_length: ${model.contextLength}`,
    `    max_completion_tokens: ${model.maxCompletionTokens}`,
    `    input_modalities: ${list(model.inputModalities)}`,
    `    output_modalities: ${list(model.outputModalities)}`,
    // It counts texts alone. So large that holds can be seen.
    `    image_tokens_max: 1600`,
    `    image_tokens: anthropic`,
    `    page_tokens_max: ${1600 + PAGE_TEXT_TOKENS}`,
    `    endpoints:`,
    `      - provider: sandbox`,
    `        model: ${model.name}`,
    `        ${price}`,
    `        supported_parameters: ${list(SANDBOX_PARAMETERS)}`,
  ];
}

// Only when run, not when a test imports it. `import.meta` would tell, but tests run as CommonJS.
if (process.argv[1]?.endsWith('seed-catalog.js')) process.stdout.write(seedCatalog());
