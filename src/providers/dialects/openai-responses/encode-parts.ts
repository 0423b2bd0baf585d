import { append } from '../../../core/append.js';
import type { DocumentBlock, ToolResultBlock } from '../../../core/conversation/content.js';
import { BLOCK_SEPARATOR, TOOL_ERROR_PREFIX } from '../block-text.js';
import type { EncodeContext } from '../encode-context.js';
import { encodeBlock, encodeDocument, type DocumentForms, type PartBlock, type PartForms } from '../encode-parts.js';
import { dataUrl, fileName, urlOf } from '../media-parts.js';
import { CUSTOM_OUTPUT, ownValue } from './own-tools.js';
import type { InputItem, InputPart } from './wire.js';

const inputText = (text: string): InputPart => ({ type: 'input_text', text });

const DOCUMENTS: DocumentForms<InputPart, EncodeContext> = {
  text: inputText,
  block: encodeParts,
  bytes(block, mediaType, base64) {
    const filename = fileName(block.title, mediaType);
    return [...explained(block), { type: 'input_file', filename, file_data: dataUrl(mediaType, base64) }];
  },
  // The vendor fetches it; the address contains its name.
  address: (block, url) => [...explained(block), { type: 'input_file', file_url: url }],
};

const FORMS: PartForms<InputPart, EncodeContext> = {
  text: inputText,
  image: ({ source, detail }) => ({
    type: 'input_image',
    image_url: urlOf(source),
    ...(detail !== undefined && { detail }),
  }),
  document: (block, path, context) => encodeDocument(block, path, context, DOCUMENTS),
};

/**
 * The parts of one block of a user turn or tool result.
 * @param path the block's path in the caller's request
 * @throws Untranslatable when the format has no part for it
 */
export function encodeParts(block: PartBlock, path: string, context: EncodeContext): InputPart[] {
  return encodeBlock(block, path, context, FORMS);
}

/**
 * A tool's result. Text alone becomes one string, which every provider of this format takes; images and files are parts
 * of the result.
 * @throws Untranslatable when something in the result has no form in the target
 */
export function encodeToolResult(block: ToolResultBlock, path: string, context: EncodeContext): InputItem {
  const own = ownValue(block.origin);
  const type = own?.['type'] === CUSTOM_OUTPUT ? CUSTOM_OUTPUT : 'function_call_output';
  if (own !== undefined && type !== CUSTOM_OUTPUT) {
    // The output of a local shell names its call by `id`.
    const key = own['call_id'] === undefined ? 'id' : 'call_id';
    return { ...own, [key]: context.callId(block) };
  }
  const parts: InputPart[] = block.isError === true ? [inputText(TOOL_ERROR_PREFIX)] : [];
  for (const [index, inner] of block.content.entries()) {
    append(parts, encodeParts(inner, `${path}.content.${index}`, context));
  }
  return {
    type,
    call_id: context.callId(block),
    output: onlyWords(parts, block.isError === true) ?? withoutEmptyTexts(parts),
  };
}

/** @returns undefined where a part is no text */
function onlyWords(parts: readonly InputPart[], isError: boolean): string | undefined {
  const texts: string[] = [];
  for (const part of isError ? parts.slice(1) : parts) {
    if (part.type !== 'input_text') return undefined;
    if (part.text !== '') texts.push(part.text);
  }
  return (isError ? TOOL_ERROR_PREFIX : '') + texts.join(BLOCK_SEPARATOR);
}

/** Without blank texts, unless there is nothing else. */
export function withoutEmptyTexts(parts: readonly InputPart[]): readonly InputPart[] {
  return parts.some(isEmptyText) ? parts.filter((part) => !isEmptyText(part)) : parts;
}

const isEmptyText = (part: InputPart): boolean => part.type === 'input_text' && part.text === '';

const explained = ({ context }: DocumentBlock): InputPart[] =>
  context === undefined || context === '' ? [] : [inputText(context)];
