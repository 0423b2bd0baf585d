import { BLOCK_SEPARATOR, TOOL_ERROR_PREFIX } from './block-text.js';

/** The name of a medium that follows a result, used in the result and before the medium. */
export const attachmentName = (index: number, id: string): string => `Attachment ${index} of tool result ${id}`;

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/**
 * A tool result for formats whose results are text: images and documents go into the user message after it. Each
 * follows a text part with the same name as the placeholder in the result.
 */
export class ToolResultText<Medium extends { readonly type: string }> {
  readonly carried: (TextPart | Medium)[] = [];
  private readonly texts: string[] = [];
  private media = 0;

  /** @param id the call's id at the target */
  constructor(private readonly id: string) {}

  addText(text: string): void {
    if (text !== '') this.texts.push(text);
  }

  addMedium(part: Medium): void {
    this.media++;
    const name = attachmentName(this.media, this.id);
    this.texts.push(`[${name}: see the next user message]`);
    this.carried.push({ type: 'text', text: `[${name}]` }, part);
  }

  join(isError: boolean | undefined): string {
    return (isError === true ? TOOL_ERROR_PREFIX : '') + this.texts.join(BLOCK_SEPARATOR);
  }
}
