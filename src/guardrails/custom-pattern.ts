import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';
import { kmpFailureTable } from '../core/text/kmp-failure-table.js';
import { MARGIN, REACH, type Matcher, type ScanTime, type Span } from '../core/text/scan.js';

/** A compiled pattern of an administrator. */
export interface CustomPattern extends Matcher {
  /** Instructions of its program: the maximum cost of a step over one character. Plain text has none. */
  readonly size: number;
}

/** Why a pattern cannot be used, as a text for its author. */
export class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/** Total of all counted repetitions in a pattern: each is expanded in the program. */
const REPEATS_MAX = 10_000;
const REPEATS = /\{(\d{1,9})(?:,(\d{0,9}))?\}/g;

/** Instructions of one program. Chosen, so that a match as long as a program is found within `STEP_WORK`. */
export const PROGRAM_MAX = 400;
/**
 * Characters of one step times instructions of the program: at worst the engine tries every instruction at every
 * character, for 50 to 75 ns each.
 */
export const STEP_WORK = 400_000;

/** Longer plain texts are not searched by `indexOf`, whose worst case is the product of both lengths. */
const INDEX_OF_MAX = 1_024;

const EMPTY = 'matches empty text, and so everything';

/** Guardrails are reloaded every few seconds; their programs, with the states they have built, stay. */
const COMPILED_MAX = 200;
const compiled = new LRUCache<string, CustomPattern>({ max: COMPILED_MAX });

/**
 * Syntax of RE2: no look-around, no back-references, and time linear in the text.
 * @throws PatternRefused
 */
export function compilePattern(pattern: string): CustomPattern {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern === '') throw new PatternRefused(EMPTY);
  const made = /[\\^$.|?*+()[\]{}]/.test(pattern) ? compileExpression(pattern) : plainText(pattern);
  compiled.set(pattern, made);
  return made;
}

function plainText(wanted: string): CustomPattern {
  const next =
    wanted.length > INDEX_OF_MAX ? searcherOf(wanted) : (text: string, from: number) => text.indexOf(wanted, from);
  return {
    size: 0,
    reach: Math.max(wanted.length + 1, REACH),
    find: (text, _time, firstOnly) => {
      const spans: Span[] = [];
      for (let start = next(text, 0); start !== -1; start = next(text, start + wanted.length)) {
        spans.push({ start, end: start + wanted.length });
        if (firstOnly) break;
      }
      return spans;
    },
  };
}

/**
 * `indexOf` in time linear in the text, for any needle: the engine's own takes 15 s for 100,000 characters in 800,000
 * where both consist of one letter with few exceptions.
 */
function searcherOf(wanted: string): (text: string, from: number) => number {
  const failures = kmpFailureTable(wanted);
  return (text, from) => {
    let found = 0;
    for (let index = from; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      while (found > 0 && unit !== wanted.charCodeAt(found)) found = failures[found]!;
      if (unit === wanted.charCodeAt(found)) found++;
      if (found === wanted.length) return index + 1 - found;
    }
    return -1;
  };
}

function compileExpression(pattern: string): CustomPattern {
  let repeats = 0;
  for (const [, least, most] of pattern.matchAll(REPEATS)) repeats += Math.max(Number(least), Number(most ?? 0));
  if (repeats > REPEATS_MAX) throw new PatternRefused(`repeats more than ${REPEATS_MAX} times in all`);
  const expression = readExpression(pattern);
  if (expression.test('')) throw new PatternRefused(EMPTY);
  const size = expression.programSize();
  const pieceMax = Math.floor(STEP_WORK / size);
  return {
    size,
    // A match as long as its program is found wherever a text is cut: a counted repetition has no more.
    reach: Math.min(REACH, Math.max(PROGRAM_MAX, Math.floor(pieceMax / 2) - 2 * MARGIN)),
    pieceMax,
    find: (text, time, firstOnly) => find(expression, text, time, firstOnly),
  };
}

function readExpression(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException)
      throw new PatternRefused(error.message.replace('error parsing regexp: ', ''), { cause: error });
    // A pattern can be nested deeper than the stack.
    if (error instanceof RangeError) throw new PatternRefused('is nested too deeply', { cause: error });
    throw error;
  }
}

const NOTHING: Span = { start: 0, end: 0 };

/** One call of the engine a step: each reads the rest of the text at most. */
function* find(expression: RE2JS, text: string, time: ScanTime, firstOnly: boolean): Generator<Span, void, undefined> {
  // Much faster than finding the position, and mostly there is no match.
  if (!expression.test(text)) return;
  yield NOTHING;
  const matcher = expression.matcher(text);
  while (matcher.find()) {
    time.check();
    const [start, end] = [matcher.start(), matcher.end()];
    yield { start, end };
    if (firstOnly && end > start) return;
  }
}
