import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { PlannedConsultation, NoteStage, Plugin, StageNote } from '../../core/plugin.js';
import { doInSlices } from '../../core/steps.js';
import type { ModerationInput } from './engine.js';
import { chooseEngine } from './engines.js';
import { firstWindowOf, ModerationWatch } from './moderation-watch.js';
import { listed, metadataOf, noteOf } from './refusal.js';
import { textsOf } from './request-texts.js';

/** ASCII characters of a token, as `textTokens` counts it. */
const CHARACTERS_PER_TOKEN = 2;

const plannedCall = (request: ModelRequest): PlannedConsultation => ({
  kind: 'moderation',
  requests: [request],
  toolUsesMax: 0,
  isWhole: true,
});

/** Refuses requests and replies with forbidden content (docs/operate/moderation.md). */
export const moderation: Plugin = {
  id: 'moderation',
  options: {},
  stageType: 'guardrail',
  // The calls for the request. Those for its reply depend on its length (`planWatchConsultations`).
  planConsultations: async (request, _options, context) => {
    const engine = chooseEngine(request, context);
    if (!engine.planConsultations) return [];
    return engine.planConsultations(await doInSlices(textsOf(request, engine.picturesMax)), request).map(plannedCall);
  },
  requires: (request, _options, context, tokens) => {
    const text = 'x'.repeat(tokens * CHARACTERS_PER_TOKEN);
    const judged: ModerationInput = { of: 'request', texts: [{ parts: [text], by: 'user' }], pictures: [] };
    return { calls: (chooseEngine(request, context).planConsultations?.(judged, request) ?? []).map(plannedCall) };
  },
  price: (request, _options, context) => chooseEngine(request, context).price,
  consult: async (request, _options, context, note) => ({
    request,
    note: await judge(request, context, note),
  }),
  review: async (brought, _options, context, note) => note(await judge(brought, context, note)),
  planWatchConsultations: (request, _options, context) =>
    (chooseEngine(request, context).planConsultations?.(firstWindowOf(request), request) ?? []).map(plannedCall),
  watch: (request, _options, context, note) =>
    new ModerationWatch({
      engine: chooseEngine(request, context),
      context,
      model: request.model,
      isStreamed: request.stream,
      note,
    }),
};

/**
 * @returns the stage of a request that passes
 * @throws GatewayError `forbidden`, with the stage noted
 */
async function judge(request: ModelRequest, context: ExtensionContext, note: NoteStage): Promise<StageNote> {
  const engine = chooseEngine(request, context);
  const { unread, ...judged } = await doInSlices(textsOf(request, engine.picturesMax));
  const flags = await engine.judge(judged, context);
  const verdict = noteOf(engine, 'request', flags, unread > 0 ? { unread } : {});
  if (flags.length === 0) return verdict;
  note(verdict);
  const metadata = metadataOf(flags, request.model);
  throw new GatewayError('forbidden', `Moderation refused this request: ${listed(flags)}.`, { metadata });
}
