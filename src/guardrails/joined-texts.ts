import { REACH, type Span } from '../core/text/scan.js';
import { readingsOf, type VisibleText } from '../core/text/visible-text.js';

/** Adjacent texts as one, around the boundaries between them. */
export interface JoinedText {
  readonly text: string;
  /**
   * The part of each text, by its index, that a finding across a boundary covers; empty for a finding within one text,
   * which was found there already.
   */
  across(span: Span): readonly (Span & { readonly index: number })[];
}

interface Slice {
  readonly index: number;
  /** Index in the joined text. */
  readonly at: number;
  /** Index in the visible text. */
  readonly from: number;
  readonly length: number;
}

/**
 * Joins adjacent texts in their visible form. Where they have tag characters, also with these decoded to letters.
 * Yields between steps.
 */
export function* joinNeighbours(texts: readonly string[]): Generator<void, readonly JoinedText[], undefined> {
  const seen: (VisibleText | undefined)[] = [];
  const spelt: (VisibleText | undefined)[] = [];
  for (const text of texts) {
    const [visible, withTags] = yield* readingsOf(text);
    seen.push(visible);
    spelt.push(withTags ?? visible);
    yield;
  }
  const joined = yield* joinReadings(texts, seen);
  const hasTags = spelt.some((reading, index) => reading !== seen[index]);
  return hasTags ? [...joined, ...(yield* joinReadings(texts, spelt))] : joined;
}

/** Around each boundary as much as a filter finds at most: a short text lies whole between two boundaries. */
function* joinReadings(
  texts: readonly string[],
  visible: readonly (VisibleText | undefined)[],
): Generator<void, readonly JoinedText[], undefined> {
  const joined: JoinedText[] = [];
  let parts: string[] = [];
  let slices: Slice[] = [];
  let length = 0;
  const add = (index: number, text: string, from: number): void => {
    slices.push({ index, at: length, from, length: text.length });
    parts.push(text);
    length += text.length;
  };
  const end = (): void => {
    if (slices.length > 1) joined.push(joinedOf(parts.join(''), slices, visible));
    [parts, slices, length] = [[], [], 0];
  };
  for (const [index, written] of texts.entries()) {
    const text = visible[index]?.text ?? written;
    if (text.length <= 2 * REACH) {
      add(index, text, 0);
    } else {
      add(index, text.slice(0, REACH), 0);
      end();
      add(index, text.slice(-REACH), text.length - REACH);
    }
    yield;
  }
  end();
  return joined;
}

function joinedOf(text: string, slices: readonly Slice[], visible: readonly (VisibleText | undefined)[]): JoinedText {
  const across: JoinedText['across'] = ({ start, end, rule }) => {
    const pieces: (Span & { index: number })[] = [];
    for (
      let sliceIndex = sliceAt(slices, start);
      sliceIndex < slices.length && slices[sliceIndex]!.at < end;
      sliceIndex++
    ) {
      const { index, at, from, length } = slices[sliceIndex]!;
      const piece = { start: from + Math.max(start - at, 0), end: from + Math.min(end - at, length) };
      if (piece.start >= piece.end) continue;
      const original = visible[index]?.original(piece) ?? piece;
      pieces.push({ index, start: original.start, end: original.end, ...(rule !== undefined && { rule }) });
    }
    return pieces.length > 1 ? pieces : [];
  };
  return { text, across };
}

/** The last slice that begins at or before a position. */
function sliceAt(slices: readonly Slice[], index: number): number {
  let low = 0;
  let high = slices.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (slices[middle]!.at <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
