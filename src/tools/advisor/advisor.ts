import type { TextBlock } from '../../core/conversation/content.js';
import type { StopReason } from '../../core/conversation/event.js';
import { readReply } from '../../core/conversation/reply.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import { parameterPath, type ToolFailure, type ToolFunction, type ToolResult } from '../../core/tool.js';
import { consultedRequest } from '../consulted-request.js';
import { assertServable } from '../servable.js';
import type { ToolDefinition } from '../tool-definition.js';
import { type AdvisorOptions, readAdvisorOptions } from './advisor-options.js';
import { advisorParameters } from './parameters.js';
import { transcriptOf } from './transcript.js';
import { isOfType } from '../plain-failure.js';
import { toPullSource } from '../../core/stream/pull-source.js';

const QUESTION_LENGTH_MAX = 20_000;
const FAILURE = 'advisor_tool_result_error';

/** Stop reasons of an advisor that gives no advice. */
const REFUSED: ReadonlySet<StopReason['unified']> = new Set(['refusal', 'content-filter']);

/** This type has its parameters in an object of their own; a vendor's type has them beside the type. */
const OWN_TYPE = 'openrouter:advisor';

/** Consults another model of the catalogue about the conversation (docs/use/tools/advisor.md). */
export const advisor: ToolDefinition = {
  types: ['advisor_20260301', OWN_TYPE],
  parameters: { [OWN_TYPE]: advisorParameters },
  openParameters: ['caching'],
  resultType: 'advisor_tool_result',
  offer: (requested, { modelOf }) => {
    assertServable(requested);
    const { parameters } = requested;
    const options = readAdvisorOptions(parameters);
    const { model: named } = parameters;
    // Without a named model, the answering model itself is consulted.
    const model = named === undefined ? undefined : modelOf(named, parameterPath(requested, 'model'));
    const requestFor = (request: ModelRequest, content: readonly TextBlock[]) =>
      consultedRequest(request, {
        model: model?.id ?? request.model,
        system: [{ type: 'text', text: options.instructions }],
        messages: [{ role: 'user', content }],
        ...options.wishes,
      });
    return {
      runsAt: 'gateway',
      asFunction: shownFunction(options),
      ...(model && { model: model.id }),
      // The only cost of the tool is the call of the model, which is held and charged as a separate call.
      price: 0n,
      usesMax: options.usesMax,
      consults: (request) => requestFor(request, contentFor(request, undefined, options)),
      run: async ({ question }, { context }) => {
        const { request, signal } = context;
        const content = contentFor(request, question, options);
        if (content.length === 0) return fail('invalid_tool_input');
        try {
          const { blocks, stop } = await readReply(
            toPullSource(await context.infer(requestFor(request, content), 'advisor')),
          );
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
  const transcript = seesConversation ? transcriptOf(request) : [];
  const turns = transcript.map((text, index): TextBlock => ({
    type: 'text',
    text,
    // The last block that later consultations share.
    ...(cacheMarker && index === transcript.length - 1 && { cacheMarker }),
  }));
  const text = textOf(question);
  return text === '' ? turns : [...turns, { type: 'text', text: `The question: ${text}` }];
}

/** Two schemas for all requests: the validator caches each schema that it is given. */
const QUESTION = { type: 'string', maxLength: QUESTION_LENGTH_MAX };
const OPTIONAL_QUESTION = {
  type: 'object',
  properties: { question: { ...QUESTION, description: 'What to advise on; may be left out.' } },
};
const REQUIRED_QUESTION = {
  type: 'object',
  properties: { question: { ...QUESTION, description: 'What to advise on, with all that one has to know for it.' } },
  required: ['question'],
};

function shownFunction({ name, seesConversation }: AdvisorOptions): ToolFunction {
  const sees = seesConversation ? SEES_ALL : SEES_QUESTION;
  return {
    name: 'advisor',
    description: `${sees} Ask before large or irreversible steps, and when you are stuck.${name === undefined ? '' : ` This adviser is called ${name}.`}`,
    inputSchema: seesConversation ? OPTIONAL_QUESTION : REQUIRED_QUESTION,
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
