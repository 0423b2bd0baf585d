// Takes the facts of a package's model table into a file of scripts/catalog-data, one model a line. The same package
// gives the same bytes. To be run once for a version of a package, on the folder that `npm pack` of it unpacks to:
//
//   node scripts/extract-model-table.mjs pi-ai FOLDER 2026-11-24 > scripts/catalog-data/pi-ai.json
//   node scripts/extract-model-table.mjs pi-catalog FOLDER 2026-11-24 2026-09-23 > scripts/catalog-data/pi-catalog.json
//
// The last two are the day it was read, and where the package does not contain it the day it was published.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [kind, folder, read, published] = process.argv.slice(2);
const readJson = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));

/** Further digits are rounding errors of float sums. */
const PRICE_DECIMALS = 6;

/** Per package: its tables, the day of its data and its form of a price list for long prompts. */
const PACKAGES = {
  'pi-ai': {
    // Providers that sell by the token: no subscriptions, no resellers of others' endpoints.
    providers: [
      ...[
        'amazon-bedrock',
        'anthropic',
        'azure',
        'baseten',
        'cerebras',
        'cloudflare-workers-ai',
        'deepseek',
        'fireworks',
      ],
      ...['google', 'google-vertex', 'groq', 'meta', 'minimax', 'mistral', 'moonshotai', 'openai', 'together', 'xai'],
      ...['xiaomi', 'zai'],
    ],
    published: () => readJson('dist/providers/data/.manifest.json').generatedAt.slice(0, 10),
    // There is a level for each protocol in between.
    modelsOf: (provider) =>
      Object.values(readJson(`dist/providers/data/${provider}.json`)).flatMap((models) => Object.values(models)),
    isChat: ({ type }) => type === 'chat',
    tiersOf: ({ tiers = [] }) => tiers.map((tier) => [tier.inputTokensAbove + 1, tier]),
  },
  'pi-catalog': {
    providers: [
      ...['baseten', 'cerebras', 'coreweave', 'deepinfra', 'deepseek', 'fireworks', 'google', 'google-vertex', 'groq'],
      ...['minimax', 'mistral', 'moonshot', 'novita', 'ollama-cloud', 'openai', 'sakana', 'stepfun', 'together'],
      ...['venice', 'wafer-serverless', 'xai', 'xiaomi', 'zai'],
    ],
    published: () => published,
    modelsOf: (provider) => Object.values(readJson('src/models.json')[provider]),
    // A catalog cannot express prices by the hour, and the table does not contain the dearest hour's price.
    isChat: ({ kind: other, cost }) => other === undefined && cost.timeBased === undefined,
    tiersOf: ({ longContext: tier }) =>
      tier ? [[tier.inputThreshold + (tier.inputThresholdInclusive ? 0 : 1), tier]] : [],
  },
};

const table = PACKAGES[kind];
const rounded = (price) => Number(price.toFixed(PRICE_DECIMALS));

/** A cache price of 0 means that the table does not know it. */
const pricesOf = ({ input, output, cacheRead, cacheWrite }) => ({
  prompt: rounded(input),
  completion: rounded(output),
  ...(cacheRead > 0 && { read: rounded(cacheRead) }),
  ...(cacheWrite > 0 && { write: rounded(cacheWrite) }),
});

function factsOf({ cost, contextWindow, maxTokens, input, reasoning, supportsTools }) {
  const tiers = table.tiersOf(cost);
  return {
    ...(contextWindow && { context: contextWindow }),
    ...(maxTokens && { output: maxTokens }),
    input,
    ...(reasoning && { reasoning }),
    ...(supportsTools === false && { tools: false }),
    prices: pricesOf(cost),
    ...(tiers.length > 0 && { tiers: tiers.map(([from, tier]) => ({ from, ...pricesOf(tier) })) }),
  };
}

/** Only models with prices: without those that are temporarily free or sold by subscription. */
const isPriced = ({ cost }) => cost.input > 0 && cost.output > 0;

function linesOf(provider) {
  const models = table.modelsOf(provider).filter((model) => table.isChat(model) && isPriced(model));
  const lines = models
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((model) => `      ${JSON.stringify(model.id)}: ${JSON.stringify(factsOf(model))}`);
  return `    ${JSON.stringify(provider)}: {\n${lines.join(',\n')}\n    }`;
}

const { name, version, license } = readJson('package.json');
const header = { package: `${name}@${version}`, licence: license, published: table.published(), read };
const head = Object.entries(header).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
process.stdout.write(`{\n${head.join('\n')}\n  "providers": {\n${table.providers.map(linesOf).join(',\n')}\n  }\n}\n`);
