import type { TextBlock } from '../../core/conversation/content.js';
import type { StopReason } from '../../core/conversation/event.js';
import { readReply } from '../../core/conversation/reply.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import type { ServiceTool, ToolFailure, ToolFunction, ToolResult } from '../../core/tool.js';
import { consultedRequest } from '../consulted-request.js';
import { assertServable } from '../servable.js';
import { type AdvisorOptions, readAdvisorOptions } from './advisor-options.js';
import { transcriptOf } from './transcript.js';
import { isOfType } from '../plain-failure.js';
import { asPulled } from '../../core/stream/pulled.js';

const QUESTION_LENGTH_MAX = 20_000;
const FAILURE = 'advisor_tool_result_error';

/** How an adviser ends who gives no advice. */
const REFUSED: ReadonlySet<StopReason['unified']> = new Set(['refusal', 'content-filter']);

/** Its parameters stand in an object of their own, a vendor's beside the type. */
const OWN_TYPE = 'openrouter:advisor';

/** Asks another model of the catalogue about the conversation (docs/wire/tools-and-plugins.md#advisor). */
export const advisor: ServiceTool = {
  types: ['advisor_20260301', OWN_TYPE],
  resultType: 'advisor_tool_result',
  offer: (asked, { modelOf }) => {
    assertServable(asked);
    const { type, parameters, path } = asked;
    const options = readAdvisorOptions(parameters);
    const { model: named } = parameters;
    // Where no model is named, the one that answers is asked once more.
    const model =
      named === undefined ? undefined : modelOf(named, `${path}.${type === OWN_TYPE ? 'parameters.model' : 'model'}`);
    const asking = (request: ModelRequest, content: readonly TextBlock[]) =>
      consultedRequest(request, {
        model: model?.id ?? request.model,
        system: [{ type: 'text', text: options.instructions }],
        messages: [{ role: 'user', content }],
        ...options.wishes,
      });
    return {
      runsAt: 'gateway',
      shown: shownFunction(options),
      ...(model && { model: model.id }),
      // What it costs is a call of its model, which is held and charged as such.
      price: 0n,
      usesMax: options.usesMax,
      consults: (request) => asking(request, contentFor(request, undefined, options)),
      run: async ({ question }, { context }) => {
        const { request, signal } = context;
        const content = contentFor(request, question, options);
        if (content.length === 0) return fail('invalid_tool_input');
        try {
          const { blocks, stop } = await readReply(asPulled(await context.infer(asking(request, content), 'advisor')));
          const text = blocks.map(({ start, text: words }) => (start.type === 'text' ? words : '')).join('');
          if (REFUSED.has(stop.unified) || text.trim() === '') return fail('unavailable');
          return { text, content: { type: 'advisor_result', text }, sources: [], isError: false };
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
  isFailure: isOfType(FAILURE),
};

function contentFor(
  request: ModelRequest,
  question: Json | undefined,
  { seesConversation, cacheMarker }: AdvisorOptions,
): readonly TextBlock[] {
  const told = seesConversation ? transcriptOf(request) : [];
  const turns = told.map((text, index): TextBlock => ({
    type: 'text',
    text,
    // The last one that a later consultation is told as well.
    ...(cacheMarker && index === told.length - 1 && { cacheMarker }),
  }));
  const asked = textOf(question);
  return asked === '' ? turns : [...turns, { type: 'text', text: `The question: ${asked}` }];
}

/** Two for all: what judges arguments keeps each schema that it is given. */
const QUESTION = { type: 'string', maxLength: QUESTION_LENGTH_MAX };
const MAY_ASK = {
  type: 'object',
  properties: { question: { ...QUESTION, description: 'What to advise on; may be left out.' } },
};
const MUST_ASK = {
  type: 'object',
  properties: { question: { ...QUESTION, description: 'What to advise on, with all that one has to know for it.' } },
  required: ['question'],
};

function shownFunction({ name, seesConversation }: AdvisorOptions): ToolFunction {
  const sees = seesConversation ? SEES_ALL : SEES_QUESTION;
  return {
    name: 'advisor',
    description: `${sees} Ask before large or irreversible steps, and when you are stuck.${name === undefined ? '' : ` This adviser is called ${name}.`}`,
    inputSchema: seesConversation ? MAY_ASK : MUST_ASK,
  };
}

const SEES_ALL = 'Asks a stronger model for advice on the conversation so far, all of which it is shown.';
const SEES_QUESTION = 'Asks a stronger model for advice. It is shown the question alone, nothing of the conversation.';

const fail = (failure: ToolFailure): ToolResult => ({
  text: failure,
  content: { type: FAILURE, error_code: failure },
  sources: [],
  isError: true,
});

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
