import type { AppliedEdit } from '../conversation/clear-context.js';
import type { ConsultationKind } from '../conversation/usage.js';
import type { ModelRequest } from '../conversation/request.js';
import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { Plan } from '../routing/plan.js';

/**
 * One way through a plan: its legs are called until one answers. What the caller asked is one run; each further step of
 * a generation and each model that is consulted on the way is a run of its own, of the same generation.
 */
export interface ModelRun {
  /** Without the legs that cannot be paid for. */
  readonly plan: Plan;
  /** What is asked, as it may be sent. */
  readonly request: ModelRequest;
  /** The same, measured. */
  readonly prompt: MeasuredPrompt;
  /** Whether the caller is told its reply, or what it is used for on the way there. The caller pays for either. */
  readonly purpose: 'answer' | ConsultationKind;
  /** What this gateway cleared of the request, for a vendor that does not; absent: that was not asked of it. */
  readonly appliedEdits?: readonly AppliedEdit[];
}
