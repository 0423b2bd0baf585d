import type { Span } from './scan.js';

/** A text as a reader sees it, with the original position of each piece. */
export interface VisibleText {
  readonly text: string;
  /** Whether the text contains tag characters, which are invisible but read by models. */
  readonly hasTags: boolean;
  /** The piece of the original text behind a piece of the visible text. */
  original(span: Span): Span;
}

/** Characters that are normalised in one step. */
const STEP = 2_048;

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Invisible characters: soft hyphens, joiners, marks of direction, variation selectors, tags, fillers. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Hyphens and dashes of all lengths, and the minus sign: numbers are written with any of them. */
const DASHES = /[\p{Pd}\u2212]/gu;
const MARKS = /\p{M}/gu;
/** Digits of all scripts. */
const FIGURES = /(?![0-9])\p{Nd}/gu;
/** A second copy of ASCII, meant for language tags: never displayed. */
const TAGS = /[\u{e0020}-\u{e007e}]/gu;
const TAGS_FROM = 0xe0000;
/** Invisible, and not combined with any character. */
const SOFT_HYPHEN = '\u00ad';
/** A character with everything combined with it, visible or not. */
const CLUSTER = /[^\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}][\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]*|[^]/gu;
const CLUSTER_END = /[^\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]/u;

/** One stretch: unchanged, or with the original position of each unit and of its end. */
interface Stretch {
  readonly visibleFrom: number;
  readonly from: number;
  readonly starts?: Uint32Array;
  readonly ends?: Uint32Array;
}

/**
 * The readings of a text that differ from it: as it is displayed, and with its tag characters decoded. Yields as below.
 */
export function* readingsOf(text: string): Generator<void, readonly VisibleText[], undefined> {
  const visible = yield* visibleText(text);
  if (!visible) return [];
  if (!visible.hasTags) return [visible];
  return [visible, (yield* visibleText(text, true))!];
}

/**
 * NFKC, without invisible characters, with one hyphen for all dashes, ASCII digits for those of all scripts, and
 * without combining marks on ASCII characters that form no letter. Undefined where that changes nothing, which is known
 * at once for ASCII. Yields between steps.
 * @param spellsTags decodes tag characters to their letters; else they are removed as invisible
 */
export function* visibleText(text: string, spellsTags = false): Generator<void, VisibleText | undefined, undefined> {
  const parts: string[] = [];
  const stretches: Stretch[] = [];
  let length = 0;
  let isChanged = false;
  let hasTags = false;
  for (let from = 0; from < text.length;) {
    const to = clusterEnd(text, from + STEP);
    const written = text.slice(from, to);
    const piece = spellsTags ? spelt(written) : written;
    const part = BEYOND_ASCII.test(piece) ? normalised(piece, from, length) : undefined;
    hasTags ||= part !== undefined && written.search(TAGS) !== -1;
    stretches.push(part?.stretch ?? { visibleFrom: length, from });
    parts.push(part?.text ?? piece);
    length += (part?.text ?? piece).length;
    isChanged ||= part !== undefined;
    from = to;
    if (from < text.length) yield;
  }
  return isChanged ? { text: parts.join(''), hasTags, original: (span) => originalOf(stretches, span) } : undefined;
}

/**
 * A cut never separates a character from what is combined with it, unless that is endless, nor the halves of a
 * surrogate pair.
 */
function clusterEnd(text: string, index: number): number {
  const last = Math.min(index + STEP, text.length);
  let end = Math.min(index, text.length);
  while (end < last && !CLUSTER_END.test(text[end]!)) end++;
  return end < text.length && isFirstHalf(text.charCodeAt(end - 1)) ? end + 1 : end;
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Keeps the length: a tag has two units. */
const spelt = (piece: string): string =>
  piece.replace(TAGS, (tag) => String.fromCharCode(tag.codePointAt(0)! - TAGS_FROM) + SOFT_HYPHEN);

function normalised(piece: string, from: number, visibleFrom: number): { text: string; stretch: Stretch } | undefined {
  if (look(piece) === piece && !MARKS.test(piece)) {
    MARKS.lastIndex = 0;
    return undefined;
  }
  MARKS.lastIndex = 0;
  // Collected in a list: a string concatenated from many pieces would be flattened in one long step at the end.
  const looks: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const known = new Map<string, string>();
  for (const { 0: cluster, index } of piece.matchAll(CLUSTER)) {
    let seen = known.get(cluster);
    if (seen === undefined) known.set(cluster, (seen = lookOfCluster(cluster)));
    for (let unit = 0; unit < seen.length; unit++) {
      starts.push(from + index);
      ends.push(from + index + cluster.length);
    }
    looks.push(seen);
  }
  const text = looks.join('');
  if (text === piece) return undefined;
  return { text, stretch: { visibleFrom, from, starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) } };
}

const look = (text: string): string =>
  text.normalize('NFKC').replace(INVISIBLE, '').replace(DASHES, '-').replace(FIGURES, asciiFigure);

const figures = new Map<string, string>();

/** The digits of a script are consecutive, from zero to nine. */
function asciiFigure(figure: string): string {
  let known = figures.get(figure);
  if (known === undefined) {
    const code = figure.codePointAt(0)!;
    let zero = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    figures.set(figure, (known = String((code - zero) % 10)));
  }
  return known;
}

function lookOfCluster(cluster: string): string {
  if (cluster.length === 1 && !BEYOND_ASCII.test(cluster)) return cluster;
  const seen = look(cluster.replace(INVISIBLE, ''));
  return seen.length > 1 && seen.charCodeAt(0) < 128 ? seen.replace(MARKS, '') : seen;
}

function originalOf(stretches: readonly Stretch[], span: Span): Span {
  const start = positionOf(stretches, span.start, 'starts');
  return { ...span, start, end: span.end > span.start ? positionOf(stretches, span.end - 1, 'ends') : start };
}

function positionOf(stretches: readonly Stretch[], index: number, side: 'starts' | 'ends'): number {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (stretches[middle]!.visibleFrom <= index) low = middle;
    else high = middle - 1;
  }
  const stretch = stretches[low]!;
  const within = index - stretch.visibleFrom;
  const known = stretch[side];
  return known ? known[within]! : stretch.from + within + (side === 'ends' ? 1 : 0);
}
