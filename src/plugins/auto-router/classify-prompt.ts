import type { Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { PROMPT_KINDS, type Difficulty, type PromptClass, type PromptKind } from './prompt-class.js';
import { HARD_PHRASES, HARD_WORDS, PHRASE_CUES, WORD_CUES } from './prompt-cues.js';

/** Characters that are read of a text: its beginning and its end usually state the task. */
const HEAD_CHARACTERS = 900;
const TAIL_CHARACTERS = 300;

/**
 * Classifies a prompt by the words of the last user turn. Pure and synchronous; the time it takes does not grow with
 * the prompt.
 */
export function classifyPrompt({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): PromptClass {
  const { text, characters } = lastUserText(messages);
  const lower = text.toLowerCase();
  const words = wordsOf(lower);
  const points = pointsOf(words, lower, text);
  const offersTools = tools.some((tool) => tool.type === 'function');
  if (!offersTools) points.agentic *= WITHOUT_TOOLS;
  else if (points.agentic >= REQUESTS_ACTIONS) points.agentic += OFFERED;
  if (hasCalledTools(messages)) points.agentic += CALLED_TOOLS;
  addForm(points, words, lower);
  let kind: PromptKind = 'chat';
  for (const candidate of PROMPT_KINDS) if (points[candidate] > points[kind]) kind = candidate;
  return { kind, difficulty: difficultyOf(kind, words, lower, characters) };
}

/** A prompt seldom requires tools where the request offers none. */
const WITHOUT_TOOLS = 0.4;
/** With this many points the text requests actions, so the offered tools count. */
const REQUESTS_ACTIONS = 4;
const OFFERED = 6;
/** A conversation that has called tools is likely to continue with them. */
const CALLED_TOOLS = 8;

type Points = Record<PromptKind, number>;

interface LastUserText {
  readonly text: string;
  /** Length of the whole turn. */
  readonly characters: number;
}

/** The texts of the last user turn that has any, cut to head and tail. */
function lastUserText(messages: readonly Message[]): LastUserText {
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, content } = messages[index]!;
    if (role !== 'user') continue;
    let head = '';
    let tail = '';
    let characters = 0;
    for (const block of content) {
      if (block.type !== 'text') continue;
      characters += block.text.length;
      if (head.length < HEAD_CHARACTERS) head += `${block.text.slice(0, HEAD_CHARACTERS - head.length)}\n`;
      tail = block.text.slice(-TAIL_CHARACTERS);
    }
    if (characters === 0) continue;
    return { text: characters <= HEAD_CHARACTERS ? head.trim() : `${head}\n${tail}`.trim(), characters };
  }
  return { text: '', characters: 0 };
}

/** Number of recent turns that are searched for tool calls. */
const RECENT_TURNS = 4;

const hasCalledTools = (messages: readonly Message[]): boolean =>
  messages.slice(-RECENT_TURNS).some(({ content }) => content.some(({ type }) => type === 'tool-use'));

const WORD = /[\p{L}\p{N}]+(?:'\p{L}+)?/gu;
const PLAIN_WORD = /[a-z0-9]+(?:'[a-z]+)?/g;
const ACCENT = /\p{M}/gu;

const PLAIN = /^[\0-\x7f]*$/;

/** Strips accents. @param lower in lower case */
function wordsOf(lower: string): readonly string[] {
  // Most texts are plain ASCII, and the normalisation below is the slowest step.
  if (PLAIN.test(lower)) return lower.match(PLAIN_WORD) ?? [];
  return lower.normalize('NFD').replace(ACCENT, '').replaceAll('ß', 'ss').match(WORD) ?? [];
}

/** Words at the beginning usually state the task; words in the middle of a long text are usually its material. */
const BEGINNING_WORDS = 10;
const END_WORDS = 15;
const LONG_WORDS = 45;
const AT_BEGINNING = 1.5;
const IN_THE_MIDDLE = 0.3;

function pointsOf(words: readonly string[], lower: string, text: string): Points {
  const points = Object.fromEntries(PROMPT_KINDS.map((kind) => [kind, 0])) as Points;
  const seen = new Set<string>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (seen.has(word)) continue;
    seen.add(word);
    const isInMiddle = words.length > LONG_WORDS && index >= BEGINNING_WORDS && index < words.length - END_WORDS;
    const factor = index < BEGINNING_WORDS ? AT_BEGINNING : isInMiddle ? IN_THE_MIDDLE : 1;
    for (const { kind, weight } of CUES.of(word)) points[kind] += weight * factor;
  }
  for (const { kind, weight, phrases } of PHRASES) {
    if (phrases.some((phrase) => lower.includes(phrase))) points[kind] += weight;
  }
  for (const { kind, weight, pattern } of FORMS) if (pattern.test(text)) points[kind] += weight;
  return points;
}

interface Cue {
  readonly kind: PromptKind;
  readonly weight: number;
}

/** Entries by a whole word or by its beginning. */
class WordTable<Entry> {
  private readonly whole = new Map<string, Entry[]>();
  private readonly stems = new Map<string, Entry[]>();
  private shortest = Infinity;
  private longest = 0;

  /** @param words separated by spaces; a trailing `*` stands for any ending */
  add(words: string, entry: Entry): void {
    for (const word of words.split(/\s+/)) {
      const isStem = word.endsWith('*');
      const key = isStem ? word.slice(0, -1) : word;
      if (isStem) {
        this.shortest = Math.min(this.shortest, key.length);
        this.longest = Math.max(this.longest, key.length);
      }
      const table = isStem ? this.stems : this.whole;
      const entries = table.get(key);
      if (entries) entries.push(entry);
      else table.set(key, [entry]);
    }
  }

  /** A whole word takes precedence over a beginning, and a longer beginning over a shorter one. */
  of(word: string): readonly Entry[] {
    const whole = this.whole.get(word);
    if (whole) return whole;
    for (let length = Math.min(word.length, this.longest); length >= this.shortest; length--) {
      const entries = this.stems.get(word.slice(0, length));
      if (entries) return entries;
    }
    return NO_ENTRIES;
  }
}

const NO_ENTRIES: readonly never[] = [];

const CUES = new WordTable<Cue>();
for (const kind of PROMPT_KINDS) {
  for (const [weight, words] of Object.entries(WORD_CUES[kind])) CUES.add(words, { kind, weight: Number(weight) });
}
const PHRASES = PHRASE_CUES.map(([kind, weight, phrases]) => ({ kind, weight, phrases: phrases.split('|') }));

/** Patterns that are typical of a kind. Each runs in time linear in the text. */
const FORMS: readonly (Cue & { readonly pattern: RegExp })[] = [
  { kind: 'code', weight: 5, pattern: /```|\b(?:def|func|fn|function|class|import|const|let|var) \w+ ?[({=:]/ },
  { kind: 'code', weight: 4, pattern: /\bSELECT\b[^;]{1,60}\bFROM\b|=> ?\{|\w\(\);|\bRLS\b|^\s*[-+] ?for \(/m },
  {
    kind: 'code',
    weight: 2,
    pattern: /\b[a-z]+[A-Z][a-z]+\w*\b|\b[a-z]+_[a-z]+\b|\w\.(?:ts|js|py|go|rs|java|csv|txt)\b/,
  },
  { kind: 'code', weight: 2, pattern: /\w\(\w*\)|`[^`\n]{1,80}`/ },
  { kind: 'math', weight: 5, pattern: /\d ?[*/×÷^] ?\d|[a-z] ?\^ ?[\d(-]|\d ?%|[∫√≥≤∑]|\\frac|\d[a-z] ?[-+] ?\d/i },
  { kind: 'math', weight: 4, pattern: /\b[a-z]\(x\)|\b[xyzu] ?= ?-?\d|f: ?R|\[\[\d/i },
  { kind: 'translation', weight: 3, pattern: /^[^\n]{0,80}: ?['"«„「\p{L}¿¡][^\n]{2,300}$/u },
];

/** Short questions are usually small talk or facts; long texts are material to work on. */
const SHORT_WORDS = 12;
const NUMBER = /\d/;
const QUESTION = /^(?:who|what'?s?|when|where|how|is|are|do|does|can|wie|wer|wann|quelle?|qui|quien|cual|hola)$/;

function addForm(points: Points, words: readonly string[], lower: string): void {
  if (words.length <= SHORT_WORDS) points.chat += 2;
  if (words.length <= SHORT_WORDS && QUESTION.test(words[0] ?? '') && !NUMBER.test(lower)) points.chat += 3;
  if (words.length > 2 * SHORT_WORDS) points.chat *= IN_THE_MIDDLE;
  // Naming a language counts only where a translation is requested.
  if (points.translation < TRANSLATES) points.translation = 0;
  if (lower.includes('?') && words.length > SHORT_WORDS) points.reasoning += 1.5;
}

/** With this many points a translation is requested; below it a language is only mentioned. */
const TRANSLATES = 7;

const HARD = new WordTable<true>();
HARD.add(HARD_WORDS, true);
const HARD_PARTS = HARD_PHRASES.split('|');
const CHARACTERS_PER_WORD = 6;
/** Chinese and Japanese use about this many characters where other languages use a word. */
const WIDE_CHARACTERS_PER_WORD = 2;
const WIDE = /[\u3040-\u30ff\u3400-\u9fff]/;

/** Base points of each kind, to which length, conditions and words are added. */
const BASE: Readonly<Record<PromptKind, number>> = {
  code: 1, math: 1.3, reasoning: 1.6, writing: 1.3, extraction: 0.8, translation: 0.3, chat: -1, agentic: 1.7,
}; // oxfmt-ignore
const MEDIUM_FROM = 1.2;
const HARD_FROM = 3;

function difficultyOf(kind: PromptKind, words: readonly string[], lower: string, characters: number): Difficulty {
  const perWord = WIDE.test(lower) ? WIDE_CHARACTERS_PER_WORD : CHARACTERS_PER_WORD;
  const length = Math.max(1, characters / perWord);
  let points = BASE[kind] + LENGTH_WEIGHT * Math.log2(length / SHORT_WORDS);
  const hard = new Set(words.filter((word) => HARD.of(word).length > 0));
  points += HARD_WEIGHT * Math.min(hard.size, HARD_COUNTED_MAX);
  if (HARD_PARTS.some((part) => lower.includes(part))) points += HARD_WEIGHT;
  return points >= HARD_FROM ? 'hard' : points >= MEDIUM_FROM ? 'medium' : 'easy';
}

const LENGTH_WEIGHT = 0.6;
const HARD_WEIGHT = 0.8;
const HARD_COUNTED_MAX = 3;
