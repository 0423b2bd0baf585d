import { clearContext, type ClearedContext } from '../core/conversation/clear-context.js';
import { listDocuments, readableBy } from '../core/conversation/documents.js';
import { CLEAR_THINKING, readContextEdits, type ContextEdit } from '../core/conversation/context-edits.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { JsonObject } from '../core/json/json.js';
import type { Leg } from '../core/routing/plan.js';
import type { RouteInputs } from '../core/routing/route-inputs.js';
import { doInSlices } from '../core/steps.js';
import type { FitRequest, FittedRequest } from '../routing/plan-runner.js';
import { stageOf, tookSince, type StageFigures } from './plugins/plugin-stages.js';

/**
 * Turns whose reasoning a model keeps where the request does not specify it (docs/use/messages.md#context-management).
 */
const KEEP_TURNS = 1;

/**
 * Applies the context edits of a request for legs whose vendors do not; the others receive it unchanged.
 * @param supportsField as `RouteInputs` has it
 * @returns undefined for a request without context edits
 */
export function contextEditor(
  { contextManagement }: ModelRequest,
  supportsField: RouteInputs['supportsField'],
): FitRequest | undefined {
  const edits = readContextEdits(contextManagement);
  if (!edits) return undefined;
  const { clearing, rest } = edits;
  return async (request, leg) => {
    if (supportsField?.(leg, 'context_management') !== false) return { request, stages: [] };
    const { contextManagement: _done, ...original } = request;
    const edited = { ...original, ...(rest && { contextManagement: rest }) };
    const beganAt = performance.now();
    const cleared = await doInSlices(clearContext(edited, editsFor(leg, clearing)));
    return fittedTo(cleared, leg, tookSince(beganAt));
  };
}

/**
 * A file as each leg reads it: unchanged, or as text (docs/contribute/decisions/0064-the-way-of-plugins.md). It
 * precedes all other work for a leg, so that sizes are those of what is sent.
 * @returns undefined for a request without a document
 */
export const documentReader = (request: ModelRequest): FitRequest | undefined =>
  listDocuments(request).next().done === true
    ? undefined
    : (original, { model }) => ({ request: readableBy(original, model.inputModalities), stages: [] });

/** Both, one after the other. Undefined: neither exists. */
export function fitInTurn(first: FitRequest | undefined, second: FitRequest | undefined): FitRequest | undefined {
  if (!first || !second) return first ?? second;
  return async (request, leg) => {
    const fitted = await first(request, leg);
    const further = await second(fitted.request, leg);
    return { ...fitted, ...further, stages: [...fitted.stages, ...further.stages] };
  };
}

/** Each model of Claude keeps its default amount of reasoning, on every platform. */
const editsFor = ({ model }: Leg, edits: readonly ContextEdit[]): readonly ContextEdit[] =>
  model.id.startsWith('anthropic/') ? edits : edits.map(withTurns);

const withTurns = (edit: ContextEdit): ContextEdit =>
  edit.type === CLEAR_THINKING && edit.keep === undefined ? { ...edit, keep: KEEP_TURNS } : edit;

const fittedTo = ({ request, applied }: ClearedContext, leg: Leg, took: StageFigures): FittedRequest => ({
  request,
  appliedEdits: applied,
  stages: applied.length === 0 ? [] : [editStage(applied, leg, took)],
});

/** Reported like the stages of plugins, though it is none. */
function editStage(applied: ClearedContext['applied'], { tag }: Leg, took: StageFigures): JsonObject {
  const data: Record<string, string | number> = { endpoint: tag };
  for (const { type: _type, ...figures } of applied) {
    for (const [name, figure] of Object.entries(figures)) data[name] = Number(data[name] ?? 0) + Number(figure);
  }
  const summary = applied.map(({ type }) => type).join(', ');
  return stageOf({ id: 'context-management', stageType: 'context_compression' }, { summary, data }, took);
}
