import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import type { ModelRequest, Thinking } from '../../../core/conversation/request.js';
import { Untranslatable } from '../../../core/errors.js';

/**
 * Results of tools a gateway ran: accepted on replay, never known to the vendor
 * (docs/wire/content-blocks.md#results-of-tools-that-a-gateway-ran).
 */
const GATEWAY_RESULTS: ReadonlySet<unknown> = new Set(['openrouter_shell_tool_result', 'openrouter_bash_tool_result']);

/** A turn, and those of its blocks that this vendor may be shown. */
export interface KeptTurn {
  readonly message: Message;
  /** Its place in what the caller sent. */
  readonly index: number;
  /** The very array of the message when nothing was dropped. */
  readonly blocks: readonly ContentBlock[];
}

/**
 * The history as this vendor may see it. Dropped, by rule: reasoning that somebody else signed or nobody did (a
 * signature is valid only at its signer), the calls and results of tools a gateway ran, texts that say nothing, which
 * the vendor refuses, system turns of nothing else, and turns of which nothing is left.
 * @throws Untranslatable for a turn in which the caller says nothing at all
 */
export function keptTurns(messages: readonly Message[]): KeptTurn[] {
  let gatewayCalls: ReadonlySet<unknown> | undefined;
  const turns: KeptTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.content.every(isBlank)) {
      if (message.role === 'system') continue;
      throw new Untranslatable(
        message.paths?.[0] ?? `messages.${index}.content`,
        'says nothing; send a text that is not empty, or leave the turn out',
      );
    }
    let blocks = message.content;
    for (const block of blocks) {
      // Most are text that says something, which is never dropped.
      if (block.type === 'text' && block.text !== '') continue;
      const calls = (gatewayCalls ??= gatewayCallIds(messages));
      if (!isDropped(block, calls)) continue;
      blocks = blocks.filter((one) => !isDropped(one, calls));
      break;
    }
    // Space beside words is taken, space alone is not.
    if (blocks.some(isBlank) && !blocks.some(saysWords)) blocks = blocks.filter((block) => !isBlank(block));
    if (blocks.length > 0) turns.push({ message, index, blocks });
  }
  return turns;
}

const WORDS = /\S/;

const isBlank = (block: ContentBlock): boolean => block.type === 'text' && !WORDS.test(block.text);

const saysWords = (block: ContentBlock): boolean => block.type === 'text' && WORDS.test(block.text);

function isDropped(block: ContentBlock, gatewayCalls: ReadonlySet<unknown>): boolean {
  switch (block.type) {
    case 'thinking':
      return !isAnthropicReasoning(block.mark) || block.signature === undefined || block.signature === '';
    case 'redacted-thinking':
      return !isAnthropicReasoning(block.mark);
    case 'text':
      return block.text === '';
    case 'opaque': {
      const { value } = block.opaque;
      return (
        GATEWAY_RESULTS.has(value['type']) || (value['type'] === 'server_tool_use' && gatewayCalls.has(value['id']))
      );
    }
    default:
      return false;
  }
}

/**
 * Thinking as this attempt may ask for it. With a budget the vendor demands that the assistant turn it is to continue
 * begins with its reasoning ("expected thinking, but found tool_use"); where another provider made the open tool calls
 * there is none to show, so this attempt goes without (docs/reasons/translation.md#thinking-in-anothers-loop). Adaptive
 * thinking has no such rule. Turns that are finished do not matter: their reasoning may be left out.
 */
export function thinkingThatFits(request: ModelRequest, turns: readonly KeptTurn[]): Thinking | undefined {
  if (request.thinking?.type !== 'enabled') return request.thinking;
  const opening = openToolTurn(turns);
  if (!opening) return request.thinking;
  const first = opening.blocks[0]?.type;
  return first === 'thinking' || first === 'redacted-thinking' ? request.thinking : undefined;
}

/**
 * Where the tool loop that is still running began: the first of the assistant messages at the end of the history that
 * are joined by tool results only. The vendor reads them as one turn and thinks once, at its start.
 */
function openToolTurn(turns: readonly KeptTurn[]): KeptTurn | undefined {
  let opening: KeptTurn | undefined;
  let wantsResult = true;
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index]!;
    if (turn.message.role === 'system') continue;
    const continues = wantsResult
      ? turn.message.role === 'user' && turn.blocks.some((block) => block.type === 'tool-result')
      : turn.message.role === 'assistant' && turn.blocks.some((block) => block.type === 'tool-use');
    if (!continues) break;
    if (!wantsResult) opening = turn;
    wantsResult = !wantsResult;
  }
  return opening;
}

function gatewayCallIds(messages: readonly Message[]): ReadonlySet<unknown> {
  const ids = new Set<unknown>();
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type === 'opaque' && GATEWAY_RESULTS.has(block.opaque.value['type'])) {
        ids.add(block.opaque.value['tool_use_id']);
      }
    }
  }
  return ids;
}
