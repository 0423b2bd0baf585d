import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';
import { REACH, type Matcher, type ScanTime, type Span } from './scan.js';

/** A pattern of an administrator, compiled. */
export interface CustomPattern extends Matcher {
  /** Instructions of its program: what a step over one character may cost. Plain text has none. */
  readonly size: number;
}

/** Why a pattern cannot be used, in words for its author. */
export class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/** Times that a part of a pattern may be repeated by number, all together: each is compiled out. */
const REPEATS_MAX = 10_000;
const REPEATS = /\{(\d{1,9})(?:,(\d{0,9}))?\}/g;

const EMPTY = 'matches empty text, and so everything';

/** Guardrails are read again every few seconds; their programs, with the states they learnt, stay. */
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
  return {
    size: 0,
    reach: Math.max(wanted.length + 1, REACH),
    find: (text, _time, firstOnly) => {
      const spans: Span[] = [];
      for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + wanted.length)) {
        spans.push({ start, end: start + wanted.length });
        if (firstOnly) break;
      }
      return spans;
    },
  };
}

function compileExpression(pattern: string): CustomPattern {
  let repeats = 0;
  for (const [, least, most] of pattern.matchAll(REPEATS)) repeats += Math.max(Number(least), Number(most ?? 0));
  if (repeats > REPEATS_MAX) throw new PatternRefused(`repeats more than ${REPEATS_MAX} times in all`);
  const expression = readExpression(pattern);
  if (expression.test('')) throw new PatternRefused(EMPTY);
  return { size: expression.programSize(), find: (text, time, firstOnly) => find(expression, text, time, firstOnly) };
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

function find(expression: RE2JS, text: string, time: ScanTime, firstOnly: boolean): Span[] {
  const spans: Span[] = [];
  // Much faster than to find where, and mostly there is nothing.
  if (!expression.test(text)) return spans;
  const matcher = expression.matcher(text);
  while (matcher.find()) {
    time.check();
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end) continue;
    spans.push({ start, end });
    if (firstOnly) break;
  }
  return spans;
}
