import type { Message, TextBlock } from '../../core/conversation/content.js';
import { clearingOnly } from '../../core/conversation/context-edits.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { definedOnly } from '../../core/defined.js';
import { transcriptOf } from '../../tools/advisor/transcript.js';

const ANSWER_THE_LAST = 'That was a conversation between a user and an assistant. Write what the assistant says next.';

/**
 * The conversation that the models of a panel receive. It has its context management, since each of them is a leg of
 * its own, and its parsed files. Where it has calls of tools that the models do not have, it is sent as a transcript:
 * some vendors refuse calls of tools that are not offered.
 */
export function conversationOf(
  request: ModelRequest,
): Pick<ModelRequest, 'system' | 'messages' | 'contextManagement' | 'parsedFiles'> {
  const { system, messages, parsedFiles } = request;
  const holdsCalls = messages.some(({ content }) =>
    content.some(({ type }) => type === 'tool-use' || type === 'tool-result' || type === 'opaque'),
  );
  if (!holdsCalls)
    return {
      system,
      messages,
      ...definedOnly({ contextManagement: clearingOnly(request.contextManagement), parsedFiles }),
    };
  return { system: [], messages: [{ role: 'user', content: textsOf([...transcriptOf(request), ANSWER_THE_LAST]) }] };
}

/** The whole conversation as a transcript in one turn, followed by `words`. */
export const asOneTurn = (request: ModelRequest, words: string): Message => ({
  role: 'user',
  content: textsOf([...transcriptOf(request), words]),
});

/** Appends text to the last user turn: what comes before may be in the provider's cache. */
export function withWords(request: ModelRequest, words: string, end: number): ModelRequest {
  const { messages } = request;
  const block: TextBlock = { type: 'text', text: words, keeps: { start: 0, end } };
  const last = messages.findLastIndex(({ role }) => role === 'user');
  if (last === -1) return { ...request, messages: [...messages, { role: 'user', content: [block] }] };
  const { origin: _origin, ...turn } = messages[last]!;
  return { ...request, messages: messages.with(last, { ...turn, content: [...turn.content, block] }) };
}

const textsOf = (texts: readonly string[]): TextBlock[] => texts.map((text) => ({ type: 'text', text }));
