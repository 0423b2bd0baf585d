import { dialectOf, type DialectId, type Model, type Pricing } from '../routing/catalog.js';
import type { EndpointHealth } from '../routing/health.js';
import { priceListAt } from '../routing/leg-price.js';
import type { Leg } from '../routing/plan.js';
import { endpointBeside, type MeasuredAdvisor } from './advisors.js';
import type { PicoUsd } from './credits.js';
import { imageTokens } from './image-tokens.js';
import type { MeasuredPrompt } from './measure-prompt.js';
import type { PdfSize } from './pdf-size.js';
import { widened, type TokenBound } from './widening.js';

/** Where the pages of a PDF could not be counted. No vendor's documentation lets one have more. */
const PAGES_PER_DOCUMENT_MAX = 1_000;

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
  const tokens = boundTokens(prompt, leg);
  const dearest = dearestFor(pricing, prompt, leg, tokens.input);
  let bound = BigInt(tokens.input) * dearest.prompt + BigInt(tokens.output) * dearest.completion;
  if (prompt.compacts) bound *= 2n;
  if (prompt.advisors) bound += boundOfAdvisors(prompt.advisors, leg.endpoint);
  if (pricing.image !== undefined) bound += BigInt(prompt.images) * pricing.image;
  if (pricing.webSearch !== undefined) bound += BigInt(prompt.webSearches) * pricing.webSearch;
  if (pricing.request !== undefined) bound += pricing.request;
  return bound;
}

/**
 * The whole context of each for every call of it: it reads what was said so far. One that this provider does not serve
 * is refused before it is called.
 */
function boundOfAdvisors(advisors: readonly MeasuredAdvisor[], leg: BoundLeg['endpoint']): PicoUsd {
  let sum = 0n;
  for (const { model, uses, maxOutputTokens } of advisors) {
    const endpoint = endpointBeside(model, leg);
    if (!endpoint?.pricing) continue;
    const { contextLength: input, pricing } = endpoint;
    const output = maxOutputTokens ?? endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? input;
    const { longCache, completion } = priceListAt(pricing, 'standard', input).dearest;
    const once = BigInt(input) * longCache + BigInt(output) * completion + (pricing.request ?? 0n);
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
  const output = prompt.maxOutputTokens ?? endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? contextLength;
  let input = prompt.fillsContext ? contextLength : prompt.textTokens;
  if (!prompt.fillsContext) {
    if (prompt.images > 0) input += allImageTokens(prompt, model, contextLength);
    if (prompt.documents > 0) input += allPdfTokens(prompt, model, contextLength);
  }
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

/** The most that a token of either side can cost, 10⁻¹² USD. */
type DearestSides = Readonly<Record<'prompt' | 'completion', PicoUsd>>;

/**
 * The most that a token of either side can cost at this leg, over the classes and lengths that this prompt may reach:
 * what its bound is made from, and what price caps are held against.
 */
export const dearestPrices = (pricing: Pricing, prompt: MeasuredPrompt, leg: BoundLeg): DearestSides =>
  dearestFor(pricing, prompt, leg, boundTokens(prompt, leg).input);

/**
 * Where nobody asks for a cache, only a provider that caches by itself charges for writing one.
 * @param input most tokens of the prompt
 */
function dearestFor(
  pricing: Pricing,
  { cacheWrites }: MeasuredPrompt,
  { endpoint, tier }: BoundLeg,
  input: number,
): DearestSides {
  const { uncached, shortCache, longCache, completion } = priceListAt(pricing, tier, input).dearest;
  if (cacheWrites === '1h' || !CACHES_ON_REQUEST.has(dialectOf(endpoint))) return { prompt: longCache, completion };
  return { prompt: cacheWrites ? shortCache : uncached, completion };
}
