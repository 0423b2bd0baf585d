import type { Usage } from '../conversation/usage.js';
import { sizedTokens, type BoundLeg } from './bound.js';
import type { MeasuredPrompt } from './measure-prompt.js';
import { sanitizeUsage, withFigure } from './sane-usage.js';
import { VENDOR_PROMPT_TOKENS } from './widening.js';

/** A size counts two ASCII bytes as a token, and no tokenizer makes more than one token of a byte. */
const TOKENS_PER_SIZED = 2;

const CACHED = ['cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens'] as const;

/** A report, and what it is about. */
export interface ReportedCall {
  readonly usage: Usage;
  readonly run: { readonly prompt: MeasuredPrompt };
  readonly leg: BoundLeg;
  readonly ranVendorTool: boolean;
  readonly citesPages: boolean;
}

/**
 * The possible figures in the report of a call, for everything that outlives its request: counters, figures of
 * endpoints, sessions, bounds (docs/contribute/decisions/0035-one-rule-for-usage.md). A prompt or output that exceeds
 * the context of the endpoint counts as not reported, and so does a cached part that exceeds the prompt that was sent.
 * Exception: a call in which the vendor ran its own tools reports the sum over several turns.
 * @returns the same object where all of it can be true
 */
export function possibleUsage({ usage, run, leg, ranVendorTool, citesPages }: ReportedCall): Usage {
  const contextLength = leg.endpoint.contextLength * (run.prompt.inputs ?? 1);
  const sane = sanitizeUsage(usage, contextLength);
  const searches = (sane.webSearchRequests ?? 0) + (sane.webFetchRequests ?? 0);
  if (ranVendorTool || citesPages || searches > 0 || sane.ranVendorTools || sane.iterations) return sane;
  let possible = sane;
  const cached = cachedTokens(sane);
  if (cached > 0 && !canBeCached(cached, run.prompt, leg))
    for (const name of CACHED) possible = withFigure(possible, name, undefined);
  if ((possible.inputTokens ?? 0) + cachedTokens(possible) > contextLength)
    possible = withFigure(possible, 'inputTokens', undefined);
  if ((possible.outputTokens ?? 0) > contextLength) possible = withFigure(possible, 'outputTokens', undefined);
  return possible;
}

/**
 * Whether so many tokens of a prompt can have been cached: only what was sent can, and what the vendor adds.
 * @param calls how often it was sent
 */
export function canBeCached(tokens: number, prompt: MeasuredPrompt, leg: BoundLeg, calls = 1): boolean {
  const sent = TOKENS_PER_SIZED * sizedTokens(prompt, leg).input + VENDOR_PROMPT_TOKENS;
  return tokens <= calls * Math.min(leg.endpoint.contextLength, sent);
}

/** The part of a prompt that was read from a cache or written to one. */
export const cachedTokens = ({ cacheReadTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 }: Usage): number =>
  cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;
