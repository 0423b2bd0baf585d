import type { Effort } from '../../core/conversation/effort.js';
import type { ModelRequest, Sampling, Thinking } from '../../core/conversation/request.js';
import type { Json } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import type { FittingResult, RequestField, ThinkingMeasure } from '../../core/translation.js';
import { requestedEffort, BUDGET_OF_EFFORT, EFFORT_DEFAULT, nearestEffort } from '../dialects/reasoning-effort.js';
import { claudeRulesOf, type ClaudeRules } from './claude-models.js';

/** The least budget that the vendor takes: platform.claude.com/docs/en/build-with-claude/extended-thinking. */
const BUDGET_MIN = 1_024;
/** Chosen: the rest of the output limit is for the answer, since both count towards the limit. */
const BUDGET_SHARE = 0.8;
/** Models that always think get the least effort instead of thinking that is off. */
const EFFORT_LEAST: Effort = 'low';
/** The vendor's bounds: platform.claude.com/docs/en/api/messages. */
const TEMPERATURE_MAX = 1;
const TOP_P_MAX = 1;
/** The least `top_p` with thinking: platform.claude.com/docs/en/build-with-claude/extended-thinking. */
const THINKING_TOP_P_MIN = 0.95;

/**
 * A request in the form that a model of Claude takes (docs/use/translation/claude-models.md). A form of `thinking` that
 * the model lacks becomes the one that it has. Values in a form that it has are sent as the caller wrote them.
 */
export function fitClaude(request: ModelRequest, rules: ClaudeRules, target: Target): FittingResult {
  const dropped: RequestField[] = [];
  const thought = withThinking(request, rules, outputLimit(request, target), dropped);
  const measured = withEffort(thought, request, rules, dropped);
  const chosen = withToolChoice(measured, request, rules, dropped);
  return { request: withSampling(chosen, rules, dropped), dropped };
}

/** A model without budgets has the effort alone. An effort of a model that has none is named by `fitClaude`. */
export const leftByClaude = (target: Target): ThinkingMeasure | undefined =>
  claudeRulesOf(target)?.thinking.includes('enabled') === false ? 'budget' : undefined;

const outputLimit = ({ maxOutputTokens }: ModelRequest, { endpoint, model }: Target): number =>
  maxOutputTokens ?? endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? Infinity;

function withThinking(request: ModelRequest, rules: ClaudeRules, limit: number, dropped: RequestField[]): ModelRequest {
  const { thinking, effort } = request;
  const type = thinking?.type ?? (effort === undefined ? undefined : effort === 'none' ? 'disabled' : 'effort');
  switch (type) {
    case undefined:
      return request;
    case 'disabled':
      return withoutThinking(request, rules);
    case 'effort':
      return rules.efforts.length > 0 ? request : withBudget(request, limit, dropped);
    case 'adaptive':
      return rules.thinking.includes('adaptive') ? request : withBudget(request, limit, dropped);
    case 'enabled':
      return rules.thinking.includes('enabled') ? withValidBudget(request, limit, dropped) : withAdaptive(request);
  }
}

/** The request with the least thinking that the model permits. */
function withoutThinking(request: ModelRequest, { off, thinksByDefault }: ClaudeRules): ModelRequest {
  if (request.thinking === undefined && !thinksByDefault) return request;
  if (off === undefined) {
    const { thinking: _always, ...rest } = request;
    return rest.effort === undefined || rest.effort === 'none' ? withWord(rest, EFFORT_LEAST) : rest;
  }
  if (request.thinking !== undefined && formOfOff(request.thinking) === off) return request;
  if (off === 'disabled') return { ...request, thinking: { type: off } };
  return { ...request, thinking: { type: 'disabled', origin: { vendor: 'anthropic', value: { type: off } } } };
}

/** The vendor's name for thinking that is off. */
const formOfOff = ({ origin }: Thinking): Json | undefined =>
  origin?.vendor === 'anthropic' ? origin.value['type'] : 'disabled';

/** The request for a model that is not Anthropic's: other models have one form of thinking that is off. */
export function withPlainOff(request: ModelRequest): ModelRequest {
  const { thinking } = request;
  if (thinking?.type !== 'disabled' || formOfOff(thinking) === 'disabled') return request;
  return { ...request, thinking: { type: 'disabled' } };
}

/** The request with a budget of thinking tokens, instead of another measure. */
function withBudget(request: ModelRequest, limit: number, dropped: RequestField[]): ModelRequest {
  const { thinking, effort } = request;
  const wanted = BUDGET_OF_EFFORT[effort === undefined || effort === 'none' ? EFFORT_DEFAULT : effort];
  const budgetTokens = fittingBudget(wanted, limit);
  if (budgetTokens === undefined) return withoutRoom(request, dropped);
  const display = thinking?.type === 'adaptive' ? thinking.display : undefined;
  return { ...request, thinking: { type: 'enabled', budgetTokens, ...(display !== undefined && { display }) } };
}

/** Corrects a derived budget. A budget that the caller stated in the vendor's own form is left to the caller. */
function withValidBudget(request: ModelRequest, limit: number, dropped: RequestField[]): ModelRequest {
  const { thinking } = request;
  if (thinking?.type !== 'enabled' || thinking.origin?.vendor === 'anthropic') return request;
  if (thinking.budgetTokens >= BUDGET_MIN && thinking.budgetTokens < limit) return request;
  const budgetTokens = fittingBudget(thinking.budgetTokens, limit);
  if (budgetTokens === undefined) return withoutRoom(request, dropped);
  return { ...request, thinking: { ...thinking, budgetTokens } };
}

/** Undefined where the limit is too low for any budget. */
function fittingBudget(wanted: number, limit: number): number | undefined {
  const most = Math.floor(limit * BUDGET_SHARE);
  return most < BUDGET_MIN ? undefined : Math.max(BUDGET_MIN, Math.min(wanted, most));
}

function withoutRoom(request: ModelRequest, dropped: RequestField[]): ModelRequest {
  dropped.push(request.thinking === undefined ? 'reasoning_effort' : 'reasoning');
  const { thinking: _none, ...rest } = request;
  return rest;
}

/** The request with adaptive thinking. Its effort is the request's own, else the one that corresponds to the budget. */
function withAdaptive(request: ModelRequest): ModelRequest {
  const { thinking } = request;
  if (thinking?.type !== 'enabled') return request;
  const { budgetTokens: _measured, origin, ...rest } = thinking;
  const adaptive: Thinking = { ...rest, type: 'adaptive', ...(origin && { origin: adaptiveOrigin(origin) }) };
  const effort = request.effort ?? requestedEffort(request);
  const fitted = { ...request, thinking: adaptive };
  return effort === undefined ? fitted : withWord(fitted, effort);
}

function adaptiveOrigin({ vendor, value }: NonNullable<Thinking['origin']>): NonNullable<Thinking['origin']> {
  const { budget_tokens: _measured, ...rest } = value;
  return { vendor, value: { ...rest, type: 'adaptive' } };
}

/**
 * Fits the vendor's one field for the amount of both thinking and text.
 * @param requested the request before its thinking was fitted
 */
function withEffort(
  request: ModelRequest,
  requested: ModelRequest,
  rules: ClaudeRules,
  dropped: RequestField[],
): ModelRequest {
  const { effort, verbosity, thinking } = request;
  if (rules.efforts.length === 0) return effort === undefined ? request : withoutEffort(request, requested, dropped);
  const word = effort === undefined || effort === 'none' ? verbosity : effort;
  if (word === undefined) return request;
  const isBounded = thinking?.type === 'disabled' && rules.effortWhenOff !== undefined;
  const known = isBounded ? rules.efforts.slice(0, rules.efforts.indexOf(rules.effortWhenOff) + 1) : rules.efforts;
  const nearest = nearestEffort(word, known);
  return nearest === word ? request : withWord(request, nearest);
}

/** Drops the effort. It is not reported as dropped where it became a budget. */
function withoutEffort(request: ModelRequest, requested: ModelRequest, dropped: RequestField[]): ModelRequest {
  const { effort, outputOrigin: _unfitted, ...rest } = request;
  if (effort !== 'none' && request.thinking !== undefined && request.thinking === requested.thinking) {
    dropped.push('reasoning_effort');
  }
  return rest;
}

function withWord(request: ModelRequest, effort: Effort): ModelRequest {
  const { outputOrigin: _unfitted, ...rest } = request;
  return { ...rest, effort };
}

const isOn = (thinking: Thinking | undefined): boolean => thinking !== undefined && thinking.type !== 'disabled';

/** A choice that forces a call has priority: thinking is dropped where the model does not take both. */
function withToolChoice(
  request: ModelRequest,
  requested: ModelRequest,
  rules: ClaudeRules,
  dropped: RequestField[],
): ModelRequest {
  const { toolChoice, thinking, ...rest } = request;
  if (toolChoice?.type !== 'any' && toolChoice?.type !== 'tool') return request;
  if (rules.forcedTools !== 'without thinking' || !isOn(thinking)) return request;
  dropped.push(requested.thinking === undefined ? 'reasoning_effort' : 'reasoning');
  return { ...rest, toolChoice };
}

/**
 * Sampling within the vendor's bounds and those of thinking. Of two parameters that exclude each other the first is
 * kept.
 */
function withSampling(request: ModelRequest, rules: ClaudeRules, dropped: RequestField[]): ModelRequest {
  const { temperature, topP, topK, ...others } = request.sampling;
  if (temperature === undefined && topP === undefined && topK === undefined) return request;
  const thinks = isOn(request.thinking);
  const kept: { -readonly [K in keyof Sampling]: Sampling[K] } = { ...others };
  const keep = (field: RequestField, isTaken: boolean, set: () => void): void => {
    if (isTaken) set();
    else dropped.push(field);
  };
  if (temperature !== undefined) {
    const bounded = Math.min(temperature, TEMPERATURE_MAX);
    keep('temperature', !thinks || bounded === TEMPERATURE_MAX, () => (kept.temperature = bounded));
  }
  if (topP !== undefined) {
    const isTaken =
      (!thinks || topP >= THINKING_TOP_P_MIN) && (rules.sampling === 'both' || kept.temperature === undefined);
    keep('top_p', isTaken, () => (kept.topP = Math.min(topP, TOP_P_MAX)));
  }
  // Below zero it limits nothing at another vendor.
  if (topK !== undefined && topK >= 0) keep('top_k', !thinks, () => (kept.topK = topK));
  return { ...request, sampling: kept };
}
