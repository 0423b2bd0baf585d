import type { Dialect } from '../../../core/provider.js';
import { anthropicMessages } from '../anthropic-messages/dialect.js';

/**
 * The sandbox speaks the Messages format to an upstream that lives in this process (docs/catalog.md#sandbox):
 * the full path, no network.
 */
export const simulated: Dialect = {
  ...anthropicMessages,
  id: 'simulated',
  defaultCredential: 'none',
  failsOnPurpose: true,
};
