import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { NoteStage, Plugin, StageNote } from '../../core/plugin.js';
import { doInTurns } from '../../core/steps.js';
import { chooseEngine } from './engines.js';
import { ModerationWatch } from './moderation-watch.js';
import { listed, metadataOf, noteOf } from './refusal.js';
import { textsOf } from './request-texts.js';

/** Refuses what is asked or answered that may not be (docs/moderation.md). */
export const moderation: Plugin = {
  id: 'moderation',
  options: {},
  stageType: 'guardrail',
  // What a reply is judged by depends on its length.
  foresee: async (request, _options, foresight) => {
    const engine = chooseEngine(request, foresight);
    if (!engine.foresee) return [];
    const asked = engine.foresee(await doInTurns(textsOf(request, engine.picturesMax)), request);
    return asked.map((one) => ({ kind: 'moderation', requests: [one], toolUsesMax: 0, isWhole: true }));
  },
  price: (request, _options, context) => chooseEngine(request, context).price,
  consult: async (request, _options, context, note) => ({
    request,
    note: await judge(request, context, note),
  }),
  review: async (brought, _options, context, note) => note(await judge(brought, context, note)),
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
  const { unread, ...judged } = await doInTurns(textsOf(request, engine.picturesMax));
  const flags = await engine.judge(judged, context);
  const verdict = noteOf(engine, 'request', flags, unread > 0 ? { unread } : {});
  if (flags.length === 0) return verdict;
  note(verdict);
  const metadata = metadataOf(flags, request.model);
  throw new GatewayError('forbidden', `Moderation refused this request: ${listed(flags)}.`, { metadata });
}
