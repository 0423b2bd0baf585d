import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import type { FittingResult, RequestField } from '../../core/translation.js';
import { fitEffort } from './fit-effort.js';
import { modelRulesOf } from './model-rules.js';

/** A request as its model takes it in chat completions, where some models do not reason beside functions. */
export function fitChat(request: ModelRequest, target: Target): FittingResult {
  if (request.tools.length === 0 || modelRulesOf(target).effortWithTools === undefined)
    return fitEffort(request, target);
  const { thinking, effort, ...rest } = request;
  const dropped: RequestField[] = [];
  if (thinking !== undefined && thinking.type !== 'disabled') dropped.push('reasoning');
  if (effort !== undefined && effort !== 'none' && thinking?.type !== 'disabled') dropped.push('reasoning_effort');
  const fitted = fitEffort(rest, target);
  return { ...fitted, dropped: [...fitted.dropped, ...dropped] };
}
