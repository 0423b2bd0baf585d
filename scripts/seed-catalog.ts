/**
 * Writes the shipped catalog, `catalog/default.yaml`, and where each of its figures is from, `catalog/sources.yaml`:
 * `npm run seed:catalog`. What is in them is chosen in `catalog-selection.ts` and `catalog-providers.ts`; the figures
 * come from packages with data (`catalog-tables.ts`), from files (`catalog-hosts.ts`) and from pages
 * (`catalog-tiers.ts`, `catalog-policies.ts`, `catalog-terms.ts`, `catalog-scores.ts`). The same input gives the same
 * bytes. After an update of the price package set `PACKAGE_DATE`.
 */
import { writeFileSync } from 'node:fs';
import { FUSION_PRESETS, type FusionPresetName } from '../src/core/routing/catalog.js';
import { SANDBOX_MODELS, type SandboxModel } from '../src/providers/dialects/simulated/models.js';
import { HOSTED, HOSTS_DATE } from './catalog-hosts.js';
import { POLICIES, POLICY_DATE, type PolicyChoice } from './catalog-policies.js';
import { PROVIDERS, type ProviderChoice } from './catalog-providers.js';
import {
  ALIASES,
  DRAWERS,
  FIGURES,
  FIGURES_DATE,
  IMAGES,
  MEDIA_DATE,
  MODELS,
  PAGE_TEXT_TOKENS,
  PDF_PAGES,
  type EndpointChoice,
  type ModelChoice,
} from './catalog-selection.js';
import {
  SCORES,
  SCORE_NAMES,
  scoreOf,
  SCORES_PUBLISHED,
  SCORES_READ,
  SCORES_TITLE,
  SCORES_URL,
} from './catalog-scores.js';
import { SourceBook, type Source } from './catalog-sources.js';
import {
  factsOf,
  PRICE_DATE,
  PRICE_PACKAGE,
  TABLES,
  withDrawing,
  type ModelFacts,
  type PriceList,
  type Sourced,
  type TableName,
  type ToldModel,
  type TokenPrices,
} from './catalog-tables.js';
import { DISTILLATION, precisionInName, PRECISIONS, TERMS_DATE } from './catalog-terms.js';
import { TIERS, TIERS_DATE, type TierChoice } from './catalog-tiers.js';

/** The release of the price package. */
const PACKAGE_VERSION = '0.1.8';
const PACKAGE_DATE = '2026-09-23';

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

/** Which source says each figure of an entry, by the key of the catalog file. */
type Origins = Record<string, string>;

interface Entry {
  readonly lines: readonly string[];
  readonly origins: Origins;
}

/** Both files. */
export interface SeededCatalog {
  readonly catalog: string;
  readonly sources: string;
}

export function seedCatalog(): SeededCatalog {
  const book = new SourceBook();
  citePackages(book);
  const homeless = HOSTED.find(({ id }) => !MODELS.some(([chosen]) => chosen === id));
  const unknown = SCORES.find(([id]) => !MODELS.some(([chosen]) => chosen === id));
  if (unknown) throw new Error(`${unknown[0]} has scores and is not among the models chosen.`);
  if (homeless)
    throw new Error(`${homeless.provider} ${homeless.upstream}: ${homeless.id} is not among the models chosen.`);
  const providers = PROVIDERS.map((provider) => [provider.slug, providerEntry(book, provider)] as const);
  const models = MODELS.map((choice) => [choice[0], modelEntry(book, choice)] as const);
  const catalog = [
    `# The models, endpoints and prices that ship. Written by scripts/seed-catalog.ts: change that, not this.`,
    `#`,
    `# Where each figure is from, and of which day, stands in sources.yaml. Prices are those of ${PRICE_DATE}.`,
    '# Scores are indexes of Artificial Analysis (https://artificialanalysis.ai), who asks to be named wherever they are used.',
    `# What no source says is absent, and counts as restrictive: state your own agreements in a file of yours that`,
    `# says \`extends: default\`.`,
    `version: 1`,
    ``,
    `providers:`,
    ...providers.flatMap(([, { lines }]) => lines),
    ...sandboxProviderLines(),
    ``,
    `models:`,
    ...models.flatMap(([, { lines }]) => lines),
    ...sandboxModelLines(),
    ``,
    ...fusionLines(),
    ``,
  ];
  const sources = [
    `# Where the figures of default.yaml are from. Written by scripts/seed-catalog.ts: change that, not this.`,
    `version: 1`,
    ``,
    `sources:`,
    ...book.list().map(sourceLine),
    ``,
    `providers:`,
    ...providers.map(([slug, { origins }]) => `  ${slug}: ${originsOf(origins)}`),
    ``,
    `models:`,
    ...models.flatMap(([, entry]) => entry.sourceLines),
    ``,
  ];
  return { catalog: catalog.join('\n'), sources: sources.join('\n') };
}

function citePackages(book: SourceBook): void {
  book.add({
    id: PRICE_PACKAGE,
    title: "Pydantic's genai-prices: copies of vendors' price pages",
    package: `@pydantic/genai-prices@${PACKAGE_VERSION}`,
    read: FIGURES_DATE,
    published: PACKAGE_DATE,
    licence: 'MIT',
  });
  for (const id of Object.keys(TABLES) as TableName[]) {
    const { package: name, licence, published, read } = TABLES[id];
    book.add({ id, title: `${name}: its table of models`, package: name, read, published, licence });
  }
}

function sourceLine({ id, title, url, package: name, read, published, licence }: Source): string {
  const told = Object.entries({ title, url, package: name, read, published, licence }).filter(
    ([, value]) => value !== undefined,
  );
  return `  - { ${[`id: ${id}`, ...told.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)].join(', ')} }`;
}

const originsOf = (origins: Origins): string =>
  `{ ${Object.entries(origins)
    .map(([key, id]) => `${key}: ${id}`)
    .join(', ')} }`;

function providerEntry(book: SourceBook, provider: ProviderChoice): Entry {
  const reference = book.cite(provider.reference, provider.read);
  const policy = POLICIES[provider.slug];
  return {
    lines: [
      `  - slug: ${provider.slug}`,
      `    name: ${text(provider.name)}`,
      `    dialect: ${provider.dialect}`,
      ...(provider.platform === undefined ? [] : [`    platform: ${provider.platform}`]),
      `    base_url: ${provider.baseUrl}`,
      `    credential: { env: ${provider.credentialVariable} }`,
      ...(policy ? [`    policy: ${policyOf(policy)}`] : []),
      ...(provider.billsLeftStreams ? [`    aborts: { stream: billed }`] : []),
    ],
    origins: {
      base_url: reference,
      ...(provider.parameters && { supported_parameters: parametersSource(book, provider) }),
      ...(policy && { policy: book.cite(policy.source, POLICY_DATE) }),
      ...(provider.billsLeftStreams && { aborts: book.add(LEFT_CALLS) }),
    },
  };
}

const parametersSource = (book: SourceBook, { parametersPage, reference, read }: ProviderChoice): string =>
  book.cite(parametersPage ?? reference, read);

/** The table of what providers do with calls that are left, with the page behind each row. */
const LEFT_CALLS: Source = {
  id: 'left-calls',
  title: 'docs/wire/streams.md#calls-that-are-left',
  url: 'docs/wire/streams.md#calls-that-are-left',
  read: MEDIA_DATE,
};

function policyOf({ collectsData, trains, retentionDays, zeroDataRetention }: PolicyChoice): string {
  const parts = [
    ...(collectsData === undefined ? [] : [`collects_data: ${collectsData}`]),
    ...(trains === undefined ? [] : [`trains: ${trains}`]),
    ...(retentionDays === undefined ? [] : [`retention_days: ${retentionDays}`]),
    ...(zeroDataRetention ? [`zero_data_retention: true`] : []),
  ];
  return `{ ${parts.join(', ')} }`;
}

interface ModelEntry {
  readonly lines: readonly string[];
  readonly sourceLines: readonly string[];
}

/** An endpoint with what its sources say. */
interface Found {
  readonly choice: EndpointChoice;
  readonly upstream: string;
  readonly facts: ModelFacts;
  readonly context: Sourced<number>;
  readonly output: Sourced<number> | undefined;
}

function modelEntry(book: SourceBook, [id, name, choices, input = []]: ModelChoice): ModelEntry {
  const hosts = HOSTED.filter((host) => host.id === id);
  const endpoints = [
    ...choices.map((choice) => find(book, choice)),
    ...hosts.map(({ provider, upstream, variant, figures, file: { url, ...told } }) =>
      find(book, { provider, source: upstream, ...(variant !== undefined && { variant }) }, [
        { source: book.cite(url, HOSTS_DATE, told), model: figures },
      ]),
    ),
  ];
  const context = greatest(endpoints.map((endpoint) => endpoint.context))!;
  // An endpoint of which nobody says it would have the model's.
  const output = endpoints.every((endpoint) => endpoint.output)
    ? greatest(endpoints.map((endpoint) => endpoint.output!))
    : undefined;
  const aliases = ALIASES[id] ?? [];
  const media = mediaOf(book, id, input);
  const distillation = DISTILLATION.find(({ models }) => models.test(id));
  const scores = scoresOf(book, id);
  const drawer = drawerOf(id);
  const written = endpoints.map((endpoint) => endpointEntry(book, endpoint, context.value, output?.value));
  const origins: Origins = {
    context_length: context.source,
    ...(output && { max_completion_tokens: output.source }),
    input_modalities: inputSource(book, id, input, endpoints),
    ...(drawer && { output_modalities: book.cite(drawer.source, drawer.read) }),
    ...media.origins,
    ...(distillation && { distillable: book.cite(distillation.source, TERMS_DATE) }),
    ...scores.origins,
  };
  return {
    lines: [
      ``,
      `  - id: ${id}`,
      ...(aliases.length === 0 ? [] : [`    aliases: ${list(aliases)}`]),
      `    name: ${text(name)}`,
      `    context_length: ${context.value}`,
      ...(output ? [`    max_completion_tokens: ${output.value}`] : []),
      `    input_modalities: ${list(['text', ...input])}`,
      `    output_modalities: ${list(drawer ? ['text', 'image'] : ['text'])}`,
      ...(distillation ? [`    distillable: ${distillation.distillable}`] : []),
      ...media.lines,
      ...scores.lines,
      `    endpoints:`,
      ...written.flatMap(({ lines }) => lines),
    ],
    sourceLines: [
      `  ${id}:`,
      ...Object.entries(origins).map(([key, source]) => `    ${key}: ${source}`),
      `    endpoints:`,
      ...written.map((entry, index) => `      ${tagOf(endpoints[index]!.choice)}: ${originsOf(entry.origins)}`),
    ],
  };
}

const tagOf = ({ provider, variant }: EndpointChoice): string =>
  variant === undefined ? provider : `${provider}/${variant}`;

const greatest = (figures: readonly Sourced<number>[]): Sourced<number> | undefined =>
  figures.reduce<Sourced<number> | undefined>((best, one) => (best && best.value >= one.value ? best : one), undefined);

function find(book: SourceBook, choice: EndpointChoice, files: readonly ToldModel[] = []): Found {
  const upstream = choice.upstream ?? choice.source;
  const told = factsOf(choice.provider, upstream, choice.source, files, choice.pricedBy);
  const { drawing } = choice;
  const facts = drawing ? { ...told, priceList: withDrawing(told.priceList, choice.provider, drawing) } : told;
  const says = (value: number | undefined): Sourced<number> | undefined =>
    value === undefined ? undefined : { value, source: sourceOf(book, choice) };
  const context = says(choice.context) ?? facts.context;
  if (!context) throw new Error(`${choice.provider} ${upstream}: no source gives a context length.`);
  return { choice, upstream, facts, context, output: says(choice.output) ?? facts.output };
}

/** Of the figures that a choice gives itself. */
function sourceOf(book: SourceBook, { provider, says, read = FIGURES_DATE }: EndpointChoice): string {
  if (says !== undefined && says in TABLES) return says;
  return book.cite(says ?? (provider === 'anthropic' ? FIGURES.anthropic : FIGURES.others), read);
}

/**
 * Who says what a model takes: its vendor's page on PDFs, else a table, else the page on the images that it makes, else
 * who says the other figures.
 */
function inputSource(book: SourceBook, id: string, input: readonly string[], endpoints: readonly Found[]): string {
  const page = input.includes('file') ? PDF_PAGES.find(({ models }) => models.test(id)) : undefined;
  if (page) return book.cite(page.source, page.read);
  const told = endpoints.find(({ facts }) => facts.takesImages)?.facts.takesImages;
  const drawer = drawerOf(id);
  return told?.source ?? (drawer ? book.cite(drawer.source, drawer.read) : book.cite(FIGURES.others, FIGURES_DATE));
}

const drawerOf = (id: string): (typeof DRAWERS)[number] | undefined => DRAWERS.find(({ models }) => models.test(id));

function scoresOf(book: SourceBook, id: string): Entry {
  const [, intelligence, coding] = SCORES.find(([scored]) => scored === id) ?? [];
  if (intelligence === undefined) return { lines: [], origins: {} };
  const source = book.add({
    id: 'artificial-analysis',
    title: SCORES_TITLE,
    url: SCORES_URL,
    read: SCORES_READ,
    published: SCORES_PUBLISHED,
  });
  const line = (kind: keyof typeof SCORE_NAMES, index: number): string =>
    `      ${kind}: { value: ${scoreOf(index)}, source: ${text(SCORE_NAMES[kind])} }`;
  return {
    lines: [`    scores:`, line('quality', intelligence), ...(coding === undefined ? [] : [line('coding', coding)])],
    origins: { scores: source },
  };
}

/** For the bound of a call. Where nobody says what an image counts, it counts the whole context. */
function mediaOf(book: SourceBook, id: string, input: readonly ('image' | 'file')[]): Entry {
  const choice = input.length === 0 ? undefined : IMAGES.find(({ models }) => models.test(id));
  if (!choice) return { lines: [], origins: {} };
  const { max, rule, source, read = MEDIA_DATE } = choice;
  const cited = book.cite(source, read);
  const paged = max !== undefined && input.includes('file');
  return {
    lines: [
      ...(max === undefined ? [] : [`    image_tokens_max: ${max}`]),
      ...(rule === undefined ? [] : [`    image_tokens: ${rule}`]),
      ...(paged ? [`    page_tokens_max: ${max + PAGE_TEXT_TOKENS}`] : []),
    ],
    origins: {
      ...(max === undefined ? {} : { image_tokens_max: cited }),
      ...(rule === undefined ? {} : { image_tokens: cited }),
      ...(paged && { page_tokens_max: cited }),
    },
  };
}

function endpointEntry(book: SourceBook, found: Found, modelContext: number, modelOutput: number | undefined): Entry {
  const { choice, upstream, facts, context, output } = found;
  // They are prices of words alone.
  const tiers = choice.drawing ? undefined : TIERS[`${choice.provider} ${choice.source}`];
  const parameters = parametersOf(choice, facts);
  const precision = precisionOf(book, choice.provider, upstream, facts.priceList.source);
  const ownContext = context.value !== modelContext;
  const ownOutput = output !== undefined && output.value !== modelOutput;
  return {
    lines: [
      ...(facts.priceList.byTime ? [`      # The dearest of the day: the provider charges less at other hours.`] : []),
      `      - provider: ${choice.provider}`,
      ...(choice.variant === undefined ? [] : [`        variant: ${choice.variant}`]),
      `        model: ${scalar(upstream)}`,
      ...(choice.dialect === undefined ? [] : [`        dialect: ${choice.dialect}`]),
      ...(tiers ? [`        # ${namesOf(tiers)}: ${tiers.source}`] : []),
      `        pricing: ${pricing(facts.priceList, tiers)}`,
      ...(precision ? [`        quantization: ${precision.value}`] : []),
      ...(ownContext ? [`        context_length: ${context.value}`] : []),
      ...(ownOutput ? [`        max_completion_tokens: ${output.value}`] : []),
      ...(parameters ? [`        supported_parameters: ${list(parameters)}`] : []),
    ],
    origins: {
      pricing: facts.priceList.source,
      ...(tiers && { tariffs: book.cite(pageOf(tiers.source), TIERS_DATE) }),
      ...(precision && { quantization: precision.source }),
      ...(ownContext && { context_length: context.source }),
      ...(ownOutput && { max_completion_tokens: output.source }),
      ...(choice.fieldsOf !== undefined && {
        supported_parameters: parametersSource(book, fieldsProvider(choice)),
      }),
    },
  };
}

/** Without the day that the page itself tells. */
const pageOf = (source: string): string => source.replace(/,.*$/, '');

/** @param table who says the model's name at the provider */
function precisionOf(book: SourceBook, provider: string, upstream: string, table: string): Sourced<string> | undefined {
  const said = PRECISIONS.find((one) => one.provider === provider && one.models.test(upstream));
  if (said) return { value: said.quantization, source: book.cite(said.source, TERMS_DATE) };
  const value = precisionInName(upstream);
  return value && { value, source: table };
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(['tools', 'tool_choice', 'parallel_tool_calls']);

/** Absent where the provider's are not known: nothing is promised to who requires parameters. */
function parametersOf(choice: EndpointChoice, facts: ModelFacts): readonly string[] | undefined {
  const { parameters: provided, reasonsByModel } = fieldsProvider(choice);
  if (!provided) return undefined;
  const refused = (name: string): boolean =>
    choice.without?.includes(name) === true ||
    (facts.refusesTools && TOOL_FIELDS.has(name)) ||
    (name === 'reasoning' && reasonsByModel === true && !facts.reasons);
  return [...provided.filter((name) => !refused(name)), ...(choice.more ?? [])];
}

const fieldsProvider = ({ provider, fieldsOf = provider }: EndpointChoice): ProviderChoice => providerOf(fieldsOf);

function providerOf(slug: string): ProviderChoice {
  const provider = PROVIDERS.find((one) => one.slug === slug);
  if (!provider) throw new Error(`${slug}: not among the providers chosen.`);
  return provider;
}

function pricing({ prices, tiers, webSearch, request }: PriceList, choice?: TierChoice): string {
  const parts = tokenPrices(prices);
  if (request !== undefined) parts.push(`request: ${decimal(request)}`);
  if (webSearch !== undefined) parts.push(`web_search: ${decimal(webSearch)}`);
  const longer = tiers.map(
    ({ min_prompt_tokens, ...long }) => `{ min_prompt_tokens: ${min_prompt_tokens}, ${tokenPrices(long).join(', ')} }`,
  );
  if (longer.length > 0) parts.push(`tiers: [${longer.join(', ')}]`);
  if (choice) {
    const starts = tiers.map(({ min_prompt_tokens }) => min_prompt_tokens);
    parts.push(...tierPrices(choice, starts));
  }
  return `{ ${parts.join(', ')} }`;
}

const tokenPrices = (prices: TokenPrices): string[] =>
  Object.entries(prices).map(([name, price]) => `${name}: ${decimal(price as number)}`);

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

/** A name with what means something else in YAML is written as text. */
const scalar = (value: string): string => (/^[\w./-]+$/.test(value) ? value : text(value));

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

/** Panels of fusion, by preset: each of three vendors. Who answers is the best of them. Chosen. */
const PANELS: Readonly<Record<FusionPresetName, readonly [answers: string, ...others: string[]]>> = {
  'general-high': ['anthropic/claude-opus-5.5', 'openai/gpt-5.6-sol', 'google/gemini-3.1-pro-preview'],
  'general-budget': ['anthropic/claude-haiku-5.5', 'deepseek/deepseek-v3.2', 'google/gemini-3.5-flash-lite'],
  'general-fast': ['google/gemini-3.8-flash', 'openai/gpt-5.4-mini', 'anthropic/claude-haiku-5.5'],
};

function fusionLines(): string[] {
  return [
    `plugins:`,
    `  fusion:`,
    `    presets:`,
    ...FUSION_PRESETS.flatMap((preset) => [
      `      ${preset}:`,
      `        analysis_models: ${list(PANELS[preset])}`,
      `        model: ${text(PANELS[preset][0])}`,
    ]),
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
if (process.argv[1]?.endsWith('seed-catalog.js')) {
  const { catalog, sources } = seedCatalog();
  writeFileSync('catalog/default.yaml', catalog);
  writeFileSync('catalog/sources.yaml', sources);
}
