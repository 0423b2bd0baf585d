import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import type { CatalogSnapshot, Endpoint, Model, Pricing } from '../../core/routing/catalog.js';
import { findTokenPrice, lengthsOf, tokenPrice } from '../../core/routing/leg-price.js';
import type { ServiceTier } from '../../core/routing/plan.js';
import {
  TOKEN_CLASS_NAMES,
  TOKEN_CLASSES,
  UNIT_NAMES,
  UNITS,
  type TokenClassName,
  type UnitName,
} from '../../core/routing/price-classes.js';
import { TARIFFS } from '../read-pricing.js';
import { nameEndpoint } from './compare-catalogs.js';
import { findingOf, type Finding } from './finding.js';

const TOKENS_PER_MILLION = 1_000_000n;

/** Slugs under which authors sell their models themselves, where the slug is not the author's part of the id. */
const OWN_PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  amazon: ['amazon-nova', 'amazon-bedrock'],
  google: ['google-ai-studio', 'google-vertex'],
  'meta-llama': ['meta'],
  mistralai: ['mistral'],
  qwen: ['alibaba'],
  'x-ai': ['xai'],
};

/** A price that differs from the one it is compared with: USD per million tokens, or per unit, in 10⁻¹² USD. */
interface PriceDifference {
  /** `prompt`, `priority completion from 200001 tokens`, `request`. */
  readonly name: string;
  readonly price: PicoUsd;
  readonly listed: PicoUsd;
}

/**
 * Endpoints dearer or cheaper than the list: that of the shipped catalog for the same provider and upstream model; else
 * dearer per token than the model's author. Prices are compared as charged: a class without a price in one list costs
 * the same as its side.
 */
export function findPrices(models: readonly Model[], shipped: CatalogSnapshot): readonly Finding[] {
  const lists = listedEndpoints(shipped);
  const dearer: string[] = [];
  const cheaper: string[] = [];
  const dearerThanAuthor: string[] = [];
  const unpriced: string[] = [];
  for (const model of models) {
    const authors = ownEndpoint(shipped.models.get(model.id)) ?? ownEndpoint(model);
    for (const endpoint of model.endpoints) {
      const { pricing, provider, upstreamModel, tag } = endpoint;
      const subject = nameEndpoint(model.id, tag);
      if (pricing && (pricing.prompt === 0n || pricing.completion === 0n)) unpriced.push(subject);
      const listed = lists.get(listKey(provider.slug, upstreamModel));
      if (listed) {
        const list = nearestOf(listed, tag, model);
        const differences = comparePrices(pricing, list.pricing, EVERY_CLASS);
        note(dearer, subject, differences.filter(isDearer));
        note(
          cheaper,
          subject,
          differences.filter((difference) => !isDearer(difference)),
        );
      } else if (authors && authors.provider.slug !== provider.slug) {
        const name = `${subject}, where ${authors.provider.slug} takes less`;
        note(dearerThanAuthor, name, comparePrices(pricing, authors.pricing, SIDES).filter(isDearer));
      }
    }
  }
  return [
    ...findingOf('dearer', 'endpoint', "more expensive than the vendor's list", dearer),
    ...findingOf('dearer', 'endpoint', "more expensive than the model's author", dearerThanAuthor),
    ...findingOf('cheaper', 'endpoint', "cheaper than the vendor's list: the charge does not cover the cost", cheaper),
    ...findingOf('cheaper', 'endpoint', 'a price of 0 without free: true', unpriced),
  ];
}

const EVERY_CLASS = { classes: TOKEN_CLASS_NAMES, units: UNIT_NAMES, tiers: ['standard', ...TARIFFS] } as const;
/**
 * Hosts have their own rules for caches and tiers: only the prices of input and output tokens are comparable with the
 * author's.
 */
const SIDES = { classes: ['prompt', 'completion'], units: [], tiers: ['standard'] } as const;

interface ComparedFigures {
  readonly classes: readonly TokenClassName[];
  readonly units: readonly UnitName[];
  readonly tiers: readonly ServiceTier[];
}

const listKey = (provider: string, upstreamModel: string): string => JSON.stringify([provider, upstreamModel]);

interface ListedEndpoint {
  readonly endpoint: Endpoint;
  /** Whether the model generates images: with the provider's image tool such an endpoint has other prices. */
  readonly draws: boolean;
}

const makesImages = ({ outputModalities }: Model): boolean => outputModalities.includes('image');

/**
 * By provider and upstream model. Several: the vendor sells the model in several regions, or also as one that makes
 * images.
 */
function listedEndpoints({ models }: CatalogSnapshot): ReadonlyMap<string, readonly ListedEndpoint[]> {
  const lists = new Map<string, ListedEndpoint[]>();
  for (const model of models.values()) {
    for (const endpoint of model.endpoints) {
      const key = listKey(endpoint.provider.slug, endpoint.upstreamModel);
      const priced = { endpoint, draws: makesImages(model) };
      const list = lists.get(key);
      if (list) list.push(priced);
      else lists.set(key, [priced]);
    }
  }
  return lists;
}

/** The listed endpoint in the same region, of those that make images as this model does, else of all. */
function nearestOf(listed: readonly ListedEndpoint[], tag: string, model: Model): Endpoint {
  const alike = listed.filter(({ draws }) => draws === makesImages(model));
  const lists = alike.length > 0 ? alike : listed;
  return (lists.find(({ endpoint }) => endpoint.tag === tag) ?? lists[0]!).endpoint;
}

function ownEndpoint(model: Model | undefined): Endpoint | undefined {
  const author = model?.id.split('/')[0] ?? '';
  const slugs = OWN_PROVIDERS[author] ?? [author];
  return model?.endpoints.find(({ provider }) => slugs.includes(provider.slug));
}

const isDearer = ({ price, listed }: PriceDifference): boolean => price > listed;

function note(subjects: string[], subject: string, differences: readonly PriceDifference[]): void {
  if (differences.length > 0) subjects.push(`${subject}: ${differences.map(describe).join(', ')}`);
}

function describe({ name, price, listed }: PriceDifference): string {
  const share = listed === 0n ? '' : ` (${price > listed ? '+' : ''}${percent(price - listed, listed)} %)`;
  return `${name} ${formatUsd(price)} instead of ${formatUsd(listed)}${share}`;
}

/** A percentage with one decimal. */
const percent = (part: bigint, whole: bigint): string =>
  String(Math.round((1_000 * Number(part)) / Number(whole)) / 10);

/** Free counts as a price of 0. */
function comparePrices(
  pricing: Pricing | null,
  listed: Pricing | null,
  compared: ComparedFigures,
): readonly PriceDifference[] {
  const [own, list] = [pricing ?? NOTHING, listed ?? NOTHING];
  const differences = compared.tiers
    .filter((tier) => tier === 'standard' || (own[tier] && list[tier]))
    .flatMap((tier) => compared.classes.flatMap((kind) => compareClass(own, list, kind, tier)));
  for (const unit of compared.units) {
    const [price, listPrice] = [own[UNITS[unit]] ?? 0n, list[UNITS[unit]] ?? 0n];
    if (price !== listPrice) differences.push({ name: unit, price, listed: listPrice });
  }
  return differences;
}

const NOTHING: Pricing = { prompt: 0n, completion: 0n, tiers: [] };

/** One difference for each prompt length from which the price differs. */
function compareClass(own: Pricing, list: Pricing, kind: TokenClassName, tier: ServiceTier): PriceDifference[] {
  const lengths = [...lengthsOf(own, tier), ...lengthsOf(list, tier)].map(({ minPromptTokens }) => minPromptTokens);
  const differences: PriceDifference[] = [];
  let before: PriceDifference | undefined;
  for (const length of [...new Set([0, ...lengths])].sort((one, other) => one - other)) {
    const isNamed = [own, list].some(
      (prices) => findTokenPrice(prices, TOKEN_CLASSES[kind], tier, length) !== undefined,
    );
    if (!isNamed) continue;
    const [price, listed] = [own, list].map(
      (prices) => tokenPrice(prices, TOKEN_CLASSES[kind], tier, length) * TOKENS_PER_MILLION,
    ) as [PicoUsd, PicoUsd];
    const name = `${tier === 'standard' ? '' : `${tier} `}${kind}${length === 0 ? '' : ` from ${length} tokens`}`;
    const isAsBefore = before?.price === price && before.listed === listed;
    before = { name, price, listed };
    if (price !== listed && !isAsBefore) differences.push(before);
  }
  return differences;
}
