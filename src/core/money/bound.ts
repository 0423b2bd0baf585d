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

/** Used where the pages of a PDF could not be counted. No vendor's documentation allows more. */
const PAGES_PER_DOCUMENT_MAX = 1_000;

/**
 * Dialects of vendors that write a cache only where a marker requests it. Others may cache at any time.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
const CACHES_ON_REQUEST: ReadonlySet<DialectId> = new Set(['anthropic-messages', 'bedrock-converse']);

/** The part of a leg that its bound depends on. */
export interface BoundLeg extends Pick<Leg, 'model' | 'endpoint' | 'tier'> {
  /** The health that the plan read: the hold and the charge of a call are computed from the same figures. */
  readonly health?: Pick<EndpointHealth, 'widening'> | undefined;
}

/**
 * The highest cost of one call at this leg's list price, exactly (docs/contribute/reasons/money.md#bound). It holds as
 * long as no tokenizer makes more than one token of two ASCII bytes or of one other byte, and no vendor adds more than
 * 64 tokens of its own to a message or tool; where an endpoint was found to exceed that, it is widened. It never falls
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
  if (pricing.request !== undefined) bound += BigInt(prompt.searchUnits ?? 1) * pricing.request;
  return bound;
}

/**
 * Every call counts the whole context of the advisor, which reads the conversation so far. An advisor that this
 * provider does not serve is refused before the call.
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

/** The tokens by size, widened by what was observed of this endpoint. */
export function boundTokens(prompt: MeasuredPrompt, leg: BoundLeg): TokenBound {
  const sized = sizedTokens(prompt, leg);
  if (!leg.health?.widening) return sized;
  return widened(sized, leg.health.widening, leg.endpoint.contextLength * (prompt.inputs ?? 1));
}

/**
 * Without a limit by the caller or the model, the context limits the output. All of the context counts, because the
 * bound of a prompt implies no minimum of its length.
 */
export function sizedTokens(prompt: MeasuredPrompt, { model, endpoint }: BoundLeg): TokenBound {
  const contextLength = endpoint.contextLength * (prompt.inputs ?? 1);
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

/** A page counts as its picture and its text: text beyond that of full pages counts like any other. */
function pdfTokens({ pages, textBytes }: PdfSize, pageTokensMax: number, imageTokensMax: number): number {
  const textTokensMax = Math.max(0, pageTokensMax - imageTokensMax);
  return pages * pageTokensMax + Math.max(0, Math.ceil(textBytes / 2) - pages * textTokensMax);
}

/** The highest price of a token of either side, in 10⁻¹² USD. */
type DearestSides = Readonly<Record<'prompt' | 'completion', PicoUsd>>;

/**
 * The highest price of a token of either side at this leg, over the classes and lengths that this prompt may reach. The
 * bound is computed from it, and price caps are compared with it.
 */
export const dearestPrices = (pricing: Pricing, prompt: MeasuredPrompt, leg: BoundLeg): DearestSides =>
  dearestFor(pricing, prompt, leg, boundTokens(prompt, leg).input);

/**
 * Without a cache marker, only providers that cache by themselves charge for cache writes.
 * @param input the most tokens of the prompt
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
