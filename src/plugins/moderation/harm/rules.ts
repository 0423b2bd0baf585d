import type { ModerationCategory } from './categories.js';
import type { TermClass } from './lexicon.js';

/** Contexts of a sentence in which a harmful phrase is not meant literally. */
export const EXCUSES = ['help', 'report', 'fiction', 'work', 'pest', 'refusal'] as const satisfies readonly TermClass[];
export type Excuse = (typeof EXCUSES)[number];

/**
 * Terms that mean a category when they occur in this order in one sentence, with at most the given number of words
 * between them.
 */
export interface Rule {
  readonly category: ModerationCategory;
  readonly terms: readonly TermClass[];
  /** The largest number of words between each term and the one before it. */
  readonly gaps: readonly number[];
  readonly unless: readonly Excuse[];
}

interface RuleSet {
  readonly category: ModerationCategory;
  readonly unless: readonly Excuse[];
  /** Terms with the largest number of words between them: `ask 12 kill 4 person`. */
  readonly any: readonly string[];
}

const RULE_SETS: readonly RuleSet[] = [
  {
    category: 'violence',
    unless: ['help', 'report', 'fiction', 'work', 'pest', 'refusal'],
    any: [
      'ask 12 kill 5 person',
      'ask 12 person 6 kill',
      'person 6 kill 6 ask',
      'intent 8 kill 6 person',
      'intent 8 person 6 kill',
      'intent 6 kill 6 place',
      'should 3 kill',
      'intent 2 kill 8 place',
      'plan 8 attack',
      'ask 6 attack 4 place',
      'praise 6 attackers',
      'attackers 10 praise',
      'kill all 3 person',
      'ask 8 hurt 4 pet',
      'pet 6 suffer',
      'threat',
    ],
  },
  {
    category: 'self-harm',
    unless: ['help', 'report', 'fiction', 'work', 'refusal'],
    any: [
      'self die',
      'ask 8 self cut',
      'self cut 8 hide',
      'ask 12 suicide',
      'intent 6 suicide',
      'thinking of 3 suicide',
      'ask 6 means 8 to die',
      'means 12 to die',
      'lethal 8 on purpose',
      'urge',
      'persuade 8 suicide',
      'suicide 4 persuade',
      'starving',
    ],
  },
  {
    category: 'illicit',
    unless: ['help', 'report', 'fiction', 'refusal'],
    any: [
      'ask 10 make 5 weapon',
      'ask 10 weapon 4 make',
      'ask 5 weapon',
      'weapon 4 ask',
      'ask 10 make 5 drug',
      'ask 10 drug 4 make',
      'ask 6 drug',
      'ask 12 cook drug',
      'detail 14 cook drug',
      'find 6 drug',
      'drug 6 find',
      'write 4 malware 12 victim aim',
      'write 2 malware',
      'write 12 victim aim',
      'ask 6 malware',
      'ask 8 hack 5 account',
      'ask 8 hack 3 others',
      'ask 8 others 4 hack',
      'ask 8 account 6 hack',
      'ask 12 crime',
      'find 6 crime',
      'intent 6 make 5 weapon',
    ],
  },
  {
    category: 'sexual',
    unless: ['help', 'report', 'refusal'],
    any: [
      'write 8 sex',
      'ask 8 sex',
      'find 8 sex',
      'roleplay 6 sex',
      'sex 4 roleplay',
      'write 12 roleplay',
      'find 4 prostitute',
      'sex 8 you are',
    ],
  },
  {
    category: 'sexual/minors',
    unless: ['help', 'report', 'refusal'],
    any: [
      'minor 5 sexual',
      'sexual 8 minor',
      'sexual 12 minor age 1 year old',
      'sexual 8 year old',
      'minor age 1 year old 8 sexual',
      'groom 4 minor',
      'roleplay 12 minor',
    ],
  },
  {
    category: 'hate',
    unless: ['help', 'report', 'refusal'],
    any: [
      'group 4 worthless',
      'group 8 remove',
      'worthless 8 remove',
      'exterminate 3 group',
      'kill all 2 group',
      'hate creed',
      'recruit 6 supremacy',
      'write 8 supremacy',
    ],
  },
  {
    category: 'harassment',
    unless: ['help', 'report', 'refusal'],
    any: [
      'you are 5 insult',
      'shut up 5 insult',
      'insult 8 shut up',
      'ask 3 bully',
      'write 6 humiliating',
      'write 16 humiliating',
      'write 4 rumour',
      'ask 6 stalk',
    ],
  },
  {
    category: 'prompt-injection',
    unless: ['help', 'report', 'work'],
    any: ['forget 3 all before 2 rules', 'free'],
  },
];

export const RULES: readonly Rule[] = RULE_SETS.flatMap(({ category, unless, any }) =>
  any.map((text) => {
    const parts = text.split(/ (\d+) /);
    return {
      category,
      terms: parts.filter((_, index) => index % 2 === 0) as TermClass[],
      gaps: parts.filter((_, index) => index % 2 === 1).map(Number),
      unless,
    };
  }),
);
