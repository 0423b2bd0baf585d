/** A piece of a text, in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Name of the rule that found it, where a filter has several. */
  readonly rule?: string;
}

/** Finds the matches of one content filter. Safe to share. */
export interface Matcher {
  /** The longest match that is found across any cut of a long text, in UTF-16 units; absent: `REACH`. */
  readonly reach?: number;
  /** Longest piece to pass at once, in UTF-16 units, as far as its reach allows. */
  readonly pieceMax?: number;
  /**
   * All matches of a short text, at once or one by one. Empty spans mark points to yield.
   * @param firstOnly one match is enough
   * @throws ScanOverrun when the time for the request is used up
   */
  find(text: string, time: ScanTime, firstOnly: boolean): Iterable<Span>;
}

/** The filters would have taken too long. */
export class ScanOverrun extends Error {
  override readonly name = 'ScanOverrun';
}

/** Milliseconds that the filters may take for one request of any length. */
const SCAN_MS_BASE = 5_000;
/** Additional milliseconds per character: some twenty times what all built-in filters take together. */
const SCAN_MS_PER_CHARACTER = 1_000 / 1e6;

/** Additional milliseconds per text: keys and numbers are short. */
const SCAN_MS_PER_TEXT = 0.02;

/**
 * The time limit of one request's filters. It counts their own time, not what runs between their slices, nor other
 * processes.
 */
export class ScanTime {
  private left: number;
  private startedAt = performance.now();
  private usage = process.cpuUsage();

  constructor(milliseconds = SCAN_MS_BASE) {
    this.left = milliseconds;
  }

  /** Extends the limit for longer texts. */
  grant(characters: number): void {
    this.left += SCAN_MS_PER_TEXT + characters * SCAN_MS_PER_CHARACTER;
  }

  /** Call between steps that are short themselves. */
  check(): void {
    if (this.turnMs() > this.left) throw new ScanOverrun('The content filters took too long.');
  }

  /** Time since the filters last yielded. */
  turnMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Counts CPU time: on a busy machine a slice takes longer in wall time. */
  endTurn(): void {
    const { user, system } = process.cpuUsage(this.usage);
    this.left -= Math.min(this.turnMs(), (user + system) / 1_000);
  }

  beginTurn(): void {
    this.startedAt = performance.now();
    this.usage = process.cpuUsage();
  }
}

/** Longest match that is found across any cut. No built-in filter finds a match of a third of this length. */
export const REACH = 2_032;
/** Characters around a match that a filter reads. */
export const MARGIN = 8;
/** Length of a piece as a multiple of its overlap with the next. */
const PIECE_TIMES = 8;

/**
 * The matches of a matcher in a text of any length, searched in pieces: yields between them. Matches up to the
 * matcher's reach are found as in one piece.
 */
export function* findInPieces(
  matcher: Matcher,
  text: string,
  time: ScanTime,
  firstOnly: boolean,
): Generator<void, readonly Span[], undefined> {
  const reach = matcher.reach ?? REACH;
  const shared = reach + 2 * MARGIN;
  const length = Math.max(2 * shared, Math.min(PIECE_TIMES * shared, matcher.pieceMax ?? Infinity));
  const isWhole = text.length <= length;
  const spans: Span[] = [];
  for (let from = 0; ; from += length - shared) {
    time.check();
    const to = Math.min(from + length, text.length);
    const piece = isWhole ? text : text.slice(from, to);
    for (const { start, end, rule } of matcher.find(piece, time, firstOnly && isWhole)) {
      // A match that touches a cut may be longer, or none at all, in the whole text: the other piece contains it in
      // full, unless it is too long.
      const isAtCut = (start < MARGIN && from > 0) || (end > to - from - MARGIN && to < text.length);
      if (end > start && !(isAtCut && end - start < reach)) {
        spans.push({ start: from + start, end: from + end, ...(rule !== undefined && { rule }) });
        if (firstOnly) return spans;
      }
      yield;
    }
    if (to === text.length) return spans;
    yield;
  }
}

/** Sorted; overlapping spans are joined. */
export function merged<S extends Span>(spans: readonly S[]): S[] {
  const apart: S[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = apart.at(-1);
    if (!last || span.start >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { ...last, end: span.end };
  }
  return apart;
}

/** All matches of one of the gateway's own expressions, filtered by `isMeant` where given. */
export function scan(expression: RegExp, text: string, isMeant?: (match: RegExpMatchArray) => boolean): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(expression)) {
    if (isMeant && !isMeant(match)) continue;
    spans.push({ start: match.index, end: match.index + match[0].length });
  }
  return spans;
}
