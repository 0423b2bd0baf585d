import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import type { FittingResult } from '../../core/translation.js';
import { claudeRulesOf } from './claude-models.js';
import { fitClaude, withPlainOff } from './claude-request.js';
import { fitSampling } from './fit-sampling.js';
import { modelFamilyOf } from './model-family.js';

/** A request in the form that its model takes, for formats with Claude's own fields. */
export function fitToModel(request: ModelRequest, target: Target): FittingResult {
  const rules = claudeRulesOf(target);
  if (rules !== undefined) return fitClaude(request, rules, target);
  return fitSampling(modelFamilyOf(target) === 'claude' ? request : withPlainOff(request), target);
}
