import { clearContext, type ClearedContext } from '../core/conversation/clear-context.js';
import { listDocuments, readableBy } from '../core/conversation/documents.js';
import { CLEAR_THINKING, readContextEdits, type ContextEdit } from '../core/conversation/context-edits.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { JsonObject } from '../core/json/json.js';
import type { Leg } from '../core/routing/plan.js';
import type { RouteInputs } from '../core/routing/route-inputs.js';
import { doInTurns } from '../core/steps.js';
import type { FitRequest, FittedRequest } from '../routing/plan-runner.js';
import { stageOf, tookSince, type StageFigures } from './plugins/plugin-stages.js';

/** Turns whose reasoning a model keeps where nobody says how many (docs/wire/messages.md#context-management). */
const KEEP_TURNS = 1;

/**
 * Clears what a request wants cleared, for legs whose vendors are not told of it; to others it goes as it is.
 * @param carries as routing has it
 * @returns undefined for a request that wants nothing cleared
 */
export function contextEditor(
  { contextManagement }: ModelRequest,
  carries: RouteInputs['carries'],
): FitRequest | undefined {
  const edits = readContextEdits(contextManagement);
  if (!edits) return undefined;
  const { clearing, rest } = edits;
  return async (request, leg) => {
    if (carries?.(leg, 'context_management') !== false) return { request, stages: [] };
    const { contextManagement: _done, ...asked } = request;
    const edited = { ...asked, ...(rest && { contextManagement: rest }) };
    const beganAt = performance.now();
    const cleared = await doInTurns(clearContext(edited, editsFor(leg, clearing)));
    return told(cleared, leg, tookSince(beganAt));
  };
}

/**
 * A file as each leg reads it: as it came, or in words (docs/decisions/0070-pdfs-in-words.md). It comes before all else
 * that is done for a leg, so that sizes are those of what is sent.
 * @returns undefined for a request without a document
 */
export const documentReader = (request: ModelRequest): FitRequest | undefined =>
  listDocuments(request).next().done === true
    ? undefined
    : (asked, { model }) => ({ request: readableBy(asked, model.inputModalities), stages: [] });

/** Both, one after the other. Undefined: neither is there. */
export function fitInTurn(first: FitRequest | undefined, second: FitRequest | undefined): FitRequest | undefined {
  if (!first || !second) return first ?? second;
  return async (request, leg) => {
    const fitted = await first(request, leg);
    const further = await second(fitted.request, leg);
    return { ...fitted, ...further, stages: [...fitted.stages, ...further.stages] };
  };
}

/** Claude keeps as much of its reasoning as each of its models does by itself, wherever it is asked. */
const editsFor = ({ model }: Leg, edits: readonly ContextEdit[]): readonly ContextEdit[] =>
  model.id.startsWith('anthropic/') ? edits : edits.map(withTurns);

const withTurns = (edit: ContextEdit): ContextEdit =>
  edit.type === CLEAR_THINKING && edit.keep === undefined ? { ...edit, keep: KEEP_TURNS } : edit;

const told = ({ request, applied }: ClearedContext, leg: Leg, took: StageFigures): FittedRequest => ({
  request,
  appliedEdits: applied,
  stages: applied.length === 0 ? [] : [editStage(applied, leg, took)],
});

/** As the stages of plugins are told, though it is none. */
function editStage(applied: ClearedContext['applied'], { tag }: Leg, took: StageFigures): JsonObject {
  const data: Record<string, string | number> = { endpoint: tag };
  for (const { type: _type, ...figures } of applied) {
    for (const [name, figure] of Object.entries(figures)) data[name] = Number(data[name] ?? 0) + Number(figure);
  }
  const summary = applied.map(({ type }) => type).join(', ');
  return stageOf({ id: 'context-management', stageType: 'context_compression' }, { summary, data }, took);
}
