import type { Span } from './scan.js';

/** A text as its reader sees it, and where each piece of that stands in the text itself. */
export interface VisibleText {
  readonly text: string;
  /** The piece of the original that a piece of the visible text came from. */
  original(span: Span): Span;
}

/** Characters that are normalised in one step. */
const STEP = 4_096;

const BEYOND_ASCII = /[^\0-\x7f]/;
/** What is not seen: soft hyphens, joiners, marks of direction, variation selectors, tags, fillers. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Hyphens and dashes of all lengths, and the minus sign: numbers are written with any of them. */
const DASHES = /[\p{Pd}\u2212]/gu;
const MARKS = /\p{M}/gu;
/** Written together: a character with what is combined with it, visible or not. */
const CLUSTER = /[^\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}][\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]*|[^]/gu;
const CLUSTER_END = /[^\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]/u;

/** One stretch: unchanged, or with the original place of each unit and of its end. */
interface Stretch {
  readonly visibleFrom: number;
  readonly from: number;
  readonly starts?: Uint32Array;
  readonly ends?: Uint32Array;
}

/**
 * NFKC, without what is not seen, with one hyphen for all dashes, and without marks that are put on ASCII characters
 * and make no letter with them. The very text where that changes nothing, which is told at once of ASCII. Yields
 * between steps.
 */
export function* visibleText(text: string): Generator<void, VisibleText | undefined, undefined> {
  const parts: string[] = [];
  const stretches: Stretch[] = [];
  let length = 0;
  let isChanged = false;
  for (let from = 0; from < text.length;) {
    const to = clusterEnd(text, from + STEP);
    const piece = text.slice(from, to);
    const part = BEYOND_ASCII.test(piece) ? normalised(piece, from, length) : undefined;
    stretches.push(part?.stretch ?? { visibleFrom: length, from });
    parts.push(part?.text ?? piece);
    length += (part?.text ?? piece).length;
    isChanged ||= part !== undefined;
    from = to;
    if (from < text.length) yield;
  }
  return isChanged ? { text: parts.join(''), original: (span) => originalOf(stretches, span) } : undefined;
}

/** No cut parts a character from what is combined with it, unless that is endless. */
function clusterEnd(text: string, place: number): number {
  const last = Math.min(place + STEP, text.length);
  let end = Math.min(place, text.length);
  while (end < last && !CLUSTER_END.test(text[end]!)) end++;
  return end;
}

function normalised(piece: string, from: number, visibleFrom: number): { text: string; stretch: Stretch } | undefined {
  if (look(piece) === piece && !MARKS.test(piece)) {
    MARKS.lastIndex = 0;
    return undefined;
  }
  MARKS.lastIndex = 0;
  // Not added up: what is so made of many pieces would be put together in one long step at the end.
  const looks: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: cluster, index } of piece.matchAll(CLUSTER)) {
    const seen = lookOfCluster(cluster);
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

const look = (text: string): string => text.normalize('NFKC').replace(INVISIBLE, '').replace(DASHES, '-');

function lookOfCluster(cluster: string): string {
  if (cluster.length === 1 && !BEYOND_ASCII.test(cluster)) return cluster;
  const seen = look(cluster.replace(INVISIBLE, ''));
  return seen.length > 1 && seen.charCodeAt(0) < 128 ? seen.replace(MARKS, '') : seen;
}

function originalOf(stretches: readonly Stretch[], span: Span): Span {
  const start = placeOf(stretches, span.start, 'starts');
  return { ...span, start, end: span.end > span.start ? placeOf(stretches, span.end - 1, 'ends') : start };
}

function placeOf(stretches: readonly Stretch[], place: number, side: 'starts' | 'ends'): number {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (stretches[middle]!.visibleFrom <= place) low = middle;
    else high = middle - 1;
  }
  const stretch = stretches[low]!;
  const within = place - stretch.visibleFrom;
  const known = stretch[side];
  return known ? known[within]! : stretch.from + within + (side === 'ends' ? 1 : 0);
}
