/** What a prompt requests (test/plugins/prompts/GUIDE.md). */
export const PROMPT_KINDS = [
  'code',
  'math',
  'reasoning',
  'writing',
  'extraction',
  'translation',
  'chat',
  'agentic',
] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

export const DIFFICULTIES = ['easy', 'medium', 'hard'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

/** What is known of a prompt without a model call. */
export interface PromptClass {
  readonly kind: PromptKind;
  readonly difficulty: Difficulty;
}
