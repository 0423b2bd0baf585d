import { dialectOf, type DialectId, type Model, type Pricing } from '../routing/catalog.js';
import type { EndpointHealth } from '../routing/health.js';
import { lengthsOf, SIDE_OF, tokenPrice, type TokenClass } from '../routing/leg-price.js';
import type { Leg, ServiceTier } from '../routing/plan.js';
import { endpointBeside, type MeasuredAdvisor } from './advisors.js';
import type { PicoUsd } from './credits.js';
import { imageTokens } from './image-tokens.js';
import type { MeasuredPrompt } from './measure-prompt.js';
import type { PdfSize } from './pdf-size.js';
import { widened, type TokenBound } from './widening.js';

/** Where the pages of a PDF could not be counted. No vendor's documentation lets one have more. */
const PAGES_PER_DOCUMENT_MAX = 1_000;

const CLASSES = Object.keys(SIDE_OF) as readonly TokenClass[];
const INPUT_CLASSES = CLASSES.filter((kind) => SIDE_OF[kind] === 'prompt');
const UNCACHED_CLASSES = INPUT_CLASSES.filter((kind) => kind !== 'inputCacheWrite' && kind !== 'inputCacheWrite1h');
const SHORT_CACHE_CLASSES = INPUT_CLASSES.filter((kind) => kind !== 'inputCacheWrite1h');
const OUTPUT_CLASSES = CLASSES.filter((kind) => SIDE_OF[kind] === 'completion');

/**
 * Who speaks these writes a cache where a marker asks for it, and else not. Others cache what they like.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
const CACHES_ON_REQUEST: ReadonlySet<DialectId> = new Set(['anthropic-messages', 'bedrock-converse']);

/** The part of a leg that its bound depends on. */
export interface BoundLeg extends Pick<Leg, 'model' | 'endpoint' | 'tier'> {
  /** As the plan found it: what is held for a call and what is charged for it are made from the same. */
  readonly health?: Pick<EndpointHealth, 'widening'> | undefined;
}

/**
 * The most one call can cost at this leg's list price, exactly (docs/reasons/money.md#bound). It holds as long as no
 * tokenizer makes more than a token of two ASCII bytes or of one other byte, and no vendor adds more than 64 tokens of
 * its own to a message or tool; where an endpoint was found to go beyond that, by what was learnt of it. It never falls
 * when the prompt or `max_tokens` grows.
 */
export function boundOf(prompt: MeasuredPrompt, leg: BoundLeg): PicoUsd {
  const { pricing } = leg.endpoint;
  if (!pricing) return 0n;
  const { input, output } = boundTokens(prompt, leg);
  const dearest = dearestPrices(pricing, prompt, leg);
  const ofTokens = BigInt(input) * dearest.prompt + BigInt(output) * dearest.completion;
  return (
    (prompt.compacts ? 2n * ofTokens : ofTokens) +
    boundOfAdvisors(prompt.advisors, leg.endpoint) +
    BigInt(prompt.images) * (pricing.image ?? 0n) +
    BigInt(prompt.webSearches) * (pricing.webSearch ?? 0n) +
    (pricing.request ?? 0n)
  );
}

/**
 * The whole context of each for every call of it: it reads what was said so far. One that this provider does not serve
 * is refused before it is called.
 */
function boundOfAdvisors(advisors: readonly MeasuredAdvisor[] = [], leg: BoundLeg['endpoint']): PicoUsd {
  let sum = 0n;
  for (const { model, uses, maxOutputTokens } of advisors) {
    const endpoint = endpointBeside(model, leg);
    if (!endpoint?.pricing) continue;
    const { contextLength: input, pricing } = endpoint;
    const output = maxOutputTokens ?? endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? input;
    const once =
      BigInt(input) * highestPrice(pricing, INPUT_CLASSES, 'standard', input) +
      BigInt(output) * highestPrice(pricing, OUTPUT_CLASSES, 'standard', input) +
      (pricing.request ?? 0n);
    sum += BigInt(uses) * once;
  }
  return sum;
}

/** What sizes say, and beyond it what was learnt of this endpoint. */
export function boundTokens(prompt: MeasuredPrompt, leg: BoundLeg): TokenBound {
  const sized = sizedTokens(prompt, leg);
  return leg.health?.widening ? widened(sized, leg.health.widening, leg.endpoint.contextLength) : sized;
}

/**
 * Where nobody limits the output, the context does: what it leaves is all of it, since the bound of a prompt says
 * nothing of how short the prompt may be.
 */
export function sizedTokens(prompt: MeasuredPrompt, { model, endpoint }: BoundLeg): TokenBound {
  const { contextLength } = endpoint;
  const input = prompt.fillsContext
    ? contextLength
    : prompt.textTokens + allImageTokens(prompt, model, contextLength) + allPdfTokens(prompt, model, contextLength);
  const output = prompt.maxOutputTokens ?? endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? contextLength;
  return { input: Math.min(input, contextLength), output };
}

function allImageTokens({ images, imageSizes = [] }: MeasuredPrompt, model: Model, contextLength: number): number {
  const { imageTokens: rule, imageTokensMax: max } = model;
  let tokens = (images - imageSizes.length) * (imageTokens(rule, undefined, max) ?? contextLength);
  for (const size of imageSizes) tokens += imageTokens(rule, size, max) ?? contextLength;
  return tokens;
}

function allPdfTokens({ documents, pdfSizes = [] }: MeasuredPrompt, model: Model, contextLength: number): number {
  const { pageTokensMax = contextLength } = model;
  let tokens = (documents - pdfSizes.length) * PAGES_PER_DOCUMENT_MAX * pageTokensMax;
  for (const size of pdfSizes) tokens += pdfTokens(size, pageTokensMax, model.imageTokensMax ?? 0);
  return tokens;
}

/** A page is its picture and its text: what text a PDF has beyond that of full pages counts as any other. */
function pdfTokens({ pages, textBytes }: PdfSize, pageTokensMax: number, imageTokensMax: number): number {
  const textTokensMax = Math.max(0, pageTokensMax - imageTokensMax);
  return pages * pageTokensMax + Math.max(0, Math.ceil(textBytes / 2) - pages * textTokensMax);
}

/** Where nobody asks for it, only a provider that caches by itself charges for writing a cache. */
function inputClasses({ cacheWrites }: MeasuredPrompt, { endpoint }: BoundLeg): readonly TokenClass[] {
  if (cacheWrites === '1h' || !CACHES_ON_REQUEST.has(dialectOf(endpoint))) return INPUT_CLASSES;
  return cacheWrites ? SHORT_CACHE_CLASSES : UNCACHED_CLASSES;
}

/**
 * The most that a token of either side can cost at this leg, over the classes and lengths that this prompt may reach:
 * what its bound is made from, and what price caps are held against. 10⁻¹² USD.
 */
export function dearestPrices(
  pricing: Pricing,
  prompt: MeasuredPrompt,
  leg: BoundLeg,
): Readonly<Record<'prompt' | 'completion', PicoUsd>> {
  const { input } = boundTokens(prompt, leg);
  return {
    prompt: highestPrice(pricing, inputClasses(prompt, leg), leg.tier, input),
    completion: highestPrice(pricing, OUTPUT_CLASSES, leg.tier, input),
  };
}

/** Over every price list that a prompt of up to this length may fall under: a longer one may be cheaper. */
function highestPrice(
  pricing: Pricing,
  kinds: readonly TokenClass[],
  tier: ServiceTier,
  promptTokensMax: number,
): PicoUsd {
  const lengths = [0];
  for (const { minPromptTokens } of lengthsOf(pricing, tier))
    if (minPromptTokens <= promptTokensMax) lengths.push(minPromptTokens);
  let most = 0n;
  for (const kind of kinds) {
    for (const length of lengths) {
      const price = tokenPrice(pricing, kind, tier, length);
      if (price > most) most = price;
    }
  }
  return most;
}
