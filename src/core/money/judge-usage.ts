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
import { DOCUMENTS_PER_UNIT } from './measure-task.js';
import { WEB_SEARCHES_DEFAULT, type MeasuredPrompt } from './measure-prompt.js';
import { sanitizeUsage } from './sane-usage.js';
import { canBeCached, cachedTokens } from './possible-usage.js';
import { observedExcess, VENDOR_PROMPT_TOKENS, type TokenBound, type Widening } from './widening.js';

/** A prompt that may be compacted first: the hold covers the compaction like a second answer (`boundOf`). */
const CALLS_OF_COMPACTED = 2;

/** Everything that decides what is charged for one call. */
export interface CallFacts {
  /** The provider's report, unchecked. */
  readonly reported: Usage;
  /** The last report came after the last content of the reply. */
  readonly isReportFinal: boolean;
  /** The request that was sent, its measured size, and the leg it was sent to. */
  readonly request: ModelRequest;
  readonly prompt: MeasuredPrompt;
  readonly leg: BoundLeg;
  /** Estimates the tokens of the prompt; called only where the provider does not report them. */
  readonly estimatePrompt: (request: ModelRequest) => number;
  /**
   * Whether the request set a cache lifetime of one hour; called only where cache writes are reported without a
   * lifetime.
   */
  readonly wantsHourCache: (request: ModelRequest) => boolean;
  /** UTF-8 bytes of the text, reasoning and tool arguments that were received. */
  readonly outputBytes: number;
  /** The vendor ran a tool, whose results and further turns are counted as well. */
  readonly ranVendorTool: boolean;
  /** The reply cites web pages but shows no call that found them. */
  readonly citesPages: boolean;
  /** Web searches whose calls the reply shows. */
  readonly searchCalls: number;
  /** `whole`: the reply was complete. `cut`: it was not, and is charged. `lost`: only what was reported counts. */
  readonly end: 'whole' | 'cut' | 'lost';
}

/** The usage that a call is charged for. */
export interface JudgedUsage {
  /** Non-negative integers, as far as the figures are credible; `estimated` where the gateway estimated one of them. */
  readonly usage: Usage;
  /**
   * False where the report exceeds what is possible: the cost above the bound of the leg is not charged to any caller;
   * a cost within that bound is charged as reported.
   */
  readonly isPlausible: boolean;
  /**
   * The reported tokens above the number that the sizes allow, whether or not a hold covered them. Undefined: the
   * report stayed within the sizes, a tool ran, the figures are estimates, or they cannot be true.
   */
  readonly excess: Widening | undefined;
}

/**
 * Decides which reported figures are accepted and charged, by one rule for every dialect
 * (docs/contribute/decisions/0035-one-rule-for-usage.md). A pure function. Never throws, whatever the figures contain.
 * - A prompt or output that is missing or impossible becomes the larger of its credible part and the estimate. So does
 *   an output of 0 where some was received, and an output whose last report came before the last content.
 * - A figure of more than four context lengths is cut to that.
 * - Not plausible: more output than was allowed, or more prompt than the bytes can amount to, compactions included. The
 *   exception are calls in which the vendor ran tools: their results and further turns cannot be measured.
 * - Not plausible: more searches than were allowed, or a call of an advisor above the context of its model.
 */
export function judgeUsage(facts: CallFacts): JudgedUsage {
  const { leg, prompt, end } = facts;
  const reported = prompt.inputs === undefined ? facts.reported : { ...facts.reported, prompts: prompt.inputs };
  const sane = sanitizeUsage(reported, leg.endpoint.contextLength);
  if (end === 'lost') {
    const usage = sane.iterations ? withPrices(sane, sane.iterations, facts) : sane;
    return { usage, isPlausible: true, excess: undefined };
  }
  let usage = withEstimates(sane, facts);
  if (usage.cacheWriteTokens || usage.iterations) usage = withHourCache(usage, facts);
  if (usage.iterations) usage = withListedCalls(usage, usage.iterations, facts);
  if (prompt.webSearches > 0) usage = withSearches(usage, facts);
  if (prompt.searchUnits !== undefined) usage = withSearchUnits(usage, prompt);
  if (usage.iterations) usage = withPrices(usage, usage.iterations, facts);
  return judgeSize(usage, facts);
}

/** The model has emitted something, by the provider's report of its single calls. */
const hasListedOutput = (iterations: readonly UsageIteration[]): boolean =>
  iterations.some(({ kind, outputTokens = 0 }) => kind === 'message' && outputTokens > 0);

/** A missing or impossible figure becomes at least the estimate. */
function withEstimates(sane: Usage, facts: CallFacts): Usage {
  const { reported, outputBytes, end, isReportFinal } = facts;
  const output = sane.outputTokens ?? 0;
  const isListed = sane.iterations !== undefined && hasListedOutput(sane.iterations);
  const isOutputReported = output > 0 || isListed ? isReportFinal : output === 0 && outputBytes === 0;
  const isOutputBelieved =
    end === 'whole' &&
    isOutputReported &&
    sane.outputTokens !== undefined &&
    sane.outputTokens === reported.outputTokens;
  // A prompt of 0 tokens is impossible, unless the provider reports that the prompt cost nothing. A turn of the
  // vendor's own code, in which the model emits nothing, is reported with no usage at all.
  const isPromptBelieved =
    sane.inputTokens !== undefined &&
    sane.inputTokens === reported.inputTokens &&
    (sane.inputTokens > 0 ||
      reported.promptIsFree === true ||
      (isOutputBelieved && output === 0 && !isListed) ||
      promptTokens(sane) > 0);
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
 * The total of a vendor may be lower than the sum of its model calls, which is what it bills. All prompt classes are
 * taken from one of the two, so that no token counts twice.
 */
function withListedCalls(usage: Usage, iterations: readonly UsageIteration[], { leg }: CallFacts): Usage {
  const calls = iterations.filter(({ kind }) => kind === 'message');
  if (calls.length === 0) return usage;
  const { outputTokens = 0, ...prompt } = calls.map(onlyFigures).reduce(addUsage, NO_USAGE);
  const isMore = promptTokens(prompt) > promptTokens(usage);
  const whole = isMore ? { ...withoutPrompt(usage), ...prompt, inputTokens: prompt.inputTokens ?? 0 } : usage;
  const corrected = outputTokens > (usage.outputTokens ?? 0) ? { ...whole, outputTokens } : whole;
  // Each call may be credible while their sum is not.
  return corrected === usage ? usage : sanitizeUsage(corrected, leg.endpoint.contextLength);
}

const onlyFigures = ({ kind: _kind, model: _model, ...figures }: UsageIteration): TokenFigures => figures;

function withoutPrompt(usage: Usage): Usage {
  const { inputTokens: _i, cacheReadTokens: _r, cacheWriteTokens: _w, cacheWrite1hTokens: _h, ...others } = usage;
  return others;
}

/** Without a reported count, the requested searches are those that the reply shows, or one where it has citations. */
function withSearches(usage: Usage, { citesPages, searchCalls }: CallFacts): Usage {
  if (usage.webSearchRequests !== undefined) return usage;
  const seen = searchCalls || (citesPages ? 1 : 0);
  return seen === 0 ? usage : { ...usage, webSearchRequests: seen, estimated: true };
}

/** Without a reported number, the least that the documents count as. */
const withSearchUnits = (usage: Usage, { inputs = 1 }: MeasuredPrompt): Usage =>
  usage.searchUnits === undefined ? { ...usage, searchUnits: Math.ceil(inputs / DOCUMENTS_PER_UNIT) } : usage;

/** Cache writes without a reported lifetime have the lifetime that the request set. */
function withHourCache(usage: Usage, { wantsHourCache, request }: CallFacts): Usage {
  const { iterations = NO_ITERATIONS } = usage;
  if (!(writesUntimed(usage) || iterations.some(writesUntimed)) || !wantsHourCache(request)) return usage;
  const whole = inHourCache(usage);
  return usage.iterations ? { ...whole, iterations: iterations.map(inHourCache) } : whole;
}

const NO_ITERATIONS: readonly UsageIteration[] = [];

const writesUntimed = ({ cacheWriteTokens = 0, cacheWrite1hTokens }: TokenFigures): boolean =>
  cacheWriteTokens > 0 && cacheWrite1hTokens === undefined;

const inHourCache = <Figures extends TokenFigures>(figures: Figures): Figures =>
  writesUntimed(figures) ? { ...figures, cacheWriteTokens: 0, cacheWrite1hTokens: figures.cacheWriteTokens } : figures;

/** Prices each call of an advisor as the advisor of the request that it matches. */
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
  // Some vendors search without a request for it; then the default limit applies.
  const isBeyondUnits = prompt.searchUnits !== undefined && (usage.searchUnits ?? 0) > prompt.searchUnits;
  if (
    isBeyondUnits ||
    searches > (prompt.webSearches || WEB_SEARCHES_DEFAULT) ||
    usage.iterations?.some(isBeyondAdvisor)
  )
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
  const isObserved = !isPlain && !usage.estimated && canBeTrue({ input, output }, cachedTokens(whole), facts, calls);
  const excess = isObserved ? observedExcess({ input, output }, sizedTokens(prompt, leg), calls) : undefined;
  return { usage, isPlausible, excess };
}

/** Impossible figures must not be recorded, because recorded figures raise the holds of later requests. */
function canBeTrue({ input, output }: TokenBound, cached: number, { prompt, leg }: CallFacts, calls: number): boolean {
  const most = calls * leg.endpoint.contextLength * (prompt.inputs ?? 1);
  return input <= most && output <= most && (cached === 0 || canBeCached(cached, prompt, leg, calls));
}

/** A call of an advisor that reports more tokens than its model's context. */
function isBeyondAdvisor({ pricedBy: advisor, ...figures }: UsageIteration): boolean {
  return advisor !== undefined && promptTokens(figures) + (figures.outputTokens ?? 0) > advisor.contextLength;
}
