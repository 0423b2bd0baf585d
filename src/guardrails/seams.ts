import { REACH, type Span } from '../core/text/scan.js';
import { readingsOf, type VisibleText } from '../core/text/visible-text.js';

/** Neighbouring texts as one, around the seams between them. */
export interface Joint {
  readonly text: string;
  /**
   * The piece of each text, by its place among them, that something found across a seam covers; nothing for what lies
   * in one text, which was found there.
   */
  across(span: Span): readonly (Span & { readonly index: number })[];
}

interface Slice {
  readonly index: number;
  /** Of the joint. */
  readonly at: number;
  /** Of the visible text. */
  readonly from: number;
  readonly length: number;
}

/** As they are seen, and with their tags for letters where there are any. Yields between steps. */
export function* joinNeighbours(texts: readonly string[]): Generator<void, readonly Joint[], undefined> {
  const seen: (VisibleText | undefined)[] = [];
  const spelt: (VisibleText | undefined)[] = [];
  for (const text of texts) {
    const [visible, withTags] = yield* readingsOf(text);
    seen.push(visible);
    spelt.push(withTags ?? visible);
    yield;
  }
  const joints = yield* joinReadings(texts, seen);
  const hasTags = spelt.some((reading, index) => reading !== seen[index]);
  return hasTags ? [...joints, ...(yield* joinReadings(texts, spelt))] : joints;
}

/** Around each seam as much as a filter finds at most: what is short stands whole between two of them. */
function* joinReadings(
  texts: readonly string[],
  visible: readonly (VisibleText | undefined)[],
): Generator<void, readonly Joint[], undefined> {
  const joints: Joint[] = [];
  let parts: string[] = [];
  let slices: Slice[] = [];
  let length = 0;
  const add = (index: number, text: string, from: number): void => {
    slices.push({ index, at: length, from, length: text.length });
    parts.push(text);
    length += text.length;
  };
  const end = (): void => {
    if (slices.length > 1) joints.push(jointOf(parts.join(''), slices, visible));
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
  return joints;
}

function jointOf(text: string, slices: readonly Slice[], visible: readonly (VisibleText | undefined)[]): Joint {
  const across: Joint['across'] = ({ start, end, rule }) => {
    const pieces: (Span & { index: number })[] = [];
    for (let place = sliceAt(slices, start); place < slices.length && slices[place]!.at < end; place++) {
      const { index, at, from, length } = slices[place]!;
      const piece = { start: from + Math.max(start - at, 0), end: from + Math.min(end - at, length) };
      if (piece.start >= piece.end) continue;
      const original = visible[index]?.original(piece) ?? piece;
      pieces.push({ index, start: original.start, end: original.end, ...(rule !== undefined && { rule }) });
    }
    return pieces.length > 1 ? pieces : [];
  };
  return { text, across };
}

/** The last slice that begins at or before a place. */
function sliceAt(slices: readonly Slice[], place: number): number {
  let low = 0;
  let high = slices.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (slices[middle]!.at <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
