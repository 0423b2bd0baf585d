import { append } from '../../../core/append.js';
import type { Message } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import { assertHasTurns } from '../empty-conversation.js';
import type { PathOf } from '../encode-context.js';
import { encodeInOrder, type UserTurn } from '../turn-order.js';
import type { GeminiContext } from './encode-context.js';
import { encodeModelTurn } from './encode-model-turn.js';
import { encodeParts } from './encode-parts.js';
import { encodeToolResult, type EncodedToolResult } from './encode-tool-result.js';
import type { Content, OwnPart, Part } from './wire.js';

/** Marks instructions within the conversation: the format has no role for them. */
const INSTRUCTION_LEAD = '[System]\n';

/**
 * Stands for the turn of the user that a call must follow ("function call turn comes immediately after a user turn"):
 * clients cut the beginnings of long conversations off.
 */
const CUT_OFF: Content = { role: 'user', parts: [{ text: '[Earlier turns are cut off.]' }] };

/**
 * The conversation. Turns keep their order. Consecutive turns of one role become one, because the vendor counts the
 * results of a turn against the calls of the turn before it.
 * @throws Untranslatable naming the block that the target cannot carry, and where no turn is left
 */
export function* encodeContents(context: GeminiContext): Steps<Content[]> {
  const contents = new Contents();
  yield* encodeInOrder<Content>(
    context,
    {
      system: (message, pathOf) => ({ role: 'user', parts: instructionParts(message, pathOf, context) }),
      assistant: (message, pathOf) => modelContent(message, pathOf, context),
      user: (message, pathOf) => userContents(message, pathOf, context),
    },
    (content) => contents.add(content),
  );
  assertHasTurns(contents.all);
  const [first] = contents.all;
  return first!.role === 'model' && first!.parts.some((part) => 'functionCall' in part)
    ? [CUT_OFF, ...contents.all]
    : contents.all;
}

class Contents {
  readonly all: Content[] = [];

  add({ role, parts }: Content): void {
    const kept = parts.filter(hasContent);
    if (kept.length === 0) return;
    const last = this.all.at(-1);
    if (last?.role === role) append(last.parts, kept);
    else this.all.push({ role, parts: kept });
  }
}

const hasContent = (part: Part | OwnPart): boolean =>
  !('text' in part) || part.text !== '' || 'thoughtSignature' in part;

const instructionParts = (message: Message, pathOf: PathOf, context: GeminiContext): Part[] =>
  context
    .instructions(message, pathOf)
    .filter(({ text }) => text !== '')
    .map(({ text }) => ({ text: INSTRUCTION_LEAD + text }));

function* modelContent(message: Message, pathOf: PathOf, context: GeminiContext): Steps<Content> {
  return { role: 'model', parts: yield* encodeModelTurn(message, pathOf, context) };
}

/** Media of a result replace the result. */
function* userContents(message: Message, pathOf: PathOf, context: GeminiContext): Steps<UserTurn<Content>> {
  const results: EncodedToolResult[] = [];
  const rest: Part[] = [];
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    if (block.type === 'tool-result') {
      const encoded = encodeToolResult(block, pathOf(index), context);
      results.push(encoded);
      append(rest, encoded.carried);
    } else {
      append(rest, encodeParts(block, pathOf(index), context));
    }
  }
  // Models and platforms without call ids match results to calls by their order.
  results.sort((one, other) => one.call.callIndex - other.call.callIndex);
  return {
    results: [{ role: 'user', parts: results.map(({ response }) => response) }],
    rest: [{ role: 'user', parts: rest }],
  };
}
