import { Untranslatable } from '../../core/errors.js';

/**
 * Vendors refuse a conversation without turns, with messages that do not name the cause in the caller's request: OpenAI
 * (github.com/CopilotKit/CopilotKit, issue 529), Anthropic (devoxx/DevoxxGenieIDEAPlugin, issue 567), Gemini
 * (NousResearch/hermes-agent, pull request 57942), Bedrock (elastic/kibana, pull request 246393); all read 2026-11-29.
 * @param turns the turns that the rules did not drop
 * @throws Untranslatable where there is none
 */
export function assertHasTurns(turns: readonly unknown[]): void {
  if (turns.length > 0) return;
  throw new Untranslatable('messages', 'nothing in it can be sent; send a text that is not empty');
}
