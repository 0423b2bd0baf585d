import type { AppliedEdit } from '../conversation/clear-context.js';
import type { ConsultationKind } from '../conversation/usage.js';
import type { ModelRequest } from '../conversation/request.js';
import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { Plan } from '../routing/plan.js';

/**
 * One execution of a plan: its legs are called until one answers. The caller's request is one run; each further step of
 * a generation and each consulted model is a separate run, of the same generation.
 */
export interface ModelRun {
  /** Without the legs that cannot be paid for. */
  readonly plan: Plan;
  /** The request as it may be sent. */
  readonly request: ModelRequest;
  /** Measured size of the run's prompt. */
  readonly prompt: MeasuredPrompt;
  /** Whether the reply goes to the caller, or what it is used for before that. The caller pays for either. */
  readonly purpose: 'answer' | ConsultationKind;
  /** The context edits that this gateway applied for a vendor that does not; absent: none were requested. */
  readonly appliedEdits?: readonly AppliedEdit[];
}
