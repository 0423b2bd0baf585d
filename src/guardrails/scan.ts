/** A piece of a text, in UTF-16 units; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Name of the rule that found it, where a filter has several. */
  readonly rule?: string;
}

/** Finds what one content filter looks for. Safe to share. */
export interface Matcher {
  /**
   * @param firstOnly one is enough
   * @throws ScanOverrun when the time for the request is used up
   */
  find(text: string, time: ScanTime, firstOnly: boolean): readonly Span[];
}

/** The filters would have taken too long. */
export class ScanOverrun extends Error {
  override readonly name = 'ScanOverrun';
}

/** Milliseconds that the filters may take for one request. They hold up everything else meanwhile. */
const SCAN_MS_MAX = 1_000;

/** The time of one request's filters. */
export class ScanTime {
  private readonly until: number;

  constructor(milliseconds = SCAN_MS_MAX) {
    this.until = performance.now() + milliseconds;
  }

  /** To be called between steps, none of which takes long. */
  check(): void {
    if (performance.now() > this.until) throw new ScanOverrun('The content filters took too long.');
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
