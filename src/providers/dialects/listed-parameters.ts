import type { Target } from '../../core/provider.js';

/**
 * docs/wire/routing.md#unsupported-parameters: what the endpoint's list leaves out is dropped; an empty list says
 * nothing.
 */
export const takes = (target: Target, ...parameters: readonly string[]): boolean =>
  target.endpoint.supportedParameters.length === 0 || lists(target, ...parameters);

/** Whether the endpoint's list names one of them. */
export const lists = (target: Target, ...parameters: readonly string[]): boolean =>
  parameters.some((parameter) => target.endpoint.supportedParameters.includes(parameter));
