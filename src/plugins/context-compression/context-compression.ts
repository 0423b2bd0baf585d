import type { ModelRequest } from '../../core/conversation/request.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Plugin, Prepared } from '../../core/plugin.js';
import type { Leg } from '../../core/routing/plan.js';
import { doInTurns, type Steps } from '../../core/steps.js';
import { flag, oneOf, optional } from '../../shared/http/schema.js';
import { middleOut } from './middle-out.js';

/** Tokens. Where nobody speaks of it, only endpoints of so short a context are helped. */
const UNASKED_CONTEXT_MAX = 8_192;
/** Of the answer, where nobody says how long it may be; at most a quarter of the context. Chosen. */
const ANSWER_TOKENS = 1_024;
/** Messages that Claude is sent at most (docs/wire/tools-and-plugins.md#context-compression). */
const CLAUDE_MESSAGES_MAX = 1_000;

/**
 * Leaves out of the middle of a conversation what an endpoint has no room for
 * (docs/wire/tools-and-plugins.md#context-compression).
 */
export const contextCompression: Plugin = {
  id: 'context-compression',
  stageType: 'context_compression',
  options: {
    enabled: optional(flag()),
    engine: optional(oneOf(['middle-out'])),
  },
  unasked: { contextMax: UNASKED_CONTEXT_MAX },
  shortens: ({ contextMax }) => ({ contextMax: typeof contextMax === 'number' ? contextMax : Infinity }),
  fit: (request, leg, options) => doInTurns(fitInSteps(request, leg, options)),
};

function* fitInSteps(request: ModelRequest, leg: Leg, { contextMax }: JsonObject): Steps<Prepared> {
  const { contextLength } = leg.endpoint;
  if (typeof contextMax === 'number' && contextLength > contextMax) return { request };
  // Who draws and writes nothing has no conversation to shorten.
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
