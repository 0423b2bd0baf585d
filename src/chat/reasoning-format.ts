/**
 * What `reasoning_details` call the reasoning of the one vendor whose signatures are carried
 * (docs/wire/chat.md#reasoning-details).
 */
export const REASONING_FORMAT = 'anthropic-claude-v1';
