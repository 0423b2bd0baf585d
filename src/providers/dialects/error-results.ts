import type { ContentBlock, TextBlock, ToolResultBlock, ToolResultContent } from '../../core/conversation/content.js';
import { attachmentName } from './tool-result-text.js';

/**
 * Whether a result of a failed call contains more than text. Claude refuses it: "all content must be type text if
 * is_error is true" (github.com/vellum-ai/vellum-assistant, pull request 18387, read 2026-11-29).
 */
export const holdsMediaOfError = ({ isError, content }: ToolResultBlock): boolean =>
  isError === true && content.some(({ type }) => type !== 'text');

/** A result of a failed call as text, and its media: each behind a text that names it. */
export interface SplitResult {
  readonly result: ToolResultBlock;
  readonly carried: readonly ContentBlock[];
}

/** @param id the call's id at the target */
export function errorInWords(block: ToolResultBlock, id: string): SplitResult {
  const texts: TextBlock[] = [];
  const carried: ContentBlock[] = [];
  let attachments = 0;
  for (const part of block.content) {
    if (part.type === 'text') texts.push(part);
    else if (part.type === 'tool-reference') texts.push(text(`[Tool ${part.toolName}]`));
    else {
      const name = attachmentName(++attachments, id);
      texts.push(text(`[${name}: see below]`));
      carried.push(text(`[${name}]`), part satisfies ToolResultContent);
    }
  }
  const { origin: _asItCame, ...rest } = block;
  return { result: { ...rest, content: texts }, carried };
}

const text = (words: string): TextBlock => ({ type: 'text', text: words });
