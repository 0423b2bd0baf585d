import type { ContentBlock, Message, Origin } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { Untranslatable } from '../../core/errors.js';
import type { Target } from '../../core/provider.js';
import { claudeRulesOf } from './claude-models.js';

/**
 * Checks a last turn of the assistant. After a turn that ends in a tool, the vendor begins a separate turn, so that
 * turn is no prefill.
 * @throws Untranslatable where the model does not continue the turn
 */
export function assertContinues(
  blocks: readonly ContentBlock[],
  { paths }: Pick<Message, 'paths'>,
  index: number,
  target: Target,
): void {
  if (claudeRulesOf(target)?.prefill !== false) return;
  if (blocks.some(({ type }) => type === 'opaque' || type === 'tool-use')) return;
  throw new Untranslatable(
    paths?.[0] ?? `messages.${index}`,
    `is a last turn of the assistant, which ${target.model.id} does not continue; end with a turn of the user`,
  );
}

/**
 * The blocks of such a turn without white space at its end, which the vendor refuses ("final assistant content cannot
 * end with trailing whitespace": vercel/ai, pull request 2124; at Bedrock by both its APIs: langchain-ai/langchain-aws,
 * issue 532; read 2026-11-29). Returns the same blocks where there is none.
 */
export function trimmedEnd(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = blocks.at(-1);
  if (last?.type !== 'text' || !/(?:\s|^)$/.test(last.text)) return blocks;
  const { origin, ...rest } = last;
  const text = last.text.trimEnd();
  // Without it, the text before it is the end.
  if (text === '' && blocks.length > 1) return trimmedEnd(blocks.slice(0, -1));
  if (text === last.text) return blocks;
  const ended = origin === undefined ? { ...rest, text } : { ...rest, text, origin: withText(origin, text) };
  return blocks.with(-1, ended);
}

const withText = (origin: Origin, text: string): Origin => ({ ...origin, value: { ...origin.value, text } });

/**
 * Whether the last turn may be an empty one of the assistant: "all messages must have non-empty content except for the
 * optional final assistant message" (github.com/n8n-io/n8n, issue 13147, read 2026-11-29). Models that think begin
 * their turns by themselves.
 */
export const takesEmptyEnd = ({ thinking }: ModelRequest, target: Target): boolean =>
  (thinking === undefined || thinking.type === 'disabled') && claudeRulesOf(target)?.prefill === true;
