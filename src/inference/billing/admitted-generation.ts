import type { CancelSignal } from '../../core/cancellation.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { Generation } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { ChargedToolUse } from './charged-tool-use.js';
import type { PlannedRun } from '../request-planner.js';

/** An admitted generation, with its plan. */
export interface AdmittedGeneration extends PlannedRun {
  readonly generation: Generation;
}

/** The scope of a part of a generation, such as one use of a tool. */
export interface ContextScope {
  readonly signal: CancelSignal;
  /** Called where there is no capacity for a model call. */
  readonly refused?: () => void;
  /** Called with each model call. */
  readonly consulted?: (run: ModelRun) => void;
  /** The use that its purchases are charged with; absent: it buys nothing. */
  readonly use?: ChargedToolUse;
}

/**
 * Makes the context of tools and plugins of one generation at a point of its request; by default for its whole
 * lifetime.
 */
export type ContextAt = (request: ModelRequest, scope?: ContextScope) => ExtensionContext;
