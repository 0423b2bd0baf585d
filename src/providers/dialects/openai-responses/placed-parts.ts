/** A part that came in events. */
export interface BegunPart {
  /** The beginning of its text. */
  readonly head: string;
  /** UTF-16 units of its text so far. */
  readonly receivedLength: number;
}

/** Which part of the events a part of the finished item is, and how much of its text came in them. */
export interface Placement {
  readonly index: number;
  readonly from: number;
}

type Texts = readonly (string | undefined)[];

/**
 * Matches the parts of one kind in a finished item with the parts of the events, so that no text is emitted twice. Most
 * providers use the part's position in the item as the index in events. Some count differently (gpt-oss at Bedrock
 * Mantle), or use one index for all parts: those parts are matched by their beginnings, in order. Where the text of the
 * item differs from that of the events, the latter is kept.
 * @param begun the parts of that kind by the index of their events; undefined: there are none
 * @param texts the texts of the finished parts of that kind, by their indices in the item
 * @returns the placement of the part at a position
 */
export function placeParts(
  begun: ReadonlyMap<number, BegunPart> | undefined,
  texts: Texts,
): (position: number) => Placement {
  if (begun === undefined) return asNew;
  if (areInPlace(begun, texts)) return (index) => ({ index, from: begun.get(index)?.receivedLength ?? 0 });
  const parts = [...begun].sort(([one], [other]) => one - other);
  const found = byBeginnings(parts, texts) ?? inOneText(parts, texts) ?? byRank(parts, texts);
  const next = parts.at(-1)![0] + 1;
  return (position) => found.get(position) ?? { index: next + position, from: 0 };
}

const asNew = (index: number): Placement => ({ index, from: 0 });

const begins = ({ head, receivedLength }: BegunPart, text: string): boolean =>
  receivedLength <= text.length && text.startsWith(head);

function areInPlace(begun: ReadonlyMap<number, BegunPart>, texts: Texts): boolean {
  for (const [index, part] of begun) {
    const text = texts[index];
    if (text === undefined || !begins(part, text)) return false;
  }
  return true;
}

type Indexed = readonly (readonly [index: number, part: BegunPart])[];
type Found = ReadonlyMap<number, Placement>;

/** Each part is the next one that begins in the same way. */
function byBeginnings(parts: Indexed, texts: Texts): Found | undefined {
  const found = new Map<number, Placement>();
  let position = 0;
  for (const [index, part] of parts) {
    while (position < texts.length && (texts[position] === undefined || !begins(part, texts[position]!))) position++;
    if (position === texts.length) return undefined;
    found.set(position++, { index, from: part.receivedLength });
  }
  return found;
}

/** The events divide the same text in another way. */
function inOneText(parts: Indexed, texts: Texts): Found | undefined {
  const { head } = parts[0]![1];
  let begin = '';
  for (const text of texts) if (begin.length < head.length) begin += text ?? '';
  if (!begin.startsWith(head)) return undefined;
  let left = parts.reduce((sum, [, { receivedLength }]) => sum + receivedLength, 0);
  const found = new Map<number, Placement>();
  let rank = 0;
  for (const [position, text] of texts.entries()) {
    if (text === undefined || left === 0) continue;
    const [index] = parts[Math.min(rank++, parts.length - 1)]!;
    const from = Math.min(left, text.length);
    found.set(position, { index, from });
    left -= from;
  }
  return found;
}

function byRank(parts: Indexed, texts: Texts): Found {
  const positions = [...texts.keys()].filter((position) => texts[position] !== undefined);
  return new Map(
    parts.flatMap(([index], rank) => {
      const position = positions[rank];
      return position === undefined ? [] : [[position, { index, from: texts[position]!.length }] as const];
    }),
  );
}
