/** Kinds of tasks that prompts request (test/plugins/prompts/GUIDE.md). */
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

/** The class of a prompt, determined without a model call. */
export interface PromptClass {
  readonly kind: PromptKind;
  readonly difficulty: Difficulty;
}
