import type { ModelRequest } from '../../core/conversation/request.js';
import { presentFields } from '../../core/conversation/present-fields.js';
import type { Target } from '../../core/provider.js';
import type { FittingResult, RequestField } from '../../core/translation.js';
import { WITHOUT } from '../dialects/encode-context.js';
import { requestedEffort } from '../dialects/reasoning-effort.js';
import { modelRulesOf } from './model-rules.js';

const NONE: readonly RequestField[] = [];

/** A request in the form that its model takes, where the model bounds sampling or restricts it by the effort. */
export function fitSampling(request: ModelRequest, target: Target): FittingResult {
  const { refusesWithEffort = NONE, temperatureMax = Infinity } = modelRulesOf(target);
  const effort = requestedEffort(request);
  const isRefused = (field: RequestField): boolean => refusesWithEffort.includes(field);
  const dropped = effort === undefined || effort === 'none' ? NONE : presentFields(request).filter(isRefused);
  const kept = dropped.reduce((rest, field) => WITHOUT[field]!(rest), request);
  return { request: withTemperatureUpTo(temperatureMax, kept), dropped };
}

/** The request with a temperature of at most so much. */
export function withTemperatureUpTo(most: number, request: ModelRequest): ModelRequest {
  const { temperature } = request.sampling;
  if (temperature === undefined || temperature <= most) return request;
  return { ...request, sampling: { ...request.sampling, temperature: most } };
}
