/** The categories of moderation, for every engine (docs/operate/moderation.md#categories). */
export const MODERATION_CATEGORIES = [
  'harassment',
  'hate',
  'illicit',
  'prompt-injection',
  'self-harm',
  'sexual',
  'sexual/minors',
  'violence',
  'other', // the engine reports a category that is none of these
] as const;
export type ModerationCategory = (typeof MODERATION_CATEGORIES)[number];
