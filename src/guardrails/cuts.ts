import { merged, type Span } from '../core/text/scan.js';

interface Cut extends Span {
  readonly label: string;
}

/** Characters of one step: pieces that begin there are put in order together. */
const STEP = 32_768;

/** What is to be cut out of one text. */
export class Cuts {
  /** By the step that they begin in. */
  private readonly steps: (Cut[] | undefined)[] = [];

  get isEmpty(): boolean {
    return this.steps.length === 0;
  }

  add({ start, end }: Span, label: string): void {
    (this.steps[Math.floor(start / STEP)] ??= []).push({ start, end, label });
  }

  /** The text with each piece replaced; pieces that overlap are one, under the label of the first. */
  *made(text: string): Generator<void, string, undefined> {
    const pieces: string[] = [];
    let from = 0;
    for (const cuts of this.steps) {
      if (!cuts) continue;
      const replaced: string[] = [];
      for (const { start, end, label } of merged(cuts)) {
        // The last one of the step before may reach into this one.
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
