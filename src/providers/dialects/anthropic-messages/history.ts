import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import { Untranslatable } from '../../../core/errors.js';
import type { ShownTurn } from '../open-tool-loop.js';

/**
 * Results of tools a gateway ran: accepted on replay, never known to the vendor
 * (docs/wire/content-blocks.md#results-of-tools-that-a-gateway-ran).
 */
const GATEWAY_RESULTS: ReadonlySet<unknown> = new Set(['openrouter_shell_tool_result', 'openrouter_bash_tool_result']);

/** A turn, and those of its blocks that this vendor may be shown. */
export interface KeptTurn extends ShownTurn {
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
