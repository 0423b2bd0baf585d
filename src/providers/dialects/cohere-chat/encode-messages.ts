import { append } from '../../../core/append.js';
import type { Message, ToolResultBlock } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import { assertSaysSomething } from '../empty-conversation.js';
import type { PathOf } from '../encode-context.js';
import { ToolResultText } from '../tool-result-text.js';
import { encodeInOrder, type UserTurn } from '../turn-order.js';
import { encodeAssistant } from './encode-assistant.js';
import type { CohereContext } from './encode-context.js';
import { contentOf, encodeParts } from './encode-parts.js';
import type { CohereMessage, CoherePart } from './wire.js';

/** What a turn of documents alone says: they stand elsewhere, and a message says something. */
const SEE_DOCUMENTS = '[See the documents.]';

/**
 * The conversation as messages. Turns keep their order; results directly follow the call they answer, and turns that
 * say nothing are left out.
 * @throws Untranslatable naming the block that the target cannot carry, and where no turn is left
 */
export function* encodeMessages(context: CohereContext): Steps<CohereMessage[]> {
  const { request } = context;
  const out: CohereMessage[] = [];
  if (request.system.length > 0) {
    const system: Message = { role: 'system', content: request.system };
    const instructions = systemMessage(system, (place) => `system.${place}`, context);
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
  assertSaysSomething(out);
  return out;
}

function systemMessage(message: Message, pathOf: PathOf, context: CohereContext): CohereMessage | undefined {
  const texts = context.instructions(message, pathOf);
  const said = withoutEmptyTexts(texts.flatMap((block, index) => encodeParts(block, pathOf(index), context)));
  return said.length === 0 ? undefined : { role: 'system', content: contentOf(said) };
}

/** Media of results stand where their result stood. */
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
  const said = withoutEmptyTexts(parts);
  if (said.length > 0) return { results, rest: [{ role: 'user', content: contentOf(said) }] };
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
