import { blockPath, type ContentBlock, type Message } from '../../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Steps } from '../../../core/steps.js';
import { assertSaysSomething } from '../empty-conversation.js';
import type { EncodeContext } from '../encode-context.js';
import { findDroppedCalls, foreignForm } from '../foreign-blocks.js';
import type { ShownTurn } from '../open-tool-loop.js';
import { isSigned, reasoningForm, type ReasoningBlock } from '../reasoning-form.js';

/** A turn, and those of its blocks that this vendor may be shown. */
export interface KeptTurn extends ShownTurn {
  /** Its place in what the caller sent. */
  readonly index: number;
  /** The very array of the message when nothing was dropped. */
  readonly blocks: readonly ContentBlock[];
}

/**
 * All turns, where none of them holds what may be dropped; undefined: `keptTurns` decides. Nearly all conversations are
 * so.
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
 * The history as this vendor may see it, by the rows of the table: without reasoning that somebody else signed or
 * nobody did, and without the calls and results of tools a gateway ran. Dropped besides are texts that say nothing,
 * which the vendor refuses, system turns of nothing else, and turns of which nothing is left.
 * @throws Untranslatable for a turn in which the caller says nothing at all, where no turn is left, and for reasoning
 *   that the table refuses
 */
export function* keptTurns(messages: readonly Message[], context: EncodeContext): Steps<KeptTurn[]> {
  let droppedCalls: ReadonlySet<unknown> | undefined;
  const turns: KeptTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (context.steps.isOver(message.content.length)) yield;
    // Each is looked through once: it may be long.
    const blanks = message.content.filter(isBlank).length;
    if (blanks === message.content.length) {
      if (message.role === 'system') continue;
      throw new Untranslatable(
        message.paths?.[0] ?? `messages.${index}.content`,
        'says nothing; send a text that is not empty, or leave the turn out',
      );
    }
    let blocks = message.content;
    // Most are texts that say something, which are never dropped.
    if (!blocks.every(isText)) {
      droppedCalls ??= yield* droppedCallIds(messages, context);
      blocks = yield* keptBlocks(message, index, droppedCalls, context);
    }
    // Space beside words is taken, space alone is not.
    if (blanks > 0 && !blocks.some(saysWords)) blocks = blocks.filter((block) => !isBlank(block));
    if (blocks.length > 0) turns.push({ message, index, blocks });
  }
  assertSaysSomething(turns);
  return turns;
}

const WORDS = /\S/;

const isText = (block: ContentBlock): boolean => block.type === 'text' && block.text !== '';

const isBlank = (block: ContentBlock): boolean => block.type === 'text' && !WORDS.test(block.text);

const saysWords = (block: ContentBlock): boolean => block.type === 'text' && WORDS.test(block.text);

function* keptBlocks(
  message: Message,
  index: number,
  droppedCalls: ReadonlySet<unknown>,
  context: EncodeContext,
): Steps<readonly ContentBlock[]> {
  const { content } = message;
  const kept: ContentBlock[] = [];
  for (const [place, block] of content.entries()) {
    if (context.steps.isOver()) yield;
    if (!isDropped(block, droppedCalls, () => blockPath(message, index, place), context)) kept.push(block);
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
      if (context.fateOf(form).type === 'dropped') return true;
      return form === 'server_tool_use' && droppedCalls.has(block.opaque.value['id']);
    }
    default:
      return false;
  }
}

/** What this very provider told; a signature of the vendor's holds wherever it was made. */
const isOwn = (block: ReasoningBlock, { target }: EncodeContext): boolean =>
  isSigned(block) && isAnthropicReasoning(block.mark) && block.mark?.provider === target.endpoint.provider.slug;

/** The calls whose results are dropped: without these they would look unanswered. */
function* droppedCallIds(messages: readonly Message[], context: EncodeContext): Steps<ReadonlySet<unknown>> {
  const ids = new Set<unknown>();
  for (const { content } of messages) {
    if (context.steps.isOver(content.length)) yield;
    for (const id of findDroppedCalls(content, context)) ids.add(id);
  }
  return ids;
}
