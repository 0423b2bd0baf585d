import type { ContentBlock, Message } from '../../core/conversation/content.js';
import type { ModelRequest, Thinking } from '../../core/conversation/request.js';

/** A turn, with the blocks of it that the target receives. */
export interface ShownTurn {
  readonly message: Message;
  readonly blocks: readonly ContentBlock[];
}

/**
 * The thinking that this attempt may request. With a budget of thinking, the vendor requires that the assistant turn
 * that is continued begins with its reasoning ("expected thinking, but found tool_use"). If another provider made the
 * open tool calls, the turn has no such reasoning, and this attempt omits thinking
 * (docs/contribute/reasons/translation.md#reasoning-in-a-tool-loop-that-another-model-began). Adaptive thinking has no
 * such rule, and finished turns may lack their reasoning.
 * @param shownOf returns what the target receives of a turn; called for the last turns only
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
 * The turn that began the open tool loop: the first of the last assistant messages with only tool results between them.
 * The vendor reads them as one turn and thinks once, at its start.
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
