import type { ToolResultBlock } from '../../../core/conversation/content.js';
import { BLOCK_SEPARATOR } from '../block-text.js';
import type { GeminiContext, KnownCall } from './encode-context.js';
import { encodeParts } from './encode-parts.js';
import type { InlineData, Part } from './wire.js';

/** The result of a call, and what of it has no place in there: it stands behind the results of the turn. */
export interface EncodedToolResult {
  readonly call: KnownCall;
  readonly response: Part;
  /** Each medium behind a text that names it as the placeholder in the result does. */
  readonly carried: readonly Part[];
}

/**
 * A result in words: the vendor reads `output` as what a function gave, and `error` as why it failed.
 * @throws Untranslatable when something in the result has no form in the target, or nothing was called
 */
export function encodeToolResult(block: ToolResultBlock, path: string, context: GeminiContext): EncodedToolResult {
  const id = context.callId(block);
  const call = context.callOf(block);
  // A result goes by the name of what was called.
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
        const name = `Attachment ${++attachments} of tool result ${id}`;
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
