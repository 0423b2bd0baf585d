import type { ModelRequest } from '../../core/conversation/request.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Plugin, Prepared } from '../../core/plugin.js';
import type { Leg } from '../../core/routing/plan.js';
import { doInSlices, type Steps } from '../../core/steps.js';
import { flag, oneOf, optional } from '../../shared/http/schema.js';
import { middleOut } from './middle-out.js';

/** Tokens. Where the plugin is not requested, only endpoints with at most this context are shortened for. */
const DEFAULT_CONTEXT_MAX = 8_192;
/** Tokens that are left for the answer where the request sets no limit; at most a quarter of the context. Chosen. */
const ANSWER_TOKENS = 1_024;
/** Maximum number of messages that are sent to Claude (docs/use/plugins/context-compression.md). */
const CLAUDE_MESSAGES_MAX = 1_000;

/**
 * Removes from the middle of a conversation what exceeds the context of an endpoint
 * (docs/use/plugins/context-compression.md).
 */
export const contextCompression: Plugin = {
  id: 'context-compression',
  stageType: 'context_compression',
  options: {
    enabled: optional(flag()),
    engine: optional(oneOf(['middle-out'])),
  },
  whenNotRequested: { contextMax: DEFAULT_CONTEXT_MAX },
  shortens: ({ contextMax }) => ({ contextMax: typeof contextMax === 'number' ? contextMax : Infinity }),
  fit: (request, leg, options) => doInSlices(fitInSteps(request, leg, options)),
};

function* fitInSteps(request: ModelRequest, leg: Leg, { contextMax }: JsonObject): Steps<Prepared> {
  const { contextLength } = leg.endpoint;
  if (typeof contextMax === 'number' && contextLength > contextMax) return { request };
  // A model without text output has no conversation to shorten.
  if (!leg.model.outputModalities.includes('text')) return { request };
  const output = request.maxOutputTokens ?? Math.min(ANSWER_TOKENS, Math.floor(contextLength / 4));
  const isCapped = leg.model.id.startsWith('anthropic/');
  const shorter = yield* middleOut(request, {
    tokensMax: contextLength - output,
    messagesMax: isCapped ? CLAUDE_MESSAGES_MAX : Infinity,
  });
  if (!shorter) return { request };
  const { messages, cut } = shorter;
  const data = { endpoint: leg.tag, messages_left_out: request.messages.length - messages.length, texts_cut: cut };
  return { request: { ...request, messages }, note: { summary: 'middle-out', data } };
}
