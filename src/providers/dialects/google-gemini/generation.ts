import type { Effort } from '../../../core/conversation/effort.js';
import type { Target } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';

/** Differences between the generations of Gemini (docs/use/translation/google-gemini.md#generations). */
export interface Generation {
  /** Unit in which thinking is requested: none, tokens, or a level. */
  readonly thinking: 'none' | 'budget' | 'level';
  /**
   * Whether the model signs its calls, refuses a tool loop without signatures, and accepts ids of calls. Older
   * generations refuse or lose signatures and ids.
   */
  readonly signsCalls: boolean;
  /** Whether results of tools may hold images and documents. */
  readonly takesMediaInResults: boolean;
}

const GENERATIONS: Readonly<Record<NonNullable<Quirks['geminiGeneration']>, Generation>> = {
  'gemini-2': { thinking: 'none', signsCalls: false, takesMediaInResults: false },
  'gemini-2.5': { thinking: 'budget', signsCalls: false, takesMediaInResults: false },
  'gemini-3': { thinking: 'level', signsCalls: true, takesMediaInResults: true },
};

/** Generations by the model's name at the provider: the first match. An unknown model gets the oldest form. */
const BY_NAME: readonly { readonly name: RegExp; readonly generation: Generation }[] = [
  { name: /\bgemini-2\.5/, generation: GENERATIONS['gemini-2.5'] },
  { name: /\bgemini-[12]\b/, generation: GENERATIONS['gemini-2'] },
  { name: /\bgemini-(?:\d|(?:pro|flash|flash-lite)-latest)/, generation: GENERATIONS['gemini-3'] },
];

export function generationOf({ endpoint, definition }: Target): Generation {
  const stated = definition.quirks.geminiGeneration;
  if (stated !== undefined) return GENERATIONS[stated];
  return BY_NAME.find(({ name }) => name.test(endpoint.upstreamModel))?.generation ?? GENERATIONS['gemini-2'];
}

/** The thinking levels that a model takes. None can switch thinking off. */
export interface LevelRange {
  readonly name: RegExp;
  readonly levels: readonly Effort[];
}

/** ai.google.dev/gemini-api/docs/thinking, levels by model. */
const LEVELS: readonly LevelRange[] = [
  { name: /\bgemini-3-pro/, levels: ['low', 'high'] },
  { name: /\bpro/, levels: ['low', 'medium', 'high'] },
  { name: /flash/, levels: ['minimal', 'low', 'medium', 'high'] },
];
const COMMON_LEVELS: readonly Effort[] = ['low', 'medium', 'high'];

export const levelsOf = ({ endpoint, definition }: Target): readonly Effort[] =>
  definition.quirks.efforts ?? LEVELS.find(({ name }) => name.test(endpoint.upstreamModel))?.levels ?? COMMON_LEVELS;

/** Numbers of thinking tokens that a model takes; `off` is the least it accepts. */
export interface BudgetRange {
  readonly name: RegExp;
  readonly off: number;
  readonly min: number;
  readonly max: number;
}

/** ai.google.dev/gemini-api/docs/thinking, budgets by model. */
const BUDGETS: readonly BudgetRange[] = [
  { name: /\bpro/, off: 128, min: 128, max: 32_768 },
  { name: /lite/, off: 0, min: 512, max: 24_576 },
];
const FLASH_BUDGET: BudgetRange = { name: /flash/, off: 0, min: 1, max: 24_576 };

export const budgetsOf = ({ endpoint }: Target): BudgetRange =>
  BUDGETS.find(({ name }) => name.test(endpoint.upstreamModel)) ?? FLASH_BUDGET;
