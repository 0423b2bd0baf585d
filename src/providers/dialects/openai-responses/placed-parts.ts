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
 * Finds the parts of one kind in a finished item among those of the events, so that no text is emitted twice. Most
 * providers use the part's place in the item as its index. Some count differently (gpt-oss at Bedrock Mantle), or give
 * all parts one index: those are found by their beginnings, in order. Where the item has another text than the events,
 * that of the events stands.
 * @param begun the parts of that kind by the index of their events; undefined: there are none
 * @param texts of the finished parts of that kind, by their places in the item
 * @returns the placement of the part at a place
 */
export function placeParts(
  begun: ReadonlyMap<number, BegunPart> | undefined,
  texts: Texts,
): (place: number) => Placement {
  if (begun === undefined) return asNew;
  if (areInPlace(begun, texts)) return (index) => ({ index, from: begun.get(index)?.receivedLength ?? 0 });
  const parts = [...begun].sort(([one], [other]) => one - other);
  const found = byBeginnings(parts, texts) ?? inOneText(parts, texts) ?? byRank(parts, texts);
  const next = parts.at(-1)![0] + 1;
  return (place) => found.get(place) ?? { index: next + place, from: 0 };
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
  let place = 0;
  for (const [index, part] of parts) {
    while (place < texts.length && (texts[place] === undefined || !begins(part, texts[place]!))) place++;
    if (place === texts.length) return undefined;
    found.set(place++, { index, from: part.receivedLength });
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
  for (const [place, text] of texts.entries()) {
    if (text === undefined || left === 0) continue;
    const [index] = parts[Math.min(rank++, parts.length - 1)]!;
    const from = Math.min(left, text.length);
    found.set(place, { index, from });
    left -= from;
  }
  return found;
}

function byRank(parts: Indexed, texts: Texts): Found {
  const places = [...texts.keys()].filter((place) => texts[place] !== undefined);
  return new Map(
    parts.flatMap(([index], rank) => {
      const place = places[rank];
      return place === undefined ? [] : [[place, { index, from: texts[place]!.length }] as const];
    }),
  );
}
