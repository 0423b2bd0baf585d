import type Anthropic from '@anthropic-ai/sdk';
import type { JsonBody } from '../support/recorded-request.js';
import type { History, Part, Question, Sight } from './client.js';

// Questions and answers in the Messages format itself, for the clients that speak it without a separate language.

/** `max_tokens` of every question; more than any thinking budget. */
const TOKENS_MAX = 4_000;

export type MessageBody = Anthropic.MessageCreateParamsNonStreaming;
type Turn = Anthropic.MessageParam;

export function messageBody(question: Question): MessageBody {
  const { model, system, tools, thinkingBudget } = question;
  return {
    model,
    max_tokens: TOKENS_MAX,
    messages: turnsOf(question),
    ...(system !== undefined && { system }),
    ...(tools && { tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })) }),
    ...(thinkingBudget !== undefined && { thinking: { type: 'enabled', budget_tokens: thinkingBudget } }),
  };
}

/** @param history the turns before this answer */
export function sightOfMessage(message: JsonBody, generationId: string | null, history: History): Sight {
  const content: JsonBody[] = message.content;
  const ofType = (type: string): JsonBody[] => content.filter((block) => block.type === type);
  const { usage } = message;
  return {
    id: message.id,
    generationId,
    model: message.model,
    text: ofType('text')
      .map((block) => block.text)
      .join(''),
    thinking: ofType('thinking').map(({ thinking, signature }) => ({ text: thinking, signature })),
    calls: ofType('tool_use').map(({ id, name, input }) => ({ id, name, input })),
    stopReason: message.stop_reason,
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
    },
    history: [...history, { role: 'assistant', content }],
  };
}

export function turnsOf({ history = [], turn }: Question): Turn[] {
  return [...(history as readonly Turn[]), { role: 'user', content: contentOf(turn) }];
}

function contentOf(turn: Question['turn']): Turn['content'] {
  if (typeof turn === 'string') return turn;
  if ('results' in turn) {
    return turn.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text }));
  }
  return turn.map(blockOf);
}

function blockOf(part: Part): Anthropic.ContentBlockParam {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image': {
      // Also types that the service refuses, to test the refusal.
      const media_type = part.mediaType as Anthropic.Base64ImageSource['media_type'];
      return { type: 'image', source: { type: 'base64', media_type, data: part.base64 } };
    }
    case 'pdf':
      return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: part.base64 } };
  }
}
