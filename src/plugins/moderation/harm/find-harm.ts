import { findInjections } from '../../../core/text/prompt-injection.js';
import { decodedText } from '../../../core/text/ciphers.js';
import { findInPieces, ScanTime, type Span } from '../../../core/text/scan.js';
import { visibleText } from '../../../core/text/visible-text.js';
import type { ModerationCategory } from './categories.js';
import { Lexicon, type TermClass } from './lexicon.js';
import { EXCUSES, RULES, type Rule } from './rules.js';
import { wordsOf, type Word } from './words.js';

/** The first match of one category. */
export interface Harm {
  readonly category: ModerationCategory;
  /** The words that matched, as displayed. */
  readonly words: string;
}

/** Work in steps, with yields between them. */
export type HarmSteps<Result> = Generator<void, Result, undefined>;

/** Words that are read in one step: about a millisecond. */
const STEP_WORDS = 500;
/** Longer sentences are read as several, each from the middle of the one before. */
const SENTENCE_WORDS_MAX = 80;
/** Characters that are searched for base64 in one step, extended to the next blank if there is one. */
const SEARCHED = 32_768;
/** Base64 within a text, from 18 bytes on: shorter ones hold no sentence. */
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}/g;
const BASE64_LENGTH_MAX = 65_536;
/** Limit of the characters of a decoded text: a longer one is not a text hidden in another. */
const DECODED_LENGTH_MAX = 262_144;

const LEXICON = new Lexicon();

/**
 * The matches of the local rules in a text, the first of each category. The text is read as displayed, with look-alike
 * letters, digits for letters and spelt words resolved, and including text encoded as base64. Yields between steps
 * (docs/operate/moderation.md#local-rules).
 * @param isPrompt also matches phrases that try to take over a model: set for the input of a model, not for its output
 */
export function* findHarm(text: string, isPrompt: boolean): HarmSteps<readonly Harm[]> {
  const found = new Map<ModerationCategory, Harm>();
  yield* read(text, isPrompt, found);
  let decodedLength = 0;
  for (let from = 0; from < text.length && decodedLength <= DECODED_LENGTH_MAX;) {
    const to = searchedTo(text, from);
    for (const [cipher] of text.slice(from, to).matchAll(BASE64)) {
      const plain = yield* plainOf(cipher.slice(0, BASE64_LENGTH_MAX));
      if (plain === undefined) continue;
      decodedLength += plain.length;
      yield* read(plain, isPrompt, found);
    }
    from = to;
    if (from < text.length) yield;
  }
  return [...found.values()];
}

function searchedTo(text: string, from: number): number {
  const after = text.slice(from + SEARCHED, from + SEARCHED + BASE64_LENGTH_MAX).search(/\s/);
  return Math.min(text.length, from + SEARCHED + (after === -1 ? BASE64_LENGTH_MAX : after));
}

function* plainOf(cipher: string): HarmSteps<string | undefined> {
  const steps = decodedText(cipher);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield;
  }
}

function* read(written: string, isPrompt: boolean, found: Map<ModerationCategory, Harm>): HarmSteps<void> {
  const text = (yield* visibleText(written))?.text ?? written;
  const injection = isPrompt && !found.has('prompt-injection') ? yield* findInjection(text) : undefined;
  const reader = new SentenceReader(text, isPrompt, found, injection?.start);
  let words = 0;
  for (const word of wordsOf(text)) {
    reader.take(word);
    if (++words % STEP_WORDS === 0) yield;
  }
  reader.finish();
  // A sentence about such phrases names them.
  if (injection && !reader.excusesPlace)
    found.set('prompt-injection', { category: 'prompt-injection', words: text.slice(injection.start, injection.end) });
}

function* findInjection(text: string): HarmSteps<Span | undefined> {
  const time = new ScanTime();
  time.grant(text.length);
  return (yield* findInPieces({ find: findInjections }, text, time, true))[0];
}

/** The progress of a rule in the current sentence. */
interface Progress {
  readonly rule: Rule;
  /** By term: the end of its latest match that the terms before it led to, and the start of the first of those. */
  readonly ends: number[];
  readonly starts: number[];
}

interface Match {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
}

/** The position of a class in the rules. */
interface Use {
  readonly rule: number;
  readonly term: number;
}

const USES: ReadonlyMap<TermClass, readonly Use[]> = usesOf(RULES);

/** Reads words one by one, keeping only the current sentence. */
class SentenceReader {
  private readonly progress: readonly Progress[] = RULES.map((rule) => ({
    rule,
    ends: rule.terms.map(() => -Infinity),
    starts: rule.terms.map(() => 0),
  }));
  /** Phrases are searched in the words not read yet; read words are dropped from time to time. */
  private words: Word[] = [];
  private at = 0;
  private count = 0;
  /** Index of the first word of the sentence. */
  private begun = 0;
  /** Words before this index belong to a harmless phrase. */
  private harmlessUntil = 0;
  private matches: Match[] = [];
  /** Bits of the excuses in this sentence, and in the one before it. */
  private excuses = 0;
  private excusesBefore = 0;
  /** Matches excused only as fiction: a request for details invalidates that excuse. */
  private excusedAsFiction: readonly Match[] = [];
  private sentenceFrom = 0;
  /** Whether the sentence at the given position has an excuse. */
  excusesPlace = false;

  constructor(
    private readonly text: string,
    private readonly isPrompt: boolean,
    private readonly found: Map<ModerationCategory, Harm>,
    private readonly place = -1,
  ) {}

  take(word: Word): void {
    this.words.push(word);
    if (this.words.length - this.at > LEXICON.lengthMax) this.readNext();
  }

  finish(): void {
    while (this.at < this.words.length) this.readNext();
    this.endSentence();
  }

  private readNext(): void {
    const word = this.words[this.at]!;
    if (word.beginsSentence) this.endSentence();
    else if (this.count - this.begun >= SENTENCE_WORDS_MAX) this.goOnSentence();
    const terms = LEXICON.find(this.words, this.at);
    const harmless = terms.find(({ is }) => is === 'harmless');
    if (harmless) this.harmlessUntil = Math.max(this.harmlessUntil, this.count + harmless.length);
    for (const { is, length } of terms) {
      const last = this.words[this.at + length - 1]!;
      this.excuses |= bitOf(is);
      if (this.count < this.harmlessUntil && is !== 'harmless') continue;
      this.meet(is, length, word.start, last.end);
    }
    this.count++;
    if (++this.at < STEP_WORDS) return;
    this.words = this.words.slice(this.at);
    this.at = 0;
  }

  /** Called where a term of some rules begins at the current word. */
  private meet(is: TermClass, length: number, start: number, end: number): void {
    const uses = USES.get(is);
    if (!uses) return;
    for (const { rule, term } of uses) {
      const { rule: met, ends, starts } = this.progress[rule]!;
      if (term > 0) {
        const before = ends[term - 1]!;
        if (before < this.begun || this.count < before || this.count - before > met.gaps[term - 1]!) continue;
      }
      ends[term] = this.count + length;
      starts[term] = term === 0 ? start : starts[term - 1]!;
      if (term === met.terms.length - 1) this.matches.push({ rule: met, start: starts[term], end });
    }
  }

  /** Drops progress that began too far back in the sentence. */
  private goOnSentence(): void {
    this.judge();
    this.begun = this.count - SENTENCE_WORDS_MAX / 2;
  }

  private endSentence(): void {
    this.judge();
    this.excusesBefore = this.excuses;
    this.excuses = 0;
    this.begun = this.count;
    this.sentenceFrom = this.words[this.at]?.start ?? this.text.length;
  }

  private judge(): void {
    const { excuses, excusesBefore } = this;
    const { start: until = this.text.length } = this.words[this.at] ?? {};
    if (this.place >= this.sentenceFrom && this.place < until) this.excusesPlace = (excuses & NAMES_IT) !== 0;
    const isDetailed = (excuses & bitOf('detail')) !== 0;
    if (isDetailed) for (const match of this.excusedAsFiction) this.report(match);
    const isFiction = ((excuses | excusesBefore) & bitOf('fiction')) !== 0;
    const asFiction: Match[] = [];
    for (const match of this.matches) {
      const { unless } = match.rule;
      if (unless.some((excuse) => excuse !== 'fiction' && (excuses & bitOf(excuse)) !== 0)) continue;
      if (!isFiction || !unless.includes('fiction') || isDetailed) this.report(match);
      else asFiction.push(match);
    }
    this.excusedAsFiction = asFiction;
    this.matches = [];
  }

  private report({ rule: { category }, start, end }: Match): void {
    if (category === 'prompt-injection' && !this.isPrompt) return;
    if (this.found.has(category)) return;
    this.found.set(category, { category, words: this.text.slice(start, end) });
  }
}

const BITS: ReadonlyMap<TermClass, number> = new Map(
  [...EXCUSES, 'detail' as const].map((is, index) => [is, 1 << index]),
);
const bitOf = (is: TermClass): number => BITS.get(is) ?? 0;
/** Terms near a phrase of prompt injection that excuse it: it is only mentioned. */
const NAMES_IT = bitOf('help') | bitOf('report');

function usesOf(rules: readonly Rule[]): ReadonlyMap<TermClass, readonly Use[]> {
  const uses = new Map<TermClass, Use[]>();
  for (const [rule, { terms }] of rules.entries()) {
    for (const [term, is] of terms.entries()) uses.set(is, [...(uses.get(is) ?? []), { rule, term }]);
  }
  // A term may occur twice in a rule: the later position is advanced before the earlier one moves.
  for (const list of uses.values()) list.sort((one, other) => other.term - one.term);
  return uses;
}
