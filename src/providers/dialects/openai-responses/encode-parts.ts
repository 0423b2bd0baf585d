import { append } from '../../../core/append.js';
import type {
  ContentBlock,
  DocumentBlock,
  ToolReferenceBlock,
  ToolResultBlock,
} from '../../../core/conversation/content.js';
import type { Base64Text } from '../../../core/json/base64-text.js';
import { BLOCK_SEPARATOR, searchResultText, titledText, TOOL_ERROR_PREFIX } from '../block-text.js';
import { ruleForForeign } from '../foreign-blocks.js';
import { dataUrl, fileName, textOf, urlOf } from '../media-parts.js';
import type { EncodeContext } from './encode-context.js';
import type { InputItem, InputPart } from './wire.js';

/**
 * The parts of one block of a user turn or tool result.
 * @param path the block, as the caller wrote it
 * @throws Untranslatable when the format has no part for it
 */
export function encodeParts(
  block: ContentBlock | ToolReferenceBlock,
  path: string,
  context: EncodeContext,
): InputPart[] {
  switch (block.type) {
    case 'text':
      return [inputText(block.text)];
    case 'image': {
      const { detail } = block;
      return [{ type: 'input_image', image_url: urlOf(block.source), ...(detail !== undefined && { detail }) }];
    }
    case 'document':
      return documentParts(block, path, context);
    case 'search-result':
      return [inputText(searchResultText(block))];
    case 'tool-reference':
      return [inputText(`[Tool ${context.names.toWire(block.toolName)} is available.]`)];
    case 'opaque': {
      const rule = ruleForForeign(block.opaque);
      if (rule.type === 'text') return [inputText(rule.text)];
      if (rule.type === 'drop') return [];
      return context.refuse(path, `a block of type ${rule.blockType}`);
    }
    case 'audio':
    case 'video':
      return context.refuse(path, `${block.type} content`);
    case 'tool-use':
    case 'tool-result':
    case 'thinking':
    case 'redacted-thinking':
      return context.refuse(path, `a ${block.type} block in this place`);
  }
}

/**
 * A tool's answer: words alone as one text, which every upstream of this format takes; images and files stand right in
 * it.
 * @throws Untranslatable when something in the result has no form in the target
 */
export function encodeToolResult(block: ToolResultBlock, path: string, context: EncodeContext): InputItem {
  const parts: InputPart[] = block.isError === true ? [inputText(TOOL_ERROR_PREFIX)] : [];
  for (const [index, inner] of block.content.entries()) {
    append(parts, encodeParts(inner, `${path}.content.${index}`, context));
  }
  return {
    type: 'function_call_output',
    call_id: context.callId(block.toolUseId),
    output: onlyWords(parts, block.isError === true) ?? withoutEmptyTexts(parts),
  };
}

/** @returns undefined where something is no text */
function onlyWords(parts: readonly InputPart[], isError: boolean): string | undefined {
  const texts: string[] = [];
  for (const part of isError ? parts.slice(1) : parts) {
    if (part.type !== 'input_text') return undefined;
    if (part.text !== '') texts.push(part.text);
  }
  return (isError ? TOOL_ERROR_PREFIX : '') + texts.join(BLOCK_SEPARATOR);
}

/** Texts that say nothing are left out where anything else is said. */
export function withoutEmptyTexts(parts: readonly InputPart[]): readonly InputPart[] {
  return parts.some(isEmptyText) ? parts.filter((part) => !isEmptyText(part)) : parts;
}

const isEmptyText = (part: InputPart): boolean => part.type === 'input_text' && part.text === '';

const inputText = (text: string): InputPart => ({ type: 'input_text', text });

function documentParts(block: DocumentBlock, path: string, context: EncodeContext): InputPart[] {
  const { source } = block;
  switch (source.type) {
    case 'text':
      return [inputText(titledText(block, source.text))];
    case 'blocks': {
      const header = titledText(block, '');
      const parts: InputPart[] = header === '' ? [] : [inputText(header)];
      for (const [index, inner] of source.blocks.entries()) {
        append(parts, encodeParts(inner, `${path}.source.content.${index}`, context));
      }
      return parts;
    }
    case 'base64':
      return fileParts(block, source.mediaType, source.data, path, context);
    case 'url':
      // The vendor fetches it; its name is in the address.
      if (!context.acceptsFiles) return context.refuse(`${path}.source`, 'a document by address');
      return [...explained(block), { type: 'input_file', file_url: source.url }];
    case 'file':
      return context.refuse(`${path}.source.file_id`, 'a file stored at another vendor');
  }
}

function fileParts(
  block: DocumentBlock,
  mediaType: string,
  base64: string | Base64Text,
  path: string,
  context: EncodeContext,
): InputPart[] {
  if (mediaType.startsWith('text/')) return [inputText(titledText(block, textOf(base64)))];
  if (!context.acceptsFiles) return context.refuse(`${path}.source`, `a document of type ${mediaType}`);
  const filename = fileName(block.title, mediaType);
  return [...explained(block), { type: 'input_file', filename, file_data: dataUrl(mediaType, base64) }];
}

const explained = ({ context }: DocumentBlock): InputPart[] =>
  context === undefined || context === '' ? [] : [inputText(context)];
