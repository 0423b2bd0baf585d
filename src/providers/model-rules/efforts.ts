import type { Effort } from '../../core/conversation/effort.js';
import type { Target } from '../../core/provider.js';
import { modelRulesOf } from './model-rules.js';

/** Efforts that every provider with a field for the effort takes. */
const COMMON_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

/** The efforts that provider and model take. */
export function effortsOf(target: Target): readonly Effort[] {
  const byProvider = target.definition.quirks.efforts ?? COMMON_EFFORTS;
  const { efforts: byModel } = modelRulesOf(target);
  if (byModel === undefined) return byProvider;
  const taken = byModel.filter((effort) => byProvider.includes(effort));
  return taken.length > 0 ? taken : byModel;
}
