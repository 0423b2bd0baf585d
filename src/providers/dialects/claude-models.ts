/** Claude from 4.6 on, however the platform spells it: `us.anthropic.claude-opus-4-6-v1`, `claude-sonnet-4-6@…`. */
const SINCE_4_6 = /claude-[a-z]+-(?:4-(?:[6-9]|[1-9]\d)|[5-9]|[1-9]\d)(?!\d)/;

/**
 * Whether a model of Anthropic's takes `effort` without asking for a beta first. Those before it refuse the field with
 * the whole request. platform.claude.com/docs/en/build-with-claude/effort, read 2026-11-23.
 */
export const takesEffort = (upstreamModel: string): boolean => SINCE_4_6.test(upstreamModel);
