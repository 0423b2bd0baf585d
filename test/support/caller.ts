import type { Caller } from '../../src/core/caller.js';

/** A caller with an inference key, where neither workspace nor user matters. */
export const callerOf = (accountId: string, keyHash = 'k'): Caller => ({
  accountId,
  workspaceId: 'w',
  keyHash,
  kind: 'inference',
  userId: null,
});
