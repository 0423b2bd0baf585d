import { blockPath, type ContentBlock, type Message } from '../../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Steps } from '../../../core/steps.js';
import { takesEmptyEnd } from '../../model-rules/prefill.js';
import { assertHasTurns } from '../empty-conversation.js';
import type { EncodeContext } from '../encode-context.js';
import { findDroppedCalls, foreignForm } from '../foreign-blocks.js';
import type { ShownTurn } from '../open-tool-loop.js';
import { isSigned, reasoningForm, type ReasoningBlock } from '../reasoning-form.js';
import { effortSetBy } from './turn-effort.js';

/** A turn, with the blocks of it that this vendor may receive. */
export interface KeptTurn extends ShownTurn {
  /** Index of the turn in the caller's request. */
  readonly index: number;
  /** The message's own array when nothing was dropped. */
  readonly blocks: readonly ContentBlock[];
}

/**
 * All turns, if none contains a block that may be dropped; else undefined. Nearly all conversations need only this and
 * not `keptTurns`.
 */
export function allTurns(messages: readonly Message[]): KeptTurn[] | undefined {
  const { hasBlankText, hasReasoning, hasOpaque } = traitsOf(messages);
  if (hasBlankText || hasReasoning || hasOpaque || messages.length === 0) return undefined;
  const turns: KeptTurn[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.content.length === 0) return undefined;
    turns.push({ message, index, blocks: message.content });
  }
  return turns;
}

/**
 * The history as this vendor may receive it, by the rows of the table. Left out are:
 * - reasoning that is unsigned, or that another vendor signed
 * - calls and results of tools that a gateway ran
 * - blank texts, which the vendor refuses
 * - turns that become empty, and blank turns except those of a user
 *
 * An empty last turn of the assistant stays where the model accepts it, and so does a turn of instructions that sets
 * the effort. The vendor joins consecutive turns of one role (platform.claude.com/docs/en/api/messages, read
 * 2026-11-29).
 * @throws Untranslatable for a blank turn of the user, where no turn is left, and for reasoning that the table refuses
 */
export function* keptTurns(messages: readonly Message[], context: EncodeContext): Steps<KeptTurn[]> {
  let droppedCalls: ReadonlySet<unknown> | undefined;
  const turns: KeptTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (context.steps.isOver(message.content.length)) yield;
    // One pass over the content, which may be long.
    const blanks = message.content.filter(isBlank).length;
    if (blanks === message.content.length) {
      // Empty replies come back in the next turn. At the end, an empty turn prefills the answer with nothing.
      const isEnd = message.role === 'assistant' && index === messages.length - 1;
      if (isEnd && message.content.every(isEmpty) && takesEmptyEnd(context.request, context.target))
        turns.push({ message, index, blocks: message.content.length === 0 ? message.content : [] });
      if (effortSetBy(message) !== undefined) turns.push({ message, index, blocks: [] });
      if (message.role !== 'user') continue;
      throw new Untranslatable(
        message.paths?.[0] ?? `messages.${index}.content`,
        'is empty; send a text that is not empty, or leave the turn out',
      );
    }
    let blocks = message.content;
    // Most blocks are texts with words, which are never dropped.
    if (!blocks.every(isText)) {
      droppedCalls ??= yield* droppedCallIds(messages, context);
      blocks = yield* keptBlocks(message, index, droppedCalls, context);
    }
    // Blank texts are taken beside other text, but not alone.
    if (blanks > 0 && !blocks.some(isNotBlank)) blocks = blocks.filter((block) => !isBlank(block));
    if (blocks.length > 0) turns.push({ message, index, blocks });
  }
  assertHasTurns(turns);
  return turns;
}

const NOT_BLANK = /\S/;

const isText = (block: ContentBlock): boolean => block.type === 'text' && block.text !== '';

const isEmpty = (block: ContentBlock): boolean => block.type === 'text' && block.text === '';

const isBlank = (block: ContentBlock): boolean => block.type === 'text' && !NOT_BLANK.test(block.text);

const isNotBlank = (block: ContentBlock): boolean => block.type === 'text' && NOT_BLANK.test(block.text);

function* keptBlocks(
  message: Message,
  index: number,
  droppedCalls: ReadonlySet<unknown>,
  context: EncodeContext,
): Steps<readonly ContentBlock[]> {
  const { content } = message;
  const kept: ContentBlock[] = [];
  for (const [blockIndex, block] of content.entries()) {
    if (context.steps.isOver()) yield;
    if (!isDropped(block, droppedCalls, () => blockPath(message, index, blockIndex), context)) kept.push(block);
  }
  return kept.length < content.length ? kept : content;
}

function isDropped(
  block: ContentBlock,
  droppedCalls: ReadonlySet<unknown>,
  path: () => string,
  context: EncodeContext,
): boolean {
  switch (block.type) {
    case 'thinking':
    case 'redacted-thinking':
      return !context.admits(reasoningForm(block, isOwn(block, context)), path());
    case 'text':
      return block.text === '';
    case 'opaque': {
      const form = foreignForm(block.opaque);
      if (context.treatmentOf(form).type === 'dropped') return true;
      return form === 'server_tool_use' && droppedCalls.has(block.opaque.value['id']);
    }
    default:
      return false;
  }
}

/** Reasoning from this very provider; a signature of the vendor's is valid wherever it was made. */
const isOwn = (block: ReasoningBlock, { target }: EncodeContext): boolean =>
  isSigned(block) && isAnthropicReasoning(block.mark) && block.mark?.provider === target.endpoint.provider.slug;

/** The calls whose results are dropped: without its result, a call would look unanswered. */
function* droppedCallIds(messages: readonly Message[], context: EncodeContext): Steps<ReadonlySet<unknown>> {
  const ids = new Set<unknown>();
  for (const { content } of messages) {
    if (context.steps.isOver(content.length)) yield;
    for (const id of findDroppedCalls(content, context)) ids.add(id);
  }
  return ids;
}
