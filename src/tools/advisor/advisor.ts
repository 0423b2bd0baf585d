import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import { readReply } from '../../core/conversation/read-reply.js';
import type { ServiceTool, ToolFailure, ToolResult } from '../../core/tool.js';
import { consultedRequest } from '../consulted-request.js';
import { assertServable } from '../servable.js';
import { transcriptOf } from './transcript.js';

/** Tokens of one piece of advice, where nothing else is said. Chosen: a page or two. */
const OUTPUT_TOKENS_DEFAULT = 2_048;
const QUESTION_LENGTH_MAX = 20_000;
/** Its parameters stand in an object of their own, a vendor's beside the type. */
const OWN_TYPE = 'openrouter:advisor';

/** Asks another model of the catalogue about the conversation (docs/wire/tools-and-plugins.md#advisor). */
export const advisor: ServiceTool = {
  types: ['advisor_20260301', OWN_TYPE],
  resultType: 'advisor_tool_result',
  offer: (asked, { modelOf }) => {
    assertServable(asked);
    const { type, parameters, path } = asked;
    const { max_uses: usesMax, max_tokens: outputMax } = parameters;
    const model = modelOf(parameters['model'], `${path}.${type === OWN_TYPE ? 'parameters.model' : 'model'}`);
    return {
      runsAt: 'gateway',
      shown: SHOWN,
      model: model.id,
      // What it costs is a call of its model, which is held and charged as such.
      price: 0n,
      usesMax: typeof usesMax === 'number' ? usesMax : Infinity,
      run: async ({ question }, { context }) => {
        const { request, signal } = context;
        const aboutIt = typeof question === 'string' && question !== '' ? `\n\nThe question: ${question}` : '';
        try {
          const events = await context.infer(
            consultedRequest(request, {
              model: model.id,
              system: [{ type: 'text', text: INSTRUCTIONS }],
              messages: [{ role: 'user', content: [{ type: 'text', text: transcriptOf(request) + aboutIt }] }],
              maxOutputTokens: typeof outputMax === 'number' && outputMax >= 1 ? outputMax : OUTPUT_TOKENS_DEFAULT,
            }),
            'advisor',
          );
          const { blocks } = await readReply(events);
          const text = blocks.map(({ start, text: words }) => (start.type === 'text' ? words : '')).join('');
          return { text, content: { type: 'advisor_result', text }, sources: [], isError: false, cost: 0n };
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof GatewayError)) throw error;
          return fail(error.kind === 'rate-limited' ? 'too_many_requests' : 'unavailable');
        }
      },
      fail,
    };
  },
  recall: (content) => (isJsonObject(content) ? textOf(content['text'] ?? content['error_code']) : ''),
};

const SHOWN = {
  name: 'advisor',
  description:
    'Asks a stronger model for advice on the conversation so far, all of which it is shown. Ask before large or ' +
    'irreversible steps, and when you are stuck.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', maxLength: QUESTION_LENGTH_MAX, description: 'What to advise on; may be left out.' },
    },
  },
};

const INSTRUCTIONS =
  'You advise another model, whose conversation with its user follows. Say what it should do next, and what it has ' +
  'overlooked, in a few precise sentences. You speak to the model, not to its user.';

const fail = (failure: ToolFailure): ToolResult => ({
  text: failure,
  content: { type: 'advisor_tool_result_error', error_code: failure },
  sources: [],
  isError: true,
  cost: 0n,
});

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
