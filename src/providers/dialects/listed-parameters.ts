import type { Target } from '../../core/provider.js';
import { modelRulesOf } from '../model-rules/model-rules.js';

/**
 * Whether the target takes one of these parameters. It does not take those that a non-empty list of the endpoint leaves
 * out, nor those that the model refuses (docs/use/choosing-providers.md#unsupported-parameters).
 */
export function takes(target: Target, ...parameters: readonly string[]): boolean {
  const { supportedParameters } = target.endpoint;
  const { refuses } = modelRulesOf(target);
  return parameters.some(
    (parameter) =>
      refuses?.has(parameter) !== true && (supportedParameters.length === 0 || supportedParameters.includes(parameter)),
  );
}

/** Whether the endpoint's list names one of them. */
export const lists = (target: Target, ...parameters: readonly string[]): boolean =>
  parameters.some((parameter) => target.endpoint.supportedParameters.includes(parameter));
