/** A piece of a text, in UTF-16 units; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Name of the rule that found it, where a filter has several. */
  readonly rule?: string;
}

/** Finds what one content filter looks for. Safe to share. */
export interface Matcher {
  /** The longest match that is found wherever a long text is cut, in UTF-16 units; absent: `REACH`. */
  readonly reach?: number;
  /** Most characters that it should be given at once, in UTF-16 units, as far as its reach allows. */
  readonly pieceMax?: number;
  /**
   * All of a short text, in one go, or one after the other. Empty ones say nothing: others may have their turn there.
   * @param firstOnly one is enough
   * @throws ScanOverrun when the time for the request is used up
   */
  find(text: string, time: ScanTime, firstOnly: boolean): Iterable<Span>;
}

/** The filters would have taken too long. */
export class ScanOverrun extends Error {
  override readonly name = 'ScanOverrun';
}

/** Milliseconds that the filters may take for one request, whatever its length. */
const SCAN_MS_BASE = 5_000;
/** And for each character more: some twenty times what all built-in filters take together. */
const SCAN_MS_PER_CHARACTER = 1_000 / 1e6;

/** And for each text more: keys and numbers are short. */
const SCAN_MS_PER_TEXT = 0.02;

/** The time of one request's filters: their own, not what others take between their turns, nor other processes. */
export class ScanTime {
  private left: number;
  private startedAt = performance.now();
  private usage = process.cpuUsage();

  constructor(milliseconds = SCAN_MS_BASE) {
    this.left = milliseconds;
  }

  /** Longer texts may take longer. */
  grant(characters: number): void {
    this.left += SCAN_MS_PER_TEXT + characters * SCAN_MS_PER_CHARACTER;
  }

  /** To be called between steps, none of which takes long. */
  check(): void {
    if (this.turnMs() > this.left) throw new ScanOverrun('The content filters took too long.');
  }

  /** How long the filters have been at it without giving others their turn. */
  turnMs(): number {
    return performance.now() - this.startedAt;
  }

  /** On a busy machine a turn takes longer than what was computed in it, which is all that counts. */
  endTurn(): void {
    const { user, system } = process.cpuUsage(this.usage);
    this.left -= Math.min(this.turnMs(), (user + system) / 1_000);
  }

  beginTurn(): void {
    this.startedAt = performance.now();
    this.usage = process.cpuUsage();
  }
}

/** Longest match that is found wherever a text is cut. No built-in filter finds anything of a third of it. */
export const REACH = 2_032;
/** How far a filter looks around a match. */
export const MARGIN = 8;
/** Pieces are so many times as long as what two of them share. */
const PIECE_TIMES = 8;

/**
 * What a matcher finds in a text of any length, searched in pieces: yields between them, so that others can have their
 * turn. Matches up to the matcher's reach are found as in one piece.
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
      // What touches a cut may be more, or nothing at all, in the whole text: the other piece has it in
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

/** In order; pieces that overlap are one. */
export function merged<S extends Span>(spans: readonly S[]): S[] {
  const apart: S[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = apart.at(-1);
    if (!last || span.start >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { ...last, end: span.end };
  }
  return apart;
}

/** All places where a reviewed expression of our own matches, each judged further where there is a judge. */
export function scan(expression: RegExp, text: string, isMeant?: (match: RegExpMatchArray) => boolean): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(expression)) {
    if (isMeant && !isMeant(match)) continue;
    spans.push({ start: match.index, end: match.index + match[0].length });
  }
  return spans;
}
