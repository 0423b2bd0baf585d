import { BLOCK_SEPARATOR, TOOL_ERROR_PREFIX } from './block-text.js';

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/**
 * A tool result where results hold text only: images and documents travel in the user message after it, each behind a
 * text part that names it as the placeholder in the result does.
 */
export class ToolResultText<Medium extends { readonly type: string }> {
  readonly carried: (TextPart | Medium)[] = [];
  private readonly texts: string[] = [];
  private media = 0;

  /** @param id of the call, as the target is told it */
  constructor(private readonly id: string) {}

  addText(text: string): void {
    if (text !== '') this.texts.push(text);
  }

  addMedium(part: Medium): void {
    this.media++;
    const name = `Attachment ${this.media} of tool result ${this.id}`;
    this.texts.push(`[${name}: see the next user message]`);
    this.carried.push({ type: 'text', text: `[${name}]` }, part);
  }

  join(isError: boolean | undefined): string {
    return (isError === true ? TOOL_ERROR_PREFIX : '') + this.texts.join(BLOCK_SEPARATOR);
  }
}
