import type { ContentBlock, Message } from '../../core/conversation/content.js';
import type { ModelRequest, Thinking } from '../../core/conversation/request.js';

/** A turn, and those of its blocks that the target is shown. */
export interface ShownTurn {
  readonly message: Message;
  readonly blocks: readonly ContentBlock[];
}

/**
 * Thinking as this attempt may ask for it. With a budget the vendor demands that the assistant turn it is to continue
 * begins with its reasoning ("expected thinking, but found tool_use"); where another provider made the open tool calls
 * there is none to show, so this attempt goes without (docs/reasons/translation.md#thinking-in-anothers-loop). Adaptive
 * thinking has no such rule. Turns that are finished do not matter: their reasoning may be left out.
 * @param shownOf what the target is shown of a turn; asked of those at the end only
 */
export function thinkingThatFits<Turn>(
  request: ModelRequest,
  turns: readonly Turn[],
  shownOf: (turn: Turn) => ShownTurn,
): Thinking | undefined {
  if (request.thinking?.type !== 'enabled') return request.thinking;
  const opening = openToolTurn(turns, shownOf);
  if (!opening) return request.thinking;
  const first = opening.blocks[0]?.type;
  return first === 'thinking' || first === 'redacted-thinking' ? request.thinking : undefined;
}

/**
 * Where the tool loop that is still running began: the first of the assistant messages at the end of the history that
 * are joined by tool results only. The vendor reads them as one turn and thinks once, at its start.
 */
function openToolTurn<Turn>(turns: readonly Turn[], shownOf: (turn: Turn) => ShownTurn): ShownTurn | undefined {
  let opening: ShownTurn | undefined;
  let wantsResult = true;
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = shownOf(turns[index]!);
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
