import { Untranslatable } from '../../core/errors.js';

/**
 * Every vendor refuses a conversation of no turns, in words that name nothing of the caller's.
 * @param turns what the rules kept of the conversation
 * @throws Untranslatable where that is none
 */
export function assertSaysSomething(turns: readonly unknown[]): void {
  if (turns.length > 0) return;
  throw new Untranslatable('messages', 'say nothing that could be sent; send a text that is not empty');
}
