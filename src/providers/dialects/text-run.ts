import { BLOCK_SEPARATOR } from './block-text.js';

/** Adjacent text blocks are one text that citations divided; texts with another block between them are separate. */
export class TextRun {
  private readonly texts: string[] = [];
  private isInterrupted = true;

  add(text: string): void {
    if (text === '') return;
    if (this.isInterrupted || this.texts.length === 0) this.texts.push(text);
    else this.texts[this.texts.length - 1] += text;
    this.isInterrupted = false;
  }

  interrupt(): void {
    this.isInterrupted = true;
  }

  join(): string {
    return this.texts.join(BLOCK_SEPARATOR);
  }
}
