import type { ToolResultBlock } from '../../../core/conversation/content.js';
import { BLOCK_SEPARATOR } from '../block-text.js';
import { attachmentName } from '../tool-result-text.js';
import type { GeminiContext, KnownCall } from './encode-context.js';
import { encodeParts } from './encode-parts.js';
import type { InlineData, Part } from './wire.js';

/** The result of a call, and the media that it cannot hold: they follow the results of the turn. */
export interface EncodedToolResult {
  readonly call: KnownCall;
  readonly response: Part;
  /** Each medium follows a text with the same name as the placeholder in the result. */
  readonly carried: readonly Part[];
}

/**
 * A result as text. The vendor reads `output` as the function's return value, and `error` as the reason for its
 * failure.
 * @throws Untranslatable when something in the result has no form in the target, or it answers no call
 */
export function encodeToolResult(block: ToolResultBlock, path: string, context: GeminiContext): EncodedToolResult {
  const id = context.callId(block);
  const call = context.callOf(block);
  // A result carries the name of the called tool.
  if (call === undefined) return context.refuse(path, 'a tool result that answers no call of this conversation');
  const texts: string[] = [];
  const inside: { readonly inlineData: InlineData }[] = [];
  const carried: Part[] = [];
  let attachments = 0;
  for (const [index, inner] of block.content.entries()) {
    for (const part of encodeParts(inner, `${path}.content.${index}`, context)) {
      if ('text' in part) {
        if (part.text !== '') texts.push(part.text);
      } else if ('inlineData' in part && context.generation.takesMediaInResults) {
        inside.push({ inlineData: part.inlineData });
      } else {
        const name = attachmentName(++attachments, id);
        texts.push(`[${name}: see below]`);
        carried.push({ text: `[${name}]` }, part);
      }
    }
  }
  const text = texts.join(BLOCK_SEPARATOR);
  const response: Part = {
    functionResponse: {
      ...(context.generation.signsCalls && { id }),
      name: context.names.toWire(call.name),
      response: block.isError === true ? { error: text } : { output: text },
      ...(inside.length > 0 && { parts: inside }),
    },
  };
  return { call, response, carried };
}
