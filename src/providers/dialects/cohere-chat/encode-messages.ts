import { append } from '../../../core/append.js';
import type { Message, TextBlock, ToolResultBlock } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import { assertHasTurns } from '../empty-conversation.js';
import type { PathOf } from '../encode-context.js';
import { ToolResultText } from '../tool-result-text.js';
import { encodeInOrder, type UserTurn } from '../turn-order.js';
import { encodeAssistant } from './encode-assistant.js';
import type { CohereContext } from './encode-context.js';
import { contentOf, encodeParts } from './encode-parts.js';
import type { CohereMessage, CoherePart } from './wire.js';

/** The text of a turn that holds only documents: they are sent elsewhere, and a message needs content. */
const SEE_DOCUMENTS = '[See the documents.]';

/**
 * The conversation as messages. Turns keep their order. Results directly follow the call that they answer. Blank turns
 * are left out.
 * @param words appended to the caller's instructions
 * @throws Untranslatable naming the block that the target cannot carry, and where no turn is left
 */
export function* encodeMessages(context: CohereContext, words: string | undefined): Steps<CohereMessage[]> {
  const { request } = context;
  const out: CohereMessage[] = [];
  if (request.system.length > 0 || words !== undefined) {
    const added: readonly TextBlock[] = words === undefined ? [] : [{ type: 'text', text: words }];
    const system: Message = { role: 'system', content: [...request.system, ...added] };
    const instructions = systemMessage(system, (index) => `system.${index}`, context);
    if (instructions !== undefined) out.push(instructions);
  }
  yield* encodeInOrder<CohereMessage>(
    context,
    {
      system: (message, pathOf) => systemMessage(message, pathOf, context),
      assistant: (message, pathOf) => encodeAssistant(message, pathOf, context),
      user: (message, pathOf) => userMessages(message, pathOf, context),
    },
    (message) => out.push(message),
  );
  assertHasTurns(out);
  return out;
}

function systemMessage(message: Message, pathOf: PathOf, context: CohereContext): CohereMessage | undefined {
  const texts = context.instructions(message, pathOf);
  const kept = withoutEmptyTexts(texts.flatMap((block, index) => encodeParts(block, pathOf(index), context)));
  return kept.length === 0 ? undefined : { role: 'system', content: contentOf(kept) };
}

/** Media of a result replace the result. */
function* userMessages(message: Message, pathOf: PathOf, context: CohereContext): Steps<UserTurn<CohereMessage>> {
  const results: CohereMessage[] = [];
  const parts: CoherePart[] = [];
  let hasDocuments = false;
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    if (block.type === 'tool-result') {
      const encoded = toolMessage(block, pathOf(index), context);
      results.push(encoded.message);
      append(parts, encoded.carried);
      continue;
    }
    hasDocuments ||= (block.type === 'document' || block.type === 'search-result') && context.sources.has(block);
    append(parts, encodeParts(block, pathOf(index), context));
  }
  const kept = withoutEmptyTexts(parts);
  if (kept.length > 0) return { results, rest: [{ role: 'user', content: contentOf(kept) }] };
  const isOfDocuments = hasDocuments && results.length === 0;
  return { results, rest: isOfDocuments ? [{ role: 'user', content: SEE_DOCUMENTS }] : [] };
}

function toolMessage(
  block: ToolResultBlock,
  path: string,
  context: CohereContext,
): { readonly message: CohereMessage; readonly carried: readonly CoherePart[] } {
  const id = context.callId(block);
  const result = new ToolResultText<CoherePart>(id);
  let hasDocuments = false;
  for (const [index, inner] of block.content.entries()) {
    hasDocuments ||= (inner.type === 'document' || inner.type === 'search-result') && context.sources.has(inner);
    for (const part of encodeParts(inner, `${path}.content.${index}`, context)) {
      if (part.type === 'text') result.addText(part.text);
      else result.addMedium(part);
    }
  }
  if (hasDocuments) result.addText(SEE_DOCUMENTS);
  const content = result.join(block.isError);
  return { message: { role: 'tool', tool_call_id: id, content }, carried: result.carried };
}

const withoutEmptyTexts = (parts: readonly CoherePart[]): readonly CoherePart[] =>
  parts.filter((part) => part.type !== 'text' || part.text !== '');
