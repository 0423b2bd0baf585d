import type { ToolResultBlock } from '../../../core/conversation/content.js';
import { ToolResultText } from '../tool-result-text.js';
import type { ChatContext } from './encode-context.js';
import { encodeParts } from './encode-parts.js';
import type { ChatMessage, ChatPart, WireCacheControl } from './wire.js';

/** A tool message holds only text: images and documents go into the user message after it. */
export interface EncodedToolResult {
  readonly message: ChatMessage;
  /** Each medium follows a text part with the same name as the placeholder in the tool message. */
  readonly carried: readonly ChatPart[];
}

/** @throws Untranslatable when something in the result has no form in the target */
export function encodeToolResult(block: ToolResultBlock, path: string, context: ChatContext): EncodedToolResult {
  const id = context.callId(block);
  const result = new ToolResultText<ChatPart>(id);
  let marker: WireCacheControl | undefined;
  for (const [index, inner] of block.content.entries()) {
    for (const part of encodeParts(inner, `${path}.content.${index}`, context)) {
      marker = part.cache_control ?? marker;
      if (part.type === 'text') {
        result.addText(part.text);
      } else {
        delete part.cache_control;
        result.addMedium(part);
      }
    }
  }
  const text = result.join(block.isError);
  marker = context.cacheControl(block.cacheMarker).cache_control ?? marker;
  if (context.treatmentOf('tool_result_cache_control').type !== 'mapped') marker = undefined;
  return {
    message: {
      role: 'tool',
      tool_call_id: id,
      content: marker === undefined ? text : [{ type: 'text', text, cache_control: marker }],
    },
    carried: result.carried,
  };
}
