import type { Effort } from '../../core/conversation/effort.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import type { FittingResult, RequestField } from '../../core/translation.js';
import { EFFORT_DEFAULT, nearestEffort } from '../dialects/reasoning-effort.js';
import { effortsOf } from './efforts.js';
import { fitSampling } from './fit-sampling.js';
import { modelRulesOf } from './model-rules.js';

/**
 * A request in the form that its model takes, for formats whose only measure of reasoning is an effort. Thinking that
 * is off, or on without an amount, becomes the nearest effort that the model has.
 */
export function fitEffort(request: ModelRequest, target: Target): FittingResult {
  const { thinking, effort } = request;
  const isOff = thinking?.type === 'disabled';
  if (!isOff && (thinking?.type !== 'adaptive' || effort !== undefined)) return fitSampling(request, target);
  if (modelRulesOf(target).efforts === undefined) {
    const fitted = fitSampling(request, target);
    return { ...fitted, dropped: [...fitted.dropped, ...lostReasoning(request)] };
  }
  const word = nearestEffort(isOff ? 'none' : EFFORT_DEFAULT, effortsOf(target));
  return fitSampling(isOff ? withoutThinking(request, word) : { ...request, effort: word }, target);
}

/** Thinking that is off has no budget and no summary. */
function withoutThinking(request: ModelRequest, effort: Effort): ModelRequest {
  const { thinking: _off, reasoningSummary: _none, outputOrigin: _unfitted, ...rest } = request;
  return { ...rest, effort };
}

/** An effort beside thinking that is off is not sent either. */
const lostReasoning = ({ effort }: ModelRequest): readonly RequestField[] =>
  effort === undefined ? ['reasoning'] : ['reasoning', 'reasoning_effort'];
