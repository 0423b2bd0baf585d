import type { ContentBlock, Message, Origin } from '../../../core/conversation/content.js';
import type { ModelRequest, Thinking } from '../../../core/conversation/request.js';

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
 * signature is valid only at its signer), the calls and results of tools a gateway ran, empty text that was not written
 * in this format (the vendor refuses it), and turns of which nothing is left.
 */
export function keptTurns(messages: readonly Message[]): KeptTurn[] {
  let gatewayCalls: ReadonlySet<unknown> | undefined;
  const turns: KeptTurn[] = [];
  for (const [index, message] of messages.entries()) {
    let blocks = message.content;
    for (const block of blocks) {
      // Most are text that says something, which is never dropped.
      if (block.type === 'text' && block.text !== '') continue;
      const calls = (gatewayCalls ??= gatewayCallIds(messages));
      if (!isDropped(block, message, calls)) continue;
      blocks = blocks.filter((one) => !isDropped(one, message, calls));
      break;
    }
    // A turn the caller left empty is the caller's own affair.
    if (blocks.length > 0 || blocks === message.content) turns.push({ message, index, blocks });
  }
  return turns;
}

function isDropped(block: ContentBlock, message: Message, gatewayCalls: ReadonlySet<unknown>): boolean {
  switch (block.type) {
    case 'thinking':
      return isForeign(block) || block.signature === undefined || block.signature === '';
    case 'redacted-thinking':
      return isForeign(block);
    case 'text':
      return block.text === '' && !isOwn(block.origin) && !isOwn(message.origin);
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

const isOwn = (origin: Origin | undefined): boolean => origin?.vendor === 'anthropic';

const isForeign = (block: ContentBlock): boolean => block.origin !== undefined && !isOwn(block.origin);

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
