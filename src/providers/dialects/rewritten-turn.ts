import type { ContentBlock, Message } from '../../core/conversation/content.js';

/** A turn with other blocks. Of the caller's own message only the speaker's name is kept. */
export const rewrittenTurn = (
  { role, origin }: Message,
  content: readonly ContentBlock[],
  paths: readonly string[],
): Message => ({
  role,
  content,
  paths,
  ...(origin?.vendor === 'openai' && { origin }),
});
