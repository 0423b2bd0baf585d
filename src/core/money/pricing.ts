import type { StopReason } from '../conversation/event.js';
import type { Usage, UsageIteration } from '../conversation/usage.js';
import { priceListAt } from '../routing/leg-price.js';
import type { Leg } from '../routing/plan.js';
import type { PicoUsd } from './credits.js';
import { sanitizeUsage } from './sane-usage.js';

/**
 * The exact cost of one reply at the endpoint's list price, in the parts of `cost_details`
 * (docs/use/messages.md#cost-details). Never negative.
 */
export interface Cost {
  /** Every class of prompt tokens, the images, and the fee per request. */
  readonly prompt: PicoUsd;
  /** Answer, pictures and reasoning. */
  readonly completion: PicoUsd;
  /** Searches the vendor ran. */
  readonly tools: PicoUsd;
  readonly total: PicoUsd;
}

const FREE: Cost = { prompt: 0n, completion: 0n, tools: 0n, total: 0n };

/**
 * Prices each class of tokens in the planned tier. The price list is chosen by the length of the whole prompt: uncached
 * tokens, cache reads and cache writes. Nothing is rounded. Malformed figures count as `sanitizeUsage` accepts them;
 * absent ones cost nothing.
 * @param images the number of images of the request, as `measurePrompt` counts them
 */
export function costOf(usage: Usage, { endpoint, tier }: Pick<Leg, 'endpoint' | 'tier'>, images = 0): Cost {
  const { pricing } = endpoint;
  if (!pricing) return FREE;
  const sane = sanitizeUsage(usage, endpoint.contextLength);
  const {
    inputTokens = 0,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
    cacheWrite1hTokens = 0,
    outputTokens = 0,
    reasoningTokens = 0,
    imageTokens = 0,
    webSearchRequests = 0,
    searchUnits = 1,
  } = sane;
  const promptTokens = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;
  const { prices } = priceListAt(pricing, tier, promptTokens);
  let prompt = BigInt(inputTokens) * prices.prompt;
  if (cacheReadTokens > 0) prompt += BigInt(cacheReadTokens) * prices.inputCacheRead;
  if (cacheWriteTokens > 0) prompt += BigInt(cacheWriteTokens) * prices.inputCacheWrite;
  if (cacheWrite1hTokens > 0) prompt += BigInt(cacheWrite1hTokens) * prices.inputCacheWrite1h;
  if (pricing.image !== undefined) prompt += BigInt(images) * pricing.image;
  if (pricing.request !== undefined) prompt += BigInt(searchUnits) * pricing.request;
  let completion = BigInt(outputTokens - reasoningTokens - imageTokens) * prices.completion;
  if (reasoningTokens > 0) completion += BigInt(reasoningTokens) * prices.reasoning;
  if (imageTokens > 0) completion += BigInt(imageTokens) * prices.imageOutput;
  if (usage.iterations) {
    const beside = costBeside(usage.iterations, { endpoint, tier });
    prompt += beside.prompt;
    completion += beside.completion;
  }
  const tools = pricing.webSearch === undefined ? 0n : BigInt(webSearchRequests) * pricing.webSearch;
  return { prompt, completion, tools, total: prompt + completion + tools };
}

/**
 * The calls that are not in the total figures: a compaction at the price of the answering model, an advisor at its own
 * price in the standard tier, the only one planned for it. Each has the price list of its own prompt's length.
 */
function costBeside(iterations: readonly UsageIteration[], leg: PricedLeg): Cost {
  let cost = FREE;
  for (const iteration of iterations) {
    const priced = pricedBy(iteration, leg);
    if (!priced) continue;
    const { prompt, completion } = costOf(iteration, priced);
    const perRequest = priced.endpoint.pricing?.request ?? 0n;
    const paid = iteration.kind === 'compaction' ? prompt - perRequest : prompt;
    cost = { ...cost, prompt: cost.prompt + paid, completion: cost.completion + completion };
  }
  return cost;
}

type PricedLeg = Pick<Leg, 'endpoint' | 'tier'>;

function pricedBy({ kind, pricedBy: advisor }: UsageIteration, leg: PricedLeg): PricedLeg | undefined {
  if (kind === 'message') return undefined;
  return kind === 'compaction' ? leg : advisor && { endpoint: advisor, tier: 'standard' };
}

/**
 * False for a reply whose model costs the caller nothing (docs/contribute/ledger.md#what-each-ending-costs): it
 * contains no token and reports no stop reason, or it ended in an error. `Cost.tools` may still be due.
 * @param stop absent when the reply was not complete
 */
export function isCharged(stop: StopReason | undefined, { outputTokens = 0 }: Usage): boolean {
  const reason = stop?.raw ?? '';
  // Written in this order, a figure that is not a number counts as none.
  return reason !== 'error' && (reason !== '' || outputTokens > 0 || stop?.unified === 'computed');
}
