import type { CancelSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { ExtensionContext } from '../core/extension.js';
import type { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import type { OpenUse } from './open-use.js';
import type { PlannedRun } from './request-planner.js';

/** A generation that was admitted, and what it was planned from. */
export interface AdmittedGeneration extends PlannedRun {
  readonly generation: Generation;
}

/** What ends with a part of a generation, such as one use of a tool. */
export interface ContextScope {
  readonly signal: CancelSignal;
  /** There is no room for what a model was asked. */
  readonly refused?: () => void;
  /** A model is asked. */
  readonly consulted?: (run: ModelRun) => void;
  /** What it buys is charged with this use; absent: it buys nothing. */
  readonly use?: OpenUse;
}

/** What tools and plugins of one generation work with, at a point of its request; as long as it, if nothing is said. */
export type ContextAt = (request: ModelRequest, scope?: ContextScope) => ExtensionContext;
