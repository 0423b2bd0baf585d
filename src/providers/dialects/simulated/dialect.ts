import type { Dialect } from '../../../core/provider.js';
import { anthropicMessages } from '../anthropic-messages/dialect.js';
import { openaiChat } from '../openai-chat/dialect.js';

/**
 * The sandbox uses the Messages format with a provider inside this process (docs/operate/catalog.md#sandbox): the full
 * path without a network.
 */
export const simulated: Dialect = {
  ...anthropicMessages,
  id: 'simulated',
  defaultCredential: 'none',
  failsOnPurpose: true,
  // The Messages format has none.
  tasks: openaiChat.tasks!,
};
