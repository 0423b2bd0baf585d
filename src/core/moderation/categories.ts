/** What moderation tells apart, whichever engine judges (docs/moderation.md#categories). */
export const MODERATION_CATEGORIES = [
  'harassment',
  'hate',
  'illicit',
  'prompt-injection',
  'self-harm',
  'sexual',
  'sexual/minors',
  'violence',
  'other', // an engine says so, and of nothing that is among these
] as const;
export type ModerationCategory = (typeof MODERATION_CATEGORIES)[number];
