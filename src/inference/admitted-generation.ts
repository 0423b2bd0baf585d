import type { CancelSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { ExtensionContext } from '../core/extension.js';
import type { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import type { RunInputs } from '../routing/plan-runner.js';
import type { Admitted } from './admission.js';
import { fitInTurn } from './edit-context.js';
import type { PlannedRequest } from './request-planner.js';

/** A generation that was admitted, and what it was planned from. */
export interface AdmittedGeneration {
  readonly generation: Generation;
  readonly planned: PlannedRequest;
  readonly admitted: Admitted;
  readonly signal: CancelSignal;
}

/** How the answer of a generation is asked for. */
export function runOf({ planned, admitted, signal }: AdmittedGeneration): RunInputs {
  const { plugins } = planned;
  let hasLimits = false;
  let hasShort = false;
  for (const { model, endpoint } of admitted.plan.legs) {
    if (model.limits) hasLimits = true;
    if (endpoint.contextLength <= plugins.fitsUpTo) hasShort = true;
  }
  return {
    plan: admitted.plan,
    request: planned.request,
    prompt: admitted.prompt,
    purpose: 'answer',
    reveal: planned.routed.reveal,
    // A conversation that is cleared may have room where it had none.
    fit: hasShort ? fitInTurn(planned.fit, plugins.fit) : planned.fit,
    modelLimiter: hasLimits ? admitted.modelLimiter : undefined,
    signal,
  };
}

/** What ends with a part of a generation, such as one use of a tool. */
export interface ContextScope {
  readonly signal: CancelSignal;
  /** There is no room for what a model was asked. */
  readonly refused?: () => void;
  /** A model is asked. */
  readonly consulted?: (run: ModelRun) => void;
}

/** What tools and plugins of one generation work with, at a point of its request; as long as it, if nothing is said. */
export type ContextAt = (request: ModelRequest, scope?: ContextScope) => ExtensionContext;
