/** What `reasoning_details` call the reasoning of the one vendor whose signatures are carried (WIRE 2.3). */
export const REASONING_FORMAT = 'anthropic-claude-v1';
