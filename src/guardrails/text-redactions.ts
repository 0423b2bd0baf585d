import { merged, type Span } from '../core/text/scan.js';

interface Redaction extends Span {
  readonly label: string;
}

/** Characters of one step: pieces that begin there are sorted together. */
const STEP = 32_768;

/** The pieces to be cut out of one text. */
export class TextRedactions {
  /** Redactions by the step that they begin in. */
  private readonly steps: (Redaction[] | undefined)[] = [];

  get isEmpty(): boolean {
    return this.steps.length === 0;
  }

  add({ start, end }: Span, label: string): void {
    (this.steps[Math.floor(start / STEP)] ??= []).push({ start, end, label });
  }

  /** The text with each piece replaced; overlapping pieces become one, under the label of the first. */
  *made(text: string): Generator<void, string, undefined> {
    const pieces: string[] = [];
    let from = 0;
    for (const redactions of this.steps) {
      if (!redactions) continue;
      const replaced: string[] = [];
      for (const { start, end, label } of merged(redactions)) {
        // The last one of the previous step may reach into this one.
        if (start >= from) replaced.push(text.slice(from, start), `[REDACTED:${label}]`);
        from = Math.max(from, end);
      }
      pieces.push(replaced.join(''));
      yield;
    }
    pieces.push(text.slice(from));
    return pieces.join('');
  }
}
