import type { ModelRequest } from '../conversation/request.js';
import {
  addUsage,
  NO_USAGE,
  withCompactions,
  type TokenFigures,
  type Usage,
  type UsageIteration,
} from '../conversation/usage.js';
import { advisorOf } from './advisors.js';
import { boundTokens, sizedTokens, type BoundLeg } from './bound.js';
import { estimateTokens } from './estimate.js';
import { WEB_SEARCHES_DEFAULT, type MeasuredPrompt } from './measure-prompt.js';
import { sanitizeUsage } from './sane-usage.js';
import { learntFrom, VENDOR_PROMPT_TOKENS, type Widening } from './widening.js';

/** Where the prompt may be shortened first, as much as what answers is held for that (`boundOf`). */
const CALLS_OF_COMPACTED = 2;

/** Everything that decides what is charged for one call. */
export interface CallFacts {
  /** As the provider told it; nothing of it was judged. */
  readonly reported: Usage;
  /** The last report came after the last words of the reply. */
  readonly isReportFinal: boolean;
  /** What was sent, its measures, and where to. */
  readonly request: ModelRequest;
  readonly prompt: MeasuredPrompt;
  readonly leg: BoundLeg;
  /** About how many tokens the prompt has; asked only where the provider does not say. */
  readonly estimatePrompt: (request: ModelRequest) => number;
  /** A cache that lives an hour was asked for; asked only where writes are reported without their time. */
  readonly wantsHourCache: (request: ModelRequest) => boolean;
  /** What came: text, reasoning and arguments that the model said, in bytes of UTF-8. */
  readonly outputBytes: number;
  /** The vendor ran a tool, whose results and further turns count as well. */
  readonly ranVendorTool: boolean;
  /** The reply cites pages of the web, and shows no call that found them. */
  readonly citesPages: boolean;
  /** Searches of the web that the reply shows by their calls. */
  readonly searchCalls: number;
  /** `whole`: the reply came to its end. `cut`: it did not, and is paid for. `lost`: only what was reported counts. */
  readonly end: 'whole' | 'cut' | 'lost';
}

/** What a call is charged for. */
export interface JudgedUsage {
  /** Whole figures from zero on, as far as they can be believed; `estimated` where one of them was counted here. */
  readonly usage: Usage;
  /**
   * False where more was told than can be: what it costs above the bound of its leg nobody is charged for. What costs
   * no more than that bound is charged as it was told.
   */
  readonly isPlausible: boolean;
  /**
   * What the endpoint reported beyond what sizes allow, whether or not it was held for that. Undefined: it kept to
   * them, or ran tools, or the figures are estimates.
   */
  readonly excess: Widening | undefined;
}

/**
 * The one rule for what is believed of a usage and charged, whatever dialect told it
 * (docs/decisions/0035-one-rule-for-usage.md):
 * - a side (prompt, output) that was not told, or not in figures that can be, is the larger of what is plausible of it
 *   and the estimate; so is output of 0 where some was seen, and output whose last report came before the last words;
 * - more than four contexts of tokens are no count of anything and cut to that;
 * - more output than was allowed, or more prompt than the bytes can be, compactions included, is not plausible, unless
 *   the vendor ran tools, whose results and further turns nobody has measured;
 * - more searches than were allowed are not plausible either, nor a call of an advisor above its model's context.
 *
 * Pure. Never throws, whatever stands in the figures.
 */
export function judgeUsage(facts: CallFacts): JudgedUsage {
  const { reported, leg, prompt, end } = facts;
  const sane = sanitizeUsage(reported, leg.endpoint.contextLength);
  if (end === 'lost') {
    const usage = sane.iterations ? withPrices(sane, sane.iterations, facts) : sane;
    return { usage, isPlausible: true, excess: undefined };
  }
  let usage = withEstimates(sane, facts);
  if (usage.cacheWriteTokens || usage.iterations) usage = withHourCache(usage, facts);
  if (usage.iterations) usage = withSaidCalls(usage, usage.iterations, facts);
  if (prompt.webSearches > 0) usage = withSearches(usage, facts);
  if (usage.iterations) usage = withPrices(usage, usage.iterations, facts);
  return judgeSize(usage, facts);
}

/** What was not told, or cannot be, is at least what is estimated. */
function withEstimates(sane: Usage, facts: CallFacts): Usage {
  const { reported, outputBytes, end, isReportFinal } = facts;
  const output = sane.outputTokens ?? 0;
  const isOutputTold = output > 0 ? isReportFinal : output === 0 && outputBytes === 0;
  const isOutputBelieved =
    end === 'whole' && isOutputTold && sane.outputTokens !== undefined && sane.outputTokens === reported.outputTokens;
  // No prompt is empty, so that a figure of 0 is none; but a turn that the vendor's own code goes on with, in which the
  // model says nothing, is told to use nothing at all.
  const isPromptBelieved =
    sane.inputTokens !== undefined &&
    sane.inputTokens === reported.inputTokens &&
    (sane.inputTokens > 0 || (isOutputBelieved && output === 0) || promptTokens(sane) > 0);
  if (isOutputBelieved && isPromptBelieved) return sane;
  const estimated = { ...sane, estimated: true };
  if (!isOutputBelieved) estimated.outputTokens = Math.max(output, estimateTokens(outputBytes));
  if (!isPromptBelieved) {
    const cached = promptTokens(sane) - (sane.inputTokens ?? 0);
    estimated.inputTokens = Math.max(0, facts.estimatePrompt(facts.request) - cached, sane.inputTokens ?? 0);
  }
  return estimated;
}

export const promptTokens = ({
  inputTokens = 0,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
  cacheWrite1hTokens = 0,
}: TokenFigures): number => inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;

/**
 * A vendor's sum may tell less than its calls of the model do, one by one; it bills the calls. Of the prompt all
 * classes are those of the one or of the other, so that nothing counts twice.
 */
function withSaidCalls(usage: Usage, iterations: readonly UsageIteration[], { leg }: CallFacts): Usage {
  const calls = iterations.filter(({ kind }) => kind === 'message');
  if (calls.length === 0) return usage;
  const { outputTokens = 0, ...prompt } = calls.map(onlyFigures).reduce(addUsage, NO_USAGE);
  const isMore = promptTokens(prompt) > promptTokens(usage);
  const whole = isMore ? { ...withoutPrompt(usage), ...prompt, inputTokens: prompt.inputTokens ?? 0 } : usage;
  const said = outputTokens > (usage.outputTokens ?? 0) ? { ...whole, outputTokens } : whole;
  // Each of them may be believed, and their sum not.
  return said === usage ? usage : sanitizeUsage(said, leg.endpoint.contextLength);
}

const onlyFigures = ({ kind: _kind, model: _model, ...figures }: UsageIteration): TokenFigures => figures;

function withoutPrompt(usage: Usage): Usage {
  const { inputTokens: _i, cacheReadTokens: _r, cacheWriteTokens: _w, cacheWrite1hTokens: _h, ...others } = usage;
  return others;
}

/** A vendor that tells no figure of the searches it was asked for has made those it shows, or one where it cites. */
function withSearches(usage: Usage, { citesPages, searchCalls }: CallFacts): Usage {
  if (usage.webSearchRequests !== undefined) return usage;
  const seen = searchCalls || (citesPages ? 1 : 0);
  return seen === 0 ? usage : { ...usage, webSearchRequests: seen, estimated: true };
}

/** Writes whose time is not told were made as they were asked for. */
function withHourCache(usage: Usage, { wantsHourCache, request }: CallFacts): Usage {
  const { iterations = NO_ITERATIONS } = usage;
  if (!(writesUntimed(usage) || iterations.some(writesUntimed)) || !wantsHourCache(request)) return usage;
  const whole = inHourCache(usage);
  return usage.iterations ? { ...whole, iterations: iterations.map(inHourCache) } : whole;
}

const NO_ITERATIONS: readonly UsageIteration[] = [];

const writesUntimed = ({ cacheWriteTokens = 0, cacheWrite1hTokens }: TokenFigures): boolean =>
  cacheWriteTokens > 0 && cacheWrite1hTokens === undefined;

const inHourCache = <Told extends TokenFigures>(told: Told): Told =>
  writesUntimed(told) ? { ...told, cacheWriteTokens: 0, cacheWrite1hTokens: told.cacheWriteTokens } : told;

/** Calls of advisors at the price of who was asked for. */
function withPrices(usage: Usage, listed: readonly UsageIteration[], { prompt, leg }: CallFacts): Usage {
  if (!listed.some(({ kind }) => kind === 'advisor')) return usage;
  const iterations = listed.map((iteration) => {
    const advisor =
      iteration.kind === 'advisor' ? advisorOf(iteration, prompt.advisors ?? [], leg.endpoint) : undefined;
    return advisor ? { ...iteration, pricedBy: advisor } : iteration;
  });
  return { ...usage, iterations };
}

function judgeSize(usage: Usage, facts: CallFacts): JudgedUsage {
  const { leg, prompt } = facts;
  const searches = usage.webSearchRequests ?? 0;
  // Some vendors search unasked: what was allowed says nothing where nothing was.
  if (searches > (prompt.webSearches || WEB_SEARCHES_DEFAULT) || usage.iterations?.some(isBeyondAdvisor))
    return { usage, isPlausible: false, excess: undefined };
  const fetches = usage.webFetchRequests ?? 0;
  const ranTools = facts.ranVendorTool || facts.citesPages || usage.ranVendorTools === true;
  if (ranTools || searches + fetches > 0) return { usage, isPlausible: true, excess: undefined };
  const bound = boundTokens(prompt, leg);
  const calls = prompt.compacts ? CALLS_OF_COMPACTED : 1;
  const whole = usage.iterations ? withCompactions(usage) : usage;
  const unlimited = usage.reasoningIsApart ? (whole.reasoningTokens ?? 0) : 0;
  const output = (whole.outputTokens ?? 0) - unlimited;
  const input = promptTokens(whole);
  const isPlausible = output <= calls * bound.output && input <= calls * (bound.input + VENDOR_PROMPT_TOKENS);
  const isPlain = isPlausible && !leg.health?.widening;
  const excess =
    isPlain || usage.estimated ? undefined : learntFrom({ input, output }, sizedTokens(prompt, leg), calls);
  return { usage, isPlausible, excess };
}

/** One call of an advisor that told more than its model holds. */
function isBeyondAdvisor({ pricedBy: advisor, ...told }: UsageIteration): boolean {
  return advisor !== undefined && promptTokens(told) + (told.outputTokens ?? 0) > advisor.contextLength;
}
